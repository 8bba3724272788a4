"""The schema versions of Iceberg tables: which field id bore which name since when."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from heapq import merge

from pyiceberg.schema import Schema
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import Table

from governance.identity import SchemaVersion


def versions_of(table: Table) -> tuple[SchemaVersion, ...]:
    """Return the table's schema versions, the oldest first; none where its columns never changed."""
    return schema_versions(table) if _changed(table) else ()


def _changed(table: Table) -> bool:
    return len({tuple(_names(schema).items()) for schema in table.metadata.schemas}) > 1


def schema_versions(table: Table) -> tuple[SchemaVersion, ...]:
    """Return a version for each snapshot, and one for each change of the schema that no snapshot was made with.

    Iceberg dates snapshots and not schemas (https://iceberg.apache.org/spec/#table-metadata): a change without a
    snapshot is dated by the metadata file that it made, as far back as the table's log of them goes.
    """
    metadata = table.metadata
    schemas = {schema.schema_id: schema for schema in metadata.schemas}
    written = [
        SchemaVersion(_instant(it.timestamp_ms), str(it.snapshot_id), _names(schemas[it.schema_id]))
        for it in sorted(metadata.snapshots, key=lambda it: (it.sequence_number or 0, it.timestamp_ms))
        if it.schema_id in schemas
    ]
    told: list[SchemaVersion] = []
    # stable: of one instant the snapshot comes first
    for version in merge(written, _evolved(table), key=lambda it: it.at):
        if version.snapshot or not told or version.names != told[-1].names:
            told.append(version)
    return tuple(told)


def _evolved(table: Table) -> Iterator[SchemaVersion]:
    """Yield what the columns were called after each change of the table that made no snapshot, and are now."""
    metadata = table.metadata
    snapshots = {it.timestamp_ms for it in metadata.snapshots}
    for entry in metadata.metadata_log:
        if entry.timestamp_ms not in snapshots:
            # the log outlives the files where somebody tidies them away; the versions that are left still tell
            with suppress(OSError, ValueError):
                former = FromInputFile.table_metadata(table.io.new_input(entry.metadata_file))
                yield SchemaVersion(_instant(entry.timestamp_ms), None, _names(former.schema()))
    yield SchemaVersion(_instant(metadata.last_updated_ms), None, _names(table.schema()))


def _instant(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _names(schema: Schema) -> dict[int, str]:
    return dict(_paths(schema))


def _paths(schema: Schema) -> Iterator[tuple[int, str]]:
    for number in schema.field_ids:
        name = schema.find_column_name(number)
        if name is not None:
            yield number, name
