"""The class that each column and table passes on: the least one that satisfies every edge, also around cycles."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import count

from governance.cycles import components
from governance.dataset import Dataset, Field
from governance.evidence import Evidence, evidence
from governance.graph import Edge, Graph
from governance.graph.nested import Nesting, nesting
from governance.lattice import Lattice
from governance.policy import Declassified, Policy

Thing = Field | Dataset


@dataclass(frozen=True, slots=True)
class Level:
    """The class a thing passes on, and when it came to have it: on a cycle, what came first decided."""

    classification: str | None
    since: int


@dataclass(frozen=True, slots=True)
class Inputs:
    """What decides classes.

    into:     the edges that count, by target
    free:     the columns known to come from no column at all (a literal, ``now()``)
    evidence: classes by other producers' tags
    accepted: edges that a person declassified, with that word
    uncounted: the transformation types of edges that do not count, by target
    """

    into: Mapping[Thing, list[Edge]]
    free: frozenset[Field]
    nesting: Nesting
    evidence: Mapping[Thing, tuple[Evidence, ...]]
    accepted: Mapping[Edge, Declassified]
    uncounted: Mapping[Thing, frozenset[str]]
    lattice: Lattice

    def edges(self, thing: Thing) -> Iterator[Edge]:
        """Yield the edges that count into ``thing`` or into a column that it lies in."""
        yield from self.into.get(thing, ())
        for outer in self.nesting.outer.get(thing, ()) if isinstance(thing, Field) else ():
            yield from self.into.get(outer, ())

    def passed(self, edge: Edge, level: str | None) -> str | None:
        """Return the class that ``edge`` passes on from a source of class ``level``."""
        said = self.accepted.get(edge)
        # what a person accepts lowers a class; it raises none
        return said.classification if said and level and self._lowers(said, level) else level

    def _lowers(self, said: Declassified, level: str) -> bool:
        return said.classification is not None and self.lattice.lower(said.classification, level)


def inputs_of(graph: Graph, policy: Policy, counted: Callable[[Edge], bool], today: date) -> Inputs:
    """Return what decides classes in ``graph``; what was declassified until a day before ``today`` is so no longer."""
    said = {(it.source, it.target): it for it in policy.declassified if today <= it.until}
    accepted: dict[Edge, Declassified] = {}
    into: dict[Thing, list[Edge]] = defaultdict(list)
    uncounted: dict[Thing, frozenset[str]] = defaultdict(frozenset)
    for edge in graph.edges:
        word = said.get((str(edge.source), str(edge.target))) if _own(edge, policy) else None
        if word:
            accepted[edge] = word
        if not counted(edge):
            uncounted[edge.target] |= {edge.transformation.type}
        elif not (word and word.classification is None):
            into[edge.target].append(edge)
    nested = nesting(field for fields in graph.fields.values() for field in fields)
    return Inputs(
        into=into,
        free=frozenset(_free(graph, into, nested)),
        nesting=nested,
        evidence=evidence(graph, policy.lineage),
        accepted=accepted,
        uncounted=uncounted,
        lattice=policy.lineage.lattice,
    )


def _own(edge: Edge, policy: Policy) -> bool:
    """Whether the edge is between datasets that policy files speak of."""
    target = edge.target.dataset if isinstance(edge.target, Field) else edge.target
    return policy.lineage.owns(target) and policy.lineage.owns(edge.source.dataset)


def _free(graph: Graph, into: Mapping[Thing, list[Edge]], nested: Nesting) -> Iterator[Field]:
    for write in graph.writes:
        if write.dataset not in into:
            for field in (Field(write.dataset, name) for name in write.told):
                if not any(it in into for it in (field, *nested.related(field))):
                    yield field


def levels_of(graph: Graph, inputs: Inputs, declared: Callable[[Field], str | None]) -> Mapping[Thing, Level]:
    """Return the level of every dataset and field, component by component, so that cycles end as they must."""
    lattice = inputs.lattice
    levels = {thing: Level(lattice.strictest(_floor(thing, inputs, declared)), 0) for thing in _things(graph)}
    clock = count(1)
    places = {thing: place for place, thing in enumerate(levels)}
    for found_together in components(_before(graph, inputs)):
        # in the graph's order, whichever of them was come to first: a part of a graph decides as the whole
        component = found_together if len(found_together) == 1 else sorted(found_together, key=places.__getitem__)
        changed = True
        while changed:
            changed = False
            for thing in component:
                found = lattice.strictest((levels[thing].classification, *_passed_on(thing, inputs, levels)))
                if found != levels[thing].classification:
                    levels[thing] = Level(found, next(clock))
                    changed = True
    return levels


def _things(graph: Graph) -> Iterator[Thing]:
    for dataset, fields in graph.fields.items():
        yield dataset
        yield from fields


def _floor(thing: Thing, inputs: Inputs, declared: Callable[[Field], str | None]) -> Iterator[str | None]:
    yield from (it.classification for it in inputs.evidence.get(thing, ()))
    if isinstance(thing, Field):
        for field in (thing, *inputs.nesting.outer.get(thing, ())):
            yield declared(field)
            yield from (it.classification for it in inputs.evidence.get(field, ()))
        if thing in inputs.free:
            yield inputs.lattice.lowest


def _before(graph: Graph, inputs: Inputs) -> dict[Thing, tuple[Thing, ...]]:
    """Return what each thing depends on; what shapes a table's rows is the table's own, shared by its columns."""
    before: dict[Thing, tuple[Thing, ...]] = {}
    for thing in _things(graph):
        own: tuple[Thing, ...] = (
            (thing.dataset, *inputs.nesting.inner.get(thing, ())) if isinstance(thing, Field) else ()
        )
        before[thing] = (*own, *(edge.source for edge in inputs.edges(thing)))
    return before


def _passed_on(thing: Thing, inputs: Inputs, levels: Mapping[Thing, Level]) -> Iterator[str | None]:
    if isinstance(thing, Field):
        yield levels[thing.dataset].classification
        yield from (levels[member].classification for member in inputs.nesting.inner.get(thing, ()))
    yield from (inputs.passed(edge, levels[edge.source].classification) for edge in inputs.edges(thing))
