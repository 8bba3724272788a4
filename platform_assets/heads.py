"""The catalog's current snapshots, as the rule *stale lineage* compares them with what events tell."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime

from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation, Snapshot

from governance.errors import CatalogError
from governance.rules import Head
from platform_assets.catalog import Catalog, load_known, run_of
from platform_assets.quarantine import rejected_by


def heads(tables: Mapping[str, Table]) -> dict[str, Head]:
    """Return the current snapshot of each of ``tables`` that has one."""
    found = ((name, _written(table)) for name, table in tables.items())
    return {name: _head(snapshot) for name, snapshot in found if snapshot}


def loadable(catalog: Catalog, tables: Iterable[str]) -> dict[str, Table]:
    """Return those of ``tables`` that can be loaded.

    One whose metadata file is lost fails where it is read; here it must not blind the rules to all others.
    """
    loaded: dict[str, Table] = {}
    for name in sorted(tables):
        with suppress(CatalogError):
            loaded |= load_known(catalog, [name])
    return loaded


def _written(table: Table) -> Snapshot | None:
    """Return the latest snapshot that changed rows: compaction rearranges files, and its own snapshot says nothing."""
    snapshot = table.current_snapshot()
    while snapshot and snapshot.summary and snapshot.summary.operation is Operation.REPLACE:
        parent = snapshot.parent_snapshot_id
        snapshot = table.snapshot_by_id(parent) if parent is not None else None
    return snapshot


def _head(snapshot: Snapshot) -> Head:
    at = datetime.fromtimestamp(snapshot.timestamp_ms / 1000, UTC)
    return Head(str(snapshot.snapshot_id), at, run_of(snapshot) or rejected_by(snapshot))
