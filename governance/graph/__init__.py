"""Events → Graph: which fields flow into or steer which, and whose rows flow where. Nothing here reads SQL."""

from governance.graph.build import build_graph, graph_of
from governance.graph.model import RANK, Edge, Flow, Graph, Tagged, Write
from governance.graph.resolve import resolve

__all__ = ["RANK", "Edge", "Flow", "Graph", "Tagged", "Write", "build_graph", "graph_of", "resolve"]
