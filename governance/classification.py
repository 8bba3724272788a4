"""Classifications that follow lineage: what a derived column should be declared, and where it is declared less.

The class of a value computed from several is the least upper bound of theirs (Denning 1976,
https://doi.org/10.1145/360051.360056); with classes on a line that is the strictest. INDIRECT inputs count where the
policy says so: a table that a personal column filters reveals that column. What holds everywhere:

- lineage lowers no declared class: a derived table passes on the stricter of declared and proposed
- masking declassifies nothing: whether a hashed identifier is personal is a legal question
- proposals are recomputed from declarations alone: taking a class from a source takes it from all that had it only from
  there, and leaves what people declared by hand
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from governance.cycles import components
from governance.dataset import Dataset, Field
from governance.graph import RANK, Edge, Graph
from governance.policy import Policy

Thing = Field | Dataset


@dataclass(frozen=True, slots=True)
class Proposal:
    """What lineage proposes for an output column: a floor, for its owner to review.

    classification: None where no input that counts has a class, so that nothing can be said
    decided_by:     the edges whose source has that class, the one to show first: DIRECT before INDIRECT, then by name
    unclassified:   inputs that count and have no class; the proposal may be too low because of them
    """

    classification: str | None
    decided_by: tuple[Edge, ...]
    unclassified: tuple[Field, ...]

    @property
    def reason(self) -> str:
        """Return ``from crm.learners.email (DIRECT IDENTITY)``; empty where no edge decided."""
        return f"from {self.decided_by[0]}" if self.decided_by else ""


@dataclass(frozen=True, slots=True)
class Understated:
    """A column whose declared class is lower than lineage proposes."""

    field: Field
    declared: str
    proposal: Proposal


@dataclass(frozen=True, slots=True)
class Line:
    """Classes on a line, from least to most protected."""

    order: tuple[str, ...]

    @property
    def lowest(self) -> str:
        """The class of what is derived from no column at all."""
        return self.order[0]

    def strictest(self, classes: Iterable[str | None]) -> str | None:
        """Return the least upper bound of the classes given; None of none."""
        return max((it for it in classes if it is not None), key=self.order.index, default=None)

    def lower(self, one: str, other: str) -> bool:
        """Whether ``one`` protects less than ``other``."""
        return self.order.index(one) < self.order.index(other)


def declared(policy: Policy, field: Field) -> str | None:
    """Return the class that people declared; policy names tables of the policy's own namespace."""
    if field.dataset.namespace != policy.lineage.namespace:
        return None
    return policy.column(field.dataset.name, field.name).classification


def propose(graph: Graph, policy: Policy, through: Iterable[str] | None = None) -> Mapping[Field, Proposal]:
    """Return the proposal for every column that a job writes, by table and in table order.

    ``through`` names the transformation types that count, by default those of the policy.
    """
    line = Line(policy.lineage.order)
    inputs = _Inputs.of(graph, policy.lineage.propagate_through if through is None else frozenset(through))
    levels = _levels(graph, inputs, policy, line)
    return {
        field: _proposal(field, inputs, levels, line)
        for dataset in sorted(graph.written)
        for field in graph.fields[dataset]
    }


def understated(proposals: Mapping[Field, Proposal], policy: Policy) -> tuple[Understated, ...]:
    """Return the columns declared lower than proposed, in the order of ``proposals``."""
    line = Line(policy.lineage.order)
    found = ((field, declared(policy, field), proposal) for field, proposal in proposals.items())
    return tuple(
        Understated(field, said, proposal)
        for field, said, proposal in found
        if said and proposal.classification and line.lower(said, proposal.classification)
    )


@dataclass(frozen=True, slots=True)
class _Inputs:
    """The edges that count, by target, and the columns known to come from no column at all (a literal, ``now()``)."""

    into: Mapping[Thing, list[Edge]]
    free: frozenset[Field]

    @classmethod
    def of(cls, graph: Graph, counted: frozenset[str]) -> "_Inputs":
        into: dict[Thing, list[Edge]] = defaultdict(list)
        for edge in graph.edges:
            if edge.transformation.type in counted:
                into[edge.target].append(edge)
        told = (Field(write.dataset, name) for write in graph.writes for name in write.told)
        return cls(into, frozenset(field for field in told if field not in into and field.dataset not in into))


@dataclass(frozen=True, slots=True)
class _Level:
    """The class a thing passes on, and when it came to have it: on a cycle, what came first decided."""

    classification: str | None
    since: int


def _levels(graph: Graph, inputs: _Inputs, policy: Policy, line: Line) -> dict[Thing, _Level]:
    """Return the least levels that satisfy every edge, component by component, so that cycles end as they must."""
    levels = {thing: _Level(_floor(thing, inputs, policy, line), 0) for thing in _things(graph)}
    clock = count(1)
    for component in components(_before(graph, inputs)):
        changed = True
        while changed:
            changed = False
            for thing in component:
                found = line.strictest((levels[thing].classification, *_passed_on(thing, inputs, levels)))
                if found != levels[thing].classification:
                    levels[thing] = _Level(found, next(clock))
                    changed = True
    return levels


def _things(graph: Graph) -> Iterator[Thing]:
    for dataset, fields in graph.fields.items():
        yield dataset
        yield from fields


def _floor(thing: Thing, inputs: _Inputs, policy: Policy, line: Line) -> str | None:
    if isinstance(thing, Dataset):
        return None
    return declared(policy, thing) or (line.lowest if thing in inputs.free else None)


def _before(graph: Graph, inputs: _Inputs) -> dict[Thing, tuple[Thing, ...]]:
    """Return what each thing depends on; what shapes a table's rows is the table's own, shared by its columns."""
    before: dict[Thing, tuple[Thing, ...]] = {}
    for thing in _things(graph):
        own = () if isinstance(thing, Dataset) else (thing.dataset,)
        before[thing] = (*own, *(edge.source for edge in inputs.into.get(thing, ())))
    return before


def _passed_on(thing: Thing, inputs: _Inputs, levels: Mapping[Thing, _Level]) -> Iterator[str | None]:
    if isinstance(thing, Field):
        yield levels[thing.dataset].classification
    yield from (levels[edge.source].classification for edge in inputs.into.get(thing, ()))


def _proposal(field: Field, inputs: _Inputs, levels: Mapping[Thing, _Level], line: Line) -> Proposal:
    if field in inputs.free:
        return Proposal(line.lowest, (), ())
    # a column that keeps its own value from run to run says nothing about itself
    edges = [e for e in (*inputs.into.get(field, ()), *inputs.into.get(field.dataset, ())) if e.source != field]
    found = line.strictest(levels[edge.source].classification for edge in edges)
    deciding = [edge for edge in edges if found and levels[edge.source].classification == found]
    # on a cycle every member has the class; those that had it before this column are where it came from
    earlier = [edge for edge in deciding if levels[edge.source].since < levels[field].since]
    return Proposal(
        classification=found,
        decided_by=tuple(sorted(earlier or deciding, key=_shown)),
        unclassified=tuple(sorted({edge.source for edge in edges if levels[edge.source].classification is None})),
    )


def _shown(edge: Edge) -> tuple[object, ...]:
    return not edge.transformation.direct, edge.source, RANK[edge.transformation], edge.job
