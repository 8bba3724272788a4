"""What the page's address names, what it names wrongly, and which page it is of."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from governance.page.html import served_html
from tests.page.whole_page import address, follow, lit, opened, selected, small

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    with opened(browser, tmp_path, small()) as page:
        yield page


def test_the_address_follows_and_leads_back(page: Page) -> None:
    page.locator("#graph .field", has_text="email").first.click()
    page.get_by_label("Direction").select_option("impact")
    page.get_by_label("Depth").select_option("1")
    assert address(page).endswith("#crm.learners.email?mode=impact&depth=1")
    follow(page, "marketing.audience")
    assert address(page).endswith("#marketing.audience?mode=impact&depth=1")
    page.go_back()
    expect(page.locator("#details h2.subject")).to_have_text("email")
    page.go_back()
    page.go_back()
    expect(page.locator("#details h2.subject")).to_have_text("made up")
    page.go_forward()
    expect(page.locator("#details h2.subject")).to_have_text("email")


def test_an_address_opens_all_that_it_says(browser: Browser, tmp_path: Path) -> None:
    target = "marketing.audience?mode=trace&depth=4&indirect=hidden&kinds=DIRECT-IDENTITY&group=none&only=reached"
    with opened(browser, tmp_path, small(), target) as page:
        assert page.get_by_label("Direction").input_value() == "trace"
        assert page.get_by_label("Depth").input_value() == "4"
        assert page.get_by_role("combobox", name="Group by").input_value() == "none"
        assert page.get_by_label("Hide INDIRECT").is_checked()
        assert page.get_by_label("Only what is reached").is_checked()
        assert lit(page, "value") == {"crm.learners.email"}
        assert page.locator("#graph .dataset").count() == 2


def test_what_an_address_names_wrongly_is_said(browser: Browser, tmp_path: Path) -> None:
    target = "crm.lerners.email?mode=sideways&depth=none&at=yesterday&kinds=DIRECT-IDENTITY,NO-KIND&column=x"
    with opened(browser, tmp_path, small(), target) as page:
        said = page.locator("#notices .notice > span").all_inner_texts()
        assert said == [
            "No table or column here is called crm.lerners.email.x.",
            "mode can be impact, trace, both, not sideways.",
            "yesterday is no time: at is an instant such as 2026-11-30T02:00:00Z.",
            "depth is a number of hops from 1 on, not none.",
            "NO-KIND is no kind of edge.",
        ]
        assert selected(page) == "made up"
        page.locator("#notices button").first.click()
        assert page.locator(".notice").count() == len(said) - 1


def test_only_what_the_last_address_names_wrongly_is_said_and_not_at_length(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, small(), f"{'x' * 5000}?as-of=2026-11-01") as page:
        said = page.locator("#notices .notice > span")
        expect(said).to_have_count(2)
        assert all(len(text) < 200 for text in said.all_inner_texts())
        expect(said.last).to_have_text(
            "as-of is no part of an address here: "
            "there are mode, depth, at, kinds, without, indirect, group, only, show, column."
        )
        page.evaluate("location.hash = 'nothing.here'")
        expect(said).to_have_text(["No table or column here is called nothing.here."])


def test_an_address_names_the_fewer_kinds(page: Page) -> None:
    page.locator(".menu summary", has_text="Edges").click()
    page.get_by_label("DIRECT IDENTITY", exact=True).uncheck()
    assert address(page) == "#?without=DIRECT-IDENTITY"
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.locator(".menu summary", has_text="Edges").click()
    expect(page.get_by_label("DIRECT IDENTITY", exact=True)).not_to_be_checked()
    expect(page.get_by_label("DIRECT AGGREGATION", exact=True)).to_be_checked()


def test_tables_of_one_name_are_told_apart(browser: Browser, tmp_path: Path) -> None:
    made = small()
    twin = next(it for it in made["datasets"] if it["name"] == "vendor.copied")
    made["datasets"].append(twin | {"namespace": "snow://b", "fields": []})
    with opened(browser, tmp_path, made, "vendor.copied") as page:
        expect(page.locator("#notices")).to_contain_text(
            f"Several tables have this name; this is {twin['namespace']}/vendor.copied."
        )
        subs = page.locator("#graph .dataset[aria-label='vendor.copied'] .head").all()
        assert [twin["namespace"] in (it.get_attribute("aria-label") or "") for it in subs] == [True, False]
        page.get_by_role("button", name="Go to snow://b/vendor.copied").click()
        expect(page.locator("#details .crumb")).to_have_text("table in snow://b")
        expect(page.locator("#notices .notice")).to_have_count(0)
        assert address(page) == "#snow%3A%2F%2Fb%2Fvendor.copied"


def test_runs_are_counted_as_runs_though_they_ended_at_once(browser: Browser, tmp_path: Path) -> None:
    made = small()
    for run in made["runs"][:2]:
        run["at"] = made["runs"][0]["at"]
    with opened(browser, tmp_path, made) as page:
        expect(page.locator("#when")).to_have_text("now: 4 runs")
        page.keyboard.press("[")
        expect(page.locator("#when")).to_contain_text("moment 3 of 3")


def test_a_page_of_an_earlier_moment_says_so(browser: Browser, tmp_path: Path) -> None:
    made = small() | {"as_of": "2020-01-01T00:00:00.000Z", "versions": [], "runs": []}
    with opened(browser, tmp_path, made) as page:
        expect(page.locator("#time")).to_have_text("2020-01-01 00:00:00 UTC: before the first run")
        expect(page.locator("#details .past")).to_contain_text("Lineage as of 2020-01-01 00:00:00 UTC; classes")


def test_a_name_that_leads_nowhere_leads_to_what_is_like_it(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, small(), "crm.lerners.email") as page:
        page.get_by_role("button", name="Go to crm.learners.email").click()
        expect(page.locator("#details h2.subject")).to_have_text("email")
        expect(page.locator("#notices .notice")).to_have_count(0)


def test_a_served_page_says_when_there_is_something_newer(browser: Browser) -> None:
    page = browser.new_page()
    said = ["one"]
    text = served_html(small()).text
    page.route("http://page.test/", lambda route: route.fulfill(body=text, content_type="text/html"))
    page.route("http://page.test/version", lambda route: route.fulfill(json={"state": said[-1]}))
    page.clock.install()
    with page.expect_response("http://page.test/version"):
        page.goto("http://page.test/")
    with page.expect_response("http://page.test/version"):
        page.clock.run_for(16_000)
    expect(page.locator("#notices .notice")).to_have_count(0)
    said.append("two")
    page.clock.run_for(16_000)
    expect(page.locator("#notices")).to_contain_text("There is newer lineage than this page shows.")
    with page.expect_response("http://page.test/"):
        page.get_by_role("button", name="Reload").click()
    page.close()
