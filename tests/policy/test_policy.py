"""Policy files are read whole, an overlay over them."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from governance.policy import ColumnPolicy, ExternalJob, Policy, Source, TablePolicy, Waiver, load_policy, load_sources
from governance.project import project_at
from tests.policy.writing import LINEAGE, WAIVERS, Write, put


def test_the_files_are_read_whole(project: Write) -> None:
    policy = load_policy(project())
    assert policy.tables == {
        "crm.learners": TablePolicy(
            "team:crm",
            "Accounts.",
            {"email": ColumnPolicy("personal", "Address."), "odd name": ColumnPolicy("internal", None)},
        )
    }
    assert policy.lineage.order == ("public", "internal", "personal", "sensitive")
    assert policy.lineage.propagate_through == {"DIRECT", "INDIRECT"}
    assert policy.lineage.masking_functions == {"pseudonym"}
    assert (policy.lineage.namespace, policy.lineage.job_namespace) == ("iceberg://platform", "headwater")
    assert policy.waivers == (
        Waiver(
            "undeclared_metadata",
            "ai.review_corpus",
            "body",
            "Under review.",
            "dpo@example.com",
            date(2026, 12, 31),
        ),
    )


def test_a_column_nobody_declared_has_an_empty_declaration(project: Write) -> None:
    policy = load_policy(project())
    assert policy.column("crm.learners", "email").classification == "personal"
    assert policy.column("crm.learners", "country") == ColumnPolicy() == policy.column("no.table", "x")


def test_declared_tables_cannot_be_changed(project: Write) -> None:
    tables = load_policy(project()).tables
    with pytest.raises(TypeError):
        tables["x.y"] = TablePolicy()  # type: ignore[index]  # that it cannot be is the point


def test_jobs_that_run_elsewhere_are_read(project: Write) -> None:
    text = """
[jobs."crm.export"]
cadence = "1 day"
owner = "team:crm"
namespace = "airflow"
[jobs.backup]
cadence = "6 hours"
"""
    assert load_policy(project(lineage=LINEAGE + text)).external_jobs == (
        ExternalJob("headwater", "backup", timedelta(hours=6)),
        ExternalJob("airflow", "crm.export", timedelta(days=1), "team:crm"),
    )


def test_an_overlay_replaces_by_name_and_adds_waivers(project: Write) -> None:
    made = project()
    overlay = {
        "metadata.toml": '["marketing.list"]\nowner = "team:m"\n["crm.learners"]\ncolumns.x.classification = "strict"',
        "lineage.toml": 'order = ["public", "internal", "personal", "strict"]',
        "waivers.toml": WAIVERS.replace("body", "rating"),
    }
    put(made.policy[1], overlay)
    policy = load_policy(made)
    assert policy.tables["crm.learners"] == TablePolicy(None, None, {"x": ColumnPolicy("strict")})
    assert policy.tables["marketing.list"].owner == "team:m"
    assert policy.lineage.order[-1] == "strict"
    assert policy.lineage.namespace == "iceberg://platform"
    assert [waiver.column for waiver in policy.waivers] == ["body", "rating"]


def test_a_day_may_be_written_as_text(project: Write) -> None:
    policy = load_policy(project(waivers=WAIVERS.replace("2026-12-31", '"2026-12-31"')))
    assert policy.waivers[0].until == date(2026, 12, 31)


def test_a_waiver_for_a_whole_table_names_no_column(project: Write) -> None:
    assert load_policy(project(waivers=WAIVERS.replace('column = "body"\n', ""))).waivers[0].column is None


def test_no_waivers_file_waives_nothing(project: Write) -> None:
    made = project()
    (made.policy[0] / "waivers.toml").unlink()
    assert load_policy(made).waivers == ()


def test_sources_keep_the_tables_column_order(project: Write) -> None:
    text = """
["crm.learners"]
description = "Accounts."
columns.learner_id = "BIGINT"
columns.email = "text"
columns.credit = "numeric(10,2)"
["a.b"]
columns.x = "timestamp with time zone"
"""
    assert load_sources(project(sources=text)) == (
        Source("a.b", (("x", "timestamptz"),)),
        Source(
            "crm.learners",
            (("learner_id", "bigint"), ("email", "varchar"), ("credit", "decimal(10, 2)")),
            "Accounts.",
        ),
    )


def test_the_platforms_own_files_are_right() -> None:
    project = project_at(Path(__file__).parents[2])
    policy = load_policy(project)
    assert isinstance(policy, Policy)
    for source in load_sources(project):
        assert tuple(policy.tables[source.table].columns) == tuple(name for name, _ in source.columns)
        assert all(column.classification for column in policy.tables[source.table].columns.values())
