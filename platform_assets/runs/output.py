"""What a run read and wrote, as its COMPLETE event says it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from governance.events.facets import Catalog as CatalogFacts
from governance.events.facets import Column as ColumnFacts
from governance.events.facets import Input, Output
from governance.events.file_facets import Landed, ReadFile
from governance.landing.model import FileSource
from governance.landing.names import quarantine_of
from governance.pipeline import Pipeline
from governance.policy import Policy, TablePolicy
from governance.sources import Source
from platform_assets.engines.engine import Column
from platform_assets.facts import described, explanation_of, file_input, layer
from platform_assets.iceberg import quarantine
from platform_assets.iceberg.catalog import Catalog, columns, kind_of
from platform_assets.iceberg.publish import Commit
from platform_assets.runs.run import Begun, Done


def inputs_of(policy: Policy, begun: Begun) -> Iterator[Input]:
    """Yield the tables and the datasets of files that were read, with their columns.

    A server knows the columns of a source from its readers alone, and without them (Marquez) leaves out their edges.
    """
    for it in begun.inputs:
        schema = column_facts(policy, it.table, columns(begun.traced.tables[it.table]))
        yield Input(it.table, it.snapshot_id, it.rows, it.bytes, it.files, schema)
    for source in begun.traced.files.values():
        if source.files is not None:
            yield _file_input(policy, begun, source, source.files)


def _file_input(policy: Policy, begun: Begun, source: Source, declared: FileSource) -> Input:
    known = file_input(policy, source, declared)
    if source.table != declared.name:
        # what is known of the file as such is told of the file, not of each kind of record
        return known
    files = next((it.files for it in begun.arrived if it.source.name == declared.name), ())
    read = tuple(ReadFile(it.shown, it.size, it.modified) for it in files)
    return replace(
        known,
        rows=begun.read.get(declared.name),
        bytes=sum(it.size for it in read),
        files=len(read),
        landed=Landed(declared.format.value, layer(declared), read),
    )


def rows_read(begun: Begun) -> int | None:
    """Return how many rows were read, of tables and of files, None where it is not known of one of them."""
    told = [*(it.rows for it in begun.inputs), *(begun.read.get(it.source.name) for it in begun.arrived)]
    known = [rows for rows in told if rows is not None]
    return sum(known) if len(known) == len(told) else None


def outputs_of(policy: Policy, catalog: Catalog, done: Done) -> Iterator[Output]:
    """Yield the table that was written, and its quarantine where rows were rejected."""
    traced, rejected = done.traced, done.begun.rejected
    told = replace(
        described(policy, traced.statement.pipeline, traced.lineage),
        explanation=explanation_of(policy, traced.statement, traced.schema),
    )
    yield _committed(policy, catalog, told, done.commit)
    if rejected and rejected.commit:
        of = [it.source for it in done.begun.arrived if rejected.rows.get(it.source.name)]
        yield _committed(policy, catalog, rejected_output(policy, traced.statement.pipeline, of), rejected.commit)


def rejected_output(policy: Policy, pipeline: Pipeline, of: Iterable[FileSource]) -> Output:
    """Return the output that the pipeline's quarantine is, with the rows that it rejected of the files ``of``."""
    lineage = quarantine.lineage_of(pipeline.table, of)
    table, name = described(policy, pipeline, lineage), quarantine_of(pipeline.table)
    declared = policy.tables.get(name, TablePolicy())
    return replace(
        table,
        name=name,
        owner=declared.owner or table.owner,
        description=declared.description
        or f"Rows of files that did not fit their declaration, meant for {table.name}.",
        tags=(),
    )


def _committed(policy: Policy, catalog: Catalog, told: Output, commit: Commit) -> Output:
    """Return the output with what the catalog holds and what the policy declares of it."""
    return replace(
        told,
        schema=column_facts(policy, commit.table, commit.columns),
        snapshot_id=commit.snapshot_id,
        rows=commit.rows,
        bytes=commit.bytes,
        files=commit.files,
        lifecycle=commit.lifecycle,
        catalog=CatalogFacts(kind_of(catalog), catalog.name),
    )


def column_facts(policy: Policy, table: str, columns: tuple[Column, ...]) -> tuple[ColumnFacts, ...]:
    """Return the columns with their declared description and classification; a member's name is its whole path."""
    return tuple(_column(policy, table, "", column) for column in columns)


def _column(policy: Policy, table: str, prefix: str, column: Column) -> ColumnFacts:
    path = f"{prefix}{column.name}"
    declared = policy.column(table, path)
    return ColumnFacts(
        name=column.name,
        type=column.type,
        description=declared.description,
        classification=declared.classification,
        fields=tuple(_column(policy, table, f"{path}.", member) for member in column.fields),
    )
