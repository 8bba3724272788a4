"""The Iceberg catalog: what tables there are, what they hold, how a query reads them. Writing is ``publish``'s work.

Everything here goes through pyiceberg's public catalog, so SQLite, Postgres, REST, Glue and Hive differ by setting only
(https://py.iceberg.apache.org/configuration/).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.manifest import DataFile
from pyiceberg.table import DataScan, FileScanTask, Table
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.transforms import IdentityTransform

from governance.errors import CatalogError
from platform_assets.engines.engine import Column, Empty, Files, Relation, Rows, Stored
from platform_assets.iceberg import moved
from platform_assets.iceberg.columns import columns, columns_of, sql_type
from platform_assets.iceberg.connect import open_catalog
from platform_assets.iceberg.damage import reading
from platform_assets.iceberg.error import reaching
from platform_assets.iceberg.file_facts import hiding_nan
from platform_assets.iceberg.warehouse import Opened, local_path

__all__ = [
    "DAGSTER_RUN_ID",
    "RUN_ID",
    "Catalog",
    "Planned",
    "Published",
    "Table",
    "columns",
    "counts",
    "inventory",
    "kind_of",
    "load",
    "load_known",
    "open_catalog",
    "plan",
    "published",
    "run_of",
    "schema_of",
    "sql_type",
]

RUN_ID = "openlineage.runId"
"""The snapshot property that ties a snapshot to the run that wrote it; repair reads it."""

DAGSTER_RUN_ID = "dagster.runId"


@dataclass(frozen=True, slots=True)
class Planned:
    """A table as one query reads it: one snapshot, whatever is committed meanwhile.

    ``rows``, ``bytes`` and ``files`` are the snapshot's own totals, None where its writer did not say.
    """

    table: str
    snapshot_id: int | None
    rows: int | None
    bytes: int | None
    files: int | None
    relation: Relation


@dataclass(frozen=True, slots=True)
class Published:
    """A snapshot that a run wrote, as repair needs it."""

    table: str
    snapshot_id: int
    run_id: str
    at: datetime
    columns: tuple[Column, ...]
    rows: int
    bytes: int


def inventory(catalog: Catalog) -> frozenset[str]:
    """Return the name of every table in the catalog, ``schema.table``.

    Raises:
        CatalogError: the catalog cannot be reached.
    """
    with reaching(catalog, OSError):
        return frozenset(
            ".".join(name) for namespace in _namespaces(catalog, ()) for name in catalog.list_tables(namespace)
        )


def _namespaces(catalog: Catalog, parent: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for namespace in catalog.list_namespaces(parent):
        if len(namespace) > len(parent):
            yield namespace
            yield from _namespaces(catalog, namespace)


def load(catalog: Catalog, table: str) -> Table:
    """Return the table as it is now; what is later read from the value is that state, whatever is committed meanwhile.

    Raises:
        CatalogError: there is none of that name; its metadata cannot be read; the catalog cannot be reached.

    """
    try:
        with reading(catalog, table):
            return catalog.load_table(table)
    except NoSuchTableError as error:
        raise CatalogError(f"the catalog has no table {table}", fix="materialize what makes it, or add it") from error


def load_known(catalog: Catalog, tables: Iterable[str]) -> dict[str, Table]:
    """Return those of ``tables`` that the catalog has.

    Raises:
        CatalogError: the catalog cannot be reached, or the metadata of one cannot be read.
    """
    known: dict[str, Table] = {}
    # a name without a schema is no table of a catalog, and pyiceberg would not look it up
    for name in sorted(name for name in tables if "." in name):
        with suppress(NoSuchTableError), reading(catalog, name):
            known[name] = catalog.load_table(name)
    return known


def schema_of(table: Table) -> dict[str, str]:
    """Return ``{column: SQL type}`` in table order."""
    return {column.name: column.type for column in columns(table)}


def kind_of(catalog: Catalog) -> str:
    """Return the kind of catalog as pyiceberg's settings call it, such as ``sql`` or ``rest``."""
    return type(catalog).__name__.removesuffix("Catalog").lower()


def plan(name: str, table: Table) -> Planned:
    """Return how a query reads ``table`` as it was loaded.

    Parquet files are read in place, on this machine or where they are stored; whatever they alone would get wrong
    (delete files, files without field ids, nested columns that evolved) is read by pyiceberg into memory.

    Raises:
        CatalogError: the table's storage cannot be read.
    """
    snapshot = table.current_snapshot()
    if snapshot is None:
        return Planned(name, None, 0, 0, 0, Empty(tuple(schema_of(table).items())))
    with reading(table.catalog, name):
        return Planned(name, snapshot.snapshot_id, *_totals(snapshot), _relation(name, table, table.scan()))


def _relation(name: str, table: Table, scan: DataScan) -> Relation:
    tasks = list(scan.plan_files())
    if not _in_place(table, tasks):
        return Rows(scan.to_arrow())
    files = tuple(sorted((task.file.file_path, task.file.file_size_in_bytes) for task in tasks))
    paths = tuple(local_path(location) for location, _ in files)
    unsure = hiding_nan(table.schema().fields, [task.file for task in tasks])
    if all(paths):
        return Files(paths, columns(table), unsure)
    return Stored(files, columns(table), lambda location: Opened(table.io, location, name), unsure)


def _in_place(table: Table, tasks: list[FileScanTask]) -> bool:
    fields = table.schema().fields
    nested = any(not field.field_type.is_primitive for field in fields)
    return (
        all(field.initial_default is None for field in fields)
        and not any(task.delete_files for task in tasks)
        and all(task.file.file_format == "PARQUET" for task in tasks)
        and table.name_mapping() is None
        and not (nested and len(table.schemas()) > 1)
        and all(_has_parting_columns(table, task.file) for task in tasks)
    )


def _has_parting_columns(table: Table, file: DataFile) -> bool:
    """Whether ``file`` is known to have the columns whose values its partition tells: a writer may leave those out."""
    fields = table.specs()[file.spec_id].fields
    told = {it.source_id for it in fields if isinstance(it.transform, IdentityTransform)}
    return told <= {*(file.column_sizes or {}), *(file.value_counts or {})}


def counts(snapshots: Iterable[Snapshot]) -> dict[str, int]:
    """Return the sums of the counts that the snapshots' summaries hold, 0 for one that none of them holds."""
    sums: dict[str, int] = defaultdict(int)
    for snapshot in snapshots:
        for name, text in _summary(snapshot).items():
            if text.isdecimal():
                sums[name] += int(text)
    return sums


def run_of(snapshot: Snapshot) -> str | None:
    """Return the id of the run that wrote the snapshot, None where it carries none."""
    return _summary(snapshot).get(RUN_ID)


def published(catalog: Catalog, table: str) -> tuple[Published, ...]:
    """Return what runs committed to ``table``, oldest first: the latest snapshot of each, with all that it added.

    Raises:
        CatalogError: there is no such table.
    """
    loaded = load(catalog, table)
    by_run: dict[str, list[Snapshot]] = defaultdict(list)
    for snapshot in sorted(loaded.snapshots(), key=lambda s: s.sequence_number or 0):
        if run_id := run_of(snapshot):
            by_run[run_id].append(snapshot)
    return tuple(_published(loaded, table, run_id, snapshots) for run_id, snapshots in by_run.items())


def _published(loaded: Table, table: str, run_id: str, snapshots: list[Snapshot]) -> Published:
    added, last = counts(snapshots), snapshots[-1]
    return Published(
        table=table,
        snapshot_id=last.snapshot_id,
        run_id=run_id,
        at=datetime.fromtimestamp(last.timestamp_ms / 1000, UTC),
        columns=_columns_at(loaded, last),
        rows=added["added-records"] - added[moved.ROWS],
        bytes=added["added-files-size"] - added[moved.BYTES],
    )


def _summary(snapshot: Snapshot) -> Mapping[str, str]:
    return snapshot.summary.additional_properties if snapshot.summary else {}


def _totals(snapshot: Snapshot) -> tuple[int | None, int | None, int | None]:
    summary = _summary(snapshot)
    rows, size, files = (summary.get(f"total-{name}") for name in ("records", "files-size", "data-files"))
    return _number(rows), _number(size), _number(files)


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _columns_at(table: Table, snapshot: Snapshot) -> tuple[Column, ...]:
    schema = table.schema() if snapshot.schema_id is None else table.schemas()[snapshot.schema_id]
    return columns_of(schema.fields)
