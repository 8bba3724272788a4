"""Proposed classes of a part of a followed graph: exactly those of the whole, where not too much leads to it."""

from collections.abc import Collection, Mapping
from datetime import date

from governance.classification import Proposal, propose
from governance.dataset import Dataset, Field
from governance.graph.build import fields_of, flows_of
from governance.graph.model import Graph
from governance.graph.part import StandingEdges
from governance.graph.stored_graph import StoredGraph
from governance.page.tables import Tables
from governance.policy import Policy

MOST_WRITTEN, MOST_COLUMNS = 100, 30_000
"""What may lead to a part, as tables that are written and columns in all, so that a view waits half a second more."""


def proposed_in(
    graph: StoredGraph, tables: Tables, shown: Collection[Dataset], policy: Policy, today: date
) -> Mapping[Field, Proposal] | None:
    """Return the proposals for the columns of ``shown``; None where too much leads to them.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    leading = _leading(tables, shown)
    if leading is None:
        return None
    proposals = propose(_part(graph, leading), policy, today=today)
    return {field: it for field, it in proposals.items() if field.dataset in shown}


def _leading(tables: Tables, shown: Collection[Dataset]) -> frozenset[Dataset] | None:
    """Return ``shown`` and all that leads to it, up to what may be."""
    found, front, written = set(shown), set(shown), 0
    while front:
        written += sum(it in tables.inputs for it in front)
        columns = sum(len(tables.columns.get(it, ())) for it in found)
        if written > MOST_WRITTEN or columns > MOST_COLUMNS:
            return None
        front = {source for it in front for source in tables.inputs.get(it, ())} - found
        found |= front
    return frozenset(found)


def _part(graph: StoredGraph, tables: frozenset[Dataset]) -> Graph:
    standing = graph.known.standing
    writes = tuple(it for it in standing.writes if it.dataset in tables)
    edges = StandingEdges.of(graph.known, [it for it in standing.said if it[1].dataset in tables]).every()
    return Graph(
        edges=edges,
        flows=tuple(flows_of(writes)),
        writes=writes,
        fields=fields_of(standing, writes, (it.source for it in edges), tables),
        tags=graph.tags,
        dropped=standing.dropped,
    )
