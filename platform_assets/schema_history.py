"""The schema versions of Iceberg tables: which field id bore which name since when."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from pyiceberg.schema import Schema
from pyiceberg.table import Table

from governance.identity import SchemaVersion


def schema_history(tables: Mapping[str, Table]) -> dict[str, tuple[SchemaVersion, ...]]:
    """Return the schema versions of each of ``tables`` whose columns ever changed, the oldest first."""
    histories = ((name, schema_versions(table)) for name, table in tables.items())
    return {name: versions for name, versions in histories if len({tuple(it.names.items()) for it in versions}) > 1}


def schema_versions(table: Table) -> tuple[SchemaVersion, ...]:
    """Return a version for each snapshot, and one for the present schema where no snapshot was made with it.

    Iceberg dates snapshots and not schemas (https://iceberg.apache.org/spec/#table-metadata): a change without a
    snapshot counts from the table's last update.
    """
    metadata = table.metadata
    schemas = {schema.schema_id: schema for schema in metadata.schemas}
    versions = [
        SchemaVersion(_instant(it.timestamp_ms), str(it.snapshot_id), _names(schemas[it.schema_id]))
        for it in sorted(metadata.snapshots, key=lambda it: (it.sequence_number or 0, it.timestamp_ms))
        if it.schema_id in schemas
    ]
    now = _names(table.schema())
    if not versions or versions[-1].names != now:
        versions.append(SchemaVersion(_instant(metadata.last_updated_ms), None, now))
    return tuple(versions)


def _instant(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _names(schema: Schema) -> dict[int, str]:
    return dict(_paths(schema))


def _paths(schema: Schema) -> Iterator[tuple[int, str]]:
    for number in schema.field_ids:
        name = schema.find_column_name(number)
        if name is not None:
            yield number, name
