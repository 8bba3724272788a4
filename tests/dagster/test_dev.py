"""`dagster dev` as used for review: it starts, Terminate works, a killed run worker is ended by the daemon."""

import os
import re
import shutil
import signal
from collections.abc import Iterator

import pytest
from dagster import DagsterEventType, DagsterInstance
from playwright.sync_api import Page, expect, sync_playwright

from governance.rules import RULES, About
from platform_assets.assets.instance import dagster_home
from tests.dagster.dev import Dev, dagster_dev
from tests.dagster.shop import ENDLESS, HANG, make_shop, until


@pytest.fixture(scope="module")
def dev(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dev]:
    shop = make_shop(tmp_path_factory.mktemp("dev") / "shop")
    shop.pipeline("mart.endless", ENDLESS)
    shop.pipeline("mart.endless_too", ENDLESS.replace("mart.endless", "mart.endless_too"))
    home = dagster_home(shop.project)
    settings = home / "dagster.yaml"
    settings.write_text(settings.read_text().replace("poll_interval_seconds: 30", "poll_interval_seconds: 1"))
    with dagster_dev(shop, home) as started:
        yield started


def test_its_start_is_work_that_two_cores_do_in_twenty_seconds(dev: Dev) -> None:
    # processor time, not the clock: other tests run beside this one
    assert dev.start_up_work < 2 * 20


def test_terminate_sends_abort(dev: Dev) -> None:
    run = dev.launch("mart.endless")
    until(lambda: dev.shop.told("mart.endless") == ["START"], 60)
    dev.terminate(run)
    until(lambda: dev.status(run) == "CANCELED", 30)
    assert dev.shop.told("mart.endless") == ["START", "ABORT"]


def test_a_killed_run_worker_is_found_and_its_run_ended(dev: Dev) -> None:
    run = dev.launch("mart.endless_too")
    until(lambda: dev.shop.told("mart.endless_too") == ["START"], HANG)
    os.kill(worker_of(dev, run), signal.SIGKILL)
    until(lambda: dev.status(run) == "FAILURE", HANG)
    until(lambda: dev.shop.told("mart.endless_too") == ["START", "FAIL"], HANG)


@pytest.fixture
def page() -> Iterator[Page]:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None and not os.environ.get("CI"):
        pytest.skip("no chromium on this machine: apt-get install chromium")
    assert path, "CI needs Debian's chromium"
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        opened = browser.new_page(viewport={"width": 1400, "height": 1000})
        opened.set_default_timeout(HANG * 1000)
        expect.set_options(timeout=HANG * 1000)
        yield opened
        browser.close()


@pytest.mark.browser
def test_a_person_materializes_an_asset_and_sees_its_checks_and_chips(dev: Dev, page: Page) -> None:
    page.goto(f"{dev.url}/assets/mart/paid_orders")
    page.get_by_role("button", name=re.compile("Materialize")).first.click()
    until(lambda: dev.shop.told("mart.paid_orders") == ["START", "COMPLETE"], HANG)

    page.goto(f"{dev.url}/assets/mart/paid_orders?view=checks")
    of_tables = [rule.name for rule in RULES if rule.about is About.TABLE]
    for name in of_tables:
        expect(page.get_by_text(name).first).to_be_visible()
    expect(page.get_by_text("Succeeded")).to_have_count(len(of_tables))

    page.goto(f"{dev.url}/assets/mart/paid_orders?view=overview")
    expect(page.get_by_text("classification: personal")).to_be_visible()
    expect(page.get_by_text("classification: internal")).to_be_visible()
    expect(page.get_by_text("Iceberg", exact=True)).to_be_visible()


@pytest.mark.browser
def test_a_source_shows_its_columns_owner_and_chips(dev: Dev, page: Page) -> None:
    page.goto(f"{dev.url}/assets/shop/orders?view=overview")
    expect(page.get_by_text("classification: personal")).to_be_visible()
    expect(page.get_by_text("External Asset")).to_be_visible()


def worker_of(dev: Dev, run: str) -> int:
    with DagsterInstance.from_config(str(dagster_home(dev.shop.project))) as opened:
        log = opened.get_records_for_run(run, of_type=DagsterEventType.ENGINE_EVENT).records
    said = " ".join(entry.event_log_entry.user_message or "" for entry in log)
    return int(re.findall(r"in process \(pid: (\d+)\)", said)[0])
