"""A question about a store that is followed is answered as from all of its events."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from governance import followed
from governance.consumers.declared import Declarations
from governance.consumers.find import consumers_of
from governance.consumers.records import Records
from governance.coverage.measure import measure, typed_inputs
from governance.dataset import Dataset, Field
from governance.errors import UnknownField
from governance.events.reading import read_store
from governance.followed import followed_store
from governance.graph import Graph, build_graph, resolve
from governance.graph.part import downstream, upstream, upstream_rows
from governance.graph.stored_graph import StoredGraph, around, meant
from governance.graph.whole import whole_runs
from governance.impact import impact
from governance.queries.model import QueryLog
from governance.runs import Run, read_runs
from governance.stored import Stored
from governance.telling import told
from governance.trace import trace, trace_rows
from tests.history.test_law import Step, append, damage, forget, later
from tests.history.world import SPELLINGS, TABLES, World, dataset, policy

STEPS: tuple[tuple[Step, int], ...] = ((append, 6), (later, 3), (World.compact, 3), (forget, 1), (damage, 1))


@pytest.fixture(autouse=True)
def _every_store_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed, "LONG", 0)


def of_now(world: World) -> Stored | None:
    return followed_store(world.project.events, world.project.state, world.now, SPELLINGS, {})


def of_whole(graph: Graph, name: str) -> list[object]:
    try:
        start = resolve(graph, name)
    except UnknownField as error:
        return [str(error), error.fix]
    return [impact(graph, start), trace(graph, start), trace_rows(graph, start)]


def resolved(graph: Graph, name: str) -> Dataset | Field | None:
    try:
        return resolve(graph, name)
    except UnknownField:
        return None


def of_part(stored: Stored, name: str) -> list[object]:
    # a graph has no names but those that stand
    known = replace(stored.known(), aliases={})
    try:
        return [
            impact(*downstream(known, name)),
            trace(*upstream(known, name)),
            trace_rows(*upstream_rows(known, name)),
        ]
    except UnknownField as error:
        return [str(error), error.fix]


def names(graph: Graph, random: Random) -> list[str]:
    known = sorted({str(thing) for dataset, fields in graph.fields.items() for thing in (dataset, *fields)})
    return [*random.sample(known, min(4, len(known))), "s", "S.T1.A"]


def records_of(graph: Graph, runs: Iterable[Run], world: World) -> list[object]:
    """What is told of consumers and coverage."""
    records = Records(graph, QueryLog(), Declarations(), policy())
    measured = measure(records, [*TABLES, "s.t9"], world.now, typed_inputs(runs, graph))
    things: list[Dataset | Field] = [
        dataset("s.t1"),
        dataset("s.t9"),
        Field(dataset("s.t0"), "a"),
        Field(dataset("s.t1"), "c.d"),
    ]
    asked = [(it, around(graph, it.dataset if isinstance(it, Field) else it)) for it in things]
    return [measured, *(consumers_of(it, replace(records, graph=part), world.now) for it, part in asked)]


def require_same(world: World) -> bool:
    """Refuse another answer than all events give; return whether the store was followed."""
    reading = read_store(world.project.events)
    events = told(reading.events, SPELLINGS)
    graph = build_graph(events)
    stored = of_now(world)
    if stored is None:
        return False
    assert stored.problems == reading.problems
    for name in names(graph, world.random):
        assert of_part(stored, name) == of_whole(graph, name), name
        assert meant(StoredGraph(stored.known()), name) == resolved(graph, name)
    known = stored.known()
    runs = whole_runs(known, [it for it in known.standing.said if it[0].state == "COMPLETE"])
    assert records_of(StoredGraph(known), runs, world) == records_of(graph, read_runs(events), world)
    return True


def walk(root: Path, seed: int, *, odd: bool, steps: int) -> int:
    """Return how often the store was followed."""
    world = World(root, seed, odd=odd)
    kinds, weights = zip(*STEPS, strict=True)
    count = 0
    for step in world.random.choices(kinds, weights, k=steps):
        step(world)
        count += require_same(world)
    return count


@pytest.mark.parametrize("seed", range(2))
def test_what_is_followed_answers_as_the_whole(tmp_path: Path, seed: int) -> None:
    assert walk(tmp_path, seed, odd=False, steps=10) > 5


@pytest.mark.parametrize("seed", range(2))
def test_so_it_does_where_names_are_odd(tmp_path: Path, seed: int) -> None:
    walk(tmp_path, seed, odd=True, steps=8)


def test_a_line_without_its_end_is_told_until_it_has_one(tmp_path: Path) -> None:
    world = World(tmp_path, 4)
    world.append(10)
    file = next(world.project.events.glob("*.ndjson"))
    for text in ('{"torn', ' more"', "\n", '{"again'):
        with file.open("a") as opened:
            opened.write(text)
        assert require_same(world)


def test_a_short_store_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, 4)
    world.append(10)
    monkeypatch.setattr(followed, "LONG", 1_000_000)

    assert of_now(world) is None
    assert not world.project.state.joinpath("past.bin").exists()


@pytest.mark.prove
@pytest.mark.parametrize("seed", range(100, 130))
def test_long_histories(tmp_path: Path, seed: int) -> None:
    walk(tmp_path, seed, odd=seed % 4 == 0, steps=40)
