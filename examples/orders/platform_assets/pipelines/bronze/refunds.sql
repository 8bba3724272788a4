-- description: Refunds as they landed.
-- owner: team:finance
-- grain: order_id

create table bronze.refunds as
select * from 'landing/refunds.csv'
