"""Writing a table: one Iceberg transaction a run, so that a reader sees the table before it or after it.

A commit holds only on the table as it was when the run planned its reading (``target``): whoever comes second gets a
``Conflict`` and computes again, so that no run publishes what it computed from rows that have changed since.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from types import MappingProxyType

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
from pyiceberg.manifest import DataFile
from pyiceberg.schema import Schema, assign_fresh_schema_ids
from pyiceberg.table import Table, TableProperties, Transaction
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot
from sqlalchemy.exc import SQLAlchemyError

from governance.errors import CatalogError
from governance.partition import Term
from platform_assets.engines.engine import Column, Result
from platform_assets.iceberg import data_files, far_off, moved
from platform_assets.iceberg.catalog import columns, counts, run_of
from platform_assets.iceberg.damage import reading
from platform_assets.iceberg.partition_spec import SAID, new_spec, repartition, said
from platform_assets.iceberg.schema import iceberg_schema, reshape

CREATE, OVERWRITE = "CREATE", "OVERWRITE"

REFUSED = (CommitFailedException, TableAlreadyExistsError, ValidationException, NoSuchTableError)
"""What a catalog says that did not take a commit; after anything else it may have taken it."""

Change = Callable[[Transaction], None]
"""What a commit does to a table that is there, beside its rows."""

NONE: Mapping[str, str] = MappingProxyType({})


class Conflict(CatalogError):
    """Another run committed to the table since this one planned its reading; nothing was written."""


@dataclass(frozen=True, slots=True)
class Target:
    """The table to be written as it was when the run began.

    table: None where there was none
    terms: how its rows are to be parted from now on; None: as they are
    """

    name: str
    table: Table | None
    terms: tuple[Term, ...] | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """What a run committed.

    rows, bytes, files:      what this commit added
    total_rows, total_bytes: the table after it
    lifecycle:               ``CREATE`` or ``OVERWRITE``; None for an append and for a partition that was replaced, for
                             which OpenLineage has no word
    location:                the table's own, as the catalog gives it
    begins:                  of a replaced window, how many rows it got by the time at which each partition begins
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
    begins: tuple[tuple[datetime, int], ...] = ()


def target(name: str, table: Table | None, terms: tuple[Term, ...] = ()) -> Target:
    """Return ``name`` to be written on top of ``table`` as it was loaded, or made where that is None.

    ``terms`` are what its pipeline's header says; where it says nothing, what no header ever said stays.
    """
    if table is None:
        return Target(name, None, terms)
    # pyiceberg would put the same rows on top of another run's commit; a Conflict computes them again
    table.metadata.properties[TableProperties.COMMIT_NUM_RETRIES] = "0"
    return Target(name, table, terms if terms or SAID in table.properties else None)


def replace(
    catalog: Catalog,
    at: Target,
    rows: Result | pa.RecordBatchReader,
    properties: Mapping[str, str],
    docs: Mapping[str, str],
    *,
    kept: Mapping[str, str] = NONE,
) -> Commit:
    """Make the table hold exactly the columns and rows of ``rows``; ``docs`` are column comments by name.

    A column that keeps name and type keeps its field id, so older snapshots stay readable. ``properties`` go into the
    snapshot, ``kept`` into the table's own properties, in the same commit.

    Raises:
        Conflict: the table changed since ``target``.
        CatalogError: a column of a type that Iceberg cannot store, by name; the catalog refused.
        QueryError: the query failed.

    """
    wanted = iceberg_schema(at.name, rows.schema, docs)
    with refusals(catalog, at.name):
        transaction = create(catalog, at, wanted) if at.table is None else at.table.transaction()
        change = partial(change_shape, at, wanted)
        return _commit(transaction, at, OVERWRITE, rows, change, properties=properties, kept=kept)


def append(
    catalog: Catalog,
    at: Target,
    rows: Result | pa.RecordBatchReader,
    properties: Mapping[str, str],
    declared: pa.Schema,
    *,
    kept: Mapping[str, str] = NONE,
) -> Commit:
    """Add ``rows``, whose columns bear the table's names; a missing table is made with ``declared`` columns.

    Raises:
        Conflict: the table changed since ``target``.
        CatalogError: a column of a type that the table does not take; the catalog refused.
        QueryError: the query failed.

    """
    with refusals(catalog, at.name):
        transaction, change = _as_declared(catalog, at, declared)
        return _commit(transaction, at, None, rows, change, properties=properties, kept=kept)


def rewrite(
    catalog: Catalog,
    at: Target,
    rows: Result | pa.RecordBatchReader,
    properties: Mapping[str, str],
    declared: pa.Schema,
    *,
    kept: Mapping[str, str] = NONE,
) -> Commit:
    """Let ``rows`` be all that the table holds, in the columns that it has; else as ``append``.

    What a MERGE leaves: some rows are as they were, and OpenLineage has no word for that.
    """
    with refusals(catalog, at.name):
        transaction, change = _as_declared(catalog, at, declared)
        commit = _commit(transaction, at, OVERWRITE, rows, change, properties=properties, kept=kept)
    return dataclasses.replace(commit, lifecycle=None if at.table else CREATE)


def landed(catalog: Catalog, name: str, run_id: str, lifecycle: str | None) -> Commit | None:
    """Return the commit of the run ``run_id`` where it is the table's latest, as after an answer that was lost."""
    try:
        table = catalog.load_table(name)
    except NoSuchTableError:
        return None
    written = [snapshot for snapshot in table.snapshots() if run_of(snapshot) == run_id]
    current = table.current_snapshot()
    return described(name, table, lifecycle, written) if current and run_of(current) == run_id else None


def _as_declared(catalog: Catalog, at: Target, declared: pa.Schema) -> tuple[Transaction, Change]:
    """Begin a write in the columns that the table has, or in those that it is made with."""
    change = partial(repartition, table=at.name, terms=at.terms)
    if at.table is None:
        return create(catalog, at, iceberg_schema(at.name, declared, {})), change
    return at.table.transaction(), change


def create(catalog: Catalog, at: Target, schema: Schema) -> Transaction:
    """Begin the table that ``at`` is to be, with the columns of ``schema``, whose field ids are still open."""
    # the fields of a spec name columns by their ids
    schema = assign_fresh_schema_ids(schema)
    terms = at.terms or ()
    spec = new_spec(at.name, schema, terms)
    _namespace(catalog, at.name.rpartition(".")[0])
    return catalog.create_table_transaction(at.name, schema, partition_spec=spec, properties=said(terms))


def _namespace(catalog: Catalog, namespace: str) -> None:
    try:
        catalog.create_namespace_if_not_exists(namespace)
    except (NamespaceAlreadyExistsError, SQLAlchemyError):
        # another pipeline of the same schema was first
        if not catalog.namespace_exists(namespace):
            raise


def change_shape(at: Target, wanted: Schema, transaction: Transaction) -> None:
    """Give the table that is there the columns ``wanted``, parted by the target's terms."""
    reshape(at.name, transaction, wanted)
    repartition(transaction, at.name, at.terms)


def changed(transaction: Transaction, at: Target, change: Change) -> TableMetadata:
    """Return what the table's metadata is going to be after ``change``, which the transaction does not see yet."""
    if at.table is None:
        return transaction.table_metadata
    change(planned := at.table.transaction())
    return planned.table_metadata


def _commit(
    transaction: Transaction,
    at: Target,
    lifecycle: str | None,
    rows: Result | pa.RecordBatchReader,
    change: Change,
    *,
    properties: Mapping[str, str],
    kept: Mapping[str, str],
) -> Commit:
    before = {snapshot.snapshot_id for snapshot in transaction.table_metadata.snapshots}
    storage = data_files.storage_of(transaction)
    with storage.taken_back_on(BaseException):
        files = tuple(data_files.write(storage, changed(transaction, at, change), rows))
        if lifecycle and at.table is not None and _has_files(at.table):
            # first what is there goes: once a column is gone nobody could write of a file that was parted by it
            transaction.delete(AlwaysTrue(), snapshot_properties=dict(properties))
        if at.table is not None:
            change(transaction)
        _add(transaction, files, properties)
        transaction.set_properties(dict(kept))
    with storage.taken_back_on(*REFUSED):
        table = transaction.commit_transaction()
    written = [snapshot for snapshot in table.snapshots() if snapshot.snapshot_id not in before]
    return described(at.name, table, lifecycle if at.table else CREATE, written)


def _has_files(table: Table) -> bool:
    return any(True for _ in table.scan().plan_files())


def _add(transaction: Transaction, files: Iterable[DataFile], properties: Mapping[str, str]) -> None:
    """Add a snapshot with ``files``, also where there are none.

    Not by ``add_files``, which gives the table a name mapping: with one it is no longer read in place.
    """
    producer = transaction._append_snapshot_producer(dict(properties))  # noqa: SLF001  # as its append() has it
    with producer as added:
        for file in files:
            added.append_data_file(file)


def described(name: str, table: Table, lifecycle: str | None, written: Iterable[Snapshot]) -> Commit:
    """Return the commit that left ``table`` with the snapshots ``written``: what goes and what comes are one or two."""
    snapshot = table.current_snapshot()
    if snapshot is None:
        raise CatalogError(f"{name} has no snapshot after its commit", fix="another program rolled it back: run again")
    total = counts([snapshot])
    added = counts(written)
    return Commit(
        table=name,
        snapshot_id=snapshot.snapshot_id,
        rows=added["added-records"] - added[moved.ROWS],
        bytes=added["added-files-size"] - added[moved.BYTES],
        files=added["added-data-files"] - added[moved.FILES],
        total_rows=total["total-records"],
        total_bytes=total["total-files-size"],
        lifecycle=lifecycle,
        columns=columns(table),
        location=table.location(),
    )


@contextmanager
def refusals(catalog: Catalog, table: str) -> Iterator[None]:
    """Raise what the catalog and pyiceberg raise as a ``Conflict`` or as what is wrong with the rows."""
    try:
        with reading(catalog, table):
            yield
    except REFUSED as error:
        raise Conflict(f"{table} was changed by another run: {error}", fix="run again") from error
    except (ValueError, OverflowError, NotImplementedError) as error:
        fix = far_off.FIX if isinstance(error, OverflowError) else "cast them to its columns' types"
        raise CatalogError(f"{table} does not take these rows: {error}", fix=fix) from error
