"""The page without a mouse: where the focus goes, what it leads to, and keys that can be switched off."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.whole_page import address, opened, ready, selected, small

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    with opened(browser, tmp_path, small()) as page:
        yield page


def focused(page: Page) -> str:
    """The column or table of the graph that has the focus; empty where it is elsewhere."""
    return str(
        page.evaluate(
            """() => {
              const raw = JSON.parse(document.getElementById('document').textContent);
              const element = document.activeElement;
              if (!element.closest('#graph')) return '';
              const field = element.closest('[data-field]');
              const box = element.closest('[data-dataset]');
              if (!field) return raw.datasets[Number(box.dataset.dataset)].name;
              const [d, f] = field.dataset.field.split(':').map(Number);
              return `${raw.datasets[d].name}.${raw.datasets[d].fields[f].name}`;
            }"""
        )
    )


def search(page: Page, text: str) -> None:
    page.keyboard.press("/")
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    ready(page)


def test_the_search_leads_to_the_column_itself(page: Page) -> None:
    search(page, "audience.email")
    assert focused(page) == "marketing.audience.email"
    page.keyboard.press("ArrowRight")
    assert focused(page) == "marketing.campaign_list.email"


def test_what_was_folded_is_opened_and_has_the_focus(page: Page) -> None:
    page.get_by_text("View", exact=True).click()
    page.get_by_role("button", name="Fold all").click()
    ready(page)
    search(page, "campaign_list.email")
    page.wait_for_function("document.activeElement.closest('#graph .field') !== null")
    assert focused(page) == "marketing.campaign_list.email"


def test_the_key_of_the_graph_goes_to_what_is_selected(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, small(), "marketing.campaign_list.email") as page:
        page.keyboard.press("g")
        assert focused(page) == "marketing.campaign_list.email"
        page.keyboard.press("h")
        ready(page)
        page.keyboard.press("p")
        page.keyboard.press("g")
        assert focused(page) == "marketing.campaign_list.email"
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("h")
        ready(page)
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        assert focused(page) == "marketing.campaign_list.email"


def test_an_arrow_that_leads_to_a_group_leaves_it_folded(page: Page) -> None:
    page.get_by_text("View", exact=True).click()
    page.get_by_role("button", name="Fold all").click()
    ready(page)
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("ArrowRight")
    ready(page)
    expect(page.locator("#graph .group")).to_have_count(1)


def test_a_link_of_the_panel_keeps_the_focus_in_the_panel(page: Page) -> None:
    search(page, "audience.full_name")
    link = page.locator("#details .inputs a").first
    link.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#details h2.subject")).not_to_have_text("full_name")
    expect(page.locator("#details")).to_be_focused()


def test_a_finding_leads_to_the_panel_of_its_place(page: Page) -> None:
    page.locator("#tab-findings").click()
    page.locator("#findings a", has_text="full_name").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#details")).to_be_focused()
    assert selected(page) == "full_name"


def test_keys_of_one_letter_can_be_switched_off_and_stay_off(page: Page) -> None:
    page.get_by_role("button", name="Keys and help").click()
    page.get_by_role("checkbox", name="Keys of one letter or sign").uncheck()
    page.get_by_role("button", name="Close").click()
    for key in ("/", "i", "?", "g", "f"):
        page.keyboard.press(key)
    expect(page.locator("#help")).to_be_hidden()
    expect(page.locator("#query")).not_to_be_focused()
    assert "impact" not in address(page)
    page.locator("#graph .field", has_text="email").first.click()
    page.keyboard.press("Escape")
    assert selected(page) == "made up"
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.keyboard.press("/")
    expect(page.locator("#query")).not_to_be_focused()
    page.get_by_role("button", name="Keys and help").click()
    page.get_by_role("checkbox", name="Keys of one letter or sign").check()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("/")
    expect(page.locator("#query")).to_be_focused()
