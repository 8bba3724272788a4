"""The catalog's current snapshots, as the rule *stale lineage* compares them with what events tell."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from itertools import chain

from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation, Snapshot

from governance.errors import CatalogError
from governance.rules import Head
from platform_assets.iceberg.catalog import Catalog, kind_of, load_known, run_of
from platform_assets.iceberg.quarantine import rejected_by

SERVERS = frozenset({"rest", "glue"})
"""Kinds of catalog that take a request a table, and whose client several threads may use at once."""

AT_ONCE = 8


def head_of(table: Table) -> Head | None:
    """Return the table's current snapshot, None where it has none."""
    snapshot = _written(table)
    return _head(snapshot) if snapshot else None


def loadable(catalog: Catalog, tables: Iterable[str]) -> dict[str, Table | CatalogError]:
    """Return those of ``tables`` that there are, and of one that cannot be loaded why.

    One whose metadata file is lost fails where it is read; here it must not blind the rules to all others.
    """
    asked = sorted(tables)
    if kind_of(catalog) not in SERVERS:
        return dict(chain.from_iterable(_loadable(catalog, name) for name in asked))
    with ThreadPoolExecutor(AT_ONCE, "tables") as pool:
        return dict(chain.from_iterable(pool.map(partial(_loadable, catalog), asked)))


def _loadable(catalog: Catalog, name: str) -> tuple[tuple[str, Table | CatalogError], ...]:
    try:
        return tuple(load_known(catalog, [name]).items())
    except CatalogError as error:
        return ((name, error),)


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
