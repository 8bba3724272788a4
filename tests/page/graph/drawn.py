"""What tests of the drawn graph look at: its boxes, columns and lines, by name."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page

from governance.dataset import Dataset
from governance.impact.rank import Facts
from governance.page.document import Own, document
from governance.rules.finding import Finding, Severity
from tests.page.made import NAMESPACE, event, policy, shown, table
from tests.page.platforms import learning_platform

Document = dict[str, Any]
Shows = Callable[..., Page]


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


def many(tables: int, columns: int = 3) -> Document:
    """A chain of tables in six schemas."""
    told = []
    for place in range(1, tables):
        before = f"s{(place - 1) % 6}.t{place - 1}"
        fields = {f"c{it}": [f"{before}.c{it} IDENTITY"] for it in range(columns)}
        told.append(event(f"j{place}", writes=[table(f"s{place % 6}.t{place}", fields)]))
    return document(shown(told))


def all_fields(page: Page) -> set[str]:
    return reached(page, "field") if page.locator(".field").count() else set()
