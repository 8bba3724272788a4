-- One query a line: Spark gives the rows that DuckDB gives, in columns of the same types.
select * from s.t
select t.* from s.t t
select id, id + 1 as next, big * 2 as double, id - big as less, id * id as square from s.t where id < 5
select amount + amount as a, amount * 2 as b, amount * amount as c, amount - id as d, amount + 0.5 as e, -amount as f from s.t
select amount / 2 as a, id / big as b, big / id as c, amount / nullif(rate, 0) as d, rate / id as e, id / 0 as f, rate / 0 as g from s.t
select rate + 1 as a, rate * amount as b, rate - rate as c, abs(rate) as d, abs(amount) as e, -rate as f from s.t
select id, sum(big) as a, sum(amount) as b, avg(amount) as c, avg(id) as d, count(*) as e, count(word) as f from s.t group by all
select sum(id), sum(big), sum(amount), avg(big), min(word), max(day), min(moment), max(seen), count(distinct amount) from s.t
select sum(amount) filter (where yes) as a, count(*) filter (where not yes) as b, sum(distinct amount) as c from s.t
select sum(id), count(id), max(word), avg(amount) from s.t where false
select id from s.t where false
select max(rate), min(rate) from s.t
select any_value(word) from s.t where word = 'Ada'
select yes, count(*) as n from s.t group by yes having count(*) > 1
select yes, count(*) as n from s.t group by 1
select day as first, month(day) as m, count(*) as n from s.t group by first, m
select id from s.t where word = 'it''s' or word = 'a\b' or word = ''
select id from s.t where word like 'A%' or word like '%x'
select id from s.t where word not like 'A%'
select id from s.t where word is not null and not (word like 'A%')
select id from s.t where id in (1, 3) or big between -20 and 10
select id from s.t where id not in (1, null)
select id from s.t where day = '2024-02-29' or moment > '2024-02-03 00:00:00'
select id from s.t where day >= date '2024-02-01' and moment < timestamp '2024-02-20 10:00:00.5'
select id from s.t where day < moment
select id from s.t where rate > 1 or rate = rate
select id from s.t where amount > 1 and amount < 1.5 and amount <> rate
select id, year(day) as y, month(moment) as m, day(moment) as d, extract(hour from moment) as h, extract(minute from moment) as mi, quarter(day) as q from s.t
select date_trunc('month', day) as a, date_trunc('month', moment) as b, date_trunc('day', moment) as c, date_trunc('year', day) as d from s.t where year(day) between 1900 and 2100
select cast(moment as date) as a, cast(day as timestamp) as b, cast(seen as timestamp) as c, cast(seen as date) as d from s.t
select cast(id as bigint) as a, cast(id as double) as b, cast(amount as double) as c, cast(amount as decimal(20, 4)) as d from s.t
select cast(amount as decimal(12, 1)) as a, cast(big as decimal(20, 2)) as b, cast(id as varchar) as c, cast(yes as varchar) as d, cast(day as varchar) as e from s.t where year(day) between 1000 and 9998
select cast(null as integer) as a, cast(null as varchar) as b, null is null as c
select length(word) as a, word || '-' || word as b from s.t
select coalesce(word, 'none') as a, coalesce(id, big) as b, coalesce(amount, 0) as c, nullif(id, 1) as d from s.t
select greatest(id, big) as a, least(amount, 1.5) as b, greatest(day, date '2024-02-10') as c from s.t
select case when yes then 'a' when yes is false then 'b' else 'c' end as a, case id when 1 then 10 when 2 then 20 end as b from s.t
select case when id = 1 then 1 else 2.5 end as a, case when yes then id else big end as b, if(yes, 1, 0) as c from s.t
select id, yes is true as a, yes is not true as b, not yes as c, yes and id > 1 as d, yes or id > 1 as e from s.t
select id, row_number() over (order by id) as n, rank() over (order by yes) as r, dense_rank() over (order by yes desc) as d from s.t
select id, lag(id) over (order by id) as a, lead(id, 2) over (order by id desc) as b from s.t
select id, sum(amount) over (order by id) as a, count(*) over (partition by yes) as b, max(big) over (partition by yes order by id) as c from s.t
select id, row_number() over (order by id nulls first) as a, row_number() over (order by word desc, id) as b from s.t
select t.id, u.note from s.t t join s.u u on u.id = t.id
select t.id, u.note from s.t t left join s.u u on u.id = t.id and u.note <> 'y'
select t.id, u.note from s.t t right join s.u u on u.id = t.id
select t.id, u.id as other from s.t t full join s.u u on u.id = t.id
select t.id, u.id as other from s.t t, s.u u
select t.id, u.id as other from s.t t cross join s.u u where t.id = u.id + 1
select id, note from s.t join s.u using (id)
select id, note from s.t left join s.u using (id)
select * from (select id, word from s.t) a join s.u using (id)
with a as (select id, count(*) as n from s.u group by id), b as (select n, id from a where n > 1) select t.id, b.n from s.t join b on b.id = t.id
with t as (select 5 as id) select id from t
select id from s.t where id in (select u.id from s.u u)
select id from s.t where id not in (select u.id from s.u u where u.id is not null)
select id from s.t where id not in (select u.id from s.u u)
select id from s.t t where exists (select 1 from s.u u where u.id = t.id)
select id from s.t t where not exists (select 1 from s.u u where u.id = t.id and u.note = 'y')
select id, (select max(u.big) from s.u u where u.id = t.id) as most from s.t t
select id, (select max(u.big) from s.u u) as most from s.t t
select id from s.t union select id from s.u
select id, big from s.t union all select big, id from s.u
select id from s.t except select id from s.u
select id from s.t intersect select id from s.u
select amount from s.t union all select id from s.t
select distinct yes, id is null as b from s.t
select id from s.t order by id desc limit 2
select id from s.t order by id limit 2 offset 1
select word as w, id from s.t order by w desc, id nulls first limit 3
select id + 1 as a, a * 2 as b, a + b as c from s.t where id < 10
select id as big, big as id from s.t where big > 5
select 1 as a, 'x' as b, 0.5 as c, 10000000000 as d, true as e, date '2024-02-29' as f, -7 as g
select cast('2024-02-29' as date) as a, timestamp '2024-02-29 01:02:03' as b
select many, one, pairs from s.t where id = 1 or id is null
select id, max(many) is null as a from (select id, null as many from s.t) x group by id
select many, count(*) over (partition by yes) as n from s.t
select count(distinct id) as a, count(distinct yes) filter (where id > 1) as b from s.t
select raw, count(*) as n from s.t where raw is not null group by raw
select word, count(*) as n from s.t group by word order by word
select sum(id) as a, sum(cast(big as decimal(38, 0))) as b from s.t group by yes
select a.id, b.id as other from s.t a join s.t b on a.moment = b.moment and a.id <> b.id
select distinct seen from s.t
select t.id from s.t join (select id, max(big) as top from s.u group by id) u on u.id = t.id and u.top >= 1
select x, count(*) as n from s.z group by x
select distinct x from s.z
select count(distinct x) as n from s.z
select a.y, b.y as z from s.z a join s.z b on a.x = -b.x
select y from s.z where x = 0 or x = -x
select y, row_number() over (order by x, y) as n from s.z
select x from s.z union select -x from s.z
select max(x) as m, min(-x) as n from s.z where y in ('a', 'b')
select x from s.z except select -x from s.z
select -x as x from s.z intersect select x from s.z
select y, rank() over (order by -x) as r, count(*) over (partition by x) as n from s.z
select greatest(x, 0.5) as g, least(x, -x) as l from s.z
select case x when 0 then 'z' end as c, nullif(-x, cast(0 as double)) as d from s.z
select 1 / nullif(-x, 0) as a from s.z
select -x as n, y from s.z order by n, y limit 2
select id from s.t semi join s.u using (id)
select id, word from s.t anti join s.u using (id)
select t.id from s.t t anti join s.u u on u.id > t.id and u.note <> 'x'
select t.id from s.t t semi join s.u u on u.id = t.id where t.big is not null
select id from s.t where id is not distinct from null or word is distinct from 'Ada'
select y from s.z where x is not distinct from 0 or x is distinct from cast(1 as double)
with a as materialized (select id, big from s.t), b as (select id from a), c as materialized (select count(*) as n from b) select a.id, c.n from a, c
select id, word from s.t qualify row_number() over (partition by yes order by id desc) = 1
select id, big as n, row_number() over (order by id) as place from s.t where id > 1 qualify place < 3 and n is not null
select yes, count(*) as n, max(id) as top from s.t group by yes qualify rank() over (order by count(*), max(id)) <= 2
select id, word from (select id, word, big from s.t qualify sum(big) over (partition by yes) > 0) where id < 5
select yes, sum(big) as a, coalesce(sum(id), 0) as b from s.t group by yes having sum(big) > 10
select case when sum(big) > 5 then sum(id) else -1 end as a, greatest(sum(id), sum(big)) as b, sum(id) between 1 and 100 as c from s.t
select sum(id) as a from s.t union all select big from s.u union all select id from s.t
