"""What the graph says of its lines and of the past, its export, odd names, and that it can be read."""

import pytest
from playwright.sync_api import Page

from governance.dataset import Dataset
from governance.page.document import document
from tests.page.graph.drawn import Shows, change, dataset, field, reached
from tests.page.made import NAMESPACE, event, shown, table
from tests.page.platforms import learning_platform

pytestmark = pytest.mark.browser

HOSTILE = ('<img src=x onerror="hit()">', "\u202egnimoc\u202c 'quoted'", "x" * 300, "</script>&amp;", "a\nb")


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
