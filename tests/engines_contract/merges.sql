merge into m.t as t using s.u as s on t.id = s.id
when matched then update set "a b" = s."a b", x = s.x
when not matched then insert (id, "order", "a b", x) values (s.id, s."order", s."a b", s.x);

merge into m.t as t using s.u as s on t.id = s.id
when matched and s."order" is null then delete
when matched and s.x > t.x then update set x = t.x + s.x
when not matched by source and t.id > 3 then delete
when not matched by source then update set "a b" = 'gone', "order" = "order" + 1
when not matched and s."a b" = 'N' then insert (id, "order") values (s.id, s.id)
when not matched then insert values (s.id, null, "a b", 1);

merge into m.t using s.u on t.id = u.id when matched then delete;

merge into m.t as t using s.u as s on t.id = s.id when not matched then insert *;

merge into m.t as t using s.u as s on t.id = s.id when matched then update set * when not matched then insert by name;

merge into m.t as t using s.u as s using (id) when matched then update set "order" = s."order" when not matched then insert (id) values (id);

merge into m.t as t using s.u as s on t.id = s.id and t."a b" <> s."a b" when matched then update set id = s.id + 1;

merge into m.t as t using s.u as s on t.id is not distinct from s.id when matched then do nothing when not matched by source then delete;

merge into m.t as t using (
    select id, max("order") as top, count(*) as n from s.u group by id
) as s on t.id = s.id
when matched then update set "order" = s.n
when not matched and s.n > 1 then insert (id, "order") values (s.id, s.top)
when not matched by source and t.x > 0 then update set x = t.x * 2;

with best as (select id, "order", row_number() over (partition by id order by "order" desc) as n from s.u)
merge into m.t as t using (select id, "order" from best where n = 1) as s on t.id = s.id
when matched then update set "order" = s."order"
when not matched then insert (id, "order", "a b") values (s.id, s."order", case when s."order" > 70 then 'many' else 'few' end);

merge into m.t as t using (select t.id, t."order" from m.t as t where t."order" > 20) as s on t.id = s.id and t."order" = s."order"
when matched then update set "a b" = coalesce(t."a b", 'none') || '!';

merge into m.t as t using s.u as s on t.id = s.id
when matched and exists (select 1 from s.u k where k.id = t.id and k."order" > 5) then update set x = (select max(k.x) from s.u k where k.id < 5)
when not matched by source and t.id in (select k.id from s.u k) then delete;

merge into m.t as t using (
    select id, x, "order" from s.u qualify row_number() over (partition by id order by "order" desc) = 1
) as s on t.id is not distinct from s.id and t."order" is distinct from s."order"
when matched and t.id is not null then update set x = s.x when not matched then insert (id) values (s.id);

merge into m.t as t using s.u as s on false when not matched then insert (id, x) values (s.id, s.x);

merge into m.t as t using (select 1 as one) as s on true when matched and t.id = 1 then delete when matched then update set "order" = one
;

merge into m.t as t using (values (1, 'it''s', 1.5), (3, null, -2), (9, 'é\n', 0.25)) as s(id, "a b", x) on t.id = s.id
when matched then update set "a b" = s."a b", x = s.x
when not matched then insert (id, "a b") values (s.id, s."a b");

merge into m.t as t using (values (2, date '2024-02-29'), (null, null)) as s on t.id = s.col0
when matched and s.col1 > '2024-02-01' and t."order" = 20 then delete
when matched and t."order" = 21 then update set "order" = 1
when not matched and col1 is null then insert (id) values (-1);

merge into m.t as t using s.u as s on t.id = s.id
when matched and (select any_value(k.x) from s.u k where k.id = t.id) is null then update set "a b" = s."a b", x = 1, "order" = 2
when matched and exists (select 1 from s.u k where k."order" > t."order") then do nothing
when matched then delete
when not matched by source and exists (select 1 from s.u k where k."order" > t."order") then update set "a b" = 'less', x = 0
when not matched and exists (select 1 from m.t k where k."order" < s."order" and k.id is not null) then insert (id, x) values (s.id, s.x)
