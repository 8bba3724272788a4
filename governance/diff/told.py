"""Two sets of events → how each table differs, from what their runs told of columns and edges.

Events hold no expression, so a column counts as computed otherwise where its edges changed, and rows where the edges on
every row or the tables read did; what changed beneath equal edges, only the texts of two revisions tell.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from governance.dataset import Dataset, Field
from governance.diff.model import Difference, Edge
from governance.diff.version import in_order
from governance.events.model import Event, SchemaFieldPart
from governance.graph import Graph, graph_of
from governance.graph.build import standing_of
from governance.runs import read_declared, read_runs
from governance.sql_type import sql_type


@dataclass(frozen=True, slots=True)
class Told:
    """What one set of events tells: its graph, and the types of written columns, members as ``address.city``."""

    graph: Graph
    types: Mapping[Field, str]


def told_by(events: Iterable[Event]) -> Told:
    """Return what ``events`` tell, the same for every order of them."""
    read = tuple(events)
    runs, declared = read_runs(read), read_declared(read)
    written = (out for _, out in standing_of(runs, declared).said)
    types = {Field(out.dataset, name): kind for out in written for name, kind in _types(out.schema)}
    return Told(graph_of(runs, declared), types)


def _types(fields: Iterable[SchemaFieldPart], within: str = "") -> Iterator[tuple[str, str]]:
    for field in fields:
        name = f"{within}{field.name}"
        yield name, field.type or ""
        yield from _types(field.fields, f"{name}.")


def spelt(base: Told, head: Told) -> Mapping[Dataset, str]:
    """Return how each dataset is called: by its name, with the namespace where two of them share it."""
    datasets = {*base.graph.fields, *head.graph.fields}
    shared = Counter(dataset.name for dataset in datasets)
    return {it: it.name if shared[it.name] == 1 else f"{it.namespace}/{it.name}" for it in datasets}


def told_differences(base: Told, head: Told) -> tuple[Difference, ...]:
    """Return how the tables that jobs write differ between two sets, by table; one that does not is left out."""
    names = spelt(base, head)
    before, after = _tables(base, names), _tables(head, names)
    found = []
    for dataset in sorted({*before, *after}):
        old, new = before.get(dataset), after.get(dataset)
        if old is None or new is None:
            found.append(_one_sided(names[dataset], old, new))
        elif old != new:
            found.append(_two_sided(names[dataset], old, new))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Table:
    """One written table: its columns in order with their types, its edges, the tables read."""

    columns: Mapping[str, str]
    edges: frozenset[Edge]
    reads: frozenset[str]


def _tables(told: Told, names: Mapping[Dataset, str]) -> Mapping[Dataset, _Table]:
    edges: dict[Dataset, set[Edge]] = defaultdict(set)
    for edge in told.graph.edges:
        target, out = (edge.target.dataset, edge.target.name) if isinstance(edge.target, Field) else (edge.target, None)
        edges[target].add((out, names[edge.source.dataset], edge.source.name, edge.how, edge.masking))
    reads: dict[Dataset, set[str]] = defaultdict(set)
    for flow in told.graph.flows:
        reads[flow.target].add(names[flow.source])
    columns: dict[Dataset, dict[str, str]] = {
        dataset: {it.name: "" for it in told.graph.fields.get(dataset, ())} for dataset in told.graph.written
    }
    for field, kind in told.types.items():
        columns[field.dataset][field.name] = sql_type(kind) or kind.lower()
    return {it: _Table(columns[it], frozenset(edges[it]), frozenset(reads[it])) for it in columns}


def _one_sided(table: str, old: _Table | None, new: _Table | None) -> Difference:
    columns = tuple((new or old or _Table({}, frozenset(), frozenset())).columns)
    found = Difference(table, "", made=old is None, removed=new is None, columns=columns)
    return replace(found, more=in_order(new.edges)) if new else replace(found, less=in_order(old.edges if old else ()))


def _two_sided(table: str, old: _Table, new: _Table) -> Difference:
    was, now = _by_column(old), _by_column(new)
    gone = [name for name in old.columns if name not in new.columns]
    fresh = [name for name in new.columns if name not in old.columns]
    # the one column gone and the one that came, of the same inputs, is one that was renamed
    renamed = ((gone[0], fresh[0]),) if len(gone) == len(fresh) == 1 and was[gone[0]] == now[fresh[0]] else ()
    kept = [name for name in old.columns if name in new.columns]
    return Difference(
        table,
        "",
        gone=() if renamed else tuple(gone),
        renamed=renamed,
        retyped=tuple(
            (it, old.columns[it], new.columns[it]) for it in kept if _retyped(old.columns[it], new.columns[it])
        ),
        added=() if renamed else tuple(fresh),
        values=tuple(name for name in kept if was[name] != now[name]),
        rows=was[None] != now[None] or old.reads != new.reads,
        more=in_order(new.edges - old.edges),
        less=in_order(old.edges - new.edges),
        columns=tuple(old.columns),
    )


def _retyped(old: str, new: str) -> bool:
    # a set of events that tells no type says nothing of it
    return bool(old and new) and old != new


def _by_column(table: _Table) -> Mapping[str | None, frozenset[tuple[object, ...]]]:
    found: dict[str | None, set[tuple[object, ...]]] = {None: set(), **{name: set() for name in table.columns}}
    for out, *rest in table.edges:
        found.setdefault(out, set()).add(tuple(rest))
    return {name: frozenset(edges) for name, edges in found.items()}
