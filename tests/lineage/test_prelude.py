"""Blocks before a statement: lineage is that of the same text with the blocks written out, and so are its rows."""

# ruff: noqa: S608  # SQL is what is made here, of our own words

from itertools import product

import duckdb
import pytest

from governance.block import Block, BlockKind
from governance.errors import LimitExceeded, LineageError, UnknownColumn, UnparsableSql, UnreadConstruct
from governance.lineage import column_lineage
from governance.lineage.explain import explain
from tests.lineage.cases import Expected, Schema
from tests.lineage.forms import as_expected, told
from tests.lineage.law.relations import TABLES
from tests.lineage.test_laws import every


def queries() -> list[tuple[str, Schema]]:
    return every()[::5]


SCHEMA = {
    "s.t": {"a": "int", "b": "int", "c": "varchar"},
    "s.u": {"a": "int", "k": "int"},
}


def view(name: str, query: str, file: str = "blocks/v.sql", line: int = 1) -> Block:
    return Block(name, BlockKind.VIEW, file, line, f"create view {name} as {query}")


def macro(text: str, file: str = "blocks/m.sql", line: int = 1) -> Block:
    return Block(text.partition("(")[0], BlockKind.MACRO, file, line, f"create macro {text}")


def read(sql: str, *blocks: Block) -> Expected:
    (lineage,) = column_lineage(sql, SCHEMA, prelude=blocks)
    return as_expected(lineage)


def test_a_view_is_its_query() -> None:
    for sql, schema in queries():
        blocks = view("blocks.within", sql), view("blocks.around", "select * from blocks.within")
        (found,) = column_lineage("select * from blocks.around", schema, prelude=blocks)
        assert told(as_expected(found)) == told(as_expected(column_lineage(sql, schema)[0])), sql


def test_a_table_macro_is_its_query() -> None:
    for sql, schema in queries():
        (found,) = column_lineage("select * from around()", schema, prelude=(macro(f"around() as table {sql}"),))
        assert told(as_expected(found)) == told(as_expected(column_lineage(sql, schema)[0])), sql


def test_a_view_of_a_tables_name_hides_it_but_not_from_itself() -> None:
    hidden = tuple(view(table, f"select * from {table}") for table in TABLES)
    for sql, schema in queries():
        if schema is TABLES:
            (found,) = column_lineage(sql, schema, prelude=hidden)
            assert told(as_expected(found)) == told(as_expected(column_lineage(sql, schema)[0])), sql


BODIES = (
    "{p}",
    "{p} + 1",
    "cast({p} as varchar)",
    "case when {q} > 1 then {p} end",
    "coalesce({p}, {q})",
    "(select max(i.k) from s.u i where i.a = {p})",
    "(select max(i.k) + {q} from s.u i)",
    "sum({p}) over (partition by {q})",
    "{p} in (select i.k from s.u i where i.a > {q})",
    "md5(cast({q} as varchar))",
    "{{'x': {p}, 'y': {q}}}.x",
    "list_sum(list_transform([1, 2], lambda e: e + {p}))",
)
ARGUMENTS = (
    # as the call says it, and so that within the macro it means the same
    ("a", "t.a"),
    ("t.b", "t.b"),
    ("a + b", "t.a + t.b"),
    ("(select max(k) from s.u)", "(select max(k) from s.u)"),
    ("k", "t.k"),
)
PLACES = (
    "select {call} as v from s.t",
    "select a, {call} as v from s.t where {call} is not null",
    "select sum(v) as w from (select {call} as v from s.t) q",
    "with q as (select * from s.t) select {call} as v from q t order by {call} limit 3",
)


@pytest.fixture(scope="module")
def engine() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("create schema s")
    connection.execute("create table s.t as select i as a, i % 3 as b, 'w' || i % 4 as c from range(9) r(i)")
    connection.execute("create table s.u as select i % 4 as a, i as k from range(7) r(i)")
    return connection


def written(body: str, p: str, q: str) -> str:
    return f"({body.format(p=f'({p})', q=f'({q})')})"


def test_a_macros_call_is_its_text(engine: duckdb.DuckDBPyConnection) -> None:
    """In lineage as in DuckDB, which is asked what the call gives, and gives the same for the text."""
    tried = 0
    for number, (body, p, q) in enumerate(product(BODIES, ARGUMENTS, ARGUMENTS[:2])):
        call, text = f"m{number}({p[0]}, {q[0]})", written(body, p[1], q[1])
        block = macro(f"m{number}(first, other) as {body.format(p='first', q='other')}")
        for place in PLACES:
            calling, plain = place.format(call=call), place.format(call=text)
            try:
                expected = read(plain)
            except LineageError as error:
                with pytest.raises(type(error)):
                    read(calling, block)
                continue
            assert told(read(calling, block)) == told(expected), (block.sql, calling)
        engine.execute(block.sql.replace("create macro", "create temp macro"))
        rows = [_rows(engine, PLACES[0].format(call=it)) for it in (call, text)]
        assert rows[1] in (None, rows[0]), (block.sql, call)
        tried += rows[1] is not None
    assert tried > 60


def _rows(engine: duckdb.DuckDBPyConnection, sql: str) -> list[str] | None:
    try:
        return sorted(map(repr, engine.execute(sql).fetchall()))
    except duckdb.Error:
        return None


CALLS = (
    # what the text does, the call does: it aggregates, so that it is no key
    (
        "total(x) as sum(x)",
        "select c, total(a) as n from s.t group by all",
        "select c, sum(a) as n from s.t group by all",
    ),
    (
        "total(x) as sum(x)",
        "select total(a) over (order by b) as n from s.t",
        "select sum(a) over (order by b) as n from s.t",
    ),
    ("each(x) as unnest(x)", "select each([a, b]) as n from s.t", "select unnest([a, b]) as n from s.t"),
    # a name means what it means within the macro
    ("above(p) as table select k from s.u where k > p", "select k from above(a)", "select k from s.u where k > a"),
    ("named(p) as table select p from s.u", "select * from named(k)", "select k from s.u"),
    ("own(a) as table select a as x from s.u", "select * from own(7)", "select 7 as x from s.u"),
    (
        "most(p) as (select max(k) from s.u where k < p)",
        "select most(k) as n from s.u o",
        "select (select max(k) from s.u where k < o.k) as n from s.u o",
    ),
    (
        "beside(p) as table select u.k + p as n from s.u u",
        "select n from s.t, beside(t.b)",
        "select n from s.t, (select u.k + t.b as n from s.u u) b",
    ),
    # members, defaults, and functions that the parser knows by the macro's name
    ("first_of(p) as p.x", "select first_of({'x': a, 'y': b}) as n from s.t", "select a as n from s.t"),
    ("twice(p, by_n := 2) as p * by_n", "select twice(a, by_n := b) as n from s.t", "select a * b as n from s.t"),
    (
        "safe_divide(p, q) as case when q = 0 then null else p / q end",
        "select safe_divide(a, b) as n from s.t",
        "select case when b = 0 then null else a / b end as n from s.t",
    ),
    (
        "euros(p) as p / 100",
        "select a.euros() as n, (a + b).euros() as m from s.t",
        "select a / 100 as n, (a + b) / 100 as m from s.t",
    ),
    (
        "pct(p, q := 3) as p * q",
        "select a.pct(b) as n, main.pct(a) as m from s.t",
        "select a * b as n, a * 3 as m from s.t",
    ),
    ("half(p) as p / 2", "select upper(c).length().half() as n from s.t", "select length(upper(c)) / 2 as n from s.t"),
    (
        "each_of(p) as p + 1",
        "select list_transform([a], lambda e: e.each_of()) as n from s.t",
        "select list_transform([a], lambda e: e + 1) as n from s.t",
    ),
    ("initcap(p) as upper(p)", "select initcap(c) as n from s.t", "select upper(c) as n from s.t"),
)


@pytest.mark.parametrize(("block", "calling", "plain"), CALLS)
def test_what_stands_in_a_macro_means_what_it_means_there(
    engine: duckdb.DuckDBPyConnection, block: str, calling: str, plain: str
) -> None:
    assert told(read(calling, macro(block))) == told(read(plain))
    engine.execute(f"create or replace temp macro {block}")
    assert _rows(engine, calling) == _rows(engine, plain) is not None
    names = [it[0] for it in engine.execute(calling).description or ()]
    assert names == [name for name, _ in read(calling, macro(block)).fields]


def test_a_call_without_an_alias_is_called_as_duckdb_calls_it(engine: duckdb.DuckDBPyConnection) -> None:
    block = macro("cents(x) as x * 100")
    engine.execute("create temp macro cents(x) as x * 100")
    chained = "a.cents(), (a + b).cents(), t.a.cents().cents(), cents(a).abs()"
    sql = f"select cents(a), cents(b) + 1, sum(cents(a + 1)) over (), {chained} from s.t"
    names = [name for name, _ in read(sql, block).fields]
    assert names == [it[0] for it in engine.execute(sql).description or ()]


def test_blocks_are_no_outputs_and_see_only_what_stands_before_them() -> None:
    blocks = view("v.one", "select a from s.t"), view("v.two", "select a as x from v.one")
    assert [it.output for it in column_lineage("create table m.t as from v.two", SCHEMA, prelude=blocks)] == ["m.t"]
    with pytest.raises(LineageError, match=r"no table v\.one"):
        read("from v.two", *reversed(blocks))


def test_a_block_that_nothing_uses_may_be_wrong() -> None:
    blocks = view("v.wrong", "select nothing from s.t"), macro("odd(x) as (select nothing from s.u)")
    assert read("select a from s.t", *blocks) == read("select a from s.t")


@pytest.mark.parametrize(
    ("block", "sql", "place"),
    [
        (view("v.w", "\nselect a,\n  emial from s.t", "blocks/a/v.sql", 7), "from v.w", "blocks/a/v.sql:9:3"),
        (
            macro("f(x) as\n (select nothing from s.u where k = x)", "blocks/m.sql", 20),
            "select f(a) from s.t",
            "blocks/m.sql:21:10",
        ),
        (macro("r(x) as table\nselect nothing\nfrom s.u", "blocks/m.sql", 3), "from r(1)", "blocks/m.sql:4:8"),
    ],
)
def test_an_error_within_a_block_says_its_file_and_line(block: Block, sql: str, place: str) -> None:
    with pytest.raises(UnknownColumn) as caught:
        read(sql, macro("g(x) as x"), view("v.x", "select 1 as one"), block)
    assert caught.value.where() == place


def test_a_table_called_alike_within_a_macro_and_around_it_is_refused() -> None:
    """DuckDB takes the macro's, which nobody means."""
    most = macro("upto(p) as (select max(t.a) from s.t where t.a < p)")
    for sql in ("select upto(a) as n from s.t", "select upto(t.k) as n from s.u t"):
        with pytest.raises(UnreadConstruct, match="calls a table t as the query does"):
            read(sql, most)
    assert told(read("select upto(k) as n from s.u", most)) == told(
        read("select (select max(t.a) from s.t where t.a < u.k) as n from s.u")
    )


def test_a_block_that_is_no_sql_says_its_place() -> None:
    with pytest.raises(UnparsableSql) as caught:
        read("from v.w", view("v.w", "select 1 +\n\n)", line=3))
    assert caught.value.where().startswith("blocks/v.sql:5")


def test_macros_that_call_themselves_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("governance.lineage.inlining.MAX_CALLS", 200)
    with pytest.raises(LimitExceeded, match="calls of macros"):
        read("select f(a) from s.t", macro("f(x) as f(x) + 1"))


def test_what_is_explained_is_the_statements_own_text() -> None:
    blocks = macro("cents(x) as x * 100"), view("v.w", "select cents(a) as n, b from s.t where c = 'x'")
    sql = "create table m.t as select n as total, cents(b) as other from v.w where b > 1"
    (found,) = explain(sql, SCHEMA, prelude=blocks)
    texts = {(use.field, use.input.field, use.expression.text) for use in found.uses}
    assert texts == {("total", "a", "n as total"), ("other", "b", "cents(b) as other"), (None, "b", "where b > 1")}
    marked = {use.expression.text[start:end] for use in found.uses for start, end in use.marks}
    assert marked == {"n", "b"}
