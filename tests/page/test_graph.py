"""The graph on the page, in a real browser: what is drawn, what a click lights, what folds, moves and is exported."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from governance.dataset import Dataset
from governance.impact.rank import Facts
from governance.page.document import Own, document
from governance.rules.finding import Finding, Severity
from tests.page.graph_page import write_page
from tests.page.made import NAMESPACE, event, policy, shown, table
from tests.page.platforms import learning_platform

pytestmark = pytest.mark.browser

Document = dict[str, Any]
Shows = Callable[..., Page]
HOSTILE = ('<img src=x onerror="hit()">', "\u202egnimoc\u202c 'quoted'", "x" * 300, "</script>&amp;", "a\nb")


@pytest.fixture(scope="module")
def loaded(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1400, "height": 900})
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(write_page(tmp_path_factory.mktemp("graph"), platform()))
    opened.wait_for_selector("body[data-ready]")
    yield opened
    opened.close()
    assert complaints == []


@pytest.fixture
def shows(loaded: Page) -> Shows:
    """Show a document as it opens, or as a changed state has it."""

    def show(made: Document, **state: Any) -> Page:
        loaded.evaluate("raw => lab.open(raw)", made)
        if state:
            change(loaded, **state)
        return loaded

    return show


@pytest.fixture
def page(shows: Shows) -> Page:
    return shows(platform())


def platform() -> Document:
    learners = Dataset(NAMESPACE, "crm.learners")
    finding = Finding("undeclared_metadata", Severity.WARN, "marketing.audience", "email", "no class", "declare it")
    said = policy(crm__learners__email="personal", crm__learners__country="internal")
    facts = Facts(owners={learners: "team:crm"}, criticality={learners: "high"})
    own = {"crm.learners": Own("source", None, {"email": "varchar"})}
    return document(shown(learning_platform(), said, findings=[finding], facts=facts, own=own))


def change(page: Page, **state: Any) -> None:
    page.evaluate("patch => lab.set(patch)", state)


def dataset(page: Page, name: str) -> Locator:
    place = page.evaluate("name => lab.find(lab.doc, name).dataset", name)
    return page.locator(f".dataset[data-dataset='{place}']")


def field(page: Page, name: str) -> Locator:
    place = page.evaluate("name => lab.find(lab.doc, name)", name)
    return page.locator(f".field[data-field='{place['dataset']}:{place['field']}']")


def links(page: Page, source: str, target: str) -> list[dict[str, Any]]:
    """The lines from one table to another: their classes, dashes, counts."""
    return page.evaluate(
        """([source, target]) => {
          const {boxes, places, bundles, links} = lab.drawing();
          const names = (box) => box.datasets.map((d) => lab.doc.datasets[d].name);
          const at = (end) => boxes[places.ends[end].box];
          return bundles.flatMap((it, i) => names(at(it.from)).includes(source) && names(at(it.to)).includes(target)
            ? [{classes: [...links[i].classList], into: at(it.to).lines[places.ends[it.to].line].kind,
                dashes: getComputedStyle(links[i].querySelector('.line')).strokeDasharray,
                count: links[i].querySelector('.count')?.textContent ?? null}] : []);
        }""",
        [source, target],
    )


def reached(page: Page, word: str) -> set[str]:
    names = page.evaluate(
        """(word) => [...document.querySelectorAll(`.field.${word}`)].map((it) => {
          const [d, f] = it.dataset.field.split(':');
          return `${lab.doc.datasets[d].name}.${lab.doc.datasets[d].fields[f].name}`;
        })""",
        word,
    )
    return set(names)


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


def many(tables: int, columns: int = 3) -> Document:
    """A chain of tables in six schemas."""
    told = []
    for place in range(1, tables):
        before = f"s{(place - 1) % 6}.t{place - 1}"
        fields = {f"c{it}": [f"{before}.c{it} IDENTITY"] for it in range(columns)}
        told.append(event(f"j{place}", writes=[table(f"s{place % 6}.t{place}", fields)]))
    return document(shown(told))


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


def all_fields(page: Page) -> set[str]:
    return reached(page, "field") if page.locator(".field").count() else set()


def test_indirect_edges_and_single_kinds_can_be_left_out(page: Page) -> None:
    change(page, hideIndirect=True)
    assert page.locator(".link.indirect").count() == 0
    assert page.locator(".link.direct").count() > 0

    page.evaluate("lab.set({hideIndirect: false, kinds: new Set([lab.doc.kinds.indexOf('INDIRECT JOIN')])})")
    assert page.locator(".link.direct").count() == 0
    assert page.locator(".link.indirect").count() > 0


def test_one_thing_takes_the_tab_key_and_arrows_lead_on(page: Page) -> None:
    assert page.locator("#graph [tabindex='0']").count() == 1
    field(page, "crm.learners.email").click()
    page.evaluate("lab.at = lab.find(lab.doc, 'crm.learners.email'); lab.view.focus(lab.at)")
    assert page.locator("#graph [tabindex='0']").count() == 1

    def arrow(key: str) -> str:
        return str(
            page.evaluate(
                """(key) => {
                  lab.at = lab.view.neighbour(lab.at, key);
                  lab.view.focus(lab.at);
                  return document.activeElement.getAttribute('aria-label').split(',')[0];
                }""",
                key,
            )
        )

    assert arrow("ArrowRight") == "email"
    assert page.evaluate("lab.doc.datasets[lab.at.dataset].name") == "marketing.audience"
    assert arrow("ArrowDown") == "country"
    assert arrow("ArrowUp") == "email"
    assert arrow("ArrowLeft") == "email"
    page.keyboard.press("Enter")
    assert page.evaluate("lab.chosen.at(-1)") == list(page.evaluate("Object.values(lab.at)"))


def test_the_focus_survives_a_new_drawing(page: Page) -> None:
    page.evaluate("lab.view.focus(lab.find(lab.doc, 'marketing.audience.email'))")
    change(page, hideIndirect=True)

    assert "email" in page.evaluate("document.activeElement.getAttribute('aria-label')")


def test_the_wheel_zooms_the_pointer_drags_and_a_drag_chooses_nothing(page: Page) -> None:
    where = "document.querySelector('.layer').getAttribute('transform')"
    before = page.evaluate(where)
    page.mouse.move(700, 450)
    page.mouse.wheel(0, -300)
    page.wait_for_function(f"{where} !== {before!r}")
    zoomed = page.evaluate(where)
    box = field(page, "crm.learners.email").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 20, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 65, steps=4)
    page.mouse.up()

    assert page.evaluate(where) != zoomed
    assert page.evaluate("lab.chosen") == []
    page.evaluate("lab.view.fit()")
    assert page.evaluate(where) == before


def test_a_line_says_its_kind_its_job_and_how_it_is_known(page: Page) -> None:
    path = page.locator(".link.direct .reachable").first
    path.dispatch_event("pointerover", {"bubbles": True})

    assert "DIRECT IDENTITY · job ai.review_corpus · " in str(page.locator(".link.hover > title").text_content())


def test_a_dropped_dataset_is_hatched_and_struck(shows: Shows) -> None:
    page = shows(document(shown(learning_platform(), stale=frozenset({Dataset(NAMESPACE, "crm.learners")}))))
    learners = dataset(page, "crm.learners")

    assert learners.locator(".hatch").count() == 1
    assert learners.locator(".title").evaluate("it => getComputedStyle(it).textDecorationLine") == "line-through"


def test_the_graph_as_of_an_earlier_run(shows: Shows) -> None:
    told = [
        event("a", "2026-11-01T02:00:00Z", writes=[table("s.b", {"n": ["s.a.old IDENTITY"]})]),
        event("a", "2026-11-02T02:00:00Z", writes=[table("s.b", {"n": ["s.a.new IDENTITY"]})]),
    ]
    page = shows(document(shown(told)), at="2026-11-01T12:00:00Z")
    field(page, "s.b.n").click()
    assert reached(page, "value") == {"s.a.old"}

    change(page, at=None)
    assert reached(page, "value") == {"s.a.new"}
    change(page, at="2026-10-01T00:00:00Z")
    assert page.locator(".link").count() == 0


def test_of_several_changes_at_once_the_last_is_drawn(page: Page) -> None:
    drawn = page.evaluate(
        """async () => {
          const shown = [true, false, true, false].map((hideIndirect) => lab.set({hideIndirect}));
          return Promise.all(shown);
        }"""
    )

    assert drawn == [False, False, False, True]
    assert page.locator(".link.indirect").count() > 0


def test_the_drawing_is_exported_whole_and_needs_nothing_beside_itself(page: Page) -> None:
    field(page, "crm.learners.email").click()
    text = page.evaluate("lab.view.svgText()")
    parse = "text => new DOMParser().parseFromString(text, 'image/svg+xml').documentElement.localName"

    assert page.evaluate(parse, text) == "svg"
    assert "var(--" not in text
    assert "#0969da" in text or "rgb(9, 105, 218)" in text
    size = page.evaluate(
        """async (text) => {
          const image = new Image();
          image.src = URL.createObjectURL(new Blob([text], {type: 'image/svg+xml'}));
          await image.decode();
          return [image.naturalWidth, image.naturalHeight];
        }""",
        text,
    )
    assert min(size) > 200


def test_hostile_names_are_text(shows: Shows) -> None:
    told = [event(HOSTILE[0], writes=[{**table("s.t", {}), "name": f"s.{name}"}], run=name) for name in HOSTILE]
    written = table("s.all", {name: [] for name in HOSTILE})
    page = shows(document(shown([*told, event("all", writes=[written])])))

    assert page.locator("#graph img, #graph script").count() == 0
    said = page.locator(".field title").all_text_contents()
    assert all(any(name in it for it in said) for name in HOSTILE)
    widths = page.evaluate("[...document.querySelectorAll('.dataset')].map((it) => it.getBBox().width)")
    assert max(widths) < 400


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_can_be_read_on_its_ground(page: Page, theme: str) -> None:
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    field(page, "crm.learners.learner_id").click()
    weak = page.evaluate(CONTRASTS)
    page.evaluate("delete document.documentElement.dataset.theme")

    assert weak == []


CONTRASTS = """() => {
  const style = getComputedStyle(document.querySelector('#graph'));
  const value = (name) => style.getPropertyValue(name).trim();
  const light = (hex) => {
    const parts = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
      .map((it) => (it <= 0.03928 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const pairs = [['--g-text', '--g-box'], ['--g-dim', '--g-box'], ['--g-faded', '--g-box'], ['--g-dim', '--g-origin'],
    ['--g-value', '--g-value-ground'], ['--g-population', '--g-population-ground'], ['--g-start-text', '--g-value'],
    ['--g-unknown', '--g-unknown-ground'], ['--g-warn', '--g-warn-ground'], ['--g-error', '--g-error-ground'],
    ['--g-value', '--g-box'], ['--g-population', '--g-box'], ['--g-text', '--g-hover'], ['--g-dim', '--g-hover'],
    ...[0, 1, 2, 3].flatMap((i) => [[`--g-class-${i}`, `--g-class-${i}-ground`], [`--g-class-${i}`, '--g-box']])];
  return pairs.map(([text, ground]) => {
    const [one, other] = [light(value(text)), light(value(ground))].sort((a, b) => b - a);
    return [text, ground, Math.round(((one + 0.05) / (other + 0.05)) * 100) / 100];
  }).filter(([, , ratio]) => ratio < 4.5);
}"""
