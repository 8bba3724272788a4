"""Two sets of events → how each table differs, from what their runs told of columns and edges.

Events hold no expression, so a column counts as computed otherwise where its edges changed, and rows where the edges on
every row or the tables read did; what changed beneath equal edges, only the texts of two revisions tell.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from governance.dataset import Dataset, Field
from governance.diff.model import Difference, Edge
from governance.graph import Graph


def told_differences(base: Graph, head: Graph) -> tuple[Difference, ...]:
    """Return how the tables that jobs write differ between two graphs, by table; one that does not is left out."""
    before, after = _tables(base), _tables(head)
    found = []
    for dataset in sorted({*before, *after}):
        old, new = before.get(dataset), after.get(dataset)
        if old is None or new is None:
            found.append(_one_sided(dataset, old, new))
        elif old != new:
            found.append(_two_sided(dataset, old, new))
    return tuple(found)


Table = tuple[tuple[str, ...], frozenset[Edge], frozenset[str]]
"""Columns in order, edges, tables read."""


def _tables(graph: Graph) -> Mapping[Dataset, Table]:
    edges: dict[Dataset, set[Edge]] = defaultdict(set)
    for edge in graph.edges:
        target, out = (edge.target.dataset, edge.target.name) if isinstance(edge.target, Field) else (edge.target, None)
        edges[target].add((out, edge.source.dataset.name, edge.source.name, edge.how, edge.masking))
    reads: dict[Dataset, set[str]] = defaultdict(set)
    for flow in graph.flows:
        reads[flow.target].add(flow.source.name)
    return {
        dataset: (
            tuple(it.name for it in graph.fields.get(dataset, ())),
            frozenset(edges[dataset]),
            frozenset(reads[dataset]),
        )
        for dataset in graph.written
    }


def _one_sided(dataset: Dataset, old: Table | None, new: Table | None) -> Difference:
    columns, edges, _ = new or old or ((), frozenset(), frozenset())
    found = Difference(dataset.name, "", made=old is None, removed=new is None, columns=columns)
    return replace(found, more=_sorted(edges)) if new else replace(found, less=_sorted(edges))


def _two_sided(dataset: Dataset, old: Table, new: Table) -> Difference:
    was, now = _by_column(old), _by_column(new)
    gone = [name for name in old[0] if name not in new[0]]
    fresh = [name for name in new[0] if name not in old[0]]
    # the one column gone and the one that came, of the same inputs, is one that was renamed
    renamed = ((gone[0], fresh[0]),) if len(gone) == len(fresh) == 1 and was[gone[0]] == now[fresh[0]] else ()
    kept = [name for name in old[0] if name in new[0]]
    return Difference(
        dataset.name,
        "",
        gone=() if renamed else tuple(gone),
        renamed=renamed,
        added=() if renamed else tuple(fresh),
        values=tuple(name for name in kept if was[name] != now[name]),
        rows=was[None] != now[None] or old[2] != new[2],
        more=_sorted(new[1] - old[1]),
        less=_sorted(old[1] - new[1]),
        columns=old[0],
    )


def _by_column(table: Table) -> Mapping[str | None, frozenset[tuple[object, ...]]]:
    found: dict[str | None, set[tuple[object, ...]]] = {None: set(), **{name: set() for name in table[0]}}
    for out, *rest in table[1]:
        found.setdefault(out, set()).add(tuple(rest))
    return {name: frozenset(edges) for name, edges in found.items()}


def _sorted(edges: frozenset[Edge]) -> tuple[Edge, ...]:
    return tuple(sorted(edges, key=lambda edge: (edge[0] or "", *edge[1:])))
