"""The part of a graph that one question is about: what is derived from a thing, or what it is derived from.

A walk over the part finds what it finds in the whole graph, and most edges of a large graph are never made. Two steps
narrow it down: by tables, since every edge runs along with rows that flow, then by columns, over arrays where the edges
stand as such. Both keep too much rather than too little. Tags, which no walk looks at, are not in it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING

from governance.dataset import Dataset, Field
from governance.graph.build import Said, edge_order, edges_of, fields_of, flows_of
from governance.graph.known import Known, columns_of, datasets_known, start_of
from governance.graph.model import Edge, Flow, Graph, Write
from governance.landing.kinds import kinds_of
from governance.lineage.model import Transformation
from governance.runs import Run, ended

if TYPE_CHECKING:
    from governance.events.arrays import Edges
    from governance.graph.bulk import Bulk
    from governance.network import Marks

Thing = Field | Dataset
Leads = Mapping[Dataset, Sequence[Dataset]]
Narrow = Callable[["Bulk"], "Marks"]

TRANSFORMATIONS = tuple(Transformation)
"""By the numbers that stored edges have."""


def downstream(known: Known, name: str) -> tuple[Graph, Thing]:
    """Return the part that a change of ``name`` can reach, and what ``name`` means.

    Raises:
        UnknownField: as for :func:`governance.graph.resolve.resolve`.
        EventStoreError: a file of the store is missing or damaged.
    """
    start, columns = start_of(known, name)
    # a file's kinds of record change along with it
    kinds = kinds_of(start, datasets_known(known)) if isinstance(start, Dataset) else ()
    leads = _derived(known.standing.writes)
    return _part(known, (start, *kinds), columns, leads, lambda bulk: bulk.derived()), start


def upstream(known: Known, name: str) -> tuple[Graph, Thing]:
    """Return the part that the values of ``name`` come from, and what ``name`` means.

    Raises:
        UnknownField, EventStoreError: as for :func:`downstream`.
    """
    return _upstream(known, name, lambda bulk: bulk.feeding())


def upstream_rows(known: Known, name: str) -> tuple[Graph, Thing]:
    """Return the part that the values of ``name`` come from and what shapes the rows on the way.

    Raises:
        UnknownField, EventStoreError: as for :func:`downstream`.
    """
    return _upstream(known, name, lambda bulk: bulk.feeding_rows())


def derived(known: Known, dataset: Dataset) -> Graph:
    """Return the part that a change of ``dataset``, or of one of its kinds of record, can reach.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    columns = columns_of(known, frozenset((dataset,)))[dataset]
    starts = (dataset, *kinds_of(dataset, datasets_known(known)))
    return _part(known, starts, columns, _derived(known.standing.writes), lambda bulk: bulk.derived())


def _upstream(known: Known, name: str, narrow: Narrow) -> tuple[Graph, Thing]:
    start, columns = start_of(known, name)
    return _part(known, (start,), columns, _feeding(known.standing.writes), narrow), start


def _part(known: Known, starts: Sequence[Thing], columns: tuple[Field, ...], leads: Leads, narrow: Narrow) -> Graph:
    """Return what ``leads`` leads to from ``starts``; ``columns`` are those of the first, or of what it is in."""
    own = [it.dataset if isinstance(it, Field) else it for it in starts]
    tables = _closure(own, leads)
    standing = known.standing
    places = [place for place, write in enumerate(standing.writes) if write.dataset in tables]
    writes = [standing.writes[place] for place in places]
    flows = tuple(flows_of(replace(it, inputs=tuple(tables.intersection(it.inputs))) for it in writes))
    edges = StandingEdges.of(known, [standing.said[place] for place in places])
    fields = fields_of(standing, writes, edges.sources(), tables)
    return Graph(
        edges=edges.narrowed(starts, flows, narrow),
        flows=flows,
        writes=standing.writes,
        fields=dict(sorted((fields | {own[0]: columns}).items())),
        dropped=standing.dropped,
    )


def _derived(writes: Iterable[Write]) -> Leads:
    leads: dict[Dataset, list[Dataset]] = defaultdict(list)
    for write in writes:
        for source in write.inputs:
            leads[source].append(write.dataset)
    return leads


def _feeding(writes: Iterable[Write]) -> Leads:
    leads: dict[Dataset, list[Dataset]] = defaultdict(list)
    for write in writes:
        leads[write.dataset] += write.inputs
    return leads


def _closure(starts: Iterable[Dataset], leads: Leads) -> frozenset[Dataset]:
    waiting = [*starts]
    seen = {*waiting}
    while waiting:
        fresh = set(leads.get(waiting.pop(), ())) - seen
        seen |= fresh
        waiting.extend(fresh)
    return frozenset(seen)


@dataclass(frozen=True, slots=True)
class StandingEdges:
    """Edges of some writes: those of whole events as values, those of light ones as arrays.

    tellers: for each saying of ``stored`` the runs that said it; None where no event is light
    """

    values: tuple[Edge, ...]
    stored: "Edges | None"
    tellers: tuple[tuple[Run, ...], ...]

    @classmethod
    def of(cls, known: Known, said: Sequence[Said]) -> "StandingEdges":
        """Return the edges of what is ``said``.

        Raises:
            EventStoreError: a file of the store is missing or damaged.
        """
        places = [known.saying(it) for it in said]
        values = tuple(edges_of(compress(said, (place is None for place in places))))
        runs: dict[tuple[int, int], list[Run]] = defaultdict(list)
        for (run, _), place in zip(said, places, strict=True):
            if place is not None:
                runs[place].append(run)
        stored = known.light.edges(tuple(runs)) if known.light and runs else None
        return cls(values, stored, tuple(map(tuple, runs.values())))

    def sources(self) -> Iterator[Field]:
        """Yield the columns that are read."""
        yield from (edge.source for edge in self.values)
        if self.stored:
            yield from self.stored.sources()

    def targets(self) -> Iterator[Thing]:
        """Yield what edges lead to, some of it several times."""
        yield from (edge.target for edge in self.values)
        if self.stored:
            yield from self.stored.targets()

    def narrowed(self, starts: Iterable[Thing], flows: Iterable[Flow], narrow: Narrow) -> tuple[Edge, ...]:
        """Return those edges that a walk from ``starts`` may meet, in a graph's order."""
        if self.stored is None:
            return self.values
        return self.marked(self.stored, narrow(self.bulk(self.stored, starts, flows)))

    def every(self) -> tuple[Edge, ...]:
        """Return all edges, in a graph's order."""
        if self.stored is None:
            return self.values
        from governance.network import everything  # noqa: PLC0415  # numpy is slow to start

        made = self.made(self.stored, everything(len(self.stored.source)))
        return tuple(sorted((*self.values, *made), key=_order))

    def bulk(self, stored: "Edges", starts: Iterable[Thing], flows: Iterable[Flow]) -> "Bulk":
        """Return all edges by the numbers of their ends."""
        from governance.graph.bulk import bulk_of  # noqa: PLC0415  # numpy is slow to start, and small stores have none

        return bulk_of(stored, self.values, starts, flows)

    def marked(self, stored: "Edges", kept: "Marks") -> tuple[Edge, ...]:
        """Return the edges that are marked, in a graph's order; marks are over the stored ones, then the others."""
        of_values = compress(self.values, kept[len(stored.source) :].tolist())
        return tuple(sorted((*of_values, *self.made(stored, kept)), key=_order))

    def made(self, stored: "Edges", kept: "Marks") -> Iterator[Edge]:
        """Yield the stored edges that are marked, as values."""
        for source, target, how, masking, of in stored.rows(kept):
            for run in self.tellers[of]:
                said = run.job.name, run.run_id, ended(run), run.learned
                yield Edge(source, target, TRANSFORMATIONS[how], masking, *said)


def _order(edge: Edge) -> tuple[object, ...]:
    target = edge.target
    return target.dataset if isinstance(target, Field) else target, *edge_order(edge)
