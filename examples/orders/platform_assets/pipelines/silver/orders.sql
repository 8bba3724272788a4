-- description: Orders that count: whoever is still pending may yet change their mind.
-- owner: team:shop
-- grain: order_id

create table silver.orders as
select * from bronze.orders where status <> 'pending'
