"""The page's own walk over the document finds what impact and trace find in the graph, on every column and table."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from governance.dataset import Dataset, Field
from governance.graph import Graph, graph_of
from governance.impact import impact
from governance.page.document import document
from governance.runs import Run
from governance.trace import trace_rows
from tests.page.graph_page import write_page
from tests.page.made import shown
from tests.page.platforms import FLAT, KINDS_OF_RECORD, NAMES, NESTED, learning_platform, made_up, seeded

pytestmark = pytest.mark.browser

Thing = Field | Dataset
Document = dict[str, Any]

WALKS = """([raw, at, options]) => {
  const {readDocument, standing, reach} = lab.tools;
  const doc = readDocument(raw);
  const graph = standing(doc, at);
  const found = [];
  doc.datasets.forEach(({fields}, dataset) => [null, ...fields.keys()].forEach((field) => {
    const it = reach(graph, {dataset, field}, options);
    const sets = ['values', 'population', 'unknown', 'tables', 'unknownTables', 'upValues', 'upPopulation', 'upTables',
      'upUnknownTables'];
    found.push([dataset, field, Object.fromEntries(sets.map((name) => [name, [...it[name]]]))]);
  }));
  return found;
}"""


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    opened = browser.new_page()
    made = document(shown(learning_platform()))
    opened.goto(write_page(tmp_path_factory.mktemp("walk"), made))
    opened.wait_for_selector("body[data-ready]")
    yield opened
    opened.close()


class Walked:
    """What the page found from each column and table of a document, as our own values."""

    def __init__(self, page: Page, made: Document, at: str | None = None, **options: Any) -> None:
        tables = [Dataset(it["namespace"], it["name"]) for it in made["datasets"]]
        fields = [
            Field(dataset, field["name"])
            for dataset, it in zip(tables, made["datasets"], strict=True)
            for field in it["fields"]
        ]
        places = {field: number for number, field in enumerate(fields)}
        first = [next((places[field] for field in fields if field.dataset == it), 0) for it in tables]
        said = page.evaluate(WALKS, [made, at, {"direction": "both", **options}])
        self.found: dict[Thing, dict[str, set[Thing]]] = {}
        for dataset, field, sets in said:
            start = tables[dataset] if field is None else fields[first[dataset] + field]
            self.found[start] = {
                name: {(tables if name.lower().endswith("tables") else fields)[it] for it in ids}
                for name, ids in sets.items()
            }


def things(reached: Any) -> set[Thing]:
    return {it.what for it in reached}


def agrees(graph: Graph, walked: Walked) -> int:
    """Every start that the graph knows reaches the same, down and up; how many there were."""
    starts = [start for start in walked.found if known(graph, start)]
    for start in starts:
        found, said = impact(graph, start), walked.found[start]
        unknown = things(found.unknown)
        assert said["values"] == things(found.values), start
        assert said["population"] == things(found.population), start
        assert said["tables"] == things(found.tables), start
        assert said["unknown"] == {it for it in unknown if isinstance(it, Field)}, start
        assert said["unknownTables"] == {it for it in unknown if isinstance(it, Dataset)}, start
        assert comes_from(said) == traced(graph, start), start
    return len(starts)


def known(graph: Graph, start: Thing) -> bool:
    return start in graph.fields if isinstance(start, Dataset) else start in graph.fields.get(start.dataset, ())


def comes_from(said: dict[str, set[Thing]]) -> set[Thing]:
    return said["upValues"] | said["upPopulation"] | said["upTables"] | said["upUnknownTables"]


def traced(graph: Graph, start: Thing) -> set[Thing]:
    steps = {step.what for step in trace_rows(graph, start).steps}
    # what was asked for is no place that it comes from
    return steps - {start, *(graph.fields[start] if isinstance(start, Dataset) else ())}


def test_every_column_and_table_of_the_learning_platform(page: Page) -> None:
    said = shown(learning_platform())

    assert agrees(said.graph, Walked(page, document(said))) > 60


@pytest.mark.parametrize("names", [NAMES, KINDS_OF_RECORD])
@pytest.mark.parametrize("seed", range(16))
def test_platforms_made_up(page: Page, seed: int, names: tuple[str, ...]) -> None:
    random = seeded(seed)
    said = shown(made_up(random, FLAT if seed % 2 else NESTED, names))

    assert agrees(said.graph, Walked(page, document(said))) > 0


@pytest.mark.parametrize("seed", range(6))
def test_up_by_value_is_the_mirror_of_down_by_value(page: Page, seed: int) -> None:
    said = shown(made_up(seeded(seed), FLAT))
    found = Walked(page, document(said)).found
    fields = [it for it in found if isinstance(it, Field)]

    down = {(start, reached.what) for start in fields for reached in impact(said.graph, start).values}

    assert {(source, start) for start in fields for source in found[start]["upValues"]} == down


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("depth", [1, 2])
def test_depth_counts_hops(page: Page, seed: int, depth: int) -> None:
    said = shown(made_up(seeded(seed), FLAT))
    walked = Walked(page, document(said), depth=depth)

    for start, found in walked.found.items():
        if isinstance(start, Field) and known(said.graph, start):
            whole = impact(said.graph, start)
            assert found["values"] == {it.what for it in whole.values if len(it.path) <= depth}
            assert found["tables"] == {it.what for it in whole.tables if len(it.path) <= depth}


def test_without_indirect_only_values_are_reached(page: Page) -> None:
    said = shown(learning_platform())
    walked = Walked(page, document(said), hideIndirect=True)

    for start, found in walked.found.items():
        assert found["values"] == things(impact(said.graph, start).values)
        assert not found["population"] | found["tables"] | found["upPopulation"] | found["upTables"]


def test_only_the_kinds_asked_for_are_walked(page: Page) -> None:
    said = shown(learning_platform())
    made = document(said)
    identity = [made["kinds"].index("DIRECT IDENTITY")]

    found = page.evaluate(
        """([raw, kinds]) => {
          const doc = lab.tools.readDocument(raw);
          const graph = lab.tools.standing(doc, null);
          const options = {direction: 'down', kinds: new Set(kinds)};
          const of = (name) => lab.tools.reach(graph, lab.find(doc, name), options);
          return [of('learning.reviews.rating').values.size, of('learning.reviews.rating').population.size];
        }""",
        [made, identity],
    )

    # copied into the review corpus; the average of it is no identity
    assert found == [1, 0]


@pytest.mark.parametrize("seed", range(8))
def test_as_of_each_run(page: Page, seed: int) -> None:
    said = shown(made_up(seeded(100 + seed), FLAT))
    made = document(said)

    for run in made["runs"][:: max(1, len(made["runs"]) // 3)]:
        then = graph_of([it for it in said.runs if _ended(it) <= run["at"]])
        walked = Walked(page, made, at=run["at"], direction="down")
        for start, found in walked.found.items():
            if isinstance(start, Field) and known(then, start):
                assert found["values"] == things(impact(then, start).values)
                assert found["population"] == things(impact(then, start).population)


def _ended(run: Run) -> str:
    return run.ended.isoformat(timespec="milliseconds").replace("+00:00", "Z") if run.ended else "9999"
