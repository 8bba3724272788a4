"""What a reader does with the page, in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from governance.page.document import Own
from governance.page.html import report_html
from tests.page.whole_page import address, follow, lit, opened, ready, selected, small

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    with opened(browser, tmp_path, small()) as page:
        yield page


def test_it_opens_with_how_much_there_is(page: Page) -> None:
    assert page.title() == "made up — lineage"
    assert selected(page) == "made up"
    assert "Tables\n4" in page.locator("#details dl").inner_text()
    expect(page.locator("#tab-findings")).to_have_text("Findings 2")


def test_a_click_lights_a_column_and_tells_of_it(page: Page) -> None:
    page.locator("#graph .field", has_text="email").first.click()
    assert selected(page) == "email"
    assert lit(page, "start") == {"crm.learners.email"}
    values = {"marketing.audience.email", "marketing.audience.who", "marketing.campaign_list.email"}
    assert lit(page, "value") == values
    expect(page.locator("#summary")).to_have_text(
        "crm.learners.email reaches 3 columns by value, 2 tables, 1 unknown; comes from nothing that is known."
    )
    text = page.locator("#details").inner_text()
    assert "personal declared" in " ".join(text.split())
    assert "vendor.copied" in text


def test_what_was_said_of_a_column_is_in_the_panel(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, small(), "marketing.audience.full_name") as page:
        details = page.locator("#details")
        assert details.locator("pre").first.inner_text() == "concat(l.first, ' ', l.last) as full_name"
        assert details.locator("mark").all_inner_texts()[:2] == ["l.first", "l.last"]
        expect(details.locator("figcaption").first).to_have_text("line 3")
        details.locator(".inputs li", has_text="crm.learners.last").first.hover()
        assert details.locator("mark.lit").all_inner_texts() == ["l.last"]
        text = " ".join(details.inner_text().split())
        assert "Run audience-2" in text
        assert "Confirmed 2026-11-02 02:00:00 UTC" in text
        assert "DIRECT TRANSFORMATION" in text
        assert "declared too low" in text
        assert "1 finding" in text
        assert "Fix: raise its class" in text
        details.get_by_text("Its rows are shaped by 1 column").click()
        expect(details.locator(".rowsof .inputs")).to_contain_text("crm.learners.consent INDIRECT FILTER")


def test_of_what_no_event_names_it_is_said_that_none_does(browser: Browser, tmp_path: Path) -> None:
    own = {"crm.learners": Own("source", None, {"email": "varchar", "plan": "varchar"}), "crm.idle": Own("source")}
    with opened(browser, tmp_path, small(own=own), "crm.learners.plan") as page:
        said = page.locator("#summary")
        expect(said).to_have_text(
            "crm.learners.plan, which no event names, reaches nothing that is known; comes from nothing that is known."
        )
        expect(page.locator("#details .warn")).to_contain_text("No event names this column")
        page.evaluate("location.hash = 'crm.idle'")
        expect(said).to_contain_text("crm.idle, which no event names, reaches")
        expect(page.locator("#details .warn")).to_contain_text("No event names this table")
        page.evaluate("location.hash = 'crm.learners.email'")
        expect(said).to_contain_text("crm.learners.email reaches")
        expect(page.locator("#details .warn")).to_have_count(0)


def test_masking_is_said(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, small(), "marketing.audience.who") as page:
        expect(page.locator("#details .inputs li").first).to_have_text(
            "crm.learners.email DIRECT TRANSFORMATION masked"
        )


def test_a_table_has_its_own_panel(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, small(), "crm.learners") as page:
        details = page.locator("#details")
        assert selected(page) == "crm.learners"
        assert "Everyone who signed up." in details.inner_text()
        link = details.get_by_role("link", name="asset crm / learners")
        assert link.get_attribute("href") == "http://127.0.0.1:3000/assets/crm/learners"
        assert details.locator(".schema a").all_inner_texts() == ["consent", "email", "first", "last"]
        assert "Read into 1 marketing.audience by job marketing.audience" in " ".join(details.inner_text().split())
        follow(page, "marketing.audience")
        assert selected(page) == "marketing.audience"
        expect(details.locator(".found summary")).to_have_text("2 findings")


def test_only_addresses_of_the_web_become_links(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, small(dagster="javascript:alert(1)"), "crm.learners") as page:
        assert page.locator("a[href^='javascript']").count() == 0
        assert "In Dagster" not in page.locator("#details").inner_text()


def test_search_is_driven_by_keys(page: Page) -> None:
    page.keyboard.press("/")
    box = page.locator("#query")
    expect(box).to_be_focused()
    page.keyboard.type("camp email")
    expect(box).to_have_attribute("aria-expanded", "true")
    first = page.locator("#matches [role=option]").first
    expect(first).to_contain_text("marketing.campaign_list")
    expect(box).to_have_attribute("aria-activedescendant", first.get_attribute("id") or "")
    page.keyboard.press("Enter")
    ready(page)
    assert selected(page) == "email"
    assert lit(page, "start") == {"marketing.campaign_list.email"}
    assert address(page).endswith("#marketing.campaign_list.email")


def test_search_forgives_and_says_when_there_is_nothing(page: Page) -> None:
    box = page.locator("#query")
    box.fill("lrnrs")
    expect(page.locator("#matches [role=option]").first).to_contain_text("learners")
    box.press("ArrowDown")
    expect(page.locator("#matches [aria-selected=true]")).to_have_id("match-1")
    box.press("ArrowUp")
    box.press("ArrowUp")
    expect(page.locator("#matches [role=option]").last).to_have_attribute("aria-selected", "true")
    box.fill("qqqq")
    expect(page.locator("#matches")).to_have_text("No table or column has these letters")
    box.press("Enter")
    box.press("Escape")
    expect(page.locator("#matches")).to_be_hidden()
    assert selected(page) == "made up"


def test_names_that_have_the_word_leave_none_that_merely_has_its_letters(page: Page) -> None:
    box = page.locator("#query")
    box.fill("lan")
    assert "lan" not in " ".join(page.locator("#matches .name").all_inner_texts())
    assert page.locator("#matches [role=option]").count() > 1
    box.fill("ail")
    assert set(page.locator("#matches .name").all_inner_texts()) == {"email"}


def test_direction_and_kinds_change_what_is_lit(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, small(), "marketing.audience.email") as page:
        assert lit(page, "value") == {"crm.learners.email", "marketing.campaign_list.email"}
        assert lit(page, "population") == {"crm.learners.consent"}
        page.keyboard.press("i")
        assert lit(page, "value") == {"marketing.campaign_list.email"}
        page.keyboard.press("t")
        assert lit(page, "value") == {"crm.learners.email"}
        edges = page.locator("#graph .link").count()
        page.keyboard.press("h")
        assert lit(page, "population") == set()
        expect(page.locator("#graph .link")).to_have_count(edges - 1)
        page.keyboard.press("h")
        expect(page.locator("#graph .link")).to_have_count(edges)
        page.get_by_text("Edges", exact=True).first.click()
        page.get_by_label("INDIRECT FILTER").uncheck()
        assert lit(page, "population") == set()
        page.get_by_role("button", name="All kinds").click()
        assert lit(page, "population") == {"crm.learners.consent"}
        page.keyboard.press("Escape")
        expect(page.locator(".menu[open]")).to_have_count(0)
        assert selected(page) == "email"
        page.keyboard.press("Escape")
        assert selected(page) == "made up"


def test_the_past_is_what_stood_then(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, small(), "crm.learners.email") as page:
        slider = page.get_by_label("As of")
        slider.focus()
        slider.press("Home")
        ready(page)
        expect(page.locator("#when")).to_have_text(
            "run 1 of 4 · 2026-11-01 02:00:00 UTC · marketing.audience · new lineage"
        )
        expect(page.locator("#graph .field.value")).to_have_count(1)
        assert lit(page, "value") == {"marketing.audience.email"}
        assert "at=2026-11-01T02" in address(page)
        expect(page.locator(".past")).to_contain_text("Lineage as of 2026-11-01 02:00:00 UTC")
        page.keyboard.press("]")
        expect(page.locator("#graph .field.value")).to_have_count(2)
        page.get_by_role("button", name="Now", exact=True).click()
        expect(page.locator("#graph .field.value")).to_have_count(3)
        expect(page.locator("#when")).to_have_text("now: 4 runs")
        assert "at=" not in address(page)


def test_findings_lead_to_their_place(page: Page) -> None:
    page.locator("#tab-findings").click()
    found = page.locator("#findings .finding")
    expect(found).to_have_count(2)
    expect(found.first).to_contain_text("error understated_classification")
    follow(page, "marketing.audience.full_name", "#findings")
    assert selected(page) == "full_name"
    expect(page.locator("#details")).to_be_visible()


def test_the_graph_is_walked_by_arrow_keys(page: Page) -> None:
    page.locator("#graph .field", has_text="email").first.click()
    page.keyboard.press("g")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert address(page).startswith("#marketing.audience.")
    before = address(page)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    assert address(page) != before
    page.keyboard.press("p")
    expect(page.locator("#details")).to_be_focused()


def test_help_says_the_keys(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    assert "find a column or table" in page.locator("#help").inner_text()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()


def test_the_panel_gives_way(page: Page) -> None:
    divider = page.locator("#divider")
    before = page.locator("#side").bounding_box()
    divider.focus()
    divider.press("ArrowLeft")
    after = page.locator("#side").bounding_box()
    assert before
    assert after
    assert after["width"] == before["width"] + 24
    page.get_by_role("button", name="Panel").click()
    expect(page.locator("#side")).to_be_hidden()
    page.get_by_role("button", name="Panel").click()
    expect(page.locator("#side")).to_be_visible()


def test_all_folds_and_opens_again(page: Page) -> None:
    page.get_by_text("View", exact=True).click()
    page.get_by_role("button", name="Fold all").click()
    expect(page.locator("#graph .group")).to_have_count(1)
    page.get_by_role("button", name="As it opened").click()
    expect(page.locator("#graph .group")).to_have_count(0)


@pytest.mark.parametrize(("scheme", "wanted"), [("light", "dark"), ("dark", "light")])
def test_colours_are_the_system_s_until_chosen(browser: Browser, tmp_path: Path, scheme: str, wanted: str) -> None:
    with opened(browser, tmp_path, small(), color_scheme=scheme) as page:
        ground = "getComputedStyle(document.body).backgroundColor"
        before = page.evaluate(ground)
        page.get_by_text("View", exact=True).click()
        page.get_by_label("Colours").select_option(wanted)
        assert page.evaluate(ground) != before
        page.reload()
        page.wait_for_selector("body[data-ready]")
        assert page.get_by_label("Colours").input_value() == wanted
        assert page.evaluate(ground) != before


def test_lineage_is_also_a_list(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, small(), "crm.learners.consent?mode=impact") as page:
        page.get_by_text("Lineage as a list").click()
        tree = page.locator(".tree").inner_text().splitlines()
        assert tree == [
            "every row of marketing.audience INDIRECT FILTER",
            "every row of marketing.campaign_list ROWS",
            "every row of vendor.copied ROWS",
        ]


def test_data_that_cannot_be_read_is_said(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(report_html(small() | {"version": 2}).text, "utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    expect(page.locator("#notices")).to_contain_text(
        "this page reads documents of version 1, not 2): make the page anew."
    )
    page.close()


def test_a_platform_of_which_nothing_is_known(browser: Browser, tmp_path: Path) -> None:
    bare = small() | {"datasets": [], "versions": [], "runs": [], "findings": []}
    with opened(browser, tmp_path, bare) as page:
        assert "Tables\n0" in page.locator("#details dl").inner_text()
        expect(page.locator("#time")).to_have_text("No run is recorded.")
        page.locator("#tab-findings").click()
        expect(page.locator("#findings")).to_contain_text("The rules found nothing.")
