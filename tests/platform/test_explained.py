"""A run tells the text that made each edge, with its secrets masked, and so does a COMPLETE that is rebuilt."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from governance.events.run import Attempt
from governance.load import load_pipelines
from platform_assets.loaded import load
from platform_assets.runs.materialize import materialize
from platform_assets.runs.repair import repair_events
from platform_assets.runs.run import Platform, Run

AT = datetime(2026, 10, 3, 2, tzinfo=UTC)


def build(platform: Platform) -> None:
    buyers = next(it for it in load_pipelines(platform.project) if it.table == "mart.buyers")
    pipeline = replace(
        buyers, sql=buyers.sql.replace("where p.agreed", "where p.agreed and p.mail <> 'eve@example.com'")
    )
    materialize(platform, pipeline, Run(Attempt("mart.buyers", AT, "dagster-run")))


def told(platform: Platform) -> dict[str, Any] | None:
    lines = [line for file in platform.store.files() for line in file.read_text("utf-8").splitlines()]
    event = json.loads(lines[-1])
    assert event["eventType"] == "COMPLETE"
    facet: dict[str, Any] | None = event["outputs"][0]["facets"].get("headwater_expressions")
    return facet


def test_a_run_tells_it(platform: Platform) -> None:
    build(platform)
    facet = told(platform)
    assert facet is not None
    texts = [it["text"] for it in facet["expressions"]]
    assert texts == [
        "p.id",
        "p.name",
        "p.mail",
        "sum(o.paid) as paid",
        "where p.agreed and p.mail <> '***'",
        "on o.person = p.id",
    ]
    paid = [(use["inputField"], use["marks"]) for use in facet["uses"] if use.get("field") == "paid"]
    assert paid == [("paid", [[4, 10]])]
    # a line is that of the file
    assert facet["expressions"][0]["line"] == 9


def test_a_text_that_cannot_be_explained_runs_all_the_same(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("governance.lineage.explain.MAX_NOTED", 2)
    build(platform)
    assert told(platform) is None


def test_a_rebuilt_complete_tells_it(platform: Platform) -> None:
    build(platform)
    before = told(platform)
    for file in platform.store.files():
        file.write_text(file.read_text("utf-8").splitlines(keepends=True)[0], "utf-8")
    (repaired,) = repair_events(load(platform.project))
    assert not repaired.problem
    assert told(platform) == before
