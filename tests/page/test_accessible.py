"""No rule of axe-core's is broken: light and dark, whatever is open; and the page can be used without a mouse."""

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.page.whole_page import opened, ready, small

pytestmark = pytest.mark.browser

STATES = (
    "",
    "marketing.audience.full_name",
    "crm.learners",
    "crm.learners.consent?only=reached",
    "no.such?show=findings",
)


def broken(page: Page) -> list[tuple[str, str, list[str]]]:
    # colours that are still on their way from one to another are no colours of ours
    page.wait_for_timeout(200)
    found = Axe().run(page).response["violations"]
    return [(it["id"], it["help"], [node["html"][:200] for node in it["nodes"][:3]]) for it in found]


def with_text_of_rows(made: dict[str, Any]) -> dict[str, Any]:
    """Give what shapes rows its piece of SQL too, so that the panel has two of them."""
    for version in made["versions"]:
        for edge in version["edges"]:
            if edge[2] == -1:
                edge[5] = len(version["uses"])
                version["uses"].append({"expression": len(version["expressions"]), "marks": [[6, 15]]})
                version["expressions"].append({"text": "where l.consent", "line": 5})
    return made


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, tmp_path: Path, scheme: str) -> None:
    with opened(browser, tmp_path, small(), color_scheme=scheme, bypass_csp=True) as page:
        found = {}
        for state in STATES:
            page.evaluate("(hash) => { location.hash = hash; }", state)
            ready(page)
            found[state] = broken(page)
        assert not any(found.values()), found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_what_opens(browser: Browser, tmp_path: Path, scheme: str) -> None:
    target = "marketing.audience.full_name"
    made = with_text_of_rows(small())
    with opened(browser, tmp_path, made, target, color_scheme=scheme, bypass_csp=True) as page:
        page.evaluate("document.querySelectorAll('#details details').forEach((it) => { it.open = true; })")
        assert page.locator("#details pre").count() == 2
        page.locator(".menu summary", has_text="Edges").click()
        assert broken(page) == []
        page.locator(".menu summary", has_text="View").click()
        assert broken(page) == []
        page.keyboard.press("Escape")
        page.keyboard.press("/")
        page.keyboard.type("em")
        assert broken(page) == []
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        assert broken(page) == []


def test_every_control_says_what_it_is(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, small()) as page:
        for role, name in (
            ("combobox", "Find a column or table"),
            ("combobox", "Direction"),
            ("combobox", "Depth"),
            ("checkbox", "Hide INDIRECT"),
            ("slider", "As of"),
            ("button", "Nearer"),
            ("button", "Keys and help"),
            ("tab", "Details"),
            ("separator", "Width of the panel"),
        ):
            expect(page.get_by_role(role, name=name)).to_be_visible()  # type: ignore[arg-type]  the roles are literals


def test_a_reader_without_a_mouse_gets_from_the_search_to_a_column_of_the_graph(
    browser: Browser, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, small()) as page:
        page.keyboard.press("/")
        page.keyboard.type("audience.email")
        page.keyboard.press("Enter")
        ready(page)
        expect(page.get_by_role("status").filter(has_text="marketing.audience.email reaches")).to_be_visible()
        page.keyboard.press("g")
        assert page.evaluate("document.activeElement.closest('#graph') !== null")
        page.keyboard.press("p")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('#details') !== null")


@pytest.mark.parametrize("width", [900, 600])
def test_a_narrow_window_loses_nothing(browser: Browser, tmp_path: Path, width: int) -> None:
    size = {"width": width, "height": 760}
    with opened(browser, tmp_path, small(), "marketing.audience.full_name", viewport=size) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for part in ("#tools", "#graph", "#details", "#bottom"):
            box = page.locator(part).bounding_box()
            assert box
            assert box["width"] > 200
            assert box["height"] > 20
