"""An event told again in other names: every dataset and field of it, and nothing else, is renamed."""

from collections.abc import Iterable, Iterator
from typing import Protocol

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
    TagsPart,
)
from governance.events.uses import ExpressionsPart, UsePart


class Names(Protocol):
    """The names to use, each asked by the name that the event has."""

    def dataset(self, dataset: Dataset) -> Dataset:
        """Return the name of ``dataset``."""

    def field(self, dataset: Dataset, path: str) -> str:
        """Return the name of the field that ``dataset``, by the event's name for it, has at ``path``."""


def renamed(event: Event, names: Names) -> Event:
    """Return ``event`` with every dataset and field by its name in ``names``."""
    return msgspec.structs.replace(
        event,
        inputs=tuple(_dataset(part, names) for part in event.inputs),
        outputs=tuple(_dataset(part, names) for part in event.outputs),
        dataset=_dataset(event.dataset, names) if event.dataset else None,
    )


def _dataset(part: DatasetPart, names: Names) -> DatasetPart:
    told = Dataset(part.namespace, part.name)
    dataset = names.dataset(told)
    return DatasetPart(dataset.namespace, dataset.name, _facets(part.facets, told, names), part.input_facets)


def _facets(facets: DatasetFacetsPart, told: Dataset, names: Names) -> DatasetFacetsPart:
    schema, lineage, tags = facets.schema, facets.column_lineage, facets.tags
    return msgspec.structs.replace(
        facets,
        schema=SchemaPart(tuple(_column(field, "", told, names) for field in schema.fields)) if schema else None,
        column_lineage=_lineage(lineage, told, names) if lineage else None,
        tags=_tags(tags, told, names) if tags else None,
        expressions=_expressions(facets.expressions, told, names) if facets.expressions else None,
    )


def _expressions(part: ExpressionsPart, told: Dataset, names: Names) -> ExpressionsPart:
    return msgspec.structs.replace(part, uses=tuple(_use(use, told, names) for use in part.uses))


def _use(use: UsePart, told: Dataset, names: Names) -> UsePart:
    source = Dataset(use.namespace, use.name)
    dataset = names.dataset(source)
    return msgspec.structs.replace(
        use,
        namespace=dataset.namespace,
        name=dataset.name,
        input_field=names.field(source, use.input_field),
        field=names.field(told, use.field) if use.field else None,
    )


def _column(field: SchemaFieldPart, outer: str, told: Dataset, names: Names) -> SchemaFieldPart:
    path = f"{outer}{field.name}"
    name = names.field(told, path).rpartition(".")[2] if outer else names.field(told, path)
    members = tuple(_column(member, f"{path}.", told, names) for member in field.fields)
    return msgspec.structs.replace(field, name=name, fields=members)


def _tags(tags: TagsPart, told: Dataset, names: Names) -> TagsPart:
    return TagsPart(
        tuple(
            msgspec.structs.replace(tag, field=names.field(told, tag.field)) if tag.field else tag for tag in tags.tags
        )
    )


def _lineage(lineage: ColumnLineagePart, told: Dataset, names: Names) -> ColumnLineagePart:
    fields: dict[str, FieldLineagePart] = {}
    for spelled, said in lineage.fields.items():
        name = names.field(told, spelled)
        earlier = fields[name].input_fields if name in fields else ()
        inputs = (*earlier, *_inputs(said.input_fields, names))
        fields[name] = msgspec.structs.replace(said, input_fields=inputs)
    return msgspec.structs.replace(lineage, fields=fields, dataset=tuple(_inputs(lineage.dataset, names)))


def _inputs(parts: Iterable[InputFieldPart], names: Names) -> Iterator[InputFieldPart]:
    for part in parts:
        told = Dataset(part.namespace, part.name)
        dataset = names.dataset(told)
        yield InputFieldPart(dataset.namespace, dataset.name, names.field(told, part.field), part.transformations)
