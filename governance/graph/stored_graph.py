"""A graph whose edges stay where they stand until somebody asks for them: most rules ask for none."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from governance.dataset import Dataset, Field
from governance.errors import UnknownField
from governance.graph.build import datasets_of, fields_of, flows_of, tags_of
from governance.graph.known import Known, start_of
from governance.graph.model import Edge, Flow, Graph, Tagged, Write
from governance.graph.part import StandingEdges, derived


def meant(graph: Graph, name: str) -> Field | Dataset | None:
    """Return what ``name`` means in a graph whose edges are not made; None where it means nothing, or they are.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    if not isinstance(graph, StoredGraph):
        return None
    with suppress(UnknownField):
        return start_of(replace(graph.known, catalog={}, aliases={}), name)[0]
    return None


def around(graph: Graph, dataset: Dataset) -> Graph:
    """Return ``graph`` with the edges and columns alone that a change of ``dataset`` can reach, and without tags.

    A graph whose edges are made already is returned as it is.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    if not isinstance(graph, StoredGraph):
        return graph
    part = derived(graph.known, dataset)
    fields = {it: part.fields.get(it, ()) for it in datasets_of(graph.known.standing)}
    return Graph(part.edges, graph.flows, graph.writes, fields, dropped=graph.dropped)


class StoredGraph(Graph):
    """The graph of what stands; equal, part by part, to the one that is made at once."""

    def __init__(self, known: Known) -> None:
        object.__setattr__(self, "known", known)

    known: Known

    @cached_property
    def standing_edges(self) -> StandingEdges:
        """The edges of what stands, as arrays where they are stored so."""
        return StandingEdges.of(self.known, self.known.standing.said)

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Every edge, as a value."""
        return self.standing_edges.every()

    @property
    def targets(self) -> frozenset[Field | Dataset]:
        """What any edge leads to; no edge is made for it."""
        return frozenset(self.standing_edges.targets())

    @cached_property
    def flows(self) -> tuple[Flow, ...]:
        """What flows from dataset to dataset."""
        return tuple(flows_of(self.known.standing.writes))

    @property
    def writes(self) -> tuple[Write, ...]:
        """What stands."""
        return self.known.standing.writes

    @cached_property
    def fields(self) -> Mapping[Dataset, tuple[Field, ...]]:
        """The known columns of each dataset."""
        standing = self.known.standing
        return fields_of(standing, standing.writes, self.standing_edges.sources(), datasets_of(standing))

    @cached_property
    def tags(self) -> Mapping[Field | Dataset, tuple[Tagged, ...]]:
        """What producers' tags say."""
        return tags_of(self.known.standing.seen)

    @cached_property
    def dropped(self) -> frozenset[Dataset]:
        """The datasets of which the last thing said is that they were dropped."""
        return self.known.standing.dropped
