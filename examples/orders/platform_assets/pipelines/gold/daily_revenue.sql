-- description: Revenue of each country and day.
-- owner: team:analytics
-- grain: country_code, day

create table gold.daily_revenue as
select
    c.country_code,
    cast(o.ordered_at as date) as day,
    sum(o.amount) as revenue,
    cast(null as decimal(12, 2)) as margin  -- until purchase prices land, it comes from no column
from silver.orders o
join bronze.customers c on c.customer_id = o.customer_id
group by c.country_code, cast(o.ordered_at as date)
