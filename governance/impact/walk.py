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

A file of several kinds of record gives what each of its kinds is: a change of the file is one of all of them, so the
walk begins at their rows and columns too. A change of one kind is that kind's alone.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from governance.dataset import Dataset, Field
from governance.graph import Edge, Flow, Graph
from governance.graph.nested import Nesting, nesting
from governance.impact.change import Change
from governance.impact.model import Hop, Impact, Reached, Touch
from governance.landing.kinds import kinds_of

State = tuple[Field | Dataset, Touch]
Origins = dict[State, tuple[State, Hop] | None]
"""Where each state was first reached from, and by which hop; None for where the walk began."""


def impact(
    graph: Graph, start: Field | Dataset, change: Change | None = None, *, stale: Iterable[Dataset] = ()
) -> Impact:
    """Return all that a change of ``start`` can reach; a dataset as start means its rows and all of its columns.

    A file's kinds of record change along with it, and are no more listed than the file itself.

    change: a FILTER of a column is a changed condition that it takes part in, of a table one on its rows; every other
            kind walks the same way as an unnamed one
    stale:  tables that the catalog no longer has, beside those that events say were dropped
    """
    kinds = kinds_of(start, graph.fields) if isinstance(start, Dataset) else ()
    origins = [state for it in (start, *kinds) for state in _origins(graph, it, change)]
    came, arrived = _walk(_Index.of(graph), origins)
    own = {thing for thing, _ in origins}

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
        downstream=_downstream(graph, (start.dataset,) if isinstance(start, Field) else (start, *kinds)),
        kinds=kinds,
        change=change,
        stale=graph.dropped | frozenset(stale),
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
    nesting: Nesting

    @classmethod
    def of(cls, graph: Graph) -> "_Index":
        edges: dict[Field, list[Edge]] = defaultdict(list)
        for edge in graph.edges:
            edges[edge.source].append(edge)
        nested = nesting(field for fields in graph.fields.values() for field in fields)
        return cls(edges, _flows_by_source(graph), graph.fields, nested)

    def read_of(self, field: Field) -> Iterator[Edge]:
        """Yield the edges from a column, from what holds it and from what it holds: all of them read of it."""
        for source in (field, *self.nesting.related(field)):
            yield from self.edges.get(source, ())


def _flows_by_source(graph: Graph) -> dict[Dataset, list[Flow]]:
    flows: dict[Dataset, list[Flow]] = defaultdict(list)
    for flow in graph.flows:
        flows[flow.source].append(flow)
    return flows


def _origins(graph: Graph, start: Field | Dataset, change: Change | None) -> list[State]:
    conditions = change is Change.FILTER
    if isinstance(start, Field):
        return [(start, Touch.CONDITION if conditions else Touch.VALUE)]
    touch = Touch.POPULATION if conditions else Touch.VALUE
    return [(start, Touch.ROWS), *((field, touch) for field in graph.fields.get(start, ()))]


def _walk(index: _Index, origins: list[State]) -> tuple[Origins, dict[State, list[Hop]]]:
    came: Origins = dict.fromkeys(origins)
    arrived: dict[State, list[Hop]] = defaultdict(list)
    waiting = deque(origins)
    while waiting:
        state = waiting.popleft()
        for hop, reached in _steps(index, state):
            arrived[reached].append(hop)
            if reached not in came:
                fresh = [reached, *(within for within in _within(index, reached) if within not in came)]
                came.update(dict.fromkeys(fresh, (state, hop)))
                waiting.extend(fresh)
    return came, arrived


def _within(index: _Index, state: State) -> Iterator[State]:
    """Yield what changes along: the columns with a table's rows, a column's members with it; they stand as near."""
    what, touch = state
    if isinstance(what, Field):
        yield from ((member, touch) for member in index.nesting.inner.get(what, ()))
    elif touch is Touch.ROWS:
        yield from ((field, Touch.POPULATION) for field in index.fields.get(what, ()))


def _steps(index: _Index, state: State) -> Iterator[tuple[Hop, State]]:
    what, touch = state
    if isinstance(what, Dataset):
        yield from _from_rows(index, what) if touch is Touch.ROWS else _from_unknown(index, what)
        return
    for edge in index.read_of(what):
        for reached in _over(index, edge, touch):
            yield edge, reached
    if touch is Touch.CONDITION:
        return
    for flow in index.flows.get(what.dataset, ()):
        for unknown in _untraced(flow):
            yield flow, unknown


def _over(index: _Index, edge: Edge, touch: Touch) -> Iterable[State]:
    if edge.transformation.direct:
        if touch is Touch.CONDITION:
            return []
        # a producer may list a DIRECT input for the whole dataset: it is one of every column
        targets = index.fields[edge.target] if isinstance(edge.target, Dataset) else (edge.target,)
        return [(target, touch) for target in targets]
    if touch is Touch.UNKNOWN:
        return [(edge.target, touch)]
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


def _downstream(graph: Graph, starts: tuple[Dataset, ...]) -> tuple[Dataset, ...]:
    flows = _flows_by_source(graph)
    seen = {*starts}
    waiting = [*starts]
    while waiting:
        fresh = {flow.target for flow in flows.get(waiting.pop(), ())} - seen
        seen |= fresh
        waiting.extend(fresh)
    return tuple(sorted(seen.difference(starts)))
