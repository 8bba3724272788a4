"""What a change reaches: columns by value, columns and tables by population, and what cannot be told.

The walk is over states, a thing and how it is touched: it ends, since each state is visited once, and a column first
seen as population is walked again when a later path reaches it by value. The rules:

==========================  ====================  ====================================================================
touched                     by                    reaches
==========================  ====================  ====================================================================
a column, by value          DIRECT edge           that column, by value
a column, by population     DIRECT edge           that column, by population
a column, either way        INDIRECT, on a field  that column, by population: steered, not derived
a column, either way        INDIRECT, on a table  that table's rows
a table's rows                                    all of its columns, by population
a table's rows              a job that reads it   the rows of all the job's outputs, whatever their columns say
anything in a table         a job that reads it   an output of unknown column lineage, as unknown; and on from there
==========================  ====================  ====================================================================

A change of one column's values does not by itself change which rows its table has: rows flow from a table only once an
INDIRECT edge on that table, or the rows of another table, changed them. So a new e-mail format reaches the columns that
copy it, and not every table that counts learners.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from governance.dataset import Dataset, Field
from governance.graph import Edge, Flow, Graph


class Touch(Enum):
    """How a change arrives at a column or table."""

    VALUE = "value"
    POPULATION = "population"
    ROWS = "rows"
    UNKNOWN = "unknown"


State = tuple[Field | Dataset, Touch]
Hop = Edge | Flow
Origins = dict[State, tuple[State, Hop] | None]
"""Where each state was first reached from, and by which hop; None for where the walk began."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A column or table that a change can reach.

    path: the shortest way from the start, one hop an edge; of equally short ones the first in the graph's order
    by:   every hop that arrives at it from something reached
    """

    what: Field | Dataset
    path: tuple[Hop, ...]
    by: tuple[Hop, ...]

    @property
    def dataset(self) -> Dataset:
        """The table it is or is in."""
        return self.what.dataset if isinstance(self.what, Field) else self.what


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change of ``start`` can reach, nearest first, then by name.

    values:     columns whose values can change
    population: columns that can change with the rows behind them, or are steered; disjoint from ``values``
    tables:     tables whose rows can change
    unknown:    tables and columns whose job read something touched and told no column lineage, what reads those,
                and nothing that the first two list
    downstream: every table that a job derives, directly or not, from the start's table, whichever columns it reads
    """

    start: Field | Dataset
    values: tuple[Reached, ...]
    population: tuple[Reached, ...]
    tables: tuple[Reached, ...]
    unknown: tuple[Reached, ...]
    downstream: tuple[Dataset, ...]

    @property
    def assets(self) -> tuple[Dataset, ...]:
        """The tables with a column that is reached, sorted; compare ``downstream``, what table lineage would say."""
        return tuple(sorted({reached.dataset for reached in (*self.values, *self.population)}))

    def as_dict(self) -> dict[str, Any]:
        """Return the public JSON form.

        ``field`` and ``dataset`` are names without namespace. Each entry has ``namespace``, ``distance`` (hops),
        ``edges`` (types of the hops that arrive) and ``path`` beside them.
        """
        return {
            "start": str(self.start),
            "values": [_field_entry(reached) for reached in self.values],
            "population": [_field_entry(reached) for reached in self.population],
            "tables": [_entry(reached) for reached in self.tables],
            "unknown": [
                _field_entry(reached) if isinstance(reached.what, Field) else _entry(reached)
                for reached in self.unknown
            ],
            "downstream": [{"dataset": dataset.name, "namespace": dataset.namespace} for dataset in self.downstream],
        }


def impact(graph: Graph, start: Field | Dataset) -> Impact:
    """Return all that a change of ``start`` can reach; a dataset as start means its rows and all of its columns."""
    came, arrived = _walk(_Index.of(graph), _origins(graph, start))
    own = {start, *(graph.fields.get(start, ()) if isinstance(start, Dataset) else ())}

    def touched(touch: Touch) -> tuple[Reached, ...]:
        states = (state for state in came if state[1] is touch and state[0] not in own)
        return tuple(sorted((_reached(state, came, arrived) for state in states), key=_order))

    values = touched(Touch.VALUE)
    population = _without(values, touched(Touch.POPULATION))
    return Impact(
        start=start,
        values=values,
        population=population,
        tables=touched(Touch.ROWS),
        unknown=_without((*values, *population), touched(Touch.UNKNOWN)),
        downstream=_downstream(graph, start.dataset if isinstance(start, Field) else start),
    )


def _without(listed: Iterable[Reached], reached: Iterable[Reached]) -> tuple[Reached, ...]:
    """Return what is not listed already under a stronger word."""
    things = {it.what for it in listed}
    return tuple(it for it in reached if it.what not in things)


@dataclass(frozen=True, slots=True)
class _Index:
    edges: Mapping[Field, list[Edge]]
    flows: Mapping[Dataset, list[Flow]]
    fields: Mapping[Dataset, tuple[Field, ...]]

    @classmethod
    def of(cls, graph: Graph) -> "_Index":
        edges: dict[Field, list[Edge]] = defaultdict(list)
        for edge in graph.edges:
            edges[edge.source].append(edge)
        return cls(edges, _flows_by_source(graph), graph.fields)


def _flows_by_source(graph: Graph) -> dict[Dataset, list[Flow]]:
    flows: dict[Dataset, list[Flow]] = defaultdict(list)
    for flow in graph.flows:
        flows[flow.source].append(flow)
    return flows


def _origins(graph: Graph, start: Field | Dataset) -> list[State]:
    if isinstance(start, Field):
        return [(start, Touch.VALUE)]
    return [(start, Touch.ROWS), *((field, Touch.VALUE) for field in graph.fields.get(start, ()))]


def _walk(index: _Index, origins: list[State]) -> tuple[Origins, dict[State, list[Hop]]]:
    came: Origins = dict.fromkeys(origins)
    arrived: dict[State, list[Hop]] = defaultdict(list)
    waiting = deque(origins)
    while waiting:
        state = waiting.popleft()
        for hop, reached in _steps(index, state):
            arrived[reached].append(hop)
            if reached not in came:
                fresh = [reached, *(column for column in _columns(index, reached) if column not in came)]
                came.update(dict.fromkeys(fresh, (state, hop)))
                waiting.extend(fresh)
    return came, arrived


def _columns(index: _Index, state: State) -> Iterator[State]:
    """Yield the columns that change with a table's rows: they stand as near as the table itself."""
    what, touch = state
    if isinstance(what, Dataset) and touch is Touch.ROWS:
        yield from ((field, Touch.POPULATION) for field in index.fields.get(what, ()))


def _steps(index: _Index, state: State) -> Iterator[tuple[Hop, State]]:
    what, touch = state
    if isinstance(what, Dataset):
        yield from _from_rows(index, what) if touch is Touch.ROWS else _from_unknown(index, what)
        return
    for edge in index.edges.get(what, ()):
        for reached in _over(index, edge, touch):
            yield edge, reached
    for flow in index.flows.get(what.dataset, ()):
        for unknown in _untraced(flow):
            yield flow, unknown


def _over(index: _Index, edge: Edge, touch: Touch) -> Iterable[State]:
    if touch is Touch.UNKNOWN:
        return [(edge.target, touch)]
    if edge.transformation.direct:
        targets = index.fields[edge.target] if isinstance(edge.target, Dataset) else (edge.target,)
        return [(target, touch) for target in targets]
    return [(edge.target, Touch.ROWS if isinstance(edge.target, Dataset) else Touch.POPULATION)]


def _untraced(flow: Flow) -> list[State]:
    if not flow.traced:
        return [(flow.target, Touch.UNKNOWN)]
    return [(Field(flow.target, name), Touch.UNKNOWN) for name in flow.gaps]


def _from_rows(index: _Index, dataset: Dataset) -> Iterator[tuple[Hop, State]]:
    for flow in index.flows.get(dataset, ()):
        yield flow, (flow.target, Touch.ROWS)
        for unknown in _untraced(flow):
            yield flow, unknown


def _from_unknown(index: _Index, dataset: Dataset) -> Iterator[tuple[Hop, State]]:
    for flow in index.flows.get(dataset, ()):
        yield flow, (flow.target, Touch.UNKNOWN)


def _reached(state: State, came: Origins, arrived: Mapping[State, list[Hop]]) -> Reached:
    path: list[Hop] = []
    before = came[state]
    while before:
        path.append(before[1])
        before = came[before[0]]
    what, touch = state
    by = arrived.get(state, [])
    if isinstance(what, Field) and touch is Touch.POPULATION:
        by = [*by, *arrived.get((what.dataset, Touch.ROWS), [])]
    return Reached(what, tuple(reversed(path)), tuple(dict.fromkeys(by)))


def _order(reached: Reached) -> tuple[int, str, Dataset]:
    return len(reached.path), str(reached.what), reached.dataset


def _downstream(graph: Graph, start: Dataset) -> tuple[Dataset, ...]:
    flows = _flows_by_source(graph)
    seen = {start}
    waiting = [start]
    while waiting:
        fresh = {flow.target for flow in flows.get(waiting.pop(), ())} - seen
        seen |= fresh
        waiting.extend(fresh)
    return tuple(sorted(seen - {start}))


def _entry(reached: Reached) -> dict[str, Any]:
    return {
        "dataset": reached.dataset.name,
        "namespace": reached.dataset.namespace,
        "distance": len(reached.path),
        "edges": sorted({hop.how for hop in reached.by}),
        "path": [_hop(hop) for hop in reached.path],
    }


def _field_entry(reached: Reached) -> dict[str, Any]:
    return {"field": str(reached.what), **_entry(reached)}


def _hop(hop: Hop) -> dict[str, str]:
    return {"from": str(hop.source), "to": str(hop.target), "how": hop.how, "job": hop.job, "run": hop.run_id}
