"""Building blocks of a project: found, put in order, given to the pipelines that name them; what is wrong of them."""

# ruff: noqa: S608  # SQL is what is made here, of our own words

from pathlib import Path

import duckdb
import pytest

from governance.block import BlockKind
from governance.errors import PipelineError
from governance.load import load_pipelines
from governance.project import Project, project_at
from governance.statement import Program, read_program
from tests.pipelines.shared_blocks import block, edges, loaded, made, pipeline, program, wrong


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return made(tmp_path)


def test_a_pipeline_has_the_blocks_that_it_may_name_each_after_those_it_builds_on(project: Project) -> None:
    pipeline(project, "m.t", "select id from above(10)")
    pipeline(project, "m.u", "select euros(cents) as e from raw.orders")
    pipeline(project, "m.v", "select id from raw.orders")
    found = loaded(project)
    names = {table: [it.name for it in pipeline.blocks] for table, pipeline in found.items()}
    assert names == {"m.t": ["euros", "net", "staging.orders", "above"], "m.u": ["euros"], "m.v": []}
    (euros,) = found["m.u"].blocks
    assert (euros.kind, euros.file, euros.line) == (BlockKind.MACRO, "platform_assets/blocks/money.sql", 2)
    assert euros.sql == "create macro euros(cents) as cast(cents / 100 as decimal(12, 2))"


def test_lineage_goes_through_blocks_to_what_the_catalog_has(project: Project) -> None:
    pipeline(project, "m.t", "select id, amount, without_vat + 1 as more from above(10)")
    found = program(project)
    (statement,) = found.statements
    assert statement.reads == ("raw.orders",)
    assert edges(found, "m.t") == {
        "id": {("raw.orders", "id", "IDENTITY")},
        "amount": {("raw.orders", "cents", "TRANSFORMATION")},
        "more": {("raw.orders", "cents", "TRANSFORMATION")},
        "*": {("raw.orders", "status", "FILTER"), ("raw.orders", "cents", "FILTER")},
    }
    assert found.lineages["m.t"].inputs == ("raw.orders",)


def test_a_file_of_several_datasets_is_among_the_blocks(project: Project) -> None:
    pipeline(project, "m.t", "select d.cents from 'landing/payments.csv#detail' d")
    found = program(project)
    (statement,) = found.statements
    assert statement.reads == ("landing/payments.csv", "landing/payments.csv#detail")
    assert [it.path for it in statement.files] == ["landing/payments.csv#detail"]
    assert edges(found, "m.t") == {
        "cents": {("landing/payments.csv#detail", "cents", "IDENTITY")},
        "*": {("landing/payments.csv", "record_type", "FILTER")},
    }


def test_an_engine_gets_the_blocks_that_the_query_needs_as_it_runs_them(project: Project) -> None:
    block(
        project,
        "rates.sql",
        "create view staging.rates as\nselect status, $doc.x as d, rate from read_csv(\n'landing/rates.csv') r",
    )
    pipeline(project, "m.t", "-- net( is named, and not called\nselect r.rate, euros(1) as e from staging.rates r")
    statement = next(it for it in program_of_texts(project).statements)
    assert [it.name for it in loaded(project)["m.t"].blocks] == ["euros", "staging.rates", "net"]
    assert [it.name for it in statement.setup] == ["euros", "staging.rates"]
    assert statement.setup[1].sql == (
        'create view staging.rates as\nselect status, "$doc".x as d, rate from "landing/rates.csv"\n r'
    )
    assert statement.block_files == ("landing/rates.csv",)
    assert statement.files == ()
    assert statement.reads == ("landing/rates.csv",)


def program_of_texts(project: Project) -> Program:
    """Read the statements alone: the file has no sections, so that lineage would refuse them."""
    found = read_program(load_pipelines(project), [])
    assert "landing/rates.csv" in found.unreadable["m.t"].problem
    from governance.statement import parse  # noqa: PLC0415

    return Program(tuple(map(parse, load_pipelines(project))), {}, {})


def test_what_the_engine_runs_is_what_is_written(project: Project) -> None:
    """The setup and the query give DuckDB what the text with its blocks written out gives it."""
    pipeline(project, "m.t", "select id, amount, without_vat from above(2) order by id")
    (statement,) = program(project).statements
    connection = duckdb.connect()
    connection.execute("create schema raw; create schema staging")
    connection.execute(
        "create table raw.orders as select i as id, i * 100 as cents, 'paid' as status from range(5) t(i)"
    )
    for it in statement.setup:
        connection.execute(it.sql)
    plain = (
        "select id, amount, without_vat from (select id, cast(cents / 100 as decimal(12, 2)) as amount, "
        "cast(cents / 100 as decimal(12, 2)) / 1.19 as without_vat from raw.orders where status <> 'pending') "
        "where amount > 2 order by id"
    )
    assert connection.execute(statement.query).fetchall() == connection.execute(plain).fetchall() != []


WRONG = (
    ("select 1;\n", "m.sql:4", "a block is a macro or a view, not SELECT"),
    ("create table s.t as select 1;\n", "m.sql:4", "a block is a macro or a view, not TABLE"),
    ("create temp macro odd(x) as x;\n", "m.sql:4", "a block is a macro or a view, not TEMP"),
    ("create view odd as select 1 as x;\n", "m.sql:4", "a view is named by schema and name"),
    ("create view s.odd(a as select 1;\n", "m.sql:4", "AS and a query are expected here"),
    ("create view s.odd(a) as;\n", "m.sql:4", "a query is expected after AS"),
    ("create view if not exists s.odd as select 1;\n", "m.sql:4", "the name of a schema is expected"),
    ("create macro s.odd(x) as x;\n", "m.sql:4", "a macro's name has no schema"),
    ("create macro odd(x int) as x;\n", "m.sql:4", "a parameter's type is not read"),
    ("create macro odd(x) as x, (x, y) as y;\n", "m.sql:4", "odd is no macro of one body"),
    ("create macro coalesce(x) as x;\n", "m.sql:4", "coalesce is a word of SQL itself"),
    ("create macro odd(x) as x +;\n", "m.sql:4", "not DuckDB SQL"),
    ("create view s.odd as\nselect * from orders;\n", "m.sql:5", "orders is no CTE"),
    ("create view s.odd as\nselect * from 'orders.csv';\n", "m.sql:5", "names no location"),
    ("create view s.odd as\nselect ? as x;\n", "m.sql:5", "a parameter is given no value"),
    ("create view s.odd as from read_csv('landing/rates.csv', delim = ';');\n", "m.sql:4", "stands in no block"),
    ("create view raw.orders as select 1 as x;\n", "m.sql:4", "raw.orders is a declared source already"),
    ("create view m.other as select 1 as x;\n", "m.sql:4", "m.other is a pipeline already"),
    ("create macro euros(x) as x;\n", "money.sql:2", "euros is a block already, in platform_assets/blocks/m.sql:4"),
    ("create macro odd(x) as even(x); create macro even(x) as odd(x);\n", "m.sql:4", "in a circle"),
    ("create macro odd(x) as 'never closed;\n", "m.sql", "not DuckDB SQL"),
)


@pytest.mark.parametrize(("text", "place", "says"), WRONG)
def test_a_wrong_block_makes_those_unreadable_that_use_it_and_says_its_place(
    project: Project, text: str, place: str, says: str
) -> None:
    block(project, "m.sql", f"-- Odd ones.\n\ncreate macro fine(x) as x;\n{text}")
    uses = {"s.odd": "s.odd", "raw.orders": "raw.orders", "m.other": "m.other"}
    used = next((name for name in uses if name in text), "")
    called = next((name for name in ("euros", "coalesce", "odd", "even") if f"macro {name}" in text), "odd")
    whole = "select 1" in text and "create view" not in text and "create table" not in text
    query = f"select * from {used}" if used else "select fine(1) as x" if whole else f"select {called}(1) as x"
    pipeline(project, "m.t", "select fine(1) as x" if "table s.t" in text or "view odd" in text else query)
    pipeline(project, "m.other", "select 1 as x")
    found = program(project)
    error = found.unreadable.get("m.t")
    assert isinstance(error, PipelineError)
    assert error.where().startswith(f"platform_assets/blocks/{place}")
    assert says in error.problem
    assert error.fix
    assert set(found.unreadable) == {"m.t"} | ({"m.other"} & {used})


def test_what_builds_on_a_wrong_block_is_wrong_by_the_same_error(project: Project) -> None:
    block(project, "money.sql", "create macro euros(x) as x +;\ncreate macro net(x) as euros(x) / 2;\n")
    pipeline(project, "m.t", "select * from staging.orders")
    pipeline(project, "m.u", "select id as euros, 'net' as net from raw.orders")
    error = wrong(project)
    assert error.where().startswith("platform_assets/blocks/money.sql:1")
    assert set(program(project).unreadable) == {"m.t"}


def test_what_is_wrong_in_lineage_within_a_block_says_the_blocks_place(project: Project) -> None:
    block(project, "wide.sql", "-- one\ncreate view staging.wide as\nselect id,\n  colour from raw.orders")
    pipeline(project, "m.t", "select * from staging.wide")
    assert wrong(project).where() == "platform_assets/blocks/wide.sql:4:3"
    block(project, "wide.sql", "-- one\ncreate view staging.wide as\nselect id from raw.lost")
    assert wrong(project).where().startswith("platform_assets/blocks/wide.sql:3")
    assert "raw.lost is no declared source" in wrong(project).problem


def test_blocks_need_no_folder(tmp_path: Path) -> None:
    project = project_at(tmp_path)
    project.pipelines[0].mkdir(parents=True)
    pipeline(project, "m.t", "select 1 as x")
    assert loaded(project)["m.t"].blocks == ()
