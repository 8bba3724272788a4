-- Payments with what their batch says of them.
create view staging.payments as
select p.payment_id, p.order_id, p.method, p.cents, b.batch_date as paid_on
from bronze.payments p
join bronze.payment_batches b on b.batch_id = p.batch_id;

create macro paid_by(wanted) as table
select * from staging.payments where method = wanted;
