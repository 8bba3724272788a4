"""The part of a graph in which a column can be declared lower than its lineage proposes.

Classes are spread over arrays first, each by itself and without what people declassified, which only lowers: what is
reached by no class above its own cannot be declared too low. What remains is asked exactly, of the edges that decide.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from governance.dataset import Dataset, Field
from governance.evidence import evidence
from governance.graph.build import fields_of, flows_of
from governance.graph.model import Graph
from governance.graph.stored_graph import StoredGraph
from governance.lineage.model import Transformation
from governance.policy import Policy

if TYPE_CHECKING:
    from governance.events.arrays import Edges
    from governance.network import Marks

Thing = Field | Dataset


def suspects(graph: Graph, policy: Policy) -> Graph:
    """Return the part of ``graph`` that decides about each column that may be understated, all of it where it is small.

    Of the columns of that part which are none of those, fewer inputs are in it than they have.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    stored = graph.standing_edges.stored if isinstance(graph, StoredGraph) else None
    if not isinstance(graph, StoredGraph) or stored is None:
        return graph
    declared = dict(_declared(policy))
    tagged = tuple(_tagged(graph, policy))
    bulk = graph.standing_edges.bulk(stored, (*declared, *(it for it, _ in tagged)), ())
    kinds = _counted(graph, stored, policy)
    seeds: dict[str, list[int]] = defaultdict(list)
    for place, classification in enumerate((*declared.values(), *(it for _, it in tagged))):
        seeds[classification].append(place)
    reached = dict(zip(seeds, bulk.passing(kinds, (bulk.starts[of] for of in seeds.values())), strict=True))
    found = tuple(_found(graph, declared, {it: marks[bulk.starts] for it, marks in reached.items()}, policy))
    begun = bulk.starts[[place for place, _ in found]] if found else bulk.starts[:0]
    return _part(graph, stored, bulk.deciding(kinds, begun)[bulk.target], [it for _, it in found])


def _counted(graph: StoredGraph, stored: "Edges", policy: Policy) -> "Marks":
    """Mark the edges that count in any namespace."""
    import numpy as np  # noqa: PLC0415  # slow to start, and small stores have no arrays

    lineage = policy.lineage
    types = lineage.propagate_through.union(
        *(it.propagate_through for it in lineage.namespaces.values() if it.propagate_through is not None)
    )
    through = np.array([it.type in types for it in Transformation], np.bool_)
    values = [it.transformation.type in types for it in graph.standing_edges.values]
    return np.concatenate((through[stored.how], np.array(values, np.bool_)))


def _found(
    graph: StoredGraph, declared: Mapping[Field, str], reached: Mapping[str, "Marks"], policy: Policy
) -> Iterator[tuple[int, Field]]:
    """Yield the declared columns that a class reaches which protects more, and their places among all declared.

    reached: for each class whether it reaches what stands at a place
    """
    lattice, written = policy.lineage.lattice, graph.written
    above = {own: [marks for it, marks in reached.items() if lattice.lower(own, it)] for own in lattice.classes}
    for place, (field, own) in enumerate(declared.items()):
        if field.dataset in written and any(marks[place] for marks in above[own]):
            yield place, field


def _declared(policy: Policy) -> Iterator[tuple[Field, str]]:
    for name, table in policy.tables.items():
        dataset = policy.lineage.dataset(name)
        for column, it in table.columns.items():
            if it.classification:
                yield Field(dataset, column), it.classification


def _tagged(graph: StoredGraph, policy: Policy) -> Iterator[tuple[Thing, str]]:
    for thing, found in evidence(graph, policy.lineage).items():
        yield from ((thing, it.classification) for it in found)


def _part(graph: StoredGraph, stored: "Edges", marked: "Marks", found: Iterable[Field]) -> Graph:
    standing = graph.known.standing
    made = graph.standing_edges.marked(stored, marked)
    tables = {it.dataset for it in found} | {it.source.dataset for it in made}
    tables |= {it.target.dataset if isinstance(it.target, Field) else it.target for it in made}
    writes = tuple(replace(it, inputs=()) for it in standing.writes if it.dataset in tables)
    return Graph(
        edges=made,
        flows=tuple(flows_of(writes)),
        writes=writes,
        fields=fields_of(standing, writes, _read(graph, stored, tables), tables),
        tags=graph.tags,
        dropped=graph.dropped,
    )


def _read(graph: StoredGraph, stored: "Edges", tables: set[Dataset]) -> Iterator[Field]:
    """Yield the columns of ``tables`` that any edge reads: they may lie in one another."""
    from governance.events.arrays import fields_in  # noqa: PLC0415  # slow to start, and small stores have no arrays

    yield from (it.source for it in graph.standing_edges.values if it.source.dataset in tables)
    yield from fields_in(stored, tables)
