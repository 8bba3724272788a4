"""The ``lineage`` facet in the words of the older facets, so that one reading serves both.

OpenLineage's lineage facet (https://openlineage.io/spec/facets/1-0-0/LineageFacet.json) tells on a dataset, or on a job
for several datasets, which sources feed it. Each entry becomes an output with column lineage, and what it names becomes
an input. A source that is a job says nothing about tables and is left out.
"""

from collections.abc import Iterable, Iterator

import msgspec

from governance.events.model import (
    ColumnLineagePart,
    DatasetFacetsPart,
    DatasetPart,
    Event,
    FieldLineagePart,
    InputFieldPart,
    LineageEntryPart,
    LineageInputPart,
)


def explicit(event: Event) -> Event:
    """Return ``event`` with what its lineage facets say as inputs, outputs and column lineage."""
    of_job = event.job.facets.lineage
    said = [(entry.namespace, entry.name, entry) for entry in of_job.entries] if of_job else []
    of_tables = (*event.outputs, *([event.dataset] if event.dataset else []))
    said += [(part.namespace, part.name, part.facets.lineage) for part in of_tables if part.facets.lineage]
    if not said:
        return event
    kept = [(namespace, name, entry) for namespace, name, entry in said if entry.type == "DATASET" and name]
    return msgspec.structs.replace(
        event,
        inputs=(*event.inputs, *(part for _, _, entry in kept for part in _sources(entry))),
        outputs=(*event.outputs, *(_output(*it) for it in kept)),
    )


def _sources(entry: LineageEntryPart) -> Iterator[DatasetPart]:
    named = (*entry.inputs, *(source for said in entry.fields.values() for source in said.inputs))
    tables = dict.fromkeys((it.namespace, it.name) for it in named if it.type == "DATASET")
    return (DatasetPart(namespace, name) for namespace, name in tables)


def _output(namespace: str, name: str, entry: LineageEntryPart) -> DatasetPart:
    fields = {field: FieldLineagePart(_fields(said.inputs)) for field, said in entry.fields.items()}
    rows = _fields(entry.inputs)
    # a table named without any field tells which tables feed it, and nothing of its columns
    lineage = ColumnLineagePart(fields, rows) if fields or rows else None
    return DatasetPart(namespace, name, DatasetFacetsPart(column_lineage=lineage))


def _fields(sources: Iterable[LineageInputPart]) -> tuple[InputFieldPart, ...]:
    return tuple(
        InputFieldPart(it.namespace, it.name, it.field, it.transformations)
        for it in sources
        if it.type == "DATASET" and it.field is not None
    )
