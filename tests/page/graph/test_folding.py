"""What folds, what is revealed, and what is left out of the graph."""

import pytest
from playwright.sync_api import Page, expect

from governance.page.document import document
from tests.page.graph.drawn import Document, Shows, all_fields, change, dataset, field, links, many
from tests.page.made import event, shown, table

pytestmark = pytest.mark.browser


def test_a_folded_dataset_is_one_line_to_each_neighbour_with_a_count(page: Page) -> None:
    dataset(page, "crm.learners").locator(".fold.one").click()
    expect(dataset(page, "crm.learners")).to_have_class("dataset folded origin-source")

    assert dataset(page, "crm.learners").locator(".field").count() == 0
    change(page, expanded=None)
    page.evaluate(
        "lab.set({expanded: new Set(['dataset:' + lab.find(lab.doc, 'crm.learners').dataset, "
        "'dataset:' + lab.find(lab.doc, 'marketing.audience').dataset])})"
    )
    (line,) = links(page, "crm.learners", "marketing.audience")
    assert int(line["count"]) > 4
    dataset(page, "crm.learners").locator(".head").click()
    expect(dataset(page, "crm.learners").locator(".field").first).to_be_visible()


def test_what_is_opened_stays_where_it_was_seen(page: Page) -> None:
    page.evaluate("lab.set({expanded: new Set(['dataset:' + lab.find(lab.doc, 'crm.learners').dataset])})")
    before = dataset(page, "crm.learners").locator(".origin").bounding_box()
    dataset(page, "crm.learners").locator(".head").click()
    expect(dataset(page, "crm.learners").locator(".field").first).to_be_visible()

    after = dataset(page, "crm.learners").locator(".origin").bounding_box()
    assert before is not None
    assert after is not None
    assert after["x"] == pytest.approx(before["x"], abs=2)
    assert after["y"] == pytest.approx(before["y"], abs=2)


def test_a_group_folds_into_one_box_that_counts_what_is_reached(page: Page) -> None:
    dataset(page, "learning.courses").locator(".fold.all").click()
    group = page.locator(".group[data-key='group:learning']")
    expect(group).to_be_visible()

    assert group.locator(".sub").text_content() == "4 datasets · 15 columns"
    field(page, "ai.review_corpus.body").click()
    assert group.locator(".reach").text_content() == "3 columns reached"
    group.locator(".head").click()
    expect(dataset(page, "learning.courses")).to_be_visible()


def test_many_datasets_open_by_groups_and_only_what_is_seen_is_in_the_page(shows: Shows) -> None:
    page = shows(many(90))

    assert page.locator(".group").count() == 6
    assert page.locator(".dataset, .field").count() == 0
    page.locator(".group[data-key='group:s2'] .head").click()
    expect(page.locator(".dataset.folded")).to_have_count(15)
    page.locator(".dataset .head").first.click()
    expect(page.locator(".field")).to_have_count(3)
    page.locator(".field").first.click()
    assert page.locator(".group .reach").first.text_content() == "15 columns reached"


def test_groups_are_schemas_namespaces_or_none(shows: Shows) -> None:
    page = shows(many(90), grouping="namespace")
    assert page.locator(".group").count() == 1
    change(page, grouping="none")
    assert page.locator(".dataset.folded").count() == 90
    assert page.locator(".fold.all").count() == 0


def test_all_can_be_folded(page: Page) -> None:
    page.evaluate("lab.set({expanded: lab.tools.foldedAll(lab.graph, lab.state)})")

    assert page.locator(".field").count() == 0
    assert page.locator(".group").count() == 3


def test_reveal_opens_what_hides_a_column_and_brings_it_into_sight(shows: Shows) -> None:
    page = shows(many(90))
    page.evaluate("lab.view.reveal(44, 1)")
    name = page.evaluate("lab.doc.datasets[44].name")

    expect(field(page, f"{name}.c1")).to_be_in_viewport()
    assert len(page.evaluate("lab.toggled")) == 2


def chain(steps: int) -> Document:
    """A column that goes through so many tables, each the next one's source."""
    told = [
        event(f"s.t{it}", reads=[f"s.t{it - 1}"], writes=[table(f"s.t{it}", {"a": [f"s.t{it - 1}.a IDENTITY"]})])
        for it in range(1, steps + 1)
    ]
    return document(shown(told))


IN_SIGHT = """() => {
  const room = document.getElementById('graph').getBoundingClientRect();
  return [...document.querySelectorAll('#graph .field')].filter((it) => {
    const own = it.getBoundingClientRect();
    return own.left >= room.left && own.right <= room.right && own.top >= room.top && own.bottom <= room.bottom;
  }).length;
}"""


@pytest.mark.parametrize("selected", [0, 3, 5])
def test_what_is_revealed_is_shown_with_all_that_it_lights_where_that_can_be_read(shows: Shows, selected: int) -> None:
    page = shows(chain(5), selected={"dataset": selected, "field": 0})
    page.evaluate("lab.view.zoom(2.5)")
    assert page.evaluate(IN_SIGHT) < 6
    page.evaluate(f"lab.view.reveal({selected}, 0)")
    assert page.evaluate(IN_SIGHT) == 6


@pytest.mark.parametrize("selected", [0, 29, 58])
def test_of_more_than_there_is_room_for_as_much_as_can_be_is_shown_beside_it(shows: Shows, selected: int) -> None:
    page = shows(chain(58), selected={"dataset": selected, "field": 0})
    name = page.evaluate(f"lab.doc.datasets[{selected}].name")
    page.evaluate(f"lab.view.reveal({selected}, 0)")
    expect(field(page, f"{name}.a")).to_be_in_viewport(ratio=1)
    seen = page.evaluate(IN_SIGHT)
    assert 10 <= seen < 59
    page.evaluate("lab.view.fitLit()")
    assert page.evaluate(IN_SIGHT) == 59


def test_reveal_waits_for_what_is_being_laid_out(page: Page) -> None:
    page.evaluate(
        """() => {
          const place = lab.find(lab.doc, 'marketing.campaign_list.email');
          const drawn = lab.set({focus: true, selected: place});
          lab.view.zoom(2.5);
          lab.view.reveal(place.dataset, place.field);
          return drawn;
        }"""
    )

    expect(field(page, "marketing.campaign_list.email")).to_be_in_viewport(ratio=1)


def test_a_long_table_shows_its_first_columns_and_how_many_more(shows: Shows) -> None:
    page = shows(many(3, columns=60))
    assert page.locator(".dataset").first.locator(".field").count() == 25

    field(page, "s0.t0.c0").click()
    page.evaluate("lab.view.reveal(0, 50)")
    expect(page.locator(".field[data-field='0:50']")).to_be_in_viewport()
    assert "35 more columns" in page.locator(".more .name").all_text_contents()[0]


def test_focus_shows_only_what_is_reached(page: Page) -> None:
    place = page.evaluate("lab.find(lab.doc, 'ai.review_corpus.body')")
    change(page, selected=place, focus=True)

    assert page.locator(".dataset").count() == 3
    assert {"learning.reviews.body", "learning.courses.course_id"} <= all_fields(page)
    assert "learning.courses.category" not in all_fields(page)


def test_indirect_edges_and_single_kinds_can_be_left_out(page: Page) -> None:
    change(page, hideIndirect=True)
    assert page.locator(".link.indirect").count() == 0
    assert page.locator(".link.direct").count() > 0

    page.evaluate("lab.set({hideIndirect: false, kinds: new Set([lab.doc.kinds.indexOf('INDIRECT JOIN')])})")
    assert page.locator(".link.direct").count() == 0
    assert page.locator(".link.indirect").count() > 0
