-- description: What was paid for orders that came back, by reason.
-- owner: team:analytics
-- grain: reason
-- include: silver.payments

create table gold.returned as
select r.reason, count(*) as orders, sum(p.amount) as paid
from bronze.returns r
join silver.payments p on p.order_id = r.order_id
group by r.reason
