-- description: Returned orders, each with the day it came back.
-- owner: team:shop
-- grain: order_id

create table bronze.returns as
select r.order_id, r.reason, h.received_on
from 'landing/returns.csv#item' r
join 'landing/returns.csv#header' h on h.delivery_id = r.delivery_id
