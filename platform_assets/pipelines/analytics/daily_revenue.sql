-- description: Revenue of each day that is over, appended once: a day that the table has is not touched again.
-- owner: team:analytics
-- grain: day
-- tags: reporting, incremental

create table if not exists analytics.daily_revenue (day date, revenue_usd double);

insert into analytics.daily_revenue
select cast(p.paid_at as date), sum(p.amount)
from billing.payments p
where p.status = 'succeeded'
    and cast(p.paid_at as date) < current_date
    and cast(p.paid_at as date) > (select coalesce(max(d.day), date '1970-01-01') from analytics.daily_revenue d)
group by 1
