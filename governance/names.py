"""One table, one name: events of several producers brought to the names that the graph uses.

Producers spell one table ``shop.Orders``, ``orders`` or ``SHOP.ORDERS``, as their SQL did; whether that is one table is
for the namespace to say, so each namespace has its rule. A producer may also say itself that a path and a table are one
(the symlinks facet); then the table's name stands.

This comes before the graph and knows nothing of it: ``build_graph(canonical(events, spellings))``.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum

import msgspec

from governance.dataset import Dataset
from governance.events.model import (
    ColumnLineagePart,
    DatasetFacetsPart,
    DatasetPart,
    Event,
    FieldLineagePart,
    InputFieldPart,
    SchemaFieldPart,
    SchemaPart,
)


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
PART = re.compile(r'"(?:[^"]|"")*"|[^."]+')


def canonical(events: Iterable[Event], spellings: Mapping[str, Spelling]) -> tuple[Event, ...]:
    """Return ``events`` with every dataset and field by its one name.

    ``spellings`` gives the rule of each namespace; one that it does not name compares exactly.
    """
    read = tuple(events)
    folded = _Names(spellings, {})
    names = _Names(spellings, _symlinks(read, folded))
    return tuple(_event(event, names) for event in read)


def fold(name: str, spelling: Spelling) -> str:
    """Return ``name`` as ``spelling`` stores it; a quoted part that stores differently keeps its quotes."""
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


class _Names:
    """The one name of each dataset and field."""

    def __init__(self, spellings: Mapping[str, Spelling], same: Mapping[Dataset, Dataset]) -> None:
        self.spellings = spellings
        self.same = same

    def dataset(self, namespace: str, name: str) -> Dataset:
        found = Dataset(namespace, fold(name, self.spelling(namespace)))
        return self.same.get(found, found)

    def spelling(self, namespace: str) -> Spelling:
        return self.spellings.get(namespace, Spelling.EXACT)


def _symlinks(events: Iterable[Event], names: _Names) -> dict[Dataset, Dataset]:
    """Return for each dataset that has other identities the one that stands: a TABLE's, else the first by name."""
    group: dict[Dataset, set[Dataset]] = {}
    tables: set[Dataset] = set()
    for part in (part for event in events for part in (*event.inputs, *event.outputs) if part.facets.symlinks):
        for link in part.facets.symlinks.identifiers if part.facets.symlinks else ():
            one, other = names.dataset(part.namespace, part.name), names.dataset(link.namespace, link.name)
            tables |= {other} if link.type == "TABLE" else set()
            together = group.get(one, {one}) | group.get(other, {other})
            group.update(dict.fromkeys(together, together))
    standing = {id(together): min(together, key=lambda it: (it not in tables, it)) for together in group.values()}
    return {dataset: standing[id(together)] for dataset, together in group.items()}


def _event(event: Event, names: _Names) -> Event:
    return msgspec.structs.replace(
        event,
        inputs=tuple(_dataset(part, names) for part in event.inputs),
        outputs=tuple(_dataset(part, names) for part in event.outputs),
    )


def _dataset(part: DatasetPart, names: _Names) -> DatasetPart:
    dataset = names.dataset(part.namespace, part.name)
    spelling = names.spelling(dataset.namespace)
    return DatasetPart(dataset.namespace, dataset.name, _facets(part.facets, spelling, names))


def _facets(facets: DatasetFacetsPart, spelling: Spelling, names: _Names) -> DatasetFacetsPart:
    schema, lineage = facets.schema, facets.column_lineage
    return msgspec.structs.replace(
        facets,
        schema=SchemaPart(tuple(_column(field, spelling) for field in schema.fields)) if schema else None,
        column_lineage=_lineage(lineage, spelling, names) if lineage else None,
    )


def _column(field: SchemaFieldPart, spelling: Spelling) -> SchemaFieldPart:
    nested = tuple(_column(member, spelling) for member in field.fields)
    return msgspec.structs.replace(field, name=fold(field.name, spelling), fields=nested)


def _lineage(lineage: ColumnLineagePart, spelling: Spelling, names: _Names) -> ColumnLineagePart:
    fields: dict[str, FieldLineagePart] = {}
    for spelled, said in lineage.fields.items():
        name = fold(spelled, spelling)
        earlier = fields[name].input_fields if name in fields else ()
        inputs = (*earlier, *_inputs(said.input_fields, names))
        fields[name] = msgspec.structs.replace(said, input_fields=inputs)
    return ColumnLineagePart(fields, tuple(_inputs(lineage.dataset, names)))


def _inputs(parts: Iterable[InputFieldPart], names: _Names) -> Iterator[InputFieldPart]:
    for part in parts:
        dataset = names.dataset(part.namespace, part.name)
        field = fold(part.field, names.spelling(dataset.namespace))
        yield InputFieldPart(dataset.namespace, dataset.name, field, part.transformations)
