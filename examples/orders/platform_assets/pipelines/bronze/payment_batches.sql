-- description: Each batch of payments, with how many its trailer says it has.
-- owner: team:finance
-- grain: batch_id

create table if not exists bronze.payment_batches (batch_id bigint, batch_date date, payments integer);

insert into bronze.payment_batches
select h.batch_id, h.batch_date, t.payments
from 'landing/payments/*.txt#header' h
join 'landing/payments/*.txt#trailer' t on t.batch_id = h.batch_id
