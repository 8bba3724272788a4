"""What is wrong is told by its own file, line and column, and with what to do."""

# ruff: noqa: S608  # SQL is what is made here, of our own words

from pathlib import Path

import duckdb
import pytest

from governance.load import load_pipelines
from governance.project import Project, project_at
from governance.sources import load_sources
from governance.statement import Program, read_program
from governance.statement.trace import without_columns

SOURCES = """
[locations.landing]
at = "landing"

["raw.orders"]
columns.id = "bigint"
columns.amount = "bigint"
columns.buyer = "bigint"
"""
MACROS = """create macro m(x) as x * 2;
create macro band(amount, low := 1) as amount + low;
create macro two(x, y) as x - y;
create macro wrong(y) as m(y, y);
create macro paid(s, z := 3) as table select s as s, z as z;
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = project_at(tmp_path)
    project.pipelines[0].mkdir(parents=True)
    project.sources.write_text(SOURCES, encoding="utf-8")
    return project


def write(project: Project, name: str, text: str) -> None:
    path = project.root / "platform_assets" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def program(project: Project) -> Program:
    return read_program(load_pipelines(project), load_sources(project))


def said(project: Project, table: str = "b.t") -> str:
    """Return why the pipeline of ``table`` cannot be read, its folder left out."""
    return str(program(project).unreadable[table]).replace("platform_assets/", "")


CALLS = {
    "m(amount)": "",
    "m(X := amount)": "",
    "m(x => amount)": "",
    "amount.m()": "",
    "band(amount, 2)": "",
    "band(low := 2, amount := id)": "",
    "two(amount, y := id)": "",
    "m(amount, buyer)": "b/t.sql:2:8: m takes x; 2 arguments are given; ",
    "m(x := id, y := 3)": "b/t.sql:2:8: m takes x; it has no parameter y; ",
    "m(amount, x := id)": "b/t.sql:2:8: m takes x; x is given twice; ",
    "m()": "b/t.sql:2:8: m takes x; argument x is missing; ",
    "two(amount)": "b/t.sql:2:8: two takes x, y; argument y is missing; ",
    "two(x := amount, id)": "b/t.sql:2:8: two takes x, y; an argument without a name comes after one with a name; ",
    "band(amount, high := 3)": "b/t.sql:2:8: band takes amount, low (may be left out); it has no parameter high; ",
    "band(amount, 2, 3)": "b/t.sql:2:8: band takes amount, low (may be left out); 3 arguments are given; ",
    "id + wrong(amount)": "blocks/m.sql:4:26: m takes x; 2 arguments are given; ",
}
"""Calls → what is said of them, nothing where DuckDB takes them."""

TABLE_CALLS = {
    "paid('a')": "",
    "paid('a', 'b')": "",
    "paid('a', z := 4)": "",
    "paid()": "b/t.sql:2:15: paid takes s, z (may be left out); argument s is missing; ",
    "paid('a', y := 4)": "b/t.sql:2:15: paid takes s, z (may be left out); it has no parameter y; ",
    "paid('a', 'b', 'c')": "b/t.sql:2:15: paid takes s, z (may be left out); 3 arguments are given; ",
}
QUERIES = {f"select {call} as v from raw.orders": told for call, told in CALLS.items()} | {
    f"select * from {call}": told for call, told in TABLE_CALLS.items()
}


@pytest.mark.parametrize("query", QUERIES)
def test_a_call_of_a_macro_is_taken_as_duckdb_takes_it(project: Project, query: str) -> None:
    connection = duckdb.connect()
    connection.execute("create schema raw; create table raw.orders (id bigint, amount bigint, buyer bigint)")
    connection.execute(MACROS.replace("create macro wrong(y) as m(y, y);", ""))
    write(project, "blocks/m.sql", MACROS)
    write(project, "pipelines/b/t.sql", f"create table b.t as\n{query}\n")
    if QUERIES[query]:
        assert said(project).removeprefix("pipelines/").startswith(QUERIES[query])
        with pytest.raises(duckdb.Error):
            connection.execute(query)
    else:
        assert not program(project).unreadable
        connection.execute(query)


def test_a_table_that_an_insert_does_not_declare_is_told_at_its_query_and_by_who_reads_it(project: Project) -> None:
    write(project, "pipelines/b/c.sql", "-- owner: team:a\ninsert into b.c select id from raw.orders\n")
    write(project, "pipelines/b/d.sql", "create table b.d as\nselect id from b.c\n")
    found = program(project)
    told = {it.pipeline.table: str(without_columns(it, found.schemas)) for it in found.statements}
    folder, fix = "platform_assets/pipelines/b/", "begin the file with create table if not exists b.c (name type, …);"
    assert told == {
        "b.c": f"{folder}c.sql:2:17: b.c is not declared by its pipeline, and the catalog is not asked here; {fix}",
        "b.d": f"{folder}d.sql:2:16: the columns of b.c are not known; correct the pipeline that builds it",
    }


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("t.sql", "create table b.t as\nselect 1 as x,\n  'abc as y\nfrom raw.orders\n", "t.sql:3:3: quote '"),
        ("t.sql", 'create table b.t as select "abc from t', 't.sql:1:28: quote "'),
        ("t.sql", "create table b.t as select 1 as x /* abc\n", "t.sql:1:35: comment"),
        ("t.sql.j2", "{% if true %}\n{% endif %}\nselect 1 as x,\n  'abc as y\n", "t.sql.j2:4:3: quote '"),
        ("t.sql.j2", "{% if true %}\nselect 1 as x,\n  {{ 'a' }}'b{% endif %}\n", "t.sql.j2:3: quote '"),
    ],
)
def test_a_quote_that_is_not_closed_is_told_where_it_opens(project: Project, name: str, text: str, told: str) -> None:
    (project.root / "governance").mkdir()
    (project.root / "governance/lineage.toml").write_text("", "utf-8")
    write(project, f"pipelines/b/{name}", text)
    where, what = told.split(": ")
    words = f"not DuckDB SQL: the {what} that opens here is never closed; close it"
    assert said(project).startswith(f"pipelines/b/{where}: {words}")
    assert "\n" not in said(project)
    assert "abc" not in said(project)


DATASETS = """
["landing/orders.csv"]
columns.id = "bigint"
["landing/more.csv"]
columns.id = "bigint"
["landing/payments.txt"]
format = "csv"
records.header = { value = "H", columns = { batch = "bigint" } }
records.detail = { value = "D", columns = { cents = "bigint" } }
["landing/batch.json"]
rows = "body.payments"
columns.id = "bigint"
sections.header.batch_date = "date"
sections.trailer.count = "bigint"
["landing/other.json"]
rows = "body.payments"
columns.id = "bigint"
sections.header.batch_date = "date"
"""
TWO = "from 'landing/batch.json' b, 'landing/other.json' o"
NAMES = {
    "select $doc.header.batch_dat as v from 'landing/batch.json'": (
        "20: section header of landing/batch.json has no batch_dat; did you mean batch_date?"
    ),
    "select $doc.footer.x as v from 'landing/batch.json'": (
        "13: landing/batch.json has no section footer; the sections are header, trailer"
    ),
    "select $doc.header.batch_date as v from 'landing/orders.csv'": (
        "8: no document in landing/orders.csv, and $doc is of one; declare its sections in sources.toml, or take it out"
    ),
    "select header.batch_date as v from 'landing/batch.json'": (
        "8: no table or alias header in landing/batch.json; did you mean $doc.header?"
    ),
    "select b.header.batch_date as v from 'landing/batch.json' b": (
        "10: b has no column header; did you mean $doc.header?"
    ),
    f"select $doc.trailer.count as v {TWO}": (
        "8: column $doc is in b and o; only b has the section trailer: write b.$doc"
    ),
    f"select $doc.header.batch_date as v {TWO}": "8: column $doc is in b and o; qualify it, for example b.$doc",
    f"select b.$doc.trailer.count as v {TWO}": "",
    "select \"landing/batch.json\".$doc.trailer.count as v from 'landing/batch.json', 'landing/other.json' o": "",
    "select id from 'landing/orders.csv', 'landing/more.csv'": (
        '8: column id is in landing/orders.csv and landing/more.csv; qualify it, for example "landing/orders.csv".id'
    ),
    "select \"landing/orders.csv\".id from 'landing/orders.csv', 'landing/more.csv'": "",
    "select orders.id from 'landing/orders.csv'": (
        "8: no table or alias orders in landing/orders.csv; give the file an alias: 'landing/orders.csv' as orders"
    ),
    "select record_type from 'landing/payments.txt#detail'": (
        "8: landing/payments.txt#detail has no column record_type; "
        "record_type stays with 'landing/payments.txt', which has the rows of every kind"
    ),
}
"""Queries → what is said of them behind the line, nothing where they can be read."""


@pytest.mark.parametrize("query", NAMES)
def test_a_name_that_is_not_found_is_told_with_what_to_write(project: Project, query: str) -> None:
    project.sources.write_text(f"{SOURCES}{DATASETS}", "utf-8")
    write(project, "pipelines/b/t.sql", f"create table b.t as\n{query}\n")
    told = f"pipelines/b/t.sql:2:{NAMES[query]}" if NAMES[query] else ""
    assert (said(project) if program(project).unreadable else "") == told


def test_a_view_with_a_list_of_columns_names_them_by_position(project: Project) -> None:
    text = 'create view stg.named(oid,\n  "who") as\n  select id, buyer from raw.orders'
    write(project, "blocks/v.sql", text)
    write(project, "pipelines/b/t.sql", "create table b.t as\nselect who, oid from stg.named\n")
    found = program(project)
    told = {it.name: [(x.dataset, x.field) for x in it.inputs] for it in found.lineages["b.t"].fields}
    assert told == {"who": [("raw.orders", "buyer")], "oid": [("raw.orders", "id")]}
    connection = duckdb.connect()
    connection.execute("create schema raw; create schema stg; create table raw.orders as select 1 as id, 2 as buyer")
    ((statement,),) = [found.statements]
    for block in statement.setup:
        connection.execute(block.sql)
    assert connection.execute(statement.query).fetchall() == [(2, 1)]
    write(project, "blocks/v.sql", text.replace("buyer", "byer"))
    assert said(project) == "blocks/v.sql:3:14: raw.orders has no column byer; did you mean buyer?"


def test_what_is_wrong_in_an_included_file_is_told_by_its_own_place_in_the_same_words(project: Project) -> None:
    write(project, "pipelines/b/a.sql", "-- include: b.t\ncreate table b.a as select * from b.t\n")
    for text, place in {
        "create table b.t as\nselect id,\n  byer from raw.orders": "3:3",
        "create table b.t as select byer from raw.orders": "1:28",
        "-- include: b.a\ncreate table b.t as\nselect * from b.a": "1",
    }.items():
        write(project, "pipelines/b/t.sql", text)
        assert said(project).startswith(f"pipelines/b/t.sql:{place}: ")
        assert said(project, "b.a") == said(project)


def test_a_view_with_a_pipelines_name_is_that_pipelines_problem(project: Project) -> None:
    write(project, "blocks/v.sql", "\ncreate view b.t as select id from raw.orders")
    write(project, "pipelines/b/t.sql", "create table b.t as select id from raw.orders\n")
    assert said(project) == "blocks/v.sql:2: b.t is a pipeline already; name the view otherwise"
