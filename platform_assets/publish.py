"""Writing a table: one Iceberg transaction a run, so that a reader sees the table before it or after it.

A commit holds only on the table as it was when the run planned its reading (``target``): whoever comes second gets a
``Conflict`` and computes again, so that no run publishes what it computed from rows that have changed since.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa
from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import (
    CommitFailedException,
    NamespaceAlreadyExistsError,
    NoSuchTableError,
    TableAlreadyExistsError,
    ValidationException,
)
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.io.pyarrow import (
    UnsupportedPyArrowTypeException,
    _pyarrow_to_schema_without_ids,  # its public twin wants field ids, which a result lacks
)
from pyiceberg.schema import Schema
from pyiceberg.table import Table, TableProperties, Transaction
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.types import NestedField
from sqlalchemy.exc import SQLAlchemyError

from governance.errors import CatalogError
from platform_assets.catalog import columns, counts, run_of, sql_type
from platform_assets.catalog_error import reaching
from platform_assets.engines.engine import Column

CHUNK_BYTES = 256 * 2**20
"""Arrow bytes that are written as one file and held in memory; Parquet makes a tenth to a third of them."""

CREATE, OVERWRITE = "CREATE", "OVERWRITE"

FIXES: tuple[tuple[Callable[[pa.DataType], bool], str], ...] = (
    (pa.types.is_null, "give NULL a type: cast(… as varchar)"),
    (pa.types.is_interval, "store a number: epoch(…) for seconds"),
    (pa.types.is_timestamp, "cast it to timestamp: Iceberg's version 2 counts microseconds, in UTC"),
    (pa.types.is_nested, "cast each member to a type that Iceberg has"),
)
"""What to do about a type that Iceberg cannot store; the first that fits."""


class Conflict(CatalogError):
    """Another run committed to the table since this one planned its reading; nothing was written."""


@dataclass(frozen=True, slots=True)
class Target:
    """The table to be written as it was when the run began; ``table`` is None where there was none."""

    name: str
    table: Table | None


@dataclass(frozen=True, slots=True)
class Commit:
    """What a run committed.

    rows, bytes, files:      what this commit added
    total_rows, total_bytes: the table after it
    lifecycle:               ``CREATE`` or ``OVERWRITE``; None for an append, for which OpenLineage has no word
    location:                the table's own, as the catalog gives it
    """

    table: str
    snapshot_id: int
    rows: int
    bytes: int
    files: int
    total_rows: int
    total_bytes: int
    lifecycle: str | None
    columns: tuple[Column, ...]
    location: str


def target(name: str, table: Table | None) -> Target:
    """Return ``name`` to be written on top of ``table`` as it was loaded, or made where that is None."""
    if table is None:
        return Target(name, None)
    # pyiceberg would put the same rows on top of another run's commit; a Conflict computes them again
    table.metadata.properties[TableProperties.COMMIT_NUM_RETRIES] = "0"
    return Target(name, table)


def replace(
    catalog: Catalog,
    at: Target,
    reader: pa.RecordBatchReader,
    properties: Mapping[str, str],
    docs: Mapping[str, str],
) -> Commit:
    """Make the table hold exactly the reader's columns and rows; ``docs`` are column comments by name.

    A column that keeps name and type keeps its field id, so older snapshots stay readable.

    Raises:
        Conflict: the table changed since ``target``.
        CatalogError: a column of a type that Iceberg cannot store, by name; the catalog refused.

    """
    wanted = iceberg_schema(at.name, reader.schema, docs)
    if at.table is None:
        return _create(catalog, at.name, wanted, reader, properties)
    transaction = at.table.transaction()
    with _refusals(catalog, at.name):
        if any(True for _ in at.table.scan().plan_files()):
            transaction.delete(AlwaysTrue(), snapshot_properties=dict(properties))
        _reshape(transaction, at.table.schema(), wanted)
        return _commit(transaction, at.name, reader, properties, OVERWRITE)


def append(
    catalog: Catalog,
    at: Target,
    reader: pa.RecordBatchReader,
    properties: Mapping[str, str],
    declared: pa.Schema,
) -> Commit:
    """Add the reader's rows, whose columns bear the table's names; a missing table is made with ``declared`` columns.

    Raises:
        Conflict: the table changed since ``target``.
        CatalogError: a column of a type that the table does not take; the catalog refused.

    """
    if at.table is None:
        return _create(catalog, at.name, iceberg_schema(at.name, declared, {}), reader, properties)
    with _refusals(catalog, at.name):
        return _commit(at.table.transaction(), at.name, reader, properties, None)


def landed(catalog: Catalog, name: str, run_id: str, lifecycle: str | None) -> Commit | None:
    """Return the commit of the run ``run_id`` where it is the table's latest, as after an answer that was lost."""
    try:
        table = catalog.load_table(name)
    except NoSuchTableError:
        return None
    written = [snapshot for snapshot in table.snapshots() if run_of(snapshot) == run_id]
    current = table.current_snapshot()
    return _described(name, table, lifecycle, written) if current and run_of(current) == run_id else None


def iceberg_schema(table: str, schema: pa.Schema, docs: Mapping[str, str]) -> Schema:
    """Return the Iceberg schema of an Arrow one, field ids still open.

    Raises:
        CatalogError: names the column that Iceberg cannot store, and what to do.

    """
    fields = [_iceberg_field(table, field, docs.get(field.name)) for field in schema]
    return Schema(*fields)


def _iceberg_field(table: str, field: pa.Field, doc: str | None) -> NestedField:
    try:
        converted = _pyarrow_to_schema_without_ids(pa.schema([field])).fields[0]
    except (UnsupportedPyArrowTypeException, TypeError, ValueError) as error:
        fix = next((fix for fits, fix in FIXES if fits(field.type)), "cast it to a type that Iceberg has")
        raise CatalogError(
            f"{table}.{field.name} has type {field.type}, which Iceberg cannot store", fix=fix
        ) from error
    return NestedField(converted.field_id, converted.name, converted.field_type, required=False, doc=doc)


def _create(
    catalog: Catalog, name: str, schema: Schema, reader: pa.RecordBatchReader, properties: Mapping[str, str]
) -> Commit:
    with _refusals(catalog, name):
        _namespace(catalog, name.rpartition(".")[0])
        return _commit(catalog.create_table_transaction(name, schema), name, reader, properties, CREATE)


def _namespace(catalog: Catalog, namespace: str) -> None:
    try:
        catalog.create_namespace_if_not_exists(namespace)
    except (NamespaceAlreadyExistsError, SQLAlchemyError):
        # another pipeline of the same schema was first
        if not catalog.namespace_exists(namespace):
            raise


def _reshape(transaction: Transaction, current: Schema, wanted: Schema) -> None:
    types = {field.name: (sql_type(field.field_type), field.doc) for field in current.fields}
    if [(f.name, sql_type(f.field_type), f.doc) for f in wanted.fields] == [(n, *t) for n, t in types.items()]:
        return
    kept = {f.name for f in wanted.fields if types.get(f.name, ("",))[0] == sql_type(f.field_type)}
    with transaction.update_schema(allow_incompatible_changes=True) as update:
        for name in types.keys() - kept:
            update.delete_column((name,))
        for field in wanted.fields:
            if field.name in kept:
                update.update_column((field.name,), doc=field.doc or "")
            else:
                update.add_column((field.name,), field.field_type, doc=field.doc)
    # an update of its own: pyiceberg 0.12 looks a moved name up before it deletes and adds
    with transaction.update_schema() as update:
        for field in reversed(wanted.fields):
            update.move_first((field.name,))


def _commit(
    transaction: Transaction,
    name: str,
    reader: pa.RecordBatchReader,
    properties: Mapping[str, str],
    lifecycle: str | None,
) -> Commit:
    before = {snapshot.snapshot_id for snapshot in transaction.table_metadata.snapshots}
    for chunk in _chunks(reader):
        transaction.append(chunk, snapshot_properties=dict(properties))
    table = transaction.commit_transaction()
    written = [snapshot for snapshot in table.snapshots() if snapshot.snapshot_id not in before]
    return _described(name, table, lifecycle, written)


def _chunks(reader: pa.RecordBatchReader) -> Iterator[pa.Table]:
    """Yield the rows in tables of bounded size, at least one: also an empty result is a snapshot.

    pyiceberg takes the reader itself, but hands all that it yields to its writers at once, whatever is in memory.
    """
    full = 0
    for chunk in _gathered(reader):
        full += 1
        yield pa.Table.from_batches(chunk)
    if not full:
        yield pa.Table.from_batches([], reader.schema)


def _gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    gathered: list[pa.RecordBatch] = []
    held = 0
    for batch in batches:
        gathered.append(batch)
        held += batch.nbytes
        if held >= CHUNK_BYTES:
            yield gathered
            gathered, held = [], 0
    if gathered:
        yield gathered


def _described(name: str, table: Table, lifecycle: str | None, written: Iterable[Snapshot]) -> Commit:
    """Return the commit that left ``table`` with the snapshots ``written``: of one run, large results have several."""
    snapshot = table.current_snapshot()
    if snapshot is None:
        raise CatalogError(f"{name} has no snapshot after its commit", fix="another program rolled it back: run again")
    total = counts([snapshot])
    added = counts(written)
    return Commit(
        table=name,
        snapshot_id=snapshot.snapshot_id,
        rows=added["added-records"],
        bytes=added["added-files-size"],
        files=added["added-data-files"],
        total_rows=total["total-records"],
        total_bytes=total["total-files-size"],
        lifecycle=lifecycle,
        columns=columns(table),
        location=table.location(),
    )


@contextmanager
def _refusals(catalog: Catalog, table: str) -> Iterator[None]:
    try:
        with reaching(catalog):
            yield
    except (CommitFailedException, TableAlreadyExistsError, ValidationException, NoSuchTableError) as error:
        raise Conflict(f"{table} was changed by another run: {error}", fix="run again") from error
    except (ValueError, NotImplementedError) as error:
        raise CatalogError(
            f"{table} does not take these rows: {error}", fix="cast them to its columns' types"
        ) from error
