"""One table, one name: events of several producers brought to the names that the graph uses.

Producers spell one table ``shop.Orders``, ``orders`` or ``SHOP.ORDERS``, as their SQL did; whether that is one table is
for the namespace to say, so each namespace has its rule: the one that ``lineage.toml`` gives it, else that of its kind
of database, else names compare exactly. A name that all spell alike stays as they spell it; where they differ, the form
that the rule gives stands. A producer may also say itself that a path and a table are one (the symlinks facet); then
the table's name stands.

This comes before the graph and knows nothing of it: ``build_graph(canonical(events, spellings))``.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from governance.dataset import Dataset, Field
from governance.events.model import ColumnLineagePart, DatasetPart, Event, InputFieldPart, SchemaFieldPart
from governance.explicit import explicit
from governance.rename import renamed


class Spelling(Enum):
    """How a namespace compares names; quoted parts are in double quotes."""

    EXACT = "exact"
    LOWER = "lower"
    """Unquoted names fold to lower case, quoted ones stay (Postgres)."""
    UPPER = "upper"
    """Unquoted names fold to upper case, quoted ones stay (Snowflake)."""
    INSENSITIVE = "insensitive"
    """Case never matters, quoted or not (DuckDB, Spark)."""


FOLDS: Mapping[Spelling, Callable[[str], str]] = {
    Spelling.EXACT: str,
    Spelling.LOWER: str.lower,
    Spelling.UPPER: str.upper,
    Spelling.INSENSITIVE: str.lower,
}
KINDS: Mapping[str, Spelling] = {
    "postgres": Spelling.LOWER,
    "redshift": Spelling.LOWER,
    "snowflake": Spelling.UPPER,
    "oracle": Spelling.UPPER,
    "duckdb": Spelling.INSENSITIVE,
    "iceberg": Spelling.INSENSITIVE,
    "hive": Spelling.INSENSITIVE,
    "awsglue": Spelling.INSENSITIVE,
    "trino": Spelling.INSENSITIVE,
    "sqlserver": Spelling.INSENSITIVE,
}
"""What a namespace's scheme says (https://openlineage.io/docs/spec/naming), where no policy does. Iceberg itself keeps
case; the engines that read its tables here, DuckDB and Spark, do not tell names apart by it."""
PART = re.compile(r'"(?:[^"]|"")*"|[^."]+')


def canonical(events: Iterable[Event], spellings: Mapping[str, Spelling]) -> tuple[Event, ...]:
    """Return ``events`` with every dataset and field by its one name.

    ``spellings`` gives the rule of each namespace that does not go by its scheme.
    """
    read = tuple(explicit(event) for event in events)
    rules = _Rules(spellings)
    datasets, fields = _mentioned(read)
    one = _one_name(datasets, rules)
    same = _symlinks(read, one)
    names = _Names({dataset: same.get(name, name) for dataset, name in one.items()}, {})
    names = _Names(names.datasets, _one_path(fields, names, rules))
    changed = any(dataset != name for dataset, name in names.datasets.items()) or names.fields
    return tuple(renamed(event, names) for event in read) if changed else read


def respelled(events: Iterable[Event], spellings: Mapping[str, Spelling]) -> frozenset[Dataset]:
    """Return the datasets that :func:`canonical` gives another name, and those whose name they get."""
    return frozenset(it for pair in _other_names(events, spellings).items() for it in pair)


def aliases(events: Iterable[Event], spellings: Mapping[str, Spelling]) -> Mapping[Dataset, Dataset]:
    """Return the datasets that go by another name because a producer said that the two are one, with that name.

    Where no producer did, what :func:`canonical` changes is letter case at most, and there are none.
    """
    read = tuple(events)
    linked = any(part.facets.symlinks for event in read for part in _parts(event))
    return _other_names(read, spellings) if linked else {}


def _other_names(events: Iterable[Event], spellings: Mapping[str, Spelling]) -> dict[Dataset, Dataset]:
    read = tuple(explicit(event) for event in events)
    one = _one_name(_datasets(read), _Rules(spellings))
    same = _symlinks(read, one)
    return {dataset: same.get(name, name) for dataset, name in one.items() if same.get(name, name) != dataset}


def mentioned(event: Event) -> frozenset[Dataset | Field]:
    """Return every dataset and field that the event names, by the names that it uses."""
    datasets, fields = _mentioned([explicit(event)])
    return frozenset((*datasets, *(Field(dataset, path) for dataset, path in fields)))


def fold(name: str, spelling: Spelling) -> str:
    """Return ``name`` as ``spelling`` stores it; a quoted part that stores differently keeps its quotes."""
    if '"' not in name:
        return FOLDS[spelling](name)
    if spelling is Spelling.EXACT:
        return name
    return PART.sub(lambda part: _part(part[0], spelling), name)


def _part(part: str, spelling: Spelling) -> str:
    change = FOLDS[spelling]
    if not part.startswith('"'):
        return change(part)
    inner = part[1:-1].replace('""', '"')
    same = spelling is Spelling.INSENSITIVE or change(inner) == inner
    return change(inner) if same and '"' not in inner and "." not in inner else part


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rule of each namespace."""

    spellings: Mapping[str, Spelling]

    def of(self, namespace: str) -> Spelling:
        return self.spellings.get(namespace) or KINDS.get(namespace.partition(":")[0].lower(), Spelling.EXACT)


@dataclass(frozen=True, slots=True)
class _Names:
    """The one name of each dataset, and of each field that has another than it is told by."""

    datasets: Mapping[Dataset, Dataset]
    fields: Mapping[tuple[Dataset, str], str]

    def dataset(self, dataset: Dataset) -> Dataset:
        return self.datasets.get(dataset, dataset)

    def field(self, dataset: Dataset, path: str) -> str:
        return self.fields.get((dataset, path), path)


def _one_name(datasets: Iterable[Dataset], rules: _Rules) -> dict[Dataset, Dataset]:
    spelled: dict[Dataset, list[Dataset]] = defaultdict(list)
    for dataset in datasets:
        spelled[Dataset(dataset.namespace, fold(dataset.name, rules.of(dataset.namespace)))].append(dataset)
    return {it: folded if len(alike) > 1 else it for folded, alike in spelled.items() for it in alike}


def _one_path(fields: Iterable[tuple[Dataset, str]], names: _Names, rules: _Rules) -> dict[tuple[Dataset, str], str]:
    told = tuple(fields)
    odd: dict[tuple[Dataset, str], set[str]] = defaultdict(set)
    for dataset, path in told:
        folded = fold(path, rules.of(dataset.namespace))
        if folded != path:
            odd[names.dataset(dataset), folded].add(path)
    if not odd:
        return {}
    plain = {(names.dataset(dataset), path) for dataset, path in told}
    differ = {place for place, paths in odd.items() if len(paths) > 1 or place in plain}
    placed = ((it, (names.dataset(it[0]), fold(it[1], rules.of(it[0].namespace)))) for it in told)
    return {it: place[1] for it, place in placed if place in differ and it[1] != place[1]}


def _parts(event: Event) -> tuple[DatasetPart, ...]:
    return (*event.inputs, *event.outputs, *([event.dataset] if event.dataset else []))


def _mentioned(events: Iterable[Event]) -> tuple[set[Dataset], set[tuple[Dataset, str]]]:
    """Return every dataset and field that the events name, by the names that they use."""
    told: set[tuple[str, str, str]] = set()
    read: set[int] = set()
    for part in (part for event in events for part in _parts(event)):
        own, facets = (part.namespace, part.name), part.facets
        told.add((*own, ""))
        told.update((*own, path) for path in _paths(facets.schema.fields if facets.schema else (), ""))
        told.update((*own, tag.field) for tag in (facets.tags.tags if facets.tags else ()) if tag.field)
        told.update(
            (link.namespace, link.name, "") for link in (facets.symlinks.identifiers if facets.symlinks else ())
        )
        # what a job says again is the same value again
        if facets.column_lineage:
            told.update((*own, name) for name in facets.column_lineage.fields)
            if id(facets.column_lineage) not in read:
                read.add(id(facets.column_lineage))
                told.update((it.namespace, it.name, it.field) for it in _inputs(facets.column_lineage))
    named = {(namespace, name): Dataset(namespace, name) for namespace, name, _ in told}
    return set(named.values()), {(named[namespace, name], path) for namespace, name, path in told if path}


def _datasets(events: Iterable[Event]) -> set[Dataset]:
    told: set[tuple[str, str]] = set()
    for part in (part for event in events for part in _parts(event)):
        told.add((part.namespace, part.name))
        facets = part.facets
        if facets.symlinks:
            told.update((link.namespace, link.name) for link in facets.symlinks.identifiers)
        if facets.column_lineage:
            told.update((it.namespace, it.name) for it in _inputs(facets.column_lineage))
    return {Dataset(namespace, name) for namespace, name in told}


def _inputs(lineage: ColumnLineagePart) -> Iterator[InputFieldPart]:
    yield from lineage.dataset
    for said in lineage.fields.values():
        yield from said.input_fields


def _paths(fields: Iterable[SchemaFieldPart], outer: str) -> Iterator[str]:
    for field in fields:
        yield f"{outer}{field.name}"
        yield from _paths(field.fields, f"{outer}{field.name}.")


def _symlinks(events: Iterable[Event], one: Mapping[Dataset, Dataset]) -> dict[Dataset, Dataset]:
    """Return for each dataset that has other identities the one that stands: a TABLE's, else the first by name."""
    group: dict[Dataset, set[Dataset]] = {}
    tables: set[Dataset] = set()
    for part in (part for event in events for part in _parts(event)):
        for link in part.facets.symlinks.identifiers if part.facets.symlinks else ():
            told, other = (one[Dataset(it.namespace, it.name)] for it in (part, link))
            tables |= {other} if link.type == "TABLE" else set()
            together = group.get(told, {told}) | group.get(other, {other})
            group.update(dict.fromkeys(together, together))
    standing = {id(together): min(together, key=lambda it: (it not in tables, it)) for together in group.values()}
    return {dataset: standing[id(together)] for dataset, together in group.items()}
