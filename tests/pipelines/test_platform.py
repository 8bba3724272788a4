"""The learning platform's own pipelines, against lineage written by hand and the figures of the book's chapter."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from governance.lineage.model import ColumnLineage
from governance.load import load_pipelines
from governance.policy import load_policy, load_sources
from governance.project import project_at
from governance.statement import Program, read_program, trace

ROOT = Path(__file__).parents[2]
FIXTURE = ROOT / "tests" / "fixtures" / "platform_lineage.txt"
FOUR = ("analytics.course_performance", "analytics.learner_activity", "marketing.audience", "ai.review_corpus")


def expected() -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    table = ""
    for line in FIXTURE.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if line.startswith("  "):
            found[table].append(" ".join(words))
        elif words and words[0] != "#":
            table = words[0]
            found[table] = []
    return found


def lines(lineage: ColumnLineage) -> list[str]:
    """Return the lineage in the fixture's form, sorted within each column."""
    fields = [(field.name, field.inputs) for field in lineage.fields]
    return [
        text
        for name, inputs in [*fields, ("*", lineage.dataset)]
        for text in sorted(f"{name} {it.dataset}.{it.field} {it.transformation.subtype}" for it in inputs)
    ]


@pytest.fixture(scope="module")
def program() -> Program:
    project = project_at(ROOT)
    masking = load_policy(project).lineage.masking_functions
    return read_program(load_pipelines(project), load_sources(project), masking_functions=masking)


@pytest.fixture(scope="module")
def lineages(program: Program) -> Mapping[str, ColumnLineage]:
    return {it.pipeline.table: trace(it, program.schemas) for it in program.statements}


def test_every_pipeline_can_be_read_and_stands_after_what_it_reads(program: Program) -> None:
    assert program.unreadable == {}
    tables = [it.pipeline.table for it in program.statements]
    assert sorted(tables) == sorted(expected())
    assert tables.index("marketing.audience") < tables.index("marketing.campaign_list")


@pytest.mark.parametrize("table", expected())
def test_lineage_is_as_written_by_hand(lineages: Mapping[str, ColumnLineage], table: str) -> None:
    assert lines(lineages[table]) == expected()[table]


def test_inputs_are_what_the_runs_announce(program: Program, lineages: Mapping[str, ColumnLineage]) -> None:
    reads = {it.pipeline.table: it.reads for it in program.statements}
    assert reads["analytics.course_performance"] == (
        "billing.payments",
        "learning.courses",
        "learning.enrollments",
        "learning.reviews",
    )
    assert reads["analytics.learner_activity"] == ("crm.learners", "learning.events")
    assert reads["marketing.audience"] == ("crm.learners", "learning.courses", "learning.enrollments")
    assert reads["ai.review_corpus"] == ("learning.courses", "learning.reviews")
    assert reads["analytics.daily_revenue"] == ("analytics.daily_revenue", "billing.payments")
    assert {table: lineage.inputs for table, lineage in lineages.items()} == reads


def test_the_books_four_have_its_columns_and_its_51_edges(lineages: Mapping[str, ColumnLineage]) -> None:
    assert [len(lineages[table].fields) for table in FOUR] == [7, 6, 5, 5]
    assert sum(len(set(lines(lineages[table]))) for table in FOUR) == 51


def test_every_grain_and_declared_column_is_a_column(program: Program) -> None:
    tables = load_policy(project_at(ROOT)).tables
    for statement in program.statements:
        table, columns = statement.pipeline.table, list(program.schemas[statement.pipeline.table])
        assert set(statement.pipeline.grain) <= set(columns)
        if table in tables:
            assert list(tables[table].columns) == columns
    assert "marketing.audience" not in tables
    assert "ai.review_corpus" not in tables


def test_copied_columns_keep_their_types(program: Program) -> None:
    assert program.schemas["marketing.audience"]["email"] == "varchar"
    assert program.schemas["marketing.campaign_list"]["learner_id"] == "bigint"
    assert program.schemas["analytics.course_performance"]["revenue_usd"] == "unknown"
    assert program.schemas["analytics.daily_revenue"] == {"day": "date", "revenue_usd": "double"}
