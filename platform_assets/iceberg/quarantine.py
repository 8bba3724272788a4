"""Rows that did not fit their declaration, kept in an Iceberg table beside the one that they were meant for.

``quarantine.<schema>_<table>`` is written before the run's own commit: a row is in the table or here, and never lost
between. A try of a run that computes again first takes out what its earlier try had put in. What a run left that failed
afterwards stays, under its run id: it is what that run found, and a run whose COMPLETE is in the event store is one
whose rows are in the table.

Its snapshots carry the run as ``headwater.rejectedBy``, not as those of the table that the run builds: a snapshot here
does not say that the run was complete.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import pyarrow as pa
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Snapshot

from governance.landing.datasets import datasets
from governance.landing.model import FileSource
from governance.landing.names import quarantine_of
from governance.lineage.model import ColumnLineage, InputField, OutputField, Transformation
from platform_assets.engines.engine import Column
from platform_assets.iceberg import publish
from platform_assets.iceberg.catalog import Catalog, columns, load_known
from platform_assets.iceberg.damage import reading
from platform_assets.iceberg.publish import Commit, Conflict
from platform_assets.iceberg.tries import tries

REJECTED_BY = "headwater.rejectedBy"
"""The snapshot property that ties rejected rows to the run that rejected them."""

COLUMNS = pa.schema(
    [
        ("run_id", pa.string()),
        ("dataset", pa.string()),
        ("file", pa.string()),
        ("line", pa.int64()),
        ("column", pa.string()),
        ("reason", pa.string()),
        ("row", pa.string()),
        ("at", pa.timestamp("us", "UTC")),
    ]
)


def keep(catalog: Catalog, table: str, run_id: str, at: datetime, rejected: pa.Table) -> Commit | None:
    """Put the rows that a run rejected into the quarantine of ``table``, in place of those of an earlier try of it.

    ``rejected`` has the columns dataset, file, line, column, reason and row. None: there is nothing to be kept.

    Raises:
        CatalogError: the quarantine cannot be written, or it is another table than it was made as.
    """
    name = quarantine_of(table)
    for last in tries():
        loaded = load_known(catalog, [name]).get(name)
        try:
            if loaded is not None:
                loaded = _without(catalog, name, loaded, run_id)
            if not rejected.num_rows:
                return None
            rows = _rows(run_id, at, rejected)
            at_ = publish.target(name, loaded)
            return publish.append(catalog, at_, rows.to_reader(), {REJECTED_BY: run_id}, COLUMNS)
        except Conflict:
            if last:
                raise
    raise AssertionError("a loop of tries ends in a return or a raise")


def _without(catalog: Catalog, name: str, table: Table, run_id: str) -> Table:
    """Return the table without what an earlier try of the run put into it."""
    if not any(rejected_by(snapshot) == run_id for snapshot in table.snapshots()):
        return table
    own = _of(run_id)
    with reading(catalog, name):
        if table.scan(own, selected_fields=("run_id",), limit=1).to_arrow().num_rows:
            table.delete(own, snapshot_properties={REJECTED_BY: run_id})
    return table


def _rows(run_id: str, at: datetime, rejected: pa.Table) -> pa.Table:
    every = pa.table({"run_id": [run_id] * rejected.num_rows, "at": [at] * rejected.num_rows})
    told = [(every if name in every.column_names else rejected)[name] for name in COLUMNS.names]
    return pa.table(told, names=COLUMNS.names).cast(COLUMNS)


def rejected_by(snapshot: Snapshot) -> str | None:
    """Return the id of the run whose rejected rows the snapshot holds, None where it is no such snapshot."""
    return snapshot.summary.additional_properties.get(REJECTED_BY) if snapshot.summary else None


@dataclass(frozen=True, slots=True)
class Kept:
    """What a quarantine holds of one run: the snapshot that put it there, its rows, and the datasets they are of."""

    snapshot_id: int
    rows: int
    columns: tuple[Column, ...]
    datasets: frozenset[str]


def kept_by(catalog: Catalog, table: str, run_id: str) -> Kept | None:
    """Return what the quarantine of ``table`` holds of a run, None where it holds nothing.

    Raises:
        CatalogError: the catalog cannot be reached.
    """
    name = quarantine_of(table)
    loaded = load_known(catalog, [name]).get(name)
    own = [it for it in loaded.snapshots() if rejected_by(it) == run_id] if loaded else []
    if loaded is None or not own:
        return None
    with reading(catalog, name):
        rows = loaded.scan(_of(run_id), selected_fields=("dataset",)).to_arrow()
    held = frozenset(rows["dataset"].to_pylist())
    return Kept(own[-1].snapshot_id, rows.num_rows, columns(loaded), held) if held else None


def _of(run_id: str) -> str:
    return f"run_id = '{run_id}'"


def lineage_of(table: str, of: Iterable[FileSource]) -> ColumnLineage:
    """Return the lineage of the quarantine of ``table`` as far as it holds rows of the files ``of``.

    A rejected row is the whole of a line, and its reason quotes from it: both hold what any column may hold.
    """
    read = sorted(dataset for source in of for dataset in datasets(source))
    every = tuple(
        InputField(dataset, column, Transformation.TRANSFORMATION)
        for dataset, fields in read
        for column in sorted(name for name, _ in fields)
    )
    made = tuple(OutputField(name, every if name in {"reason", "row"} else ()) for name in COLUMNS.names)
    return ColumnLineage(quarantine_of(table), made, (), tuple(dataset for dataset, _ in read))
