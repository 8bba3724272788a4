"""The Iceberg catalog: what tables there are, what they hold, how a query reads them. Writing is ``publish``'s work.

Everything here goes through pyiceberg's public catalog, so SQLite, Postgres, REST, Glue and Hive differ by setting only
(https://py.iceberg.apache.org/configuration/).
"""

import fcntl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.table import DataScan, FileScanTask, Table
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)
from pyiceberg.utils.config import Config

from governance.errors import CatalogError
from governance.project import Project
from platform_assets.engines.engine import Column, Empty, Files, Relation, Rows

__all__ = [
    "DAGSTER_RUN_ID",
    "RUN_ID",
    "Catalog",
    "Planned",
    "Published",
    "columns",
    "inventory",
    "load",
    "open_catalog",
    "plan",
    "published",
    "schema_of",
    "schemas",
    "sql_type",
]

RUN_ID = "openlineage.runId"
"""The snapshot property that ties a snapshot to the run that wrote it; repair reads it."""

DAGSTER_RUN_ID = "dagster.runId"

SQL_TYPES: dict[type[IcebergType], str] = {
    BinaryType: "BLOB",
    BooleanType: "BOOLEAN",
    DateType: "DATE",
    DoubleType: "DOUBLE",
    FixedType: "BLOB",
    FloatType: "FLOAT",
    IntegerType: "INTEGER",
    LongType: "BIGINT",
    StringType: "VARCHAR",
    TimeType: "TIME",
    TimestampType: "TIMESTAMP",
    TimestamptzType: "TIMESTAMP WITH TIME ZONE",
    UUIDType: "UUID",
}


@dataclass(frozen=True, slots=True)
class Planned:
    """A table as one query reads it: one snapshot, whatever is committed meanwhile.

    ``rows`` and ``bytes`` are the snapshot's own totals, None where its writer did not say.
    """

    table: str
    snapshot_id: int | None
    rows: int | None
    bytes: int | None
    relation: Relation


@dataclass(frozen=True, slots=True)
class Published:
    """A snapshot that a run wrote, as repair needs it."""

    table: str
    snapshot_id: int
    run_id: str
    at: datetime
    columns: tuple[Column, ...]
    rows: int | None
    bytes: int | None


def open_catalog(project: Project) -> Catalog:
    """Return the default catalog of pyiceberg's own configuration, else SQLite in the project's state folder.

    The local one bears pyiceberg's default name too, so that naming its URI in a configuration later finds its tables.

    Raises:
        CatalogError: the configuration cannot be used; the catalog cannot be reached.

    """
    config = Config()
    name = config.get_default_catalog_name()
    try:
        if settings := config.get_catalog_config(name):
            return load_catalog(name, **{key: str(value) for key, value in settings.items()})
        return _local(name, project.state)
    except (ValueError, OSError, ImportError) as error:
        raise CatalogError(
            f"the catalog {name!r} cannot be opened: {error}",
            fix=f"mend .pyiceberg.yaml or PYICEBERG_CATALOG__{name.upper()}__…",
        ) from error


def _local(name: str, state: Path) -> Catalog:
    warehouse = state / "warehouse"
    warehouse.mkdir(parents=True, exist_ok=True)
    # two processes that both find no tables would both create them
    with locked(state / "catalog.lock"):
        return load_catalog(
            name,
            type="sql",
            uri=f"sqlite:///{state / 'catalog.db'}?timeout=30",
            warehouse=str(warehouse),
        )


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file ``path`` while the block runs; other processes wait."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def inventory(catalog: Catalog) -> frozenset[str]:
    """Return the name of every table in the catalog, ``schema.table``."""
    return frozenset(
        ".".join(name) for namespace in _namespaces(catalog, ()) for name in catalog.list_tables(namespace)
    )


def _namespaces(catalog: Catalog, parent: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for namespace in catalog.list_namespaces(parent):
        if len(namespace) > len(parent):
            yield namespace
            yield from _namespaces(catalog, namespace)


def load(catalog: Catalog, table: str) -> Table:
    """Return the table.

    Raises:
        CatalogError: there is none of that name.

    """
    try:
        return catalog.load_table(table)
    except NoSuchTableError as error:
        raise CatalogError(f"the catalog has no table {table}", fix="materialize what makes it, or add it") from error


def columns(table: Table) -> tuple[Column, ...]:
    """Return the current columns of ``table`` in order."""
    return tuple(Column(f.field_id, f.name, sql_type(f.field_type), f.doc or "") for f in table.schema().fields)


def schema_of(catalog: Catalog, table: str) -> dict[str, str]:
    """Return ``{column: SQL type}`` in table order.

    Raises:
        CatalogError: there is no such table.

    """
    return {column.name: column.type for column in columns(load(catalog, table))}


def schemas(catalog: Catalog, tables: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return ``{table: {column: SQL type}}`` for those of ``tables`` that the catalog has."""
    return {table: schema_of(catalog, table) for table in sorted(tables) if catalog.table_exists(table)}


def sql_type(kind: IcebergType) -> str:
    """Return the SQL name of an Iceberg type; nested types carry their members.

    Raises:
        CatalogError: a type that SQL has no name for here (geometry, variant, nanoseconds).

    """
    match kind:
        case DecimalType():
            return f"DECIMAL({kind.precision},{kind.scale})"
        case ListType():
            return f"{sql_type(kind.element_type)}[]"
        case MapType():
            return f"MAP({sql_type(kind.key_type)}, {sql_type(kind.value_type)})"
        case StructType():
            members = (f'"{f.name.replace(chr(34), chr(34) * 2)}" {sql_type(f.field_type)}' for f in kind.fields)
            return f"STRUCT({', '.join(members)})"
    if type(kind) not in SQL_TYPES:
        raise CatalogError(f"the Iceberg type {kind} has no SQL type here", fix="cast the column to another type")
    return SQL_TYPES[type(kind)]


def plan(catalog: Catalog, name: str) -> Planned:
    """Return how a query reads ``name`` as it is now.

    Parquet files on this machine are read in place; whatever they alone would get wrong (delete files, files without
    field ids, nested columns that evolved, remote storage) is read by pyiceberg into memory.

    Raises:
        CatalogError: there is no such table.

    """
    table = load(catalog, name)
    snapshot = table.current_snapshot()
    if snapshot is None:
        pairs = tuple((column.name, column.type) for column in columns(table))
        return Planned(name, None, 0, 0, Empty(pairs))
    return Planned(name, snapshot.snapshot_id, *_totals(snapshot), _relation(table, table.scan()))


def _relation(table: Table, scan: DataScan) -> Relation:
    tasks = list(scan.plan_files())
    paths = tuple(sorted(_local_path(task.file.file_path) for task in tasks))
    if _in_place(table, tasks) and all(paths):
        return Files(paths, columns(table))
    return Rows(scan.to_arrow())


def _in_place(table: Table, tasks: list[FileScanTask]) -> bool:
    fields = table.schema().fields
    nested = any(not field.field_type.is_primitive for field in fields)
    return (
        all(field.initial_default is None for field in fields)
        and not any(task.delete_files for task in tasks)
        and all(task.file.file_format == "PARQUET" for task in tasks)
        and table.name_mapping() is None
        and not (nested and len(table.schemas()) > 1)
    )


def _local_path(location: str) -> str:
    # not urlsplit: pyiceberg takes what follows the scheme as it is, "#" and "%" included
    path = location.removeprefix("file://")
    return path if path.startswith("/") else ""


def _totals(snapshot: Snapshot) -> tuple[int | None, int | None]:
    summary = snapshot.summary.additional_properties if snapshot.summary else {}
    return _number(summary.get("total-records")), _number(summary.get("total-files-size"))


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def published(catalog: Catalog, table: str) -> tuple[Published, ...]:
    """Return the snapshots of ``table`` that carry a run id, oldest first, one a run: the last it wrote.

    Raises:
        CatalogError: there is no such table.

    """
    loaded = load(catalog, table)
    last: dict[str, Published] = {}
    for snapshot in sorted(loaded.snapshots(), key=lambda s: s.sequence_number or 0):
        summary = snapshot.summary.additional_properties if snapshot.summary else {}
        if run_id := summary.get(RUN_ID):
            last[run_id] = Published(
                table=table,
                snapshot_id=snapshot.snapshot_id,
                run_id=run_id,
                at=datetime.fromtimestamp(snapshot.timestamp_ms / 1000, UTC),
                columns=_columns_at(loaded, snapshot),
                rows=_number(summary.get("added-records", "0")),
                bytes=_number(summary.get("added-files-size", "0")),
            )
    return tuple(last.values())


def _columns_at(table: Table, snapshot: Snapshot) -> tuple[Column, ...]:
    schema = table.schema() if snapshot.schema_id is None else table.schemas()[snapshot.schema_id]
    return tuple(Column(f.field_id, f.name, sql_type(f.field_type), f.doc or "") for f in schema.fields)
