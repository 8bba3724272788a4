-- description: Fees of payments, once the provider calls the month final.
-- owner: team:finance
-- grain: payment_id

create table bronze.settlements as
select s.payment_id, s.fee, $doc.header.batch_date as settled_on
from 'landing/batch.json' s
where $doc.trailer.status = 'final'
