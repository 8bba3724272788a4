"""Upstream: where a column's values come from, hop by hop to source columns and files, and what shapes its rows.

The answer is a tree in the order in which it is printed, not nested: a chain of tables may be longer than any reader's
stack. A column that several ways lead to is followed once; where it comes again it is marked.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from governance.dataset import Dataset, Field
from governance.graph import Edge, Flow, Graph, Write
from governance.graph.nested import Nesting, nesting
from governance.lineage.model import Transformation

Thing = Field | Dataset
Hop = Edge | Flow

WORDS = ("pass-through", "renamed", "derived", "source", "unknown")
"""How a column came about (lineage semantics, section 8); ``source``: from no column that is known to feed it."""

NO_FURTHER, NO_INPUT = "no further lineage", "no recorded input"
NOT_TOLD, LEFT_OUT = "no column lineage was sent", "its column lineage leaves it out"
ENDS = (NO_FURTHER, NO_INPUT, NOT_TOLD, LEFT_OUT)
"""Why nothing is known to feed a column: no known job writes its table; a job does, and says that it comes from no
column; the job sent no column lineage; it did, and this column, which its schema has, is not in it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the tree.

    depth:    0 for what was asked
    what:     a column; a table stands for its rows
    word:     how a column came about, one of ``WORDS``; ``rows`` for a table
    note:     why nothing feeds it: one of ``ENDS``; empty where something does
    by:       how it feeds the line above that is one less deep: several uses of one column are one step
    repeated: it was followed above already
    """

    depth: int
    what: Thing
    word: str
    by: tuple[Hop, ...]
    repeated: bool
    note: str = ""

    @property
    def dataset(self) -> Dataset:
        """The table it is or is in."""
        return self.what.dataset if isinstance(self.what, Field) else self.what


@dataclass(frozen=True, slots=True)
class Trace:
    """All that ``start`` comes from.

    origins: the columns and tables at the ends, which no known job writes
    stale:   tables that are gone: their lineage is of what was
    """

    start: Thing
    steps: tuple[Step, ...]
    origins: tuple[Thing, ...]
    stale: frozenset[Dataset]

    def as_dict(self) -> dict[str, Any]:
        """Return the public JSON form.

        ``steps`` are in the order of printing, each ``{"depth", "field" or null, "dataset", "namespace", "word",
        "note" or null, "repeated", "stale", "by"}``; ``by`` lists ``{"how", "masking", "job", "run", "learned",
        "confirmed"}``. ``origins`` are ``{"field" or null, "dataset", "namespace"}``.
        """
        return {
            "start": str(self.start),
            "steps": [
                {
                    "depth": step.depth,
                    **_named(step.what),
                    "word": step.word,
                    "note": step.note or None,
                    "repeated": step.repeated,
                    "stale": step.dataset in self.stale,
                    "by": [_hop(hop) for hop in step.by],
                }
                for step in self.steps
            ],
            "origins": [_named(thing) for thing in self.origins],
        }


def trace(graph: Graph, start: Thing, *, stale: Iterable[Dataset] = ()) -> Trace:
    """Return what the values of ``start`` come from; a table means each of its columns.

    stale: tables that the catalog no longer has, beside those that events say were dropped
    """
    return replace(_traced(graph, start, _Upstream.of(graph), rows=False), stale=graph.dropped | frozenset(stale))


def trace_rows(graph: Graph, start: Thing, *, stale: Iterable[Dataset] = ()) -> Trace:
    """Return the same with what shapes the rows of each table on the way."""
    return replace(_traced(graph, start, _Upstream.of(graph), rows=True), stale=graph.dropped | frozenset(stale))


@dataclass(frozen=True, slots=True)
class _Upstream:
    into: Mapping[Thing, Sequence[Edge]]
    flows: Mapping[Dataset, Sequence[Flow]]
    writes: Mapping[Dataset, Sequence[Write]]
    nesting: Nesting
    fields: Mapping[Dataset, tuple[Field, ...]]

    @classmethod
    def of(cls, graph: Graph) -> "_Upstream":
        into: dict[Thing, list[Edge]] = defaultdict(list)
        for edge in graph.edges:
            into[edge.target].append(edge)
        flows: dict[Dataset, list[Flow]] = defaultdict(list)
        for flow in graph.flows:
            flows[flow.target].append(flow)
        writes: dict[Dataset, list[Write]] = defaultdict(list)
        for write in graph.writes:
            writes[write.dataset].append(write)
        nested = nesting(field for fields in graph.fields.values() for field in fields)
        return cls(into, flows, writes, nested, graph.fields)

    def edges(self, field: Field) -> Iterator[Edge]:
        """Yield what feeds a column, what holds it and what it holds."""
        for thing in (field, *self.nesting.related(field)):
            yield from self.into.get(thing, ())

    def untold(self, field: Field) -> Iterator[Flow]:
        """Yield the flows of jobs that wrote the column and did not tell what feeds it."""
        for flow in self.flows.get(field.dataset, ()):
            if not flow.traced or field.name in flow.gaps:
                yield flow

    def rows(self, dataset: Dataset) -> Iterator[Hop]:
        """Yield what shapes a table's rows; a table read of which no column does so is one that does."""
        edges = self.into.get(dataset, ())
        yield from edges
        shaping = {edge.source.dataset for edge in edges}
        yield from (flow for flow in self.flows.get(dataset, ()) if flow.source not in shaping)

    def word(self, thing: Thing) -> str:
        if isinstance(thing, Dataset):
            return "rows"
        words = {self._word(thing, write) for write in self.writes.get(thing.dataset, ())} or {"source"}
        return words.pop() if len(words) == 1 else "derived"

    def note(self, thing: Thing, word: str) -> str:
        """Return why nothing feeds ``thing``, which came about by ``word``; empty for what something does."""
        if isinstance(thing, Dataset) or word not in ("source", "unknown"):
            return ""
        writes = self.writes.get(thing.dataset, ())
        if word == "source":
            return NO_INPUT if writes else NO_FURTHER
        return LEFT_OUT if any(write.traced for write in writes) else NOT_TOLD

    def _word(self, field: Field, write: Write) -> str:
        if not write.traced or field.name in write.gaps:
            return "unknown"
        edges = [it for it in self.edges(field) if (it.job, it.run_id) == (write.job.name, write.run_id)]
        if not edges:
            return "source"
        if len(edges) == 1 and edges[0].transformation is Transformation.IDENTITY:
            return "pass-through" if edges[0].source.name == field.name else "renamed"
        return "derived"


def _traced(graph: Graph, start: Thing, upstream: _Upstream, *, rows: bool) -> Trace:
    steps: list[Step] = []
    followed: set[Thing] = set()
    waiting: list[tuple[int, Thing, tuple[Hop, ...]]] = [(0, start, ())]
    while waiting:
        depth, thing, by = waiting.pop()
        feeding = _feeding(upstream, thing, rows=rows, asked=depth == 0)
        repeated = thing in followed and bool(feeding)
        word = upstream.word(thing)
        steps.append(Step(depth, thing, word, by, repeated, upstream.note(thing, word)))
        if thing not in followed:
            followed.add(thing)
            waiting.extend((depth + 1, source, hops) for source, hops in reversed(feeding.items()))
    origins = sorted({step.what for step in steps if step.dataset not in upstream.writes}, key=_by_name)
    return Trace(start, tuple(steps), tuple(origins), graph.dropped)


def _feeding(upstream: _Upstream, thing: Thing, *, rows: bool, asked: bool) -> dict[Thing, tuple[Hop, ...]]:
    """Return what the next lines are for ``thing``, with the hops to each."""
    found: dict[Thing, list[Hop]] = defaultdict(list)
    if isinstance(thing, Dataset):
        if asked:
            # the columns of a table that was asked for are its parts, and no hop
            found.update({field: [] for field in upstream.fields.get(thing, ())})
        if rows:
            for hop in upstream.rows(thing):
                found[hop.source].append(hop)
        return {source: tuple(hops) for source, hops in found.items()}
    for edge in upstream.edges(thing):
        found[edge.source].append(edge)
    for flow in upstream.untold(thing):
        found[flow.source].append(flow)
    if rows and thing.dataset in upstream.writes:
        found.setdefault(thing.dataset, [])
    return {source: tuple(hops) for source, hops in found.items()}


def _by_name(thing: Thing) -> tuple[str, Dataset]:
    return str(thing), thing.dataset if isinstance(thing, Field) else thing


def _named(thing: Thing) -> dict[str, Any]:
    dataset = thing.dataset if isinstance(thing, Field) else thing
    field = str(thing) if isinstance(thing, Field) else None
    return {"field": field, "dataset": dataset.name, "namespace": dataset.namespace}


def _hop(hop: Hop) -> dict[str, Any]:
    return {
        "how": hop.how,
        "masking": hop.masking if isinstance(hop, Edge) else False,
        "job": hop.job,
        "run": hop.run_id,
        "learned": hop.learned.value,
        "confirmed": hop.at.isoformat(),
    }
