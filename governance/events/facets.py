"""Values ⇄ OpenLineage facets: translation only, nothing is computed and nothing is looked up.

The client's generated classes write the facets, so that each carries the schema version it follows. Every list is
sorted, every dataset goes through one :class:`Naming`: a facet never names an input otherwise than ``inputs`` does.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from openlineage.client.event_v2 import InputDataset, OutputDataset
from openlineage.client.facet_v2 import (
    DatasetFacet,
    OutputDatasetFacet,
    catalog_dataset,
    column_lineage_dataset,
    dataset_type_dataset,
    dataset_version_dataset,
    documentation_dataset,
    input_statistics_input_dataset,
    lifecycle_state_change_dataset,
    output_statistics_output_dataset,
    ownership_dataset,
    schema_dataset,
    set_producer,
    storage_dataset,
    symlinks_dataset,
    tags_dataset,
)

from governance.dataset import Dataset
from governance.errors import NoLineage
from governance.events import file_facets
from governance.events.expressions import KEY, expressions_facet
from governance.events.naming import Naming as Naming  # noqa: PLC0414  # who translates needs it too
from governance.lineage.model import ColumnLineage, Explanation, InputField, OutputField

PRODUCER = "urn:headwater:0.1.0"
"""The ``_producer`` of every facet: this code and its version, as a URI that needs no server."""

SOURCE = "HEADWATER"
"""The ``source`` of every tag that Headwater writes."""

set_producer(PRODUCER)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, nested where its type is. ``type`` is the catalog's own spelling; None: only a run tells."""

    name: str
    type: str | None
    description: str | None = None
    classification: str | None = None
    fields: tuple["Column", ...] = ()


@dataclass(frozen=True, slots=True)
class Catalog:
    """The catalog that holds a table: ``kind`` (``sql``, ``rest``, ``glue`` …) and its configured name."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Input:
    """A dataset that was read: the snapshot read, the rows and bytes that its files hold; None where not known.

    ``landed`` is what is known of a dataset of files; None for a table.
    """

    name: str
    snapshot_id: int | None = None
    rows: int | None = None
    bytes: int | None = None
    files: int | None = None
    schema: tuple[Column, ...] = ()
    landed: file_facets.Landed | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """A table that was written.

    rows, bytes, files: what this run wrote, not what the table holds now
    lifecycle:          ``CREATE`` or ``OVERWRITE``; None for an append, for which OpenLineage has no word
    tags:               (key, value) of the whole table; classifications of columns come from ``schema``
    symlinks:           other identities of the table; never a path of this machine
    explanation:        the text that made the edges of ``lineage``, as it may be sent
    """

    name: str
    schema: tuple[Column, ...]
    lineage: ColumnLineage
    snapshot_id: int | None = None
    rows: int | None = None
    bytes: int | None = None
    files: int | None = None
    lifecycle: str | None = None
    owner: str | None = None
    description: str | None = None
    tags: tuple[tuple[str, str], ...] = ()
    catalog: Catalog | None = None
    symlinks: tuple[Dataset, ...] = ()
    explanation: Explanation | None = None


def named(dataset: Dataset) -> dict[str, str]:
    """Return ``namespace`` and ``name`` as OpenLineage's classes take them."""
    return {"namespace": dataset.namespace, "name": dataset.name}


def input_dataset(read: Input, naming: Naming) -> InputDataset:
    """Return an entry of ``inputs`` with the facets of what is known about it."""
    statistics = input_statistics_input_dataset.InputStatisticsInputDatasetFacet(
        rowCount=read.rows, size=read.bytes, fileCount=read.files
    )
    facets = file_facets.dataset_facets(read.landed)
    if read.snapshot_id is not None:
        facets["version"] = _version(read.snapshot_id)
    if read.schema:
        facets["schema"] = schema(read.schema)
    own = file_facets.input_facets(read.landed)
    if any(count is not None for count in (read.rows, read.bytes, read.files)):
        own["inputStatistics"] = statistics
    return InputDataset(**named(naming.dataset(read.name)), facets=facets, inputFacets=own)


def output_dataset(written: Output, naming: Naming) -> OutputDataset:
    """Return an entry of ``outputs`` with everything that is known about the table written."""
    statistics = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
        rowCount=written.rows, size=written.bytes, fileCount=written.files
    )
    own: dict[str, OutputDatasetFacet] = {}
    if any(count is not None for count in (written.rows, written.bytes, written.files)):
        own["outputStatistics"] = statistics
    facets: dict[str, DatasetFacet | None] = {
        "schema": schema(written.schema),
        "columnLineage": column_lineage(written.lineage, naming),
        "datasetType": dataset_type_dataset.DatasetTypeDatasetFacet("TABLE"),
        "storage": storage_dataset.StorageDatasetFacet("iceberg", "parquet"),
        "version": None if written.snapshot_id is None else _version(written.snapshot_id),
        "lifecycleStateChange": _lifecycle(written.lifecycle),
        "ownership": _ownership(written.owner),
        "documentation": _documentation(written.description),
        "tags": _tags(written),
        "catalog": _catalog(written.catalog),
        "symlinks": _symlinks(written.symlinks),
        KEY: _expressions(written.explanation, naming),
    }
    present = {key: facet for key, facet in facets.items() if facet is not None}
    return OutputDataset(**named(naming.dataset(written.name)), facets=present, outputFacets=own)


def named_output(name: str, naming: Naming) -> OutputDataset:
    """Return an entry of ``outputs`` that knows nothing but its name, as START does."""
    dataset = naming.dataset(name)
    return OutputDataset(dataset.namespace, dataset.name)


def column_lineage(lineage: ColumnLineage, naming: Naming) -> column_lineage_dataset.ColumnLineageDatasetFacet:
    """Return the columnLineage facet: an entry in ``fields`` for every output field, and the ``dataset`` list.

    Raises:
        NoLineage: a field's inputs are not known; the facet has no way to say so, and an entry without inputs means
            "from no column".
    """
    unknown = [out.name for out in lineage.fields if not out.known]
    if unknown:
        raise NoLineage(
            f"the inputs of {', '.join(unknown)} are not known",
            fix="best-effort lineage cannot be sent as an event",
            pipeline=lineage.output or "",
        )
    return column_lineage_dataset.ColumnLineageDatasetFacet(
        fields={out.name: _field(out, naming) for out in lineage.fields},
        dataset=_input_fields(lineage.dataset, naming),
    )


def _field(out: OutputField, naming: Naming) -> column_lineage_dataset.Fields:
    return column_lineage_dataset.Fields(inputFields=_input_fields(out.inputs, naming))


def _input_fields(inputs: Iterable[InputField], naming: Naming) -> list[column_lineage_dataset.InputField]:
    """One entry per input field; what is known of how it is used goes into its ``transformations``."""
    ordered = sorted(set(inputs), key=lambda i: (i.dataset, i.field, i.transformation.value, i.masking))
    return [
        column_lineage_dataset.InputField(
            **named(naming.dataset(dataset)), field=field, transformations=[_transformation(use) for use in uses]
        )
        for (dataset, field), uses in groupby(ordered, key=lambda i: (i.dataset, i.field))
    ]


def _transformation(use: InputField) -> column_lineage_dataset.Transformation:
    return column_lineage_dataset.Transformation(
        type=use.transformation.type, subtype=use.transformation.subtype, masking=use.masking
    )


def schema(columns: Iterable[Column]) -> schema_dataset.SchemaDatasetFacet:
    """Return the schema facet, nested members under their column."""
    return schema_dataset.SchemaDatasetFacet(fields=_schema_fields(columns))


def _schema_fields(columns: Iterable[Column]) -> list[schema_dataset.SchemaDatasetFacetFields]:
    return [
        schema_dataset.SchemaDatasetFacetFields(
            name=column.name,
            type=column.type,
            description=column.description,
            ordinal_position=position,
            fields=_schema_fields(column.fields),
        )
        for position, column in enumerate(columns, start=1)
    ]


def _version(snapshot_id: int) -> dataset_version_dataset.DatasetVersionDatasetFacet:
    return dataset_version_dataset.DatasetVersionDatasetFacet(str(snapshot_id))


def _lifecycle(change: str | None) -> lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet | None:
    if change is None:
        return None
    return lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet(
        lifecycle_state_change_dataset.LifecycleStateChange(change)
    )


def _ownership(owner: str | None) -> ownership_dataset.OwnershipDatasetFacet | None:
    return None if owner is None else ownership_dataset.OwnershipDatasetFacet([ownership_dataset.Owner(owner, "OWNER")])


def _documentation(description: str | None) -> documentation_dataset.DocumentationDatasetFacet | None:
    return documentation_dataset.DocumentationDatasetFacet(description) if description else None


def _tags(written: Output) -> tags_dataset.TagsDatasetFacet | None:
    tags = [
        *((key, value, None) for key, value in written.tags),
        *(("classification", value, path) for path, value in _classifications(written.schema, "")),
    ]
    written_tags = [tags_dataset.TagsDatasetFacetFields(key, value, SOURCE, path) for key, value, path in tags]
    return tags_dataset.TagsDatasetFacet(written_tags) if written_tags else None


def _classifications(columns: Iterable[Column], prefix: str) -> Iterable[tuple[str, str]]:
    for column in columns:
        path = f"{prefix}{column.name}"
        if column.classification is not None:
            yield path, column.classification
        yield from _classifications(column.fields, f"{path}.")


def _catalog(catalog: Catalog | None) -> catalog_dataset.CatalogDatasetFacet | None:
    """No URI goes in: a catalog's address may hold a password, and a warehouse's may be a path of this machine."""
    if catalog is None:
        return None
    return catalog_dataset.CatalogDatasetFacet(framework="iceberg", type=catalog.kind, name=catalog.name)


def _expressions(explanation: Explanation | None, naming: Naming) -> DatasetFacet | None:
    if explanation is None:
        return None
    return expressions_facet(
        explanation, {it: naming.dataset(it) for it in {u.input.dataset for u in explanation.uses}}
    )


def _symlinks(others: tuple[Dataset, ...]) -> symlinks_dataset.SymlinksDatasetFacet | None:
    if not others:
        return None
    identifiers = [symlinks_dataset.Identifier(**named(other), type="TABLE") for other in sorted(others)]
    return symlinks_dataset.SymlinksDatasetFacet(identifiers)
