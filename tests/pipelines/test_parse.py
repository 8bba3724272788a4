import pytest

from governance.errors import (
    LimitExceeded,
    LineageError,
    UnknownTable,
    UnparsableSql,
    UnreadConstruct,
    UnreadStatement,
)
from governance.pipeline import Pipeline
from governance.statement import Kind, Statement, parse

FILE = "pipelines/a/b.sql"


def read(sql: str) -> Statement:
    return parse(Pipeline("a.b", FILE, sql))


@pytest.mark.parametrize(
    ("sql", "kind", "query"),
    [
        ("create table a.b as select 1 as x", Kind.REPLACE, "select 1 as x"),
        (
            "create or replace table a.b as (select 1) union all select 2;",
            Kind.REPLACE,
            "(select 1) union all select 2",
        ),
        ('CREATE TABLE A."b" AS FROM c.d', Kind.REPLACE, "FROM c.d"),
        ("create table a.b as with q as (select 1) from q -- end\n;;", Kind.REPLACE, "with q as (select 1) from q"),
        ("create table a.b as values (1), (2)", Kind.REPLACE, "values (1), (2)"),
        ("create table a.b as pivot c.d on x using sum(y)", Kind.REPLACE, "pivot c.d on x using sum(y)"),
        ("insert into a.b select ';' as x", Kind.APPEND, "select ';' as x"),
        ("insert into a.b (select 1)", Kind.APPEND, "(select 1)"),
        ("/* é😀 */ insert into a.b select '😀;' /* ; */ from c.d", Kind.APPEND, "select '😀;' /* ; */ from c.d"),
    ],
)
def test_the_query_is_the_files_own_text(sql: str, kind: Kind, query: str) -> None:
    statement = read(sql)
    assert (statement.kind, statement.query) == (kind, query)
    assert sql[slice(*statement.span)].endswith(query)


def test_the_query_knows_its_place() -> None:
    statement = read("-- owner: team:x\n\ncreate table a.b as\n  select 1\n  from c.d\n")
    assert (statement.line, statement.column) == (4, 3)


def test_an_inserts_columns_and_declaration_are_read() -> None:
    statement = read(
        """create table if not exists a.b (day date, "net  sum" NUMERIC(18,2), note text);
        insert into a.b (day, "net  sum") select 1, 2"""
    )
    assert statement.columns == ("day", "net  sum")
    assert statement.declared == (("day", "date"), ("net  sum", "decimal(18, 2)"), ("note", "varchar"))


def test_a_nested_type_is_declared() -> None:
    statement = read(
        """create table if not exists a.b (s struct(city varchar, "a, b" numeric(5,2)) , l text[], m map(int, date) );
        insert into a.b select 1, 2, 3"""
    )
    kinds = [kind for _, kind in statement.declared]
    assert kinds == ['struct("city" varchar, "a, b" decimal(5, 2))', "varchar[]", "map(integer, date)"]


@pytest.mark.parametrize(
    ("query", "reads"),
    [
        ("select 1", ()),
        ("select * from c.d, C.D x join e.f on true", ("c.d", "e.f")),
        ("with d as (select * from c.d) select * from d, D", ("c.d",)),
        ("with x as (with y as (from c.d) from y) from x, lateral (from e.f)", ("c.d", "e.f")),
        ("with recursive t as (select 1 as n union all select n + 1 from t) from t where exists (from c.d)", ("c.d",)),
        ("select (select max(x) from c.d) from e.f where y in (from g.h)", ("c.d", "e.f", "g.h")),
        ("select * from range(3), generate_series(1, 2), unnest([1])", ()),
        ("from c.d except from e.f", ("c.d", "e.f")),
    ],
)
def test_reads_are_the_tables_and_not_the_ctes(query: str, reads: tuple[str, ...]) -> None:
    assert read(f"create table a.b as {query}").reads == reads


def test_its_own_table_may_be_read_where_it_is_declared_or_appended_to() -> None:
    declared = "create table if not exists a.b (x bigint); create table a.b as select * from a.b"
    assert read(declared).reads == read("insert into a.b select * from a.b").reads == ("a.b",)


def test_reading_ones_own_table_is_no_dependency() -> None:
    statement = read("insert into a.b select max(x) from a.b, c.d")
    assert statement.reads == ("a.b", "c.d")
    assert statement.upstream == {"c.d"}


@pytest.mark.parametrize(
    ("sql", "error", "place", "says"),
    [
        ("", UnreadStatement, "1:1", "no statement"),
        ("-- only a comment\n;", UnreadStatement, "1:1", "no statement"),
        ("\n delete from a.b where x = 1", UnreadStatement, "2:2", "not DELETE"),
        ("update a.b set x = 1", UnreadStatement, "1:1", "not UPDATE"),
        ("delete from a.b", UnreadStatement, "1:1", "not DELETE"),
        ("select 1", UnreadStatement, "1:1", "not SELECT"),
        ("create view a.b as select 1", UnreadStatement, "1:1", "not CREATE VIEW"),
        ("create temp table a.b as select 1", UnreadStatement, "1:1", "not CREATE TEMP TABLE"),
        ("insert or replace into a.b select 1", UnreadStatement, "1:1", "not INSERT OR"),
        ("with q as (select 1) insert into a.b from q", UnreadStatement, "1:1", "not WITH"),
        ("create table a.c as select 1", UnreadStatement, "1:14", "it writes a.c, and the file's path says a.b"),
        ("insert into b select 1", UnreadStatement, "1:13", "it writes b,"),
        ("insert into x.a.b select 1", UnreadStatement, "1:13", "it writes x.a.b,"),
        ('create table "a.b" as select 1', UnreadStatement, "1:14", "it writes a.b,"),
        ("create table", UnreadStatement, "1:13", "it writes nothing"),
        ("insert into a.b select 1; insert into a.b select 2", UnreadStatement, "1:27", "another statement"),
        ("create table if not exists a.b (x int)", UnreadStatement, "1:39", "nothing writes it"),
        (
            "create table if not exists a.b (x int);\ncreate table if not exists a.b (x int)",
            UnreadStatement,
            "2:1",
            "another statement",
        ),
        ("create table if not exists a.b as select 1", UnreadConstruct, "1:32", "IF NOT EXISTS"),
        (
            "create table if not exists a.b (x int not null); insert into a.b select 1",
            UnreadConstruct,
            "1:33",
            "int not",
        ),
        ("create table if not exists a.b (x hugeint); insert into a.b select 1", UnreadConstruct, "1:33", "hugeint"),
        ("create table if not exists a.b (x int) with y", UnreadConstruct, "1:40", "ends with its column list"),
        ("create table if not exists a.b (x int) with (y)", UnreadConstruct, "1:40", "ends with its column list"),
        ("create table if not exists a.b (x int", UnreadConstruct, "1:38", "ends with its column list"),
        ("create table a.b (x) as select 1", UnreadConstruct, "1:18", "column list before AS"),
        ("create table a.b", UnreadConstruct, "1:17", "not the end"),
        ("create table a.b as", UnreadConstruct, "1:20", "not the end"),
        ("create table a.b as describe c.d", UnreadConstruct, "1:21", "not DESCRIBE"),
        ("create table a.b as select * into e from c.d", UnreadConstruct, "1:21", "only reads"),
        ("insert into a.b by name select 1 as x", UnreadConstruct, "1:17", "not BY"),
        ("insert into a.b default values", UnreadConstruct, "1:17", "not DEFAULT"),
        ("insert into a.b (x y) select 1", UnreadConstruct, "1:18", "list of column names"),
        ("insert into a.b (x) select", UnreadConstruct, "1:21", "only reads"),
        ("insert into a.b select 1 on conflict do nothing", UnreadConstruct, "1:26", "ON CONFLICT"),
        ("insert into a.b select 1 returning x", UnreadConstruct, "1:26", "RETURNING"),
        ("create table a.b as select * from read_csv('x.csv')", UnknownTable, "1:44", "'x.csv' names no location"),
        ("create table a.b as\nselect * from orders", UnknownTable, "2:15", "orders is no CTE"),
        ("create table a.b as from 'x.csv'", UnknownTable, "1:26", "'x.csv' names no location"),
        ("create table a.b as with d as (from d) from d", UnknownTable, "1:37", "d is no CTE"),
        ("create table a.b as from x.c.d", UnknownTable, "1:30", "x.c.d has more parts"),
        ("create table a.b as\nselect 1 +", UnparsableSql, "2:", ""),
    ],
)
def test_what_is_not_read_is_refused_by_name_place_and_fix(
    sql: str, error: type[LineageError], place: str, says: str
) -> None:
    with pytest.raises(error) as caught:
        read(sql)
    assert caught.value.where().startswith(f"{FILE}:{place}")
    assert says in caught.value.problem
    assert caught.value.fix


def test_an_open_quote_is_no_sql() -> None:
    with pytest.raises(UnparsableSql) as caught:
        read("create table a.b as select 'oops")
    assert caught.value.pipeline == FILE


def test_hostile_nesting_is_turned_away() -> None:
    depth = 20_000
    with pytest.raises(LimitExceeded):
        read("create table a.b as " + "(" * depth + "select 1" + ")" * depth)
