"""The whole page over a small platform, opened in a browser as a reader opens the file."""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page
from playwright.sync_api import TimeoutError as Late

from governance.page.document import Own, document
from governance.page.html import report_html
from governance.rules.finding import Finding, Severity
from tests.page.made import event, policy, shown, table

LEARNERS = {"name": "crm.learners"}
SQL = "concat(l.first, ' ', l.last) as full_name"


def platform() -> list[dict[str, Any]]:
    """A source, an audience that gained a column on its second day, a list of it, and a job that tells nothing."""
    first = {
        "full_name": ["crm.learners.first TRANSFORMATION", "crm.learners.last TRANSFORMATION"],
        "email": ["crm.learners.email IDENTITY"],
    }
    second = first | {"who": ["crm.learners.email TRANSFORMATION masked"]}
    rows = ["crm.learners.consent FILTER"]
    audience = functools.partial(table, "marketing.audience", rows=rows)
    listed = table("marketing.campaign_list", {"email": ["marketing.audience.email IDENTITY"], "n": []})
    at = "2026-11-0{}T0{}:00:00Z".format
    return [
        event("marketing.audience", at(1, 2), reads=["crm.learners"], writes=[audience(first)]),
        event("marketing.campaign_list", at(1, 3), reads=["marketing.audience"], writes=[listed]),
        event("marketing.audience", at(2, 2), reads=["crm.learners"], writes=[audience(second)], run="audience-2"),
        event("vendor.copy", at(2, 3), reads=["marketing.campaign_list"], writes=[table("vendor.copied")]),
    ]


def small(**more: Any) -> dict[str, Any]:
    """The document of that platform, with one piece of SQL and two findings."""
    said = policy(
        crm__learners__email="personal",
        crm__learners__first="personal",
        marketing__audience__full_name="internal",
        marketing__campaign_list__email="personal",
    )
    findings = (
        Finding("undeclared_metadata", Severity.WARN, "marketing.audience", None, "nobody owns it", "name an owner"),
        Finding(
            "understated_classification",
            Severity.ERROR,
            "marketing.audience",
            "full_name",
            "declared internal, holds personal",
            "raise its class",
        ),
    )
    columns = dict.fromkeys(("first", "last", "email", "consent"), "varchar")
    own = {"crm.learners": Own("source", "Everyone who signed up.", columns), "marketing.audience": Own("pipeline")}
    facts: dict[str, Any] = {"findings": findings, "own": own, "dagster": "http://127.0.0.1:3000"}
    made = document(shown(platform(), said, **facts | more))
    _tell_sql(made)
    return made


def _tell_sql(made: dict[str, Any]) -> None:
    """Give the edges into full_name their piece of SQL."""
    tables = made["datasets"]
    for version in made["versions"]:
        names = [field["name"] for field in tables[version["dataset"]]["fields"]]
        for edge in version["edges"]:
            source = tables[edge[0]]["fields"][edge[1]]["name"]
            if edge[2] >= 0 and names[edge[2]] == "full_name":
                start = SQL.index(f"l.{source}")
                edge[5] = len(version["uses"])
                version["expressions"] = [{"text": SQL, "line": 3}]
                version["uses"].append({"expression": 0, "marks": [[start, start + len(f"l.{source}")]]})


KEPT: dict[tuple[Browser, str], BrowserContext] = {}
"""What nobody uses now, by its browser and settings: another process of its own is half of what a page costs."""
FORGET = "() => { localStorage.clear(); sessionStorage.clear(); }"


@contextmanager
def context_of(browser: Browser, settings: dict[str, Any]) -> Iterator[Page]:
    """Give a new page of a context that remembers nothing; where all went well it is kept for the next."""
    key = browser, repr(sorted(settings.items()))
    within = KEPT.pop(key, None) or browser.new_context(**settings)
    within.set_default_timeout(300_000)
    page = within.new_page()
    kept = False
    try:
        yield page
        if page.url.startswith("file:"):
            page.evaluate(FORGET)
            page.close()
            kept = len(within.pages) == 0
    finally:
        if kept:
            KEPT[key] = within
        else:
            within.close()


@contextmanager
def opened(browser: Browser, folder: Path, made: dict[str, Any], target: str = "", **context: Any) -> Iterator[Page]:
    """Open the page of ``made`` at ``#target``; an error of its scripts or of its policy fails the test."""
    file = folder / "page.html"
    file.write_text(report_html(made).text, "utf-8")
    wrong: list[str] = []
    with context_of(browser, {"viewport": {"width": 1280, "height": 800}} | context) as page:
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.goto(f"{file.as_uri()}{'#' if target else ''}{target}")
        try:
            page.wait_for_selector("body[data-ready]")
        except Late as error:
            raise AssertionError(f"the page never was ready, and said {wrong or 'nothing'}") from error
        yield page
    assert wrong == []


def ready(page: Page) -> None:
    """Wait until what was asked for is drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_selector("#drawing", state="hidden")


def follow(page: Page, name: str, within: str = "#details") -> None:
    """Click a link of the panel."""
    page.locator(within).get_by_role("link", name=name, exact=True).first.click()
    ready(page)


def address(page: Page) -> str:
    """The hash as it stands; the driver learns of a new one only after a while."""
    return str(page.evaluate("location.hash"))


def selected(page: Page) -> str:
    """What the panel is about."""
    return page.locator("#details h2.subject").inner_text()


def lit(page: Page, how: str) -> set[str]:
    """The columns in the graph that are lit so."""
    return set(
        page.evaluate(
            """(how) => {
              const raw = JSON.parse(document.getElementById('document').textContent);
              return [...document.querySelectorAll(`#graph .field.${how}`)].map((it) => {
                const [d, f] = it.dataset.field.split(':').map(Number);
                return `${raw.datasets[d].name}.${raw.datasets[d].fields[f].name}`;
              });
            }""",
            how,
        )
    )
