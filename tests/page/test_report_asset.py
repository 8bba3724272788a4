"""The report as an asset: the governance job keeps it, nightly leaves it alone, and no rule takes it for a table."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from dagster import AssetKey, DagsterInstance, ExecuteInProcessResult

from governance import findings_seen
from governance.page import html
from governance.page import tables as page_tables
from governance.page.part import part_around
from governance.page.reports import keep_report, kept_reports, reports_folder
from governance_checks.scheduler import REPORT
from platform_assets.pages import source as page_source
from tests.dagster.shop import Shop, built, make_shop, red
from tests.page.made import NOW, static
from tests.page.test_html import embedded


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.setattr(html, "STATIC", static(tmp_path / "static"))
    return make_shop(tmp_path / "shop")


@pytest.fixture
def instance() -> Iterator[DagsterInstance]:
    with DagsterInstance.ephemeral() as fresh:
        yield fresh


def metadata(result: ExecuteInProcessResult) -> dict[str, object]:
    (found,) = [it for it in result.get_asset_materialization_events() if it.asset_key == REPORT]
    return {name: it.value for name, it in found.materialization.metadata.items()}


def test_the_governance_job_keeps_the_page_with_what_every_rule_found(
    shop: Shop, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert built(shop.run("nightly", instance)) == {"mart.mailing", "mart.paid_orders"}
    with monkeypatch.context() as silenced:
        silenced.setenv("OPENLINEAGE_DISABLED", "true")
        shop.run("nightly", instance)
    result = shop.run("governance", instance)
    assert result.success
    (name,) = kept_reports(shop.project.state)
    text = reports_folder(shop.project.state).joinpath(name).read_text()
    page = embedded(text)
    assert {it["name"] for it in page["datasets"]} == {"shop.orders", "mart.mailing", "mart.paid_orders"}
    told = metadata(result)
    assert told["page"] == "http://127.0.0.1:3001"
    assert told["this report"] == f"http://127.0.0.1:3001/reports/{name}"
    assert (told["tables"], told["errors"], told["bytes"]) == (3, 2, len(text.encode()))
    # what only the scheduler's log tells is on the page, and stays there for who reads events alone
    assert {(it["table"], it["rule"]) for it in page["findings"] if it["severity"] == "ERROR"} == red(result)
    last = findings_seen.seen(shop.project.state)
    assert last is not None
    assert {it.rule for it in last.findings} >= {"missing_run"}


def test_a_large_platform_keeps_a_part_and_says_how_much_it_is_of(
    shop: Shop, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert built(shop.run("nightly", instance)) == {"mart.mailing", "mart.paid_orders"}
    monkeypatch.setattr(page_tables, "WHOLE_TABLES", 2)
    monkeypatch.setattr(page_source, "part_around", partial(part_around, most=2))
    told = metadata(shop.run("governance", instance))
    assert (told["tables"], told["tables shown"]) == (3, 2)
    assert "columns" not in told


def test_a_run_of_the_report_alone_is_no_run_whose_events_are_missing(shop: Shop, instance: DagsterInstance) -> None:
    job = shop.definitions().resolve_implicit_global_asset_job_def()
    assert job.execute_in_process(instance=instance, asset_selection=[REPORT]).success
    found = json.loads((shop.project.state / findings_seen.FILE).read_bytes())
    assert job.execute_in_process(instance=instance, asset_selection=[REPORT]).success
    assert not [it for it in found["findings"] if it["rule"] == "missing_run"]
    assert red(shop.run("governance", instance)) == set()


def test_only_the_latest_reports_are_kept(tmp_path: Path) -> None:
    for hour in range(5):
        keep_report(tmp_path, str(hour), NOW.replace(hour=hour), 3)
    (reports_folder(tmp_path) / "mine.html").write_text("not the job's to remove")
    assert [reports_folder(tmp_path).joinpath(it).read_text() for it in kept_reports(tmp_path)] == ["4", "3", "2"]
    keep_report(tmp_path, "5", NOW.replace(hour=5), 1)
    assert sorted(it.name for it in reports_folder(tmp_path).iterdir()) == [
        "lineage-20261130T050000Z.html",
        "mine.html",
    ]


def test_the_report_is_an_asset_beside_the_platforms(shop: Shop) -> None:
    graph = shop.definitions().resolve_asset_graph()
    assert graph.get(REPORT).group_name == graph.get(AssetKey(["governance", "platform"])).group_name == "governance"
