"""Files on the page: where they lie, which of them a run read, and addresses of names with signs of their own."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from governance.page.document import Own, document
from tests.page.made import event, policy, shown, table
from tests.page.whole_page import lit, opened, ready, selected

ORDERS, PAYMENTS, BATCH = "landing/orders/*.csv", "landing/payments.txt", "landing/batch.json"
DETAIL, DAY = f"{PAYMENTS}#detail", "$doc.header.day"
FILES = dict.fromkeys((ORDERS, PAYMENTS, DETAIL, BATCH), "file")


def used(name: str, field: str, kind: str = "DIRECT IDENTITY") -> dict[str, Any]:
    how, subtype = kind.split()
    said = {"type": how, "subtype": subtype, "masking": False}
    return {"namespace": "file", "name": name, "field": field, "transformations": [said]}


def read(name: str, *files: str, count: int | None = None, **facets: Any) -> dict[str, Any]:
    """An input of files; those named are what it stood for."""
    facets = {
        "datasetType": {"datasetType": "FILE"},
        "storage": {"storageLayer": "file", "fileFormat": "csv"},
        **facets,
    }
    told = {"fileCount": len(files) if count is None else count, "files": [{"name": it, "size": 1} for it in files]}
    own = {"inputFacets": {"headwater_files": told}} if files else {}
    return {"namespace": "file", "name": name, "facets": facets, **own}


def written(name: str, fields: dict[str, list[dict[str, Any]]], rows: list[dict[str, Any]] = []) -> dict[str, Any]:  # noqa: B006
    made = table(name, dict.fromkeys(fields, ()))
    made["facets"]["columnLineage"] = {
        "fields": {column: {"inputFields": inputs} for column, inputs in fields.items()},
        "dataset": rows,
    }
    return made


def small() -> dict[str, Any]:
    """Orders, payments of several kinds and a document, each read into bronze."""
    said = policy(bronze__orders__mail="internal")
    said = replace(said, lineage=replace(said.lineage, files=FILES))
    orders = written("bronze.orders", {"id": [used(ORDERS, "id")], "mail": [used(ORDERS, "mail")], "batch": []})
    payments = written(
        "bronze.payments",
        {"cents": [used(DETAIL, "cents")]},
        [used(PAYMENTS, "record_type", "INDIRECT FILTER")],
    )
    fees = written("bronze.fees", {"day": [used(BATCH, DAY)]})
    many = [f"landing/orders/{n:02}.csv" for n in range(30)]
    told = [
        event("bronze.orders", reads=[read(ORDERS, *many, count=1200)], writes=[orders]),
        event("bronze.payments", reads=[read(PAYMENTS, PAYMENTS), read(DETAIL)], writes=[payments]),
        event("bronze.fees", reads=[read(BATCH, BATCH)], writes=[fees]),
    ]
    own = {ORDERS: Own("source", "Orders of the shop.", {"id": "bigint", "mail": "varchar"}, "csv")}
    return document(shown(told, said, own=own, dagster="http://127.0.0.1:3000"))


def escaped(name: str) -> str:
    return quote(name, safe="")


def of(made: dict[str, Any], name: str) -> dict[str, Any]:
    return next(it for it in made["datasets"] if it["name"] == name)


def test_a_dataset_of_files_says_its_format_and_where_it_is() -> None:
    orders = of(small(), ORDERS)
    assert {key: orders[key] for key in ("namespace", "group", "format", "origin", "description", "asset")} == {
        "namespace": "file",
        "group": "landing/orders",
        "format": "csv",
        "origin": "source",
        "description": "Orders of the shop.",
        "asset": ["landing", "orders", "*.csv"],
    }
    assert of(small(), DETAIL)["format"] == "csv"
    assert of(small(), "bronze.orders")["format"] is None


def test_a_run_says_which_files_it_read() -> None:
    made = small()
    files = {made["versions"][it["version"]]["job"]: it.get("files") for it in made["runs"]}
    assert files["bronze.payments"] == {"count": 1, "names": [PAYMENTS]}
    assert files["bronze.orders"]["count"] == 1200
    assert len(files["bronze.orders"]["names"]) == 20


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    with opened(browser, tmp_path, small()) as page:
        yield page


@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "heading"),
    [
        (f"{DETAIL}.cents", "cents"),
        (DETAIL, DETAIL),
        (PAYMENTS, PAYMENTS),
        (f"{ORDERS}.mail", "mail"),
        (f"{BATCH}.{DAY}", DAY),
        (f"file/{DETAIL}.cents", "cents"),
    ],
)
def test_names_with_signs_of_their_own_are_addresses(page: Page, name: str, heading: str) -> None:
    for hash_ in (name, escaped(name)):
        page.evaluate("hash => { location.hash = ''; location.hash = hash; }", f"{hash_}?mode=impact")
        ready(page)
        assert selected(page) == heading
        expect(page.locator("#notice")).to_be_hidden()
    assert "mode=impact" in page.url


@pytest.mark.browser
def test_an_address_that_is_shared_leads_back(page: Page, browser: Browser, tmp_path: Path) -> None:
    page.locator("#graph .field", has_text="cents").first.click()
    ready(page)
    shared = page.url.partition("#")[2]
    assert "%23detail" in shared
    with opened(browser, tmp_path, small(), shared) as again:
        assert selected(again) == "cents"
        assert lit(again, "value") == {"bronze.payments.cents"}


@pytest.mark.browser
def test_a_file_leads_where_its_kinds_of_record_do(page: Page) -> None:
    page.evaluate("hash => { location.hash = hash; }", f"{escaped(PAYMENTS)}?mode=impact")
    ready(page)
    assert lit(page, "value") == {"bronze.payments.cents"}
    kind = page.locator("#graph .dataset", has=page.get_by_text("payments.txt#detail", exact=True))
    expect(kind).to_have_class(re.compile(r"\bstart\b"))


@pytest.mark.browser
def test_files_are_drawn_as_such_with_their_namespace(page: Page) -> None:
    box = page.locator("#graph .dataset", has=page.get_by_text("payments.txt#detail", exact=True))
    expect(box.locator(".origin.file .sheet")).to_have_count(1)
    expect(box.locator(".sub")).to_contain_text("csv in file")
    tables = page.locator("#graph .dataset", has=page.get_by_text("orders", exact=True))
    expect(tables.locator(".origin.file")).to_have_count(0)
    page.evaluate("hash => { location.hash = hash; }", escaped(ORDERS))
    ready(page)
    expect(page.locator("#details .crumb")).to_have_text("csv files in file")
    link = page.locator("#details").get_by_role("link", name="asset landing / orders / *.csv")
    assert link.get_attribute("href") == "http://127.0.0.1:3000/assets/landing/orders/*.csv"


@pytest.mark.browser
def test_the_panel_says_which_files_were_read_and_why_nothing_feeds_a_column(page: Page) -> None:
    page.evaluate("hash => { location.hash = hash; }", escaped("bronze.orders.batch"))
    ready(page)
    text = " ".join(page.locator("#details").inner_text().split())
    assert "How made source (no recorded input)" in text
    assert "Files read 1,200 files: landing/orders/00.csv, landing/orders/01.csv" in text
    assert "and 1,180 more" in text
    page.evaluate("hash => { location.hash = hash; }", escaped(f"{BATCH}.{DAY}"))
    ready(page)
    assert "source (no further lineage)" in page.locator("#details").inner_text()
