"""What consumers.toml and BI metadata declare, and how a wrong line is told."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from governance.consumers.declared import Declarations, Declared, load_declarations
from governance.errors import PolicyError
from governance.project import Project, find_project, project_at

BOARD = """
shared_accounts = ["svc_*"]
bi = ["bi.json"]

[consumers."Revenue board"]
kind = "dashboard"
owner = "team:finance"
contact = "ann@example.com"
criticality = "high"
period = "90 days"
reads = ["fct.payments", "mart.revenue.amount"]
accounts = ["svc_bi"]
tags = ["board:*"]
description = "On the wall."
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "governance").mkdir()
    return project_at(tmp_path)


def declare(project: Project, text: str, folder: int = 0, **files: object) -> Declarations:
    project.policy[folder].mkdir(parents=True, exist_ok=True)
    (project.policy[folder] / "consumers.toml").write_text(text)
    for name, content in files.items():
        (project.policy[folder] / f"{name}.json").write_text(json.dumps(content))
    return load_declarations(project)


def test_no_file_declares_nothing(project: Project) -> None:
    assert load_declarations(project) == Declarations()


def test_a_consumer_as_it_is_declared(project: Project) -> None:
    found = declare(project, BOARD, bi=[])

    assert found.shared_accounts == ("svc_*",)
    assert found.consumers == (
        Declared(
            name="Revenue board",
            kind="dashboard",
            reads=("fct.payments", "mart.revenue.amount"),
            owner="team:finance",
            contact="ann@example.com",
            criticality="high",
            period=timedelta(days=90),
            accounts=("svc_bi",),
            tags=("board:*",),
            description="On the wall.",
            file="governance/consumers.toml",
        ),
    )
    (board,) = found.consumers
    assert board.tables == {"fct.payments", "mart.revenue"}
    assert (board.columns("fct.payments"), board.columns("mart.revenue")) == (None, ("mart.revenue.amount",))
    assert board.weight == 4


def test_a_later_folder_replaces_a_consumer_and_adds_accounts(project: Project) -> None:
    declare(project, BOARD, bi=[])

    found = declare(
        project,
        'shared_accounts = ["root"]\n[consumers."Revenue board"]\nreads = ["a.b"]\n[consumers.x]\nreads = ["c.d"]',
        1,
    )

    assert [(it.name, it.reads) for it in found.consumers] == [("Revenue board", ("a.b",)), ("x", ("c.d",))]
    assert found.shared_accounts == ("svc_*", "root")


@pytest.mark.parametrize(
    ("line", "key", "said"),
    [
        ('kind = "wall"', "kind", "unknown kind 'wall'; write one of dashboard,"),
        ('criticality = "huge"', "criticality", "unknown criticality 'huge'; write one of low, medium, high, critical"),
        ('owner = "finance"', "owner", "'finance' is no owner"),
        ('period = "quarterly"', "period", "'quarterly' is no span of time"),
        ('readers = ["a.b"]', "readers", "unknown key"),
        ('accounts = "svc"', "accounts", "a list of texts is expected"),
    ],
)
def test_a_wrong_line_is_told_by_file_consumer_and_key(project: Project, line: str, key: str, said: str) -> None:
    with pytest.raises(PolicyError) as error:
        declare(project, f'[consumers.x]\nreads = ["a.b"]\n{line}')

    assert str(error.value).startswith(f"governance/consumers.toml: consumers.x.{key}: {said}")


@pytest.mark.parametrize("name", ["payments", "a.b.c.d", "a..b"])
def test_reads_name_tables_and_columns(project: Project, name: str) -> None:
    with pytest.raises(PolicyError, match="neither a table nor a column"):
        declare(project, f'[consumers.x]\nreads = ["{name}"]')


def test_a_consumer_that_reads_nothing_is_refused(project: Project) -> None:
    with pytest.raises(PolicyError, match=r"consumers\.x\.reads: it depends on nothing"):
        declare(project, "[consumers.x]\nreads = []")


def test_an_export_of_a_bi_tool(project: Project) -> None:
    entry = {"name": "Churn", "kind": "Look", "owner": "Ann", "criticality": "tier 1", "reads": ["fct.payments"]}

    (found,) = declare(project, 'bi = ["bi.json"]', bi=[entry]).consumers

    assert found == Declared("Churn", "other", ("fct.payments",), contact="Ann", source="BI metadata", file="bi.json")


def test_exposures_of_dbt_are_followed_to_tables(project: Project) -> None:
    manifest: dict[str, Any] = {
        "nodes": {"model.shop.rev": {"schema": "MART", "name": "rev", "alias": "revenue", "depends_on": {"nodes": []}}},
        "sources": {"source.shop.raw.p": {"schema": "src", "name": "p", "identifier": "payments"}},
        "metrics": {"metric.shop.m": {"name": "m", "depends_on": {"nodes": ["model.shop.rev", "metric.shop.m"]}}},
        "exposures": {
            "exposure.shop.board": {
                "name": "board",
                "label": "Board",
                "type": "dashboard",
                "maturity": "high",
                "owner": {"name": "Ann", "email": "ann@example.com"},
                "description": "",
                "depends_on": {"nodes": ["metric.shop.m", "source.shop.raw.p", "model.gone.x"]},
            }
        },
    }

    (found,) = declare(project, 'bi = ["bi.json"]', bi=manifest).consumers

    assert (found.name, found.kind, found.owner, found.criticality) == (
        "Board",
        "dashboard",
        "ann@example.com",
        "high",
    )
    assert found.reads == ("mart.revenue", "src.payments")


@pytest.mark.parametrize("content", [{"a": 1}, ["x"], "x"])
def test_bi_metadata_of_another_form_is_refused(project: Project, content: object) -> None:
    with pytest.raises(PolicyError, match=r"bi\.json: it lists no exposures"):
        declare(project, 'bi = ["bi.json"]', bi=content)


def test_bi_metadata_that_is_not_there_is_an_error(project: Project) -> None:
    with pytest.raises(PolicyError, match=r"bi\.json: it cannot be read as JSON"):
        declare(project, 'bi = ["bi.json"]')


def test_the_platforms_own_file_is_right() -> None:
    found = load_declarations(find_project({}))

    assert all(consumer.owner for consumer in found.consumers)
