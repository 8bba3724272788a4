-- description: Orders as they landed.
-- owner: team:shop
-- grain: order_id

create table bronze.orders as
select * from 'landing/orders.csv'
