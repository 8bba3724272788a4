"""The project's files as Dagster assets, materialized for real in an instance that is gone afterwards."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import dagster as dg
import pytest

from governance.events.instant import SCHEDULED_TIME, run_instant
from governance.events.run import Attempt, started_by
from governance.events.store import EventStore
from governance.project import Project
from platform_assets.assets.factory import build_assets, duckdb_resource
from platform_assets.assets.metadata import asset_key
from platform_assets.assets.step import run_of
from platform_assets.loaded import load

BUYERS, DAYS = asset_key("mart.buyers"), asset_key("mart.days")


def instant_of(record: dg.RunRecord) -> datetime:
    return run_instant(record.dagster_run.tags, record.start_time, record.create_timestamp)


def specs(project: Project) -> dict[dg.AssetKey, dg.AssetSpec]:
    found: dict[dg.AssetKey, dg.AssetSpec] = {}
    for built in build_assets(load(project)):
        for spec in [built] if isinstance(built, dg.AssetSpec) else built.specs:
            found[spec.key] = spec
    return found


def run(project: Project, instance: dg.DagsterInstance, **options: Any) -> dg.ExecuteInProcessResult:
    resources = {"duckdb": duckdb_resource(project)}
    return dg.materialize(build_assets(load(project)), instance=instance, resources=resources, **options)


def events(project: Project) -> list[dict[str, Any]]:
    lines = [line for file in EventStore(project.events).files() for line in file.read_text("utf-8").splitlines()]
    return [json.loads(line) for line in lines]


def test_an_asset_says_what_its_file_says(shop: Project) -> None:
    found = specs(shop)
    buyers = found[BUYERS]
    said, _, picture = (buyers.description or "").partition("\n\n")
    assert said == "Who bought, and for how much."
    assert picture.startswith("![Column lineage of mart.buyers](data:image/svg+xml;base64,")
    assert {dep.asset_key for dep in buyers.deps} == {asset_key("crm.people"), asset_key("shop.orders")}
    assert (buyers.group_name, list(buyers.owners), buyers.kinds) == (
        "mart",
        ["team:shop"],
        {"duckdb", "iceberg", "sql"},
    )
    assert "nightly" in buyers.tags
    assert buyers.automation_condition == dg.AutomationCondition.eager()
    assert buyers.freshness_policy == dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=26))
    assert {dep.asset_key for dep in found[DAYS].deps} == {asset_key("shop.orders")}
    assert found[DAYS].automation_condition == dg.AutomationCondition.on_cron("0 6 * * *", "UTC")


def test_columns_and_the_text_stand_there_before_anything_ran(shop: Project) -> None:
    metadata = specs(shop)[BUYERS].metadata
    columns = metadata["dagster/column_schema"].value.columns
    assert [(c.name, c.type) for c in columns][:3] == [("id", "bigint"), ("name", "varchar"), ("mail", "varchar")]
    assert (columns[2].tags, columns[2].description) == ({"classification": "personal"}, "Where to write to.")
    assert metadata["SQL"].value.startswith("```sql\n-- description: Who bought")
    (reference,) = metadata["dagster/code_references"].code_references
    assert reference.file_path == str(shop.root / "platform_assets/pipelines/mart/buyers.sql")


def test_a_source_is_an_external_asset_with_owner_and_chips(shop: Project) -> None:
    people = specs(shop)[asset_key("crm.people")]
    assert list(people.owners) == ["team:crm"]
    mail = people.metadata["dagster/column_schema"].value.columns[2]
    assert (mail.name, mail.tags) == ("mail", {"classification": "personal"})


def test_on_the_first_night_an_asset_knows_whom_it_reaches_though_they_are_built_last(shop: Project) -> None:
    text = "-- owner: team:shop\ncreate table mart.copies as select b.id, b.mail from mart.buyers b"
    (shop.pipelines[0] / "mart" / "copies.sql").write_text(text)
    with dg.DagsterInstance.ephemeral() as instance:
        result = run(shop, instance)
        shown = {e.asset_key: e.materialization.metadata for e in result.get_asset_materialization_events()}
    assert shown[BUYERS]["impact of a change"].value.startswith(
        "A change here reaches 2 columns by value and the rows of 1 table."
    )
    assert "| mart.copies | values | 2 | 1 | team:shop |" in shown[BUYERS]["impact of a change"].value
    assert "mart.buyers.mail" in shown[asset_key("mart.copies")]["proposed classes"].value


def test_materializing_everything_tells_lineage_and_figures(shop: Project) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        result = run(shop, instance)
        assert result.success
        shown = {e.asset_key: e.materialization.metadata for e in result.get_asset_materialization_events()}
    buyers = shown[BUYERS]
    deps = buyers["dagster/column_lineage"].value.deps_by_column
    assert {(d.asset_key, d.column_name) for d in deps["paid"]} == {(asset_key("shop.orders"), "paid")}
    assert (buyers["dagster/row_count"].value, buyers["dagster/table_name"].value) == (1, "mart.buyers")
    assert buyers["dagster/size_bytes"].value > 0
    assert "INDIRECT FILTER | [crm.people.agreed](/assets/crm/people)" in buyers["inputs that shape every row"].value
    assert "DIRECT AGGREGATION | [shop.orders.paid](/assets/shop/orders)" in buyers["inputs of each column"].value
    runs = {event["run"]["runId"] for event in events(shop)}
    assert runs == {metadata["OpenLineage run id"].value for metadata in shown.values()}
    assert sorted(event["eventType"] for event in events(shop)) == ["COMPLETE", "COMPLETE", "START", "START"]


def test_whoever_reads_dagsters_log_can_compute_the_run_id(shop: Project) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        result = run(shop, instance, selection=[BUYERS])
        record = instance.get_run_record_by_id(result.run_id)
        assert record is not None
        attempt = Attempt(
            "mart.buyers",
            instant_of(record),
            result.run_id,
            0,
        )
    assert {event["run"]["runId"] for event in events(shop)} == {attempt.run_id}
    facets = events(shop)[0]["run"]["facets"]
    assert facets["parent"]["run"]["runId"] == started_by(attempt.instant, result.run_id, "j").run_id
    assert ("dagster_run_id", result.run_id) in {(it["key"], it["value"]) for it in facets["tags"]["tags"]}


def test_a_run_that_is_executed_again_names_the_first_one_as_its_root(shop: Project) -> None:
    (pipeline,) = (it for it in load(shop).pipelines if it.table == "mart.buyers")
    first, again = (str(uuid4()) for _ in range(2))
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_run(dg.DagsterRun("nightly", run_id=first))
        instance.add_run(dg.DagsterRun("nightly", run_id=again, root_run_id=first, parent_run_id=first))
        root, record = (instance.get_run_record_by_id(it) for it in (first, again))
    assert root is not None
    assert record is not None
    root_run, run_again = run_of(pipeline, root, None, 0), run_of(pipeline, record, root, 0)
    assert root_run.parent is not None
    assert run_again.parent is not None
    assert run_again.parent.root == root_run.parent
    assert run_again.parent.run_id != root_run.parent.run_id


def test_a_scheduled_run_bears_its_scheduled_time(shop: Project) -> None:
    tick = datetime(2026, 10, 3, 2, tzinfo=UTC)
    with dg.DagsterInstance.ephemeral() as instance:
        result = run(shop, instance, selection=[BUYERS], tags={SCHEDULED_TIME: tick.isoformat()})
    (run_id,) = {event["run"]["runId"] for event in events(shop)}
    assert run_id == Attempt("mart.buyers", tick, result.run_id, 0).run_id
    assert events(shop)[0]["run"]["facets"]["nominalTime"]["nominalStartTime"] == tick.isoformat()


def test_n11_a_pipeline_that_cannot_be_read_loads_says_so_and_fails(shop: Project) -> None:
    file = shop.pipelines[0] / "mart" / "buyers.sql"
    file.write_text("-- description: <b>Bold</b>\ncreate table mart.buyers as select emial from crm.people", "utf-8")
    described = specs(shop)[BUYERS].description or ""
    assert "cannot be read" in described
    assert "emial" in described
    assert "<b>" not in described
    with dg.DagsterInstance.ephemeral() as instance:
        result = run(shop, instance, raise_on_error=False)
        assert not result.success
        assert [e.asset_key for e in result.get_asset_materialization_events()] == [DAYS]
    assert sorted((e["job"]["name"], e["eventType"]) for e in events(shop)) == [
        ("mart.buyers", "FAIL"),
        ("mart.buyers", "START"),
        ("mart.days", "COMPLETE"),
        ("mart.days", "START"),
    ]


def test_a_new_file_is_all_it_takes(shop: Project) -> None:
    file = shop.pipelines[0] / "mail" / "list.sql"
    file.parent.mkdir()
    file.write_text("create table mail.list as select mail from mart.buyers", "utf-8")
    assert {dep.asset_key for dep in specs(shop)[asset_key("mail.list")].deps} == {BUYERS}
    with dg.DagsterInstance.ephemeral() as instance:
        assert run(shop, instance).success


def test_assets_are_all_tables_that_have_a_page(shop: Project) -> None:
    assert load(shop).assets == {"crm.people", "shop.orders", "mart.buyers", "mart.days"}


@pytest.mark.parametrize("retries", [1])
def test_a_retry_is_a_run_of_its_own(shop: Project, retries: int) -> None:
    file = shop.pipelines[0] / "mart" / "buyers.sql"
    file.write_text("create table mart.buyers as select error('no') as x from crm.people", "utf-8")
    (buyers,) = [a for a in build_assets(load(shop)) if isinstance(a, dg.AssetsDefinition) and a.key == BUYERS]
    job = dg.Definitions(
        [buyers],
        jobs=[dg.define_asset_job("again", [buyers], op_retry_policy=dg.RetryPolicy(max_retries=retries))],
        resources={"duckdb": duckdb_resource(shop)},
    ).resolve_job_def("again")
    with dg.DagsterInstance.ephemeral() as instance:
        result = job.execute_in_process(instance=instance, raise_on_error=False)
        record = instance.get_run_record_by_id(result.run_id)
        assert record is not None
        expected = {
            Attempt(
                "mart.buyers",
                instant_of(record),
                result.run_id,
                n,
            ).run_id
            for n in range(retries + 1)
        }
    assert [event["eventType"] for event in events(shop)] == ["START", "FAIL"] * (retries + 1)
    assert {event["run"]["runId"] for event in events(shop)} == expected


@pytest.mark.parametrize("uri", ["postgresql+psycopg2://ada:lovelace1@127.0.0.1:1/lake", "http://127.0.0.1:1"])
def test_a_run_whose_catalog_cannot_be_opened_begins_and_fails_in_the_events(
    shop: Project, monkeypatch: pytest.MonkeyPatch, uri: str
) -> None:
    monkeypatch.setenv("PYICEBERG_CATALOG__DEFAULT__URI", uri)
    with dg.DagsterInstance.ephemeral() as instance:
        result = run(shop, instance, raise_on_error=False, selection=[DAYS])
        record = instance.get_run_record_by_id(result.run_id)
        assert record is not None
        attempt = Attempt("mart.days", instant_of(record), result.run_id, 0)
    assert not result.success
    start, fail = events(shop)
    assert [it["eventType"] for it in (start, fail)] == ["START", "FAIL"]
    assert start["run"]["runId"] == fail["run"]["runId"] == attempt.run_id
    assert start["job"]["name"] == "mart.days"
    message = fail["run"]["facets"]["errorMessage"]["message"]
    assert "127.0.0.1" in message
    assert "Connection refused" in message
    assert "PYICEBERG_CATALOG__DEFAULT" in message
    assert "lovelace1" not in message


def test_events_that_cannot_be_written_either_leave_the_catalogs_error_with_a_note(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYICEBERG_CATALOG__DEFAULT__URI", "http://127.0.0.1:1")
    shop.events.parent.mkdir(parents=True, exist_ok=True)
    shop.events.write_text("no folder")
    with dg.DagsterInstance.ephemeral() as instance:
        result = run(shop, instance, raise_on_error=False, selection=[DAYS])
    (failed,) = (it for it in result.all_events if it.is_step_failure)
    assert "Connection refused" in str(failed.event_specific_data)
