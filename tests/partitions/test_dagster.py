"""Partitions as Dagster runs them: one, a span, a backfill, the whole table; on a real instance and a real catalog."""

import json
from datetime import UTC, datetime
from typing import Any

import dagster as dg
import pytest
from dagster._core.definitions.automation_tick_evaluation_context import build_run_requests_with_backfill_policies
from dagster._core.definitions.events import AssetKeyPartitionKey

from governance.events.store import EventStore
from governance.project import Project
from governance_checks.scheduler import ended_attempts
from platform_assets.assets.factory import build_assets, duckdb_resource
from platform_assets.assets.metadata import asset_key
from platform_assets.definitions import build_definitions
from platform_assets.iceberg.catalog import Catalog
from platform_assets.loaded import load
from tests.partitions.conftest import PAID, files, payments, put, write

pytestmark = pytest.mark.usefixtures("catalog")

TABLE = asset_key("mart.paid")
COPY = "create table mart.paid as select * from shop.payments"
NEXT = "create table mart.next as select paid_at, amount from mart.paid"
JAN = 20454
"""The first of January 2026, in days."""


def run(project: Project, instance: dg.DagsterInstance, **options: Any) -> dg.ExecuteInProcessResult:
    resources = {"duckdb": duckdb_resource(project)}
    return dg.materialize(build_assets(load(project)), instance=instance, resources=resources, **options)


def span(first: str, last: str) -> dict[str, str]:
    return {"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last}


def completes(project: Project) -> list[dict[str, Any]]:
    lines = [line for file in EventStore(project.events).files() for line in file.read_text("utf-8").splitlines()]
    return [event for event in map(json.loads, lines) if event["eventType"] == "COMPLETE"]


def days(catalog: Catalog) -> dict[int, int]:
    """Return how many rows the table has of each day of January."""
    found: dict[int, int] = {}
    for at in catalog.load_table("mart.paid").scan().to_arrow()["paid_at"].to_pylist():
        day = at.day if at else 0
        found[day] = found.get(day, 0) + 1
    return found


def test_one_partition_is_made_and_made_again_and_the_others_stay(project: Project, catalog: Catalog) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        assert run(project, instance, partition_key="2026-01-02").success
        assert days(catalog) == {2: 3}
        assert run(project, instance, partition_key="2026-01-03").success
        before = files(catalog)
        put(catalog, payments(2, 3, 4, each=2, amount="5.00"))
        assert run(project, instance, partition_key="2026-01-03").success
    after = files(catalog)
    assert days(catalog) == {2: 3, 3: 2}
    assert after[str(JAN + 1)] == before[str(JAN + 1)]
    assert not after[str(JAN + 2)] & before[str(JAN + 2)]


def test_the_event_tells_the_span_and_what_was_written_of_it(project: Project) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        run(project, instance, partition_key="2026-01-02")
        run(project, instance, tags=span("2026-01-02", "2026-01-04"))
    first, second = completes(project)
    told = [
        (it["nominalStartTime"], it["nominalEndTime"])
        for it in (event["run"]["facets"]["nominalTime"] for event in (first, second))
    ]
    assert told == [
        ("2026-01-02T00:00:00+00:00", "2026-01-03T00:00:00+00:00"),
        ("2026-01-02T00:00:00+00:00", "2026-01-05T00:00:00+00:00"),
    ]
    outputs = [event["outputs"][0] for event in (first, second)]
    assert [it["outputFacets"]["outputStatistics"]["rowCount"] for it in outputs] == [3, 9]
    assert outputs[0]["facets"]["lifecycleStateChange"]["lifecycleStateChange"] == "CREATE"
    assert "lifecycleStateChange" not in outputs[1]["facets"]


def test_a_span_is_one_run_and_one_commit_and_each_partition_has_its_rows(project: Project, catalog: Catalog) -> None:
    put(catalog, payments(2, 4))
    with dg.DagsterInstance.ephemeral() as instance:
        assert run(project, instance, tags=span("2026-01-01", "2026-01-04")).success
        assert instance.get_materialized_partitions(TABLE) == {f"2026-01-0{day}" for day in (1, 2, 3, 4)}
        events = instance.fetch_materializations(TABLE, limit=10).records
        told = {
            it.partition_key: it.asset_materialization.metadata["dagster/partition_row_count"].value
            for it in events
            if it.asset_materialization
        }
        ended = ended_attempts(instance, datetime(2020, 1, 1, tzinfo=UTC))
    assert told == {"2026-01-01": 0, "2026-01-02": 3, "2026-01-03": 0, "2026-01-04": 3}
    assert len(catalog.load_table("mart.paid").snapshots()) == 1
    # one attempt of one step, however many partitions it was planned for
    assert [it.known.table for it in ended] == ["mart.paid"]


def test_without_a_partition_the_table_is_made_whole(project: Project, catalog: Catalog) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        run(project, instance, partition_key="2026-01-02")
        assert run(project, instance).success
    assert days(catalog) == {0: 1, 1: 3, 2: 3, 3: 3, 4: 3}
    whole = completes(project)[-1]
    assert "nominalTime" not in whole["run"]["facets"]
    assert whole["outputs"][0]["facets"]["lifecycleStateChange"]["lifecycleStateChange"] == "OVERWRITE"


def test_a_partition_that_fails_leaves_the_table_as_it_was(project: Project, catalog: Catalog) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        run(project, instance, partition_key="2026-01-02")
        before = files(catalog)
        broken = PAID.replace("id, country,", "id, country, 1 // (amount - 1)::integer as x,").replace(
            "amount > 0", "error('no') is null"
        )
        write(project.pipelines[0] / "mart" / "paid.sql", broken)
        assert not run(project, instance, partition_key="2026-01-02", raise_on_error=False).success
    assert files(catalog) == before


@pytest.mark.parametrize(
    ("upstream", "downstream", "key"),
    [
        ("daily from 2026-01-01", "daily from 2026-01-01", "2026-01-02"),
        ("daily from 2026-01-03", "daily from 2026-01-01", "2026-01-02"),
        ("hourly from 2026-01-01", "daily from 2026-01-01", "2026-01-02"),
        ("daily from 2026-01-01", "monthly from 2026-01-01", "2026-01-01"),
        ("monthly from 2026-01-01", "daily from 2026-01-01", "2026-01-02"),
        ("daily from 2026-01-01", None, None),
    ],
)
def test_what_reads_partitions_runs_after_those_of_its_time(
    project: Project, catalog: Catalog, upstream: str, downstream: str | None, key: str | None
) -> None:
    finest = "hour(paid_at)" if "hourly" in upstream else "day(paid_at)"
    head = f"-- partition by: {finest}\n-- partitions: {upstream}\n"
    write(project.pipelines[0] / "mart" / "paid.sql", head + COPY)
    head = f"-- partition by: day(paid_at)\n-- partitions: {downstream}\n" if downstream else ""
    write(project.pipelines[0] / "mart" / "next.sql", head + NEXT)
    put(catalog, payments(1, 2), "mart.paid")
    with dg.DagsterInstance.ephemeral() as instance:
        made = run(project, instance, selection=[asset_key("mart.next")], partition_key=key)
    assert made.success
    rows = catalog.load_table("mart.next").scan().to_arrow().num_rows
    assert rows == {"2026-01-02": 3, "2026-01-01": 6, None: 7}[key]


def test_a_backfill_is_one_run_for_each_span_of_it(project: Project, catalog: Catalog) -> None:
    defs = build_definitions(project)
    wanted = {AssetKeyPartitionKey(TABLE, f"2026-01-0{day}") for day in (1, 2, 4)}
    with dg.DagsterInstance.ephemeral() as instance:
        graph = defs.get_repository_def().asset_graph
        requests = build_run_requests_with_backfill_policies(wanted, graph, instance)
        job = defs.resolve_implicit_global_asset_job_def()
        for request in requests:
            told = job.execute_in_process(instance=instance, tags=request.tags, asset_selection=request.asset_selection)
            assert told.success
        assert instance.get_materialized_partitions(TABLE) == {it.partition_key for it in wanted}
    assert (len(requests), days(catalog)) == (2, {1: 3, 2: 3, 4: 3})
    assert len(completes(project)) == 2
