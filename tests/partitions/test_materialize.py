"""Runs of one span of time, beside each other and when something goes wrong."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from pyiceberg.table import Table, Transaction

from governance.errors import CatalogError
from governance.events.run import Attempt
from governance.events.store import EventStore
from governance.load import load_pipelines
from governance.policy import load_policy, load_sources
from governance.project import Project
from governance.windows import Window
from platform_assets.engines.engine import Engine
from platform_assets.iceberg.catalog import Catalog
from platform_assets.runs.materialize import materialize
from platform_assets.runs.run import Materialized, Platform, Run
from tests.partitions.conftest import PAID, files, write
from tests.platform.running import Between

AT = datetime(2026, 10, 3, 2, tzinfo=UTC)


@pytest.fixture
def platform(project: Project, catalog: Catalog, engine: Engine) -> Platform:
    store = EventStore(project.events, lambda: AT)
    return Platform(project, load_policy(project), load_sources(project), catalog, engine, store, lambda: AT)


def run(platform: Platform, day: int, number: int = 0) -> Materialized:
    (pipeline,) = load_pipelines(platform.project)
    window = Window("paid_at", datetime(2026, 1, day, tzinfo=UTC), datetime(2026, 1, day + 1, tzinfo=UTC))
    return materialize(platform, pipeline, Run(Attempt("mart.paid", AT, "dagster-run", number), window=window))


def ends(platform: Platform) -> list[dict[str, Any]]:
    lines = [line for file in platform.store.files() for line in file.read_text("utf-8").splitlines()]
    return [event for event in map(json.loads, lines) if event["eventType"] != "START"]


def test_two_partitions_at_the_same_time_both_land(platform: Platform, catalog: Catalog) -> None:
    run(platform, 1)
    others = [2]

    def meanwhile() -> None:
        while others:
            run(platform, others.pop(), 1)

    done = run(replace(platform, engine=Between(platform.engine, meanwhile)), 3, 2)
    assert set(files(catalog)) == {"20454", "20455", "20456"}
    assert done.done.commit.rows == 3
    assert [event["eventType"] for event in ends(platform)] == ["COMPLETE"] * 3


def test_two_runs_that_both_make_the_table_both_land(platform: Platform, catalog: Catalog) -> None:
    others = [2]

    def meanwhile() -> None:
        while others:
            run(platform, others.pop(), 1)

    run(replace(platform, engine=Between(platform.engine, meanwhile)), 3, 2)
    assert set(files(catalog)) == {"20455", "20456"}


def test_a_commit_whose_answer_was_lost_is_told_as_what_it_was(
    platform: Platform, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(platform, 1)
    commit = Transaction.commit_transaction

    def lost(self: Transaction) -> Table:
        commit(self)
        raise ConnectionError("gone")

    monkeypatch.setattr(Transaction, "commit_transaction", lost)
    with pytest.raises((CatalogError, ConnectionError)):
        run(platform, 2, 1)
    assert set(files(catalog)) == {"20454", "20455"}
    last = ends(platform)[-1]
    assert last["eventType"] == "COMPLETE"
    assert last["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 3
    assert "lifecycleStateChange" not in last["outputs"][0]["facets"]


def test_a_column_that_is_no_time_when_it_is_run_is_told(platform: Platform, catalog: Catalog) -> None:
    sql = PAID.replace("paid_at, amount from", "cast(paid_at as varchar) || '' as paid_at, amount from")
    write(platform.project.pipelines[0] / "mart" / "paid.sql", sql)
    with pytest.raises(Exception, match="paid_at is a string, which is no time that partitions are told by"):
        run(platform, 1)
    assert not catalog.table_exists("mart.paid")


def test_the_query_is_whole_though_only_a_part_of_its_rows_is_wanted(platform: Platform, catalog: Catalog) -> None:
    sql = PAID.replace("amount from shop", "amount, row_number() over (order by paid_at, id) as place from shop")
    write(platform.project.pipelines[0] / "mart" / "paid.sql", sql)
    run(platform, 2)
    assert sorted(catalog.load_table("mart.paid").scan().to_arrow()["place"].to_pylist()) == [4, 5, 6]
