-- description: Parcels that the carrier took along.
-- owner: team:shop
-- grain: parcel

create table bronze.parcels as
select p.parcel, p.order_id, p.grams, $doc.header.day as shipped_on
from 'landing/manifest.xml' p
