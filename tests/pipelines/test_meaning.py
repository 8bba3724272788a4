"""What a query means, apart from how it is written: equal where only text changed, different in the right part else."""

# ruff: noqa: S608  # SQL is what is made here, of our own words

import pytest

from governance.pipeline import Pipeline
from governance.statement.meaning import Meaning, meaning
from governance.statement.parse import parse

SCHEMAS = {
    "s.a": {"id": "INT", "x": "INT", "y": "VARCHAR"},
    "s.b": {"id": "INT", "z": "DATE"},
}
BASE = """
with c as (select id, x, y from s.a where x > 1 and y <> 'n')
select c.id, c.x + 1 as v, b.z, count(*) over (partition by c.y order by b.z) as n
from c join s.b b on b.id = c.id
"""


def read(query: str) -> Meaning:
    pipeline = Pipeline(table="m.t", file="m/t.sql", sql=f"create table m.t as {query}", description="", owner=None)
    return meaning(parse(pipeline), SCHEMAS)


def moved(before: str, after: str) -> tuple[bool, set[str]]:
    """Return whether the rows differ, and the names of the columns that do or that only one has."""
    old, new = read(before), read(after)
    assert old.whole
    assert new.whole
    names = {*old.columns, *new.columns}
    return old.rows != new.rows, {name for name in names if old.columns.get(name) != new.columns.get(name)}


SAME = (
    BASE.replace("\n", "  \n -- a remark\n"),
    BASE.replace("with c as", "with renamed as")
    .replace(" c.", " renamed.")
    .replace("by c.", "by renamed.")
    .replace("from c", "from renamed"),
    BASE.replace("s.b b", "s.b as other").replace("b.z", "other.z").replace("b.id =", "other.id ="),
    BASE.replace("x > 1", "((x) > (1))"),
    BASE.replace("x > 1 and y <> 'n'", "y != 'n' AND x > 1"),
    BASE.replace("select c.id", "SELECT C.ID").replace("s.a", "S.A"),
    BASE.replace("c.x + 1 as v", "(c.x + 1) v"),
)


@pytest.mark.parametrize("query", SAME)
def test_what_is_only_written_otherwise_means_the_same(query: str) -> None:
    assert moved(BASE, query) == (False, set())


EQUAL = (
    ("select * from s.a", "select id, x, y from s.a"),
    ("select a.* exclude (y) from s.a", "select id, x from s.a"),
    ("select * replace (x + 1 as x) from s.a", "select id, x + 1 as x, y from s.a"),
    ("from s.a", "select * from s.a"),
    ("select y, count(*) as n from s.a group by y", "select y, count(*) as n from s.a group by 1"),
    ("select y, count(*) as n from s.a group by y", "select y, count(*) as n from s.a group by all"),
    ("select x as v from s.a order by v limit 3", "select x as v from s.a order by 1 limit 3"),
    (
        "select x from s.a where exists (select 1 from s.b where b.id = a.id)",
        "select x from s.a where exists (select 1 from s.b o where o.id = a.id)",
    ),
)


@pytest.mark.parametrize(("before", "after"), EQUAL)
def test_stars_positions_and_names_are_what_they_stand_for(before: str, after: str) -> None:
    assert moved(before, after) == (False, set())


MOVED = (
    ("a filter's value", BASE.replace("x > 1", "x > 2"), True, set[str]()),
    ("a filter more", BASE.rstrip() + " where b.z is not null", True, set[str]()),
    ("the kind of a join", BASE.replace("join", "left join"), True, set[str]()),
    ("a join's condition", BASE.replace("b.id = c.id", "b.id = c.x"), True, set[str]()),
    ("an expression", BASE.replace("+ 1", "+ 2"), False, {"v"}),
    ("an expression in a CTE", BASE.replace("id, x, y", "id, x * 2 as x, y"), False, {"v"}),
    ("a window", BASE.replace("order by b.z", "order by b.z desc"), False, {"n"}),
    ("a column more", BASE.replace("b.z,", "b.z, c.y as more,"), False, {"more"}),
    ("a column less", BASE.replace("b.z,", ""), False, {"z"}),
    ("a name", BASE.replace("as v", "as w"), False, {"v", "w"}),
    ("a limit", BASE + " limit 5", True, set[str]()),
    ("distinct", BASE.replace("select c.id", "select distinct c.id"), True, set[str]()),
)


@pytest.mark.parametrize(("query", "rows", "columns"), [case[1:] for case in MOVED], ids=[case[0] for case in MOVED])
def test_what_moved_is_told_as_values_or_as_rows(query: str, rows: bool, columns: set[str]) -> None:  # noqa: FBT001
    assert moved(BASE, query) == (rows, columns)


TOLD_APART = (
    ("select l.x from s.a l join s.a r on l.id = r.id", "select r.x from s.a l join s.a r on l.id = r.id", {"x"}),
    (
        "select x, row_number() over w as r from s.a window w as (order by y)",
        "select x, row_number() over w as r from s.a window w as (order by id)",
        {"r"},
    ),
    ("select 'a' as c from s.a", "select 'A' as c from s.a", {"c"}),
    ("select unnest([1, 2]) as u from s.a", "select unnest([1, 3]) as u from s.a", {"u"}),
    (
        "select (select max(z) from s.b where b.id = a.id) as m from s.a",
        "select (select min(z) from s.b where b.id = a.id) as m from s.a",
        {"m"},
    ),
)


@pytest.mark.parametrize(("before", "after", "columns"), TOLD_APART)
def test_small_differences_are_seen(before: str, after: str, columns: set[str]) -> None:
    assert moved(before, after)[1] == columns


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("select x from s.a union all select id from s.b", "select x from s.a union select id from s.b"),
        ("select x from s.a except select id from s.b", "select x from s.a except select id from s.b where z is null"),
        (
            "select x from s.a where id in (select id from s.b)",
            "select x from s.a where id in (select id from s.b where z > '2020-01-01')",
        ),
        (
            "with recursive r as (select 1 as n union all select n + 1 from r where n < 5) select n from r",
            "with recursive r as (select 1 as n union all select n + 1 from r where n < 6) select n from r",
        ),
        ("pivot s.a on y using sum(x)", "pivot s.a on y using max(x)"),
        ("select x from s.a using sample 10 rows", "select x from s.a using sample 20 rows"),
    ],
)
def test_rows_move_with_every_clause_that_decides_them(before: str, after: str) -> None:
    assert moved(before, after)[0]


def test_a_recursive_cte_may_be_renamed() -> None:
    text = "with recursive r as (select 1 as n union all select n + 1 from r where n < 5) select n from r"
    assert moved(text, text.replace(" r ", " deeper ").replace("from r", "from deeper")) == (False, set())


def test_types_are_those_of_casts_and_sources() -> None:
    found = read(
        "select cast(x as bigint) as big, y, x + 1 as sum, q.id from s.a join (select id from s.b) q using (id)"
    )
    assert {name: found.types.get(name) for name in found.columns} == {
        "big": "BIGINT",
        "y": "VARCHAR",
        "sum": None,
        "id": "INT",
    }


@pytest.mark.timeout(20)
def test_aliases_and_ctes_that_double_are_read_in_no_time() -> None:
    aliases = ", ".join(f"a{n} + a{n} as a{n + 1}" for n in range(60))
    doubling = f"select x as a0, {aliases} from s.a"
    assert moved(doubling, doubling.replace("x as a0", "id as a0")) == (False, {f"a{n}" for n in range(61)})
    ctes = ", ".join(f"c{n + 1} as (select l.x + r.x as x from c{n} l join c{n} r on l.x = r.x)" for n in range(40))
    whole = f"with c0 as (select x from s.a), {ctes} select x from c40"
    assert moved(whole, whole.replace("select x from s.a", "select id as x from s.a")) == (True, {"x"})


def test_a_column_of_a_join_within_is_not_that_of_a_join_around_it() -> None:
    within = "with q as (select a.x, b.z from s.a a join s.b b on a.id = b.id)"
    inner = f"{within} select {{}} as z from q join s.b b on q.x = b.id"
    assert moved(inner.format("q.z"), inner.format("b.z")) == (False, {"z"})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("select upper(y) as u from s.a", "with q as (select y, x from s.a) select upper(y) as u from q"),
        (
            "select a.x, b.z from s.a a join s.b b using (id)",
            "with last as (select a.x, b.z from s.a a join s.b b using (id)) from last",
        ),
        ("select x from s.a, s.b", "select x from s.a cross join s.b"),
        ("select x from s.a left join s.b using (id)", "select x from s.a left outer join s.b using (id)"),
        ("select if(x > 1, y, 'n') as w from s.a", "select case when x > 1 then y else 'n' end as w from s.a"),
        ("select x from s.a order by all limit 2", "select x from s.a order by ALL limit 2"),
    ],
)
def test_what_only_passes_on_or_only_says_more_means_the_same(before: str, after: str) -> None:
    assert moved(before, after) == (False, set())


KEYED = "with u as (select id + 1 as k, z from s.b) select a.x from (select id as k, x from s.a) a"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "with u as (select id + 1 as k from s.b) select a.x from (select id as k, x from s.a) a join u using (k)",
            ("+ 1", "+ 2"),
        ),
        (
            "with u as (select id + 1 as k, z from s.b) select a.x from (select id as k, x from s.a) a natural join u",
            ("+ 1", "+ 2"),
        ),
        ("select x, y from s.a order by all limit 2", ("y from", "y || 'k' as y from")),
        ("select (select max(z) from s.b) as m, x as n from s.a", ("x as n", "max(x) as n")),
        ("select sum(x) filter (where x > 1) over () as n from s.a", (" over ()", "")),
        ("select bit_xor(x) as n from s.a", ("bit_xor(x)", "x")),
        ("select r.x from s.a l join s.a r on l.id = r.x", ("l.id = r.x", "r.id = l.x")),
    ],
)
def test_rows_move_with_what_a_clause_only_names(old: str, new: tuple[str, str]) -> None:
    assert new[0] in old
    assert moved(old, old.replace(*new))[0]


def test_a_member_and_a_whole_row_are_of_their_own_relation() -> None:
    text = "select {} as w from s.a l join s.a r on l.id = r.x"
    assert moved(text.format("to_json(l)"), text.format("to_json(r)")) == (False, {"w"})
    assert moved(
        text.format("to_json(l)"), text.replace("l.", "k.").replace("s.a l", "s.a k").format("to_json(k)")
    ) == (False, set())
    assert moved(text.format("l.y.part"), text.format("r.y.part")) == (False, {"w"})
