-- Money lands as whole cents.
create macro euros(cents) as cast(cents / 100 as decimal(12, 2));

create macro net(cents) as cast(euros(cents) / 1.19 as decimal(12, 2));
