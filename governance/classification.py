"""Classifications that follow lineage: what a derived column should be declared, and where it is declared less.

The class of a value computed from several is the least upper bound of theirs (Denning 1976,
https://doi.org/10.1145/360051.360056); with classes on a line that is the strictest. INDIRECT inputs count where the
policy says so, for a namespace of its own if wanted: a table that a personal column filters reveals that column. What
holds everywhere:

- lineage lowers no declared class: a derived table passes on the stricter of declared and proposed
- masking declassifies nothing: whether a hashed identifier is personal is a legal question, which a person answers in
  ``waivers.toml`` for one edge, by name and until a day
- proposals are recomputed from declarations and other producers' tags alone: taking a class from a source takes it from
  all that had it only from there, and leaves what people declared by hand
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from governance.dataset import Field
from governance.evidence import Evidence
from governance.graph import RANK, Edge, Graph
from governance.levels import Inputs, Level, Thing, inputs_of, levels_of
from governance.policy import Declassified, LineagePolicy, NamespacePolicy, Policy

GENERAL = NamespacePolicy()


@dataclass(frozen=True, slots=True)
class Accepted:
    """An edge that a person declassified, and that word."""

    edge: Edge
    word: Declassified

    def __str__(self) -> str:
        """Return ``a.a.ssn (DIRECT TRANSFORMATION), declassified by dpo@example.com until 2026-12-31``."""
        return f"{self.edge}, declassified by {self.word.who} until {self.word.until}"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What lineage proposes for an output column: a floor, for its owner to review.

    classification: None where no input that counts has a class, so that nothing can be said
    decided_by:     the edges whose source has that class, or one of those whose least upper bound it is; the
                    one to show first: DIRECT before INDIRECT, then by name
    unclassified:   inputs that count and have no class; the proposal may be too low because of them
    tagged_by:      tags of other producers on the column or its table that have that class
    declassified:   edges into the column or its rows that a person declassified
    foremost:       of what decided, the first to show: one for each class that the proposal is the bound of
    uncounted:      the transformation types of its inputs that the policy does not count
    """

    classification: str | None
    decided_by: tuple[Edge, ...]
    unclassified: tuple[Field, ...]
    tagged_by: tuple[Evidence, ...] = ()
    declassified: tuple[Accepted, ...] = ()
    foremost: tuple[Edge | Evidence, ...] = ()
    uncounted: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """Return ``from crm.learners.email (DIRECT IDENTITY)`` or why nothing decided; empty where nothing is known."""
        if self.foremost:
            return f"from {' and '.join(map(str, self.foremost))}"
        if self.classification is None:
            return ""
        if self.declassified:
            return f"from {' and '.join(map(str, self.declassified))}"
        if self.uncounted:
            return f"from {' and '.join(self.uncounted)} inputs alone, which lineage.toml does not count"
        return "from no column"


@dataclass(frozen=True, slots=True)
class Understated:
    """A column whose declared class is lower than lineage proposes."""

    field: Field
    declared: str
    proposal: Proposal


def declared(policy: Policy, field: Field) -> str | None:
    """Return the class that people declared; policy names the project's own tables and files."""
    if not policy.lineage.owns(field.dataset):
        return None
    return policy.column(field.dataset.name, field.name).classification


def propose(
    graph: Graph, policy: Policy, through: Iterable[str] | None = None, *, today: date = date.max
) -> Mapping[Field, Proposal]:
    """Return the proposal for every column that a job writes, by table and in table order.

    ``through`` names the transformation types that count, by default those of the policy. What people declassified
    holds through its day; without ``today`` none of it does.
    """
    counted = _counted(policy.lineage) if through is None else _among(frozenset(through))
    inputs = inputs_of(graph, policy, counted, today)
    levels = levels_of(graph, inputs, lambda field: declared(policy, field))
    return {
        field: _proposal(field, inputs, levels) for dataset in sorted(graph.written) for field in graph.fields[dataset]
    }


def understated(proposals: Mapping[Field, Proposal], policy: Policy) -> tuple[Understated, ...]:
    """Return the columns declared lower than proposed, in the order of ``proposals``."""
    lattice = policy.lineage.lattice
    found = ((field, declared(policy, field), proposal) for field, proposal in proposals.items())
    return tuple(
        Understated(field, said, proposal)
        for field, said, proposal in found
        if said and proposal.classification and lattice.lower(said, proposal.classification)
    )


def way(first: Edge, proposals: Mapping[Field, Proposal], policy: Policy) -> tuple[Edge, ...]:
    """Return ``first`` and, upstream, what decided its source's class: back to where people declared or tagged it."""
    lattice = policy.lineage.lattice
    found = [first]
    while True:
        source = found[-1].source
        proposal, said = proposals.get(source), declared(policy, source)
        if proposal is None or proposal.classification is None or not proposal.decided_by:
            return tuple(found)
        own = said is not None and not lattice.lower(said, proposal.classification)
        before = proposal.decided_by[0]
        if own or any(before.source == edge.source for edge in found):
            return tuple(found)
        found.append(before)


def _among(through: frozenset[str]) -> Callable[[Edge], bool]:
    return lambda edge: edge.transformation.type in through


def _counted(policy: LineagePolicy) -> Callable[[Edge], bool]:
    def counts(edge: Edge) -> bool:
        target = edge.target.dataset if isinstance(edge.target, Field) else edge.target
        own = policy.namespaces.get(target.namespace, GENERAL).propagate_through
        return edge.transformation.type in (policy.propagate_through if own is None else own)

    return counts


def _proposal(field: Field, inputs: Inputs, levels: Mapping[Thing, Level]) -> Proposal:
    own: tuple[Thing, ...] = (field, field.dataset)
    members = inputs.nesting.inner.get(field, ())
    accepted = tuple(Accepted(edge, word) for edge, word in inputs.accepted.items() if edge.target in own)
    tags = [it for thing in own for it in inputs.evidence.get(thing, ())]
    # a column that keeps its own value from run to run says nothing about itself
    edges = [edge for thing in (*own, *members) for edge in inputs.edges(thing) if edge.source != field]
    passed = {edge: inputs.passed(edge, levels[edge.source].classification) for edge in edges}
    lowest = inputs.lattice.lowest if field in inputs.free else None
    given = {*passed.values(), *(it.classification for it in tags), lowest}
    # of classes that compare not, each decided
    top = inputs.lattice.highest(given)
    deciding = [edge for edge, classification in passed.items() if classification in top]
    # on a cycle every member has the class; those that had it before this column are where it came from
    earlier = [edge for edge in deciding if levels[edge.source].since < levels[field].since]
    decided = tuple(sorted(earlier or deciding, key=_shown))
    return Proposal(
        classification=inputs.lattice.strictest(given),
        decided_by=decided,
        unclassified=tuple(sorted({edge.source for edge in edges if levels[edge.source].classification is None})),
        tagged_by=tuple(it for it in tags if it.classification in top),
        declassified=accepted,
        foremost=_foremost(top, decided, passed, tags),
        uncounted=tuple(sorted({type_ for thing in own for type_ in inputs.uncounted.get(thing, ())})),
    )


def _foremost(
    top: frozenset[str | None], decided: Iterable[Edge], passed: Mapping[Edge, str | None], tags: Iterable[Evidence]
) -> tuple[Edge | Evidence, ...]:
    """Return the first that decided for each class of ``top``: of classes that compare not, one explains nothing."""
    first: dict[str | None, Edge | Evidence] = {}
    for edge in decided:
        first.setdefault(passed[edge], edge)
    for it in tags:
        first.setdefault(it.classification, it)
    return tuple(found for classification, found in first.items() if classification in top)


def _shown(edge: Edge) -> tuple[object, ...]:
    return not edge.transformation.direct, edge.source, RANK[edge.transformation], edge.job
