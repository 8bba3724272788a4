-- description: What card payments cost, by day.
-- owner: team:finance
-- grain: paid_on

create table gold.card_fees as
select p.paid_on, sum(euros(p.cents)) as paid, sum(s.fee) as fees
from paid_by('card') p
join bronze.settlements s on s.payment_id = p.payment_id
group by p.paid_on
