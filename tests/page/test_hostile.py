"""Names that want to be markup, to turn the line around or to break the layout are shown as the text that they are."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from governance.page.document import document
from governance.rules.finding import Finding, Severity
from tests.page.made import event, shown
from tests.page.whole_page import address, opened, ready

pytestmark = pytest.mark.browser

NAMES = (
    "<img src=x onerror=alert(1)>",
    "\"double\" 'single' `back` ${code}",
    "\u202egnorw daer\u2066",
    "w" * 300,
    "</script><script>alert(1)</script>",
    "a?b#c%41&d=e/f",
    "é🜁\u0301 \u0000 end",
    "dotted.name.here",
)


def hostile() -> dict[str, Any]:
    fields = [{"name": name, "type": name, "description": name} for name in NAMES]
    lineage = {
        name: {
            "inputFields": [
                {
                    "namespace": "iceberg://platform",
                    "name": "s.source",
                    "field": name,
                    "transformations": [{"type": "DIRECT", "subtype": "IDENTITY"}],
                }
            ]
        }
        for name in NAMES
    }
    output = {
        "name": f"s.{NAMES[0]}",
        "facets": {"schema": {"fields": fields}, "columnLineage": {"fields": lineage}},
    }
    findings = [Finding(name, Severity.WARN, f"s.{NAMES[0]}", name, name, name) for name in NAMES]
    made = document(shown([event(NAMES[0], reads=["s.source"], writes=[output])], findings=findings))
    version = made["versions"][0]
    version["expressions"] = [{"text": name, "line": 1} for name in NAMES]
    version["uses"] = [{"expression": place, "marks": [[0, 4]]} for place in range(len(NAMES))]
    for place, edge in enumerate(version["edges"]):
        edge[5] = place
    return made | {"title": NAMES[0]}


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    with opened(browser, tmp_path, hostile()) as page:
        page.on("dialog", lambda dialog: pytest.fail(f"a name became code: {dialog.message}"))
        yield page


def places(page: Page) -> list[tuple[str, str]]:
    """Each column's name with its place in the document."""
    found: list[tuple[str, str]] = [
        tuple(it)
        for it in page.evaluate(
            """() => JSON.parse(document.getElementById('document').textContent).datasets.flatMap(
                 (it, d) => it.fields.map((field, f) => [field.name, `${d}:${f}`]))"""
        )
    ]
    return found


def test_no_name_becomes_an_element(page: Page) -> None:
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 3
    page.locator("#tab-findings").click()
    assert page.locator("img").count() == 0
    assert page.title() == f"{NAMES[0]} — lineage"


def test_each_name_is_found_selected_and_linked(page: Page) -> None:
    for name, place in places(page):
        page.locator(f"#graph [data-field='{place}']").dispatch_event("click")
        ready(page)
        shown_name = page.locator("#details h2.subject bdi")
        assert shown_name.text_content() == name
        there = address(page)
        page.evaluate("() => { location.hash = ''; }")
        expect(page.locator("#details h2.subject")).to_have_text(NAMES[0])
        page.evaluate("(hash) => { location.hash = hash; }", there)
        ready(page)
        assert page.locator("#details h2.subject bdi").text_content() == name
        assert page.locator("#notices .notice").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(
            "document.getElementById('side').scrollWidth <= document.getElementById('side').clientWidth"
        )


def test_search_shows_them_as_text(page: Page) -> None:
    page.locator("#query").fill("onerror")
    expect(page.locator("#matches .name").first).to_contain_text("onerror=alert(1)")
    page.locator("#query").fill("www")
    assert page.locator("#matches img").count() == 0
    box = page.locator("#matches").bounding_box()
    assert box
    assert box["x"] + box["width"] <= 1280


def test_a_name_that_turns_the_line_turns_only_itself(page: Page) -> None:
    turning = next(place for name, place in places(page) if name.startswith("\u202e"))
    page.locator(f"#graph [data-field='{turning}']").dispatch_event("click")
    ready(page)
    page.locator("#tab-findings").click()
    page.evaluate("() => { location.hash = '%E2%80%AEeman on'; }")
    expect(page.locator("#notices .notice")).to_have_count(1)
    loose = page.evaluate(
        """() => {
          const found = [];
          const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (texts.nextNode()) {
            const parent = texts.currentNode.parentElement;
            const turns = /[\\u202a-\\u202e\\u2066-\\u2069]/.test(texts.currentNode.data);
            if (turns && !parent.closest('script, title, code, svg, bdi')) found.push(parent.outerHTML);
          }
          return found;
        }"""
    )
    assert loose == []
    held = page.evaluate(
        """() => [...document.querySelectorAll('bdi, code, svg text')].every(
             (it) => getComputedStyle(it).unicodeBidi === 'isolate')"""
    )
    assert held
