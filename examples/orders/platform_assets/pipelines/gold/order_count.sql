-- description: How many orders count.
-- owner: team:analytics

create table gold.order_count as
select count(*) as "count" from silver.orders
