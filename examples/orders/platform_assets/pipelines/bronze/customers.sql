-- description: Customers as they landed.
-- owner: team:shop
-- grain: customer_id

create table bronze.customers as
select * from 'landing/customers.csv'
