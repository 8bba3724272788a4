"""A graph whose edges stay where they stand until somebody asks for them: most rules ask for none."""

from collections.abc import Mapping
from functools import cached_property

from governance.dataset import Dataset, Field
from governance.graph.build import datasets_of, fields_of, flows_of, tags_of
from governance.graph.known import Known
from governance.graph.model import Edge, Flow, Graph, Tagged, Write
from governance.graph.part import StandingEdges, derived_edges


def around(graph: Graph, dataset: Dataset) -> Graph:
    """Return ``graph`` with the edges that a change of ``dataset`` can reach; with all where they are made already.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    if not isinstance(graph, StoredGraph):
        return graph
    edges = derived_edges(graph.known, dataset)
    return Graph(edges, graph.flows, graph.writes, graph.fields, graph.tags, graph.dropped)


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
