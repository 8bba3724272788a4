"""An event without the edges of its columns: all that a graph asks beside them, in a fraction of the bytes.

What it says of a column stays a name without inputs, so that a column known to come from none is told from one of which
nothing is known; the tables that were read stay without their columns.
"""

from collections.abc import Iterator

import msgspec

from governance.events.model import (
    ColumnLineagePart,
    DatasetFacetsPart,
    DatasetPart,
    Event,
    FieldLineagePart,
    InputFieldPart,
    JobFacetsPart,
    SchemaFieldPart,
    SchemaPart,
)
from governance.explicit import explicit

_NO_INPUTS = FieldLineagePart()
_DECODER = msgspec.json.Decoder(Event)


def light(event: Event) -> bytes:
    """Return the event without the inputs of its columns; a declaration, of which there are few, stays whole."""
    if event.design:
        return msgspec.json.encode(event)
    told = explicit(event)
    kept = msgspec.structs.replace(
        told,
        job=msgspec.structs.replace(told.job, facets=JobFacetsPart(told.job.facets.ownership)),
        inputs=tuple(_dataset(it) for it in told.inputs),
        outputs=tuple(_dataset(it) for it in told.outputs),
    )
    return msgspec.json.encode(kept)


def read_light(raw: bytes) -> Event:
    """Return what :func:`light` made."""
    return _DECODER.decode(raw)


def _dataset(part: DatasetPart) -> DatasetPart:
    facets = part.facets
    kept = DatasetFacetsPart(
        schema=SchemaPart(tuple(_column(it) for it in facets.schema.fields)) if facets.schema else None,
        column_lineage=_lineage(facets.column_lineage) if facets.column_lineage else None,
        version=facets.version,
        tags=facets.tags,
        ownership=facets.ownership,
        symlinks=facets.symlinks,
        lifecycle_state_change=facets.lifecycle_state_change,
    )
    return DatasetPart(part.namespace, part.name, kept, part.input_facets)


def _column(field: SchemaFieldPart) -> SchemaFieldPart:
    return SchemaFieldPart(field.name, fields=tuple(_column(member) for member in field.fields))


def _lineage(lineage: ColumnLineagePart) -> ColumnLineagePart:
    tables = dict.fromkeys((it.namespace, it.name) for it in _inputs(lineage))
    return ColumnLineagePart(
        fields=dict.fromkeys(lineage.fields, _NO_INPUTS),
        dataset=tuple(InputFieldPart(namespace, name, "") for namespace, name in tables),
        producer=lineage.producer,
    )


def _inputs(lineage: ColumnLineagePart) -> Iterator[InputFieldPart]:
    yield from lineage.dataset
    for said in lineage.fields.values():
        yield from said.input_fields
