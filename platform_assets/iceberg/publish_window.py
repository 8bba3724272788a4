"""Writing one span of time of a table: one transaction in which its files come and those that were there of it go."""

from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa
from pyiceberg.catalog import Catalog
from pyiceberg.manifest import DataFile
from pyiceberg.table import Transaction

from governance.windows import Window
from platform_assets.engines.engine import Result
from platform_assets.iceberg import data_files
from platform_assets.iceberg.moved import MOVED
from platform_assets.iceberg.publish import CREATE, REFUSED, Commit, Target, change_shape, create, described, refusals
from platform_assets.iceberg.schema import iceberg_schema, require_kept
from platform_assets.iceberg.window import begins, outside, replaced


def replace_window(
    catalog: Catalog,
    at: Target,
    rows: Result | pa.RecordBatchReader,
    properties: Mapping[str, str],
    docs: Mapping[str, str],
    *,
    window: Window,
) -> Commit:
    """Let the table have ``rows``, all of ``window``, in place of what it has of that; files of other rows stay.

    A table that is not there is made. Of files that have rows of other times too, as where the table was not parted by
    time, those rows are written once more. ``properties`` go into the snapshot, ``docs`` are column comments by name.

    Raises:
        Conflict: the table changed since ``target``.
        CatalogError: a column changed its type, or is of one that Iceberg cannot store; the catalog refused.
        QueryError: the query failed.

    """
    wanted = iceberg_schema(at.name, rows.schema, docs)
    if at.table is not None:
        require_kept(at.name, at.table, wanted)
    with refusals(catalog, at.name):
        transaction = create(catalog, at, wanted) if at.table is None else at.table.transaction()
        if at.table is not None:
            change_shape(at, wanted, transaction)
        return _commit(transaction, at, rows, properties, window)


def _commit(
    transaction: Transaction,
    at: Target,
    rows: Result | pa.RecordBatchReader,
    properties: Mapping[str, str],
    window: Window,
) -> Commit:
    before = {snapshot.snapshot_id for snapshot in transaction.table_metadata.snapshots}
    storage = data_files.storage_of(transaction)
    there = replaced(at.table, window)
    with storage.taken_back_on(BaseException):
        metadata = transaction.table_metadata
        files = tuple(data_files.write(storage, metadata, rows))
        others = outside(metadata, storage, there.partly, window)
        moved = tuple(data_files.write(storage, metadata, others)) if there.partly else ()
        producer = transaction.update_snapshot(snapshot_properties={**properties, **_moved(moved)}).overwrite()
        with producer as changed:
            for file in there.files:
                changed.delete_data_file(file)
            for file in (*files, *moved):
                changed.append_data_file(file)
    with storage.taken_back_on(*REFUSED):
        table = transaction.commit_transaction()
    written = [snapshot for snapshot in table.snapshots() if snapshot.snapshot_id not in before]
    commit = described(at.name, table, None if at.table else CREATE, written)
    return replace(commit, begins=begins(table.metadata, files))


def _moved(files: tuple[DataFile, ...]) -> dict[str, str]:
    """Return what a snapshot's summary says of rows that were only written once more: they are none of the run's."""
    if not files:
        return {}
    counted = (sum(it.record_count for it in files), sum(it.file_size_in_bytes for it in files), len(files))
    return {name: str(count) for name, count in zip(MOVED, counted, strict=True)}
