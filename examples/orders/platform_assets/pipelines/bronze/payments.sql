-- description: Payments as they landed: each run takes the files that are new.
-- owner: team:finance
-- grain: payment_id

create table if not exists bronze.payments (
    batch_id bigint, payment_id bigint, order_id bigint, cents bigint, method varchar, source_file varchar
);

insert into bronze.payments
select d.batch_id, d.payment_id, d.order_id, d.cents, trim(d.method), d.source_file
from 'landing/payments/*.txt#detail' d
