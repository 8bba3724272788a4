"""The graph on the page, in a real browser: what is drawn, and what a click lights."""

import pytest
from playwright.sync_api import Page

from governance.page.document import document
from tests.page.graph.drawn import Shows, dataset, field, links, reached
from tests.page.made import event, shown, table

pytestmark = pytest.mark.browser


def test_a_dataset_is_a_box_with_its_name_owner_columns_and_classes(page: Page) -> None:
    learners = dataset(page, "crm.learners")

    assert learners.locator(".title").text_content() == "crm.learnerscrm.learners"  # shown, and whole as its title
    assert learners.locator(".sub").text_content() == "team:crm · high"
    assert learners.locator(".origin text").text_content() == "S"
    assert field(page, "crm.learners.email").locator(".chip.declared > text").text_content() == "personal"
    assert field(page, "marketing.audience.email").locator(".chip.proposed > text").text_content() == "personal"
    assert "email, varchar, personal" in str(field(page, "crm.learners.email").get_attribute("aria-label"))
    assert dataset(page, "marketing.audience").locator(".finding > text").text_content() == "! 1"
    assert field(page, "marketing.audience.email").locator(".flaw.warn").count() == 1


def test_edges_look_as_their_kind_is(page: Page) -> None:
    into_audience = links(page, "crm.learners", "marketing.audience")

    assert {it["dashes"] for it in into_audience if "direct" in it["classes"]} == {"none"}
    steering = [it for it in into_audience if "indirect" in it["classes"]]
    assert {it["into"] for it in steering} == {"rows"}
    assert "none" not in {it["dashes"] for it in steering}
    # completions counts enrollments, which masks, where completed_at is there, which steers one column
    counting = links(page, "learning.enrollments", "analytics.course_performance")
    assert [it["into"] for it in counting if "masked" in it["classes"]] == []
    assert "field" in {it["into"] for it in counting if "indirect" in it["classes"]}


def test_reads_that_no_column_shows_stand_apart(shows: Shows) -> None:
    page = shows(
        document(
            shown(
                [
                    event("a", reads=["s.beside"], writes=[table("t.told", {"n": []})]),
                    event("b", reads=["s.beside"], writes=[table("t.untold", None, schema=["n"])]),
                    event("c", writes=[table("t.masked", {"h": ["s.people.mail TRANSFORMATION masked"]})]),
                ]
            )
        )
    )

    assert [it["classes"][1] for it in links(page, "s.beside", "t.told")] == ["rowsonly"]
    assert [it["classes"][1] for it in links(page, "s.beside", "t.untold")] == ["untold"]
    assert [it["classes"] for it in links(page, "s.people", "t.masked")] == [["link", "direct", "masked"]]
    assert page.locator(".link.masked .mask").count() == 1


def test_a_click_lights_both_ways_in_two_colours_and_lays_out_nothing(page: Page) -> None:
    page.evaluate("lab.before = document.querySelector('.boxes').firstChild")
    field(page, "crm.learners.learner_id").click()

    assert reached(page, "start") == {"crm.learners.learner_id"}
    assert "marketing.campaign_list.learner_id" in reached(page, "value")
    assert "marketing.audience.email" in reached(page, "population")
    assert "crm.learners.email" in reached(page, "faded")
    assert "rows population" in page.evaluate(
        "[...document.querySelectorAll('g.rows')].map((it) => it.className.baseVal)"
    )
    assert page.evaluate("lab.before === document.querySelector('.boxes').firstChild")
    colours = [field(page, f"marketing.audience.{it}").locator(".name") for it in ("learner_id", "email")]
    assert len({it.evaluate("it => getComputedStyle(it).fill") for it in colours}) == 2
    assert field(page, "crm.learners.learner_id").get_attribute("aria-pressed") == "true"
    lit = page.locator(".link.value").count()
    assert lit > 0
    assert page.locator(".link.faded").count() > lit


def test_the_ground_takes_the_light_away(page: Page) -> None:
    field(page, "crm.learners.email").click()
    page.mouse.click(5, 5)

    assert page.evaluate("lab.chosen.at(-1)") == [None, None]
    assert page.locator(".faded, .value, .start").count() == 0


def test_a_head_selects_its_table(page: Page) -> None:
    dataset(page, "marketing.audience").locator(".head .title").click()

    assert page.evaluate("lab.chosen.at(-1)[1]") is None
    assert "start" in str(dataset(page, "marketing.audience").get_attribute("class"))
    assert "marketing.campaign_list.email" in reached(page, "value")


def test_a_read_of_itself_is_a_loop_and_a_cycle_breaks_nothing(shows: Shows) -> None:
    page = shows(
        document(
            shown(
                [
                    event("a", writes=[table("s.a", {"n": ["s.b.n IDENTITY", "s.a.n AGGREGATION"]})]),
                    event("b", writes=[table("s.b", {"n": ["s.a.n IDENTITY"]}, rows=["s.b.n FILTER"])]),
                ]
            )
        )
    )

    assert len(links(page, "s.a", "s.a")) == 1
    assert len(links(page, "s.a", "s.b")) == len(links(page, "s.b", "s.a")) == 1
    field(page, "s.a.n").click()
    assert reached(page, "value") == {"s.b.n"}
