"""A graph's things as numbers, for walks in bulk: from values to arrays and from what a walk found back to values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from governance.dataset import Dataset, Field
from governance.graph import Edge, Graph
from governance.graph.nested import Nesting, nesting
from governance.network import Ids, Network, Pairs, network

Thing = Field | Dataset


@dataclass(frozen=True, slots=True)
class Numbered:
    """A network and what its vertices are: ``things[n]`` is vertex ``n``."""

    net: Network
    things: Sequence[Thing]
    numbers: Mapping[Thing, int]

    def things_of(self, ids: Ids) -> tuple[Thing, ...]:
        """Return what ``ids`` are, in their order."""
        return tuple(self.things[number] for number in ids.tolist())


def numbered(graph: Graph) -> Numbered:
    """Return the network of ``graph``, its vertices by dataset and the columns of each in order."""
    things: list[Thing] = []
    for dataset, fields in graph.fields.items():
        things.append(dataset)
        things.extend(fields)
    numbers = {thing: number for number, thing in enumerate(things)}
    nested = nesting(thing for thing in things if isinstance(thing, Field))
    edges = [ends for edge in graph.edges for ends in _ends(edge, graph, nested)]
    flows = [(numbers[flow.source], numbers[flow.target]) for flow in graph.flows]
    net = network(
        _pairs((numbers[source], numbers[target]) for source, target, _ in edges),
        np.fromiter((direct for *_, direct in edges), np.bool_, len(edges)),
        _owners(things, numbers),
        _pairs(flows),
        _pairs(_untold(graph, numbers)),
    )
    return Numbered(net, things, numbers)


def _ends(edge: Edge, graph: Graph, nested: Nesting) -> Iterator[tuple[Field, Thing, bool]]:
    """Yield an edge for all that reads of its source and all that changes along with its target."""
    direct = edge.transformation.direct
    targets: tuple[Thing, ...] = (edge.target,)
    if isinstance(edge.target, Field):
        targets = (edge.target, *nested.inner.get(edge.target, ()))
    elif direct:
        targets = graph.fields[edge.target]
    for source in (edge.source, *nested.related(edge.source)):
        yield from ((source, target, direct) for target in targets)


def _untold(graph: Graph, numbers: Mapping[Thing, int]) -> Iterator[tuple[int, int]]:
    for flow in graph.flows:
        source = numbers[flow.source]
        if not flow.traced:
            yield source, numbers[flow.target]
        yield from ((source, numbers[Field(flow.target, name)]) for name in flow.gaps if flow.traced)


def _owners(things: Sequence[Thing], numbers: Mapping[Thing, int]) -> Ids:
    owners = (numbers[it.dataset] if isinstance(it, Field) else number for number, it in enumerate(things))
    return np.fromiter(owners, np.int32, len(things))


def _pairs(pairs: Iterable[tuple[int, int]]) -> Pairs:
    both = np.array(list(pairs), np.int32).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()
