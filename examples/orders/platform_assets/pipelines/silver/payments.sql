-- description: Payments in euros, with and without VAT.
-- owner: team:finance
-- grain: payment_id

create table silver.payments as
select payment_id, order_id, method, paid_on, euros(cents) as amount, net(cents) as net_amount
from staging.payments
