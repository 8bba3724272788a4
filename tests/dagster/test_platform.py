"""The whole code location on a small shop: real Iceberg tables, real events, real checks, one process."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from dagster import AssetKey, DagsterInstance, Definitions

from governance.events.instant import SCHEDULED_TIME
from governance_checks.scheduler import attempts_of
from platform_assets.assets.instance import dagster_home
from platform_assets.iceberg.catalog import open_catalog
from platform_assets.iceberg.publish import replace, target
from tests.dagster.shop import Shop, built, failed, red

TABLES = {"mart.mailing", "mart.paid_orders"}


def test_nightly_builds_everything_and_every_check_is_green(shop: Shop, instance: DagsterInstance) -> None:
    result = shop.run("nightly", instance)
    assert result.success
    assert built(result) == TABLES
    assert red(result) == set()
    assert red(shop.run("governance", instance)) == set()


def test_every_run_has_one_start_and_one_end_under_the_id_that_dagster_gives_it(
    shop: Shop, instance: DagsterInstance
) -> None:
    shop.run("nightly", instance)
    shop.run("nightly", instance)
    told = Counter((event.run.run_id, event.event_type) for event in shop.store.read().events)
    ids = {
        ended.known.attempt.run_id for record in instance.get_run_records() for ended in attempts_of(instance, record)
    }
    assert told == Counter({(run_id, state): 1 for run_id in ids for state in ("START", "COMPLETE")})
    assert len(ids) == 4


def test_a_scheduled_run_has_the_same_instant_in_events_and_in_dagster(shop: Shop, instance: DagsterInstance) -> None:
    shop.run("nightly", instance, {SCHEDULED_TIME: "2026-10-24T02:00:00+00:00"})
    assert red(shop.run("governance", instance)) == set()
    # a UUIDv7 begins with its instant in milliseconds
    begun = {int(event.run.run_id.replace("-", "")[:12], 16) for event in shop.store.read().events}
    assert begun == {1_792_807_200_000}


def test_events_switched_off_turn_missing_run_red_and_nothing_else(
    shop: Shop, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.run("nightly", instance)
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    result = shop.run("nightly", instance)
    assert red(result) == {(table, "missing_run") for table in TABLES}
    assert all("OPENLINEAGE_DISABLED=true" in (it.description or "") for it in failed(result))
    monkeypatch.delenv("OPENLINEAGE_DISABLED")
    assert red(shop.run("governance", instance)) == {(table, "missing_run") for table in TABLES}


def test_a_filter_is_named_where_it_drops_events_and_nowhere_else(
    shop: Shop, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shop.run("nightly", instance)
    (tmp_path / "openlineage.yml").write_text("filters:\n  - type: exact\n    match: mart.mailing\n")
    monkeypatch.setenv("OPENLINEAGE_CONFIG", str(tmp_path / "openlineage.yml"))
    result = shop.run("nightly", instance)
    assert red(result) == {("mart.mailing", "missing_run")}
    assert all("filter 'mart.mailing' of openlineage.yml" in (it.description or "") for it in failed(result))


def test_a_table_written_behind_lineages_back_is_red_on_the_platform(shop: Shop, instance: DagsterInstance) -> None:
    shop.run("nightly", instance)
    with open_catalog(shop.project) as catalog:
        copied = pa.table({"email": ["a@example.com"]})
        replace(catalog, target("mart.copy", None), copied.to_reader(), {}, {})
    assert red(shop.run("governance", instance)) == {("governance.platform", "unaccounted_table")}


def test_an_understated_class_is_red_and_stops_what_is_downstream(shop: Shop, instance: DagsterInstance) -> None:
    shop.run("nightly", instance)
    shop.rewrite(
        "governance/metadata.toml",
        '["mart.paid_orders"]\nowner = "team:mart"\ncolumns.order_id = { classification = "internal" }\n'
        'columns.email = { classification = "personal" }',
        '["mart.paid_orders"]\nowner = "team:mart"\ncolumns.order_id = { classification = "internal" }\n'
        'columns.email = { classification = "internal" }',
    )
    result = shop.run("nightly", instance)
    assert built(result) == {"mart.paid_orders"}
    assert red(result) == {("mart.paid_orders", "understated_classification")}
    (it,) = failed(result)
    assert "declared internal, lineage proposes personal" in (it.description or "")
    assert red(shop.run("governance", instance)) == {("mart.paid_orders", "understated_classification")}


def test_a_misspelt_column_runs_nothing_and_is_red_where_it_stands(shop: Shop, instance: DagsterInstance) -> None:
    shop.run("nightly", instance)
    shop.rewrite("platform_assets/pipelines/mart/mailing.sql", "p.email", "p.emial")
    result = shop.run("nightly", instance)
    assert not result.success
    assert built(result) == {"mart.paid_orders"}
    assert shop.told("mart.mailing") == ["START", "COMPLETE", "START", "FAIL"]
    last = shop.events("mart.mailing")[-1].run.facets.error_message
    assert last is not None
    assert "emial" in last.message
    assert red(shop.run("governance", instance)) == {("mart.mailing", "unreadable_lineage")}


def test_a_pipeline_that_cannot_be_read_leaves_the_others_loaded(shop: Shop) -> None:
    shop.pipeline("mart.broken", "update mart.broken set email = null")
    defs = shop.definitions()
    Definitions.validate_loadable(defs)
    description = defs.resolve_asset_graph().get(AssetKey(["mart", "broken"])).description or ""
    assert "cannot be read" in description


def test_what_was_mended_is_green_again(shop: Shop, instance: DagsterInstance) -> None:
    shop.rewrite("platform_assets/pipelines/mart/mailing.sql", "p.email", "p.emial")
    shop.run("nightly", instance)
    shop.rewrite("platform_assets/pipelines/mart/mailing.sql", "p.emial", "p.email")
    assert red(shop.run("nightly", instance)) == set()
    assert red(shop.run("governance", instance)) == set()


def test_a_full_store_at_start_runs_nothing(shop: Shop, instance: DagsterInstance) -> None:
    shop.project.events.parent.mkdir(parents=True, exist_ok=True)
    shop.project.events.write_text("a file where the folder should be")
    result = shop.run("nightly", instance)
    assert built(result) == set()
    with open_catalog(shop.project) as catalog:
        assert not catalog.table_exists("mart.paid_orders")


def test_the_two_jobs_and_their_schedules(shop: Shop) -> None:
    schedules = shop.definitions().get_repository_def().schedule_defs
    assert {(it.name, it.job_name, it.cron_schedule, it.default_status.value) for it in schedules} == {
        ("nightly_at_two", "nightly", "0 2 * * *", "STOPPED"),
        ("governance_hourly", "governance", "0 * * * *", "RUNNING"),
    }


def test_the_sensors_run_without_being_switched_on(shop: Shop) -> None:
    sensors = shop.definitions().get_repository_def().sensor_defs
    assert {(it.name, it.default_status.value) for it in sensors} == {
        ("end_failed_runs", "RUNNING"),
        ("end_terminated_runs", "RUNNING"),
        ("automation", "RUNNING"),
        ("compaction", "RUNNING"),
    }


def test_dagsters_home_gets_its_settings_once(shop: Shop) -> None:
    home = dagster_home(shop.project)
    settings = home / "dagster.yaml"
    assert "run_monitoring" in settings.read_text()
    settings.write_text("telemetry:\n  enabled: false\n")
    assert dagster_home(shop.project) == home
    assert settings.read_text() == "telemetry:\n  enabled: false\n"


def test_a_wrong_header_stops_its_own_pipeline_and_no_other(shop: Shop, instance: DagsterInstance) -> None:
    shop.pipeline("mart.late", "-- ownr: team:mart\ncreate table mart.late as select order_id from shop.orders")
    says = "unknown header word 'ownr'"

    result = shop.run("nightly", instance)

    assert not result.success
    assert built(result) == TABLES
    assert shop.told("mart.late") == ["START", "FAIL"]
    # a quoted word may be a literal to the redaction
    assert "late.sql:1: unknown header word" in str(shop.events("mart.late")[1].run.facets)
    assert says in (shop.definitions().resolve_assets_def(AssetKey(["mart", "late"])).descriptions_by_key.popitem()[1])
    (check,) = [it for it in failed(shop.run("governance", instance)) if it.check_name == "unreadable_lineage"]
    assert says in (check.description or "")


def test_a_misspelt_declaration_turns_its_own_check_red(shop: Shop, instance: DagsterInstance) -> None:
    shop.rewrite("governance/metadata.toml", "columns.paid =", "columns.payed =")

    result = shop.run("nightly", instance)

    assert result.success
    assert red(shop.run("governance", instance)) == {
        ("governance.platform", "unmatched_policy"),
        ("governance.platform", "undeclared_metadata"),
    }
