"""Queries that include others, and what a changed block changes."""

from pathlib import Path

import pytest

from governance.project import Project
from governance.statement.meaning import meaning
from tests.pipelines.shared_blocks import MONEY, STAGING, block, edges, made, pipeline, program, wrong


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return made(tmp_path)


def test_an_included_query_stands_for_its_table(project: Project) -> None:
    pipeline(project, "silver.orders", "-- as it is\nselect id, amount from staging.orders where amount > 1")
    pipeline(project, "m.t", "select sum(amount) as total from silver.orders", "-- include: silver.orders\n")
    found = program(project)
    by_table = {it.pipeline.table: it for it in found.statements}
    assert by_table["m.t"].reads == ("raw.orders",)
    assert edges(found, "m.t") == {
        "total": {("raw.orders", "cents", "AGGREGATION")},
        "*": {("raw.orders", "status", "FILTER"), ("raw.orders", "cents", "FILTER")},
    }
    assert [it.name for it in by_table["m.t"].setup] == ["euros", "net", "staging.orders", "silver.orders"]
    last = by_table["m.t"].setup[-1]
    assert last.sql.startswith('create view "silver"."orders" as ')
    assert (last.file, last.line) == ("platform_assets/pipelines/silver/orders.sql", 3)


def test_included_queries_may_include_and_read_each_other(project: Project) -> None:
    pipeline(project, "s.a", "select id, cents from raw.orders where cents > 0")
    pipeline(project, "s.b", "select id, cents + 1 as c from s.a", "-- include: s.a\n")
    pipeline(project, "s.c", "select id, c * 2 as d from s.b")
    pipeline(project, "m.t", "select d from s.c", "-- include: s.c, s.b\n")
    found = program(project)
    assert found.unreadable == {}
    assert edges(found, "m.t") == {
        "d": {("raw.orders", "cents", "TRANSFORMATION")},
        "*": {("raw.orders", "cents", "FILTER")},
    }
    # what does not include it reads the table
    assert edges(found, "s.c")["d"] == {("s.b", "c", "TRANSFORMATION")}


@pytest.mark.parametrize(
    ("include", "place", "says"),
    [
        ("s.lost", "m/t.sql:2", "there is no pipeline s.lost to include"),
        ("m.t", "m/t.sql:2", "include each other in a circle: m.t → m.t"),
        ("s.kept", "m/t.sql:2", "s.kept keeps rows of earlier runs"),
        ("s.read", "m/t.sql:2", "reads a file with options of its own"),
        ("s.broken", "s/broken.sql:2:1", "not"),
        ("s.headed", "s/headed.sql:1", "unknown header word"),
        ("S.x", "m/t.sql:2", "is no table"),
    ],
)
def test_what_cannot_be_included_says_so_where_it_is_said(
    project: Project, include: str, place: str, says: str
) -> None:
    pipeline(project, "m.t", "select 1 as x", f"-- owner: team:x\n-- include: {include}\n")
    pipeline(project, "s.broken", "select 1 +")
    pipeline(project, "s.headed", "select 1 as x", "-- wat: 1\n")
    pipeline(project, "s.read", "select * from read_csv('landing/rates.csv', delim = ';')")
    (project.pipelines[0] / "s" / "kept.sql").write_text("insert into s.kept select 1", encoding="utf-8")
    error = wrong(project)
    assert error.where().startswith(f"platform_assets/pipelines/{place.partition(':')[0]}")
    assert says in error.problem


def test_a_circle_of_includes_is_told_at_the_include(project: Project) -> None:
    pipeline(project, "s.a", "select 1 as x from s.b", "-- include: s.b\n")
    pipeline(project, "s.b", "select 1 as x from s.a", "-- include: s.a\n")
    error = wrong(project, "s.a")
    assert "s.a → s.b → s.a" in error.problem
    assert error.where().endswith(".sql:1")


def changed(project: Project, name: str, text: str) -> tuple[bool, set[str]]:
    """Return whether the rows of m.t mean something else with another block, and which columns do."""
    before = program(project)
    block(project, name, text)
    after = program(project)
    old, new = (meaning(it.statements[0], it.schemas) for it in (before, after))
    assert old.whole
    assert new.whole
    return old.rows != new.rows, {it for it in new.columns if new.columns[it] != old.columns.get(it)}


@pytest.mark.parametrize(
    ("name", "old", "new", "moved"),
    [
        ("money.sql", "1.19", "1.2", (False, {"without_vat"})),
        ("money.sql", "cents / 100", "cents / 1000", (True, {"amount", "without_vat"})),
        ("money.sql", "Money is whole cents", "Money", (False, set[str]())),
        ("money.sql", "euros(cents) as cast(cents", "euros( c )  as cast( c", (False, set[str]())),
        ("a/staging.sql", "'pending'", "'open'", (True, set[str]())),
        ("a/staging.sql", "amount > least", "amount >= least", (True, set[str]())),
        ("a/staging.sql", "amount > least", "(amount > (least))", (False, set[str]())),
        ("a/staging.sql", "select id,", "select id + 1 as id,", (False, {"id"})),
        ("a/staging.sql", "select id,", "select status, id,", (False, set[str]())),
    ],
)
def test_a_changed_block_changes_what_is_made_of_it_and_no_more(
    project: Project, name: str, old: str, new: str, moved: tuple[bool, set[str]]
) -> None:
    pipeline(project, "m.t", "select id, amount, without_vat from above(10)")
    text = {"money.sql": MONEY, "a/staging.sql": STAGING}[name]
    assert old in text
    assert changed(project, name, text.replace(old, new)) == moved


def test_a_query_means_the_same_with_its_blocks_written_out(project: Project) -> None:
    pipeline(project, "m.t", "select o.id, euros(o.cents) as amount from raw.orders o where net(o.cents) > 1")
    blocks = program(project)
    pipeline(
        project,
        "m.t",
        "select o.id, cast(o.cents / 100 as decimal(12, 2)) as amount from raw.orders o "
        "where cast(o.cents / 100 as decimal(12, 2)) / 1.19 > 1",
    )
    plain = program(project)
    with_blocks, without = (meaning(it.statements[0], it.schemas) for it in (blocks, plain))
    assert with_blocks.columns == without.columns
    assert with_blocks.rows == without.rows
    assert edges(blocks, "m.t") == edges(plain, "m.t")
