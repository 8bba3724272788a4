"""Keys, the wheel and the pointer on the graph."""

import pytest
from playwright.sync_api import Page

from tests.page.graph.drawn import change, field

pytestmark = pytest.mark.browser


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
