"""The catalog as it was when last looked at, kept in the project's state, so that a question needs no catalog.

``catalog.json`` is ``{"at": time, "tables": [name, …], "schemas": {name: [version, …]}, "file": path or null,
"columns": {name: [dotted path, …]}}``, where a version, the oldest first, is ``{"at": time, "snapshot": id or null,
"names": {field id: dotted path}}``; a table whose columns never changed has none. Whoever opens the catalog anyway
keeps it up to date; where there is none, nothing is known to be stale or renamed.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from governance import kept
from governance.dataset import Dataset
from governance.graph import Graph
from governance.identity import Schemas, SchemaVersion
from governance.policy_lineage import LineagePolicy

FILE = "catalog.json"
DATABASE = "catalog.db"
"""The catalog in the project's state, where no other is configured."""


class CatalogSeen(msgspec.Struct, frozen=True):
    """The tables of a catalog and the schema versions of each, the oldest first, by names without namespace.

    file:    the database of a catalog on this machine, which tells when it changed; None for any other
    columns: of each table that could be loaded, those that it has, nested ones as dotted paths
    """

    at: datetime
    tables: tuple[str, ...]
    versions: dict[str, tuple[SchemaVersion, ...]] = msgspec.field(default_factory=dict, name="schemas")
    file: str | None = None
    columns: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)

    def schemas(self, namespace: str) -> Schemas:
        """Return the schema versions by dataset of ``namespace``."""
        return {Dataset(namespace, name): versions for name, versions in self.versions.items()}

    def fields(self, namespace: str) -> Mapping[Dataset, tuple[str, ...]]:
        """Return the columns by dataset of ``namespace``; of a table that could not be loaded none is known."""
        return {Dataset(namespace, name): self.columns.get(name, ()) for name in self.tables}

    def gone(self, graph: Graph, naming: LineagePolicy) -> tuple[Dataset, ...]:
        """Return the tables that jobs wrote or read before the catalog was looked at and that it did not have then.

        None where it had no table at all: nothing has been written to such a one, as beside events of others alone.
        """
        if not self.tables:
            return ()
        there = frozenset(self.tables)
        last: dict[Dataset, datetime] = {}
        for write in graph.writes:
            for dataset in (write.dataset, *write.inputs):
                last[dataset] = max(write.at, last.get(dataset, write.at))
        return tuple(
            sorted(
                dataset
                for dataset, at in last.items()
                if naming.in_catalog(dataset) and dataset.name not in there and at <= self.at
            )
        )


def keep(state: Path, catalog: CatalogSeen) -> None:
    """Write ``catalog`` into the state folder, whole or not at all."""
    kept.keep(state / FILE, catalog)


def seen(state: Path) -> CatalogSeen | None:
    """Return the catalog as it was when last kept; None where it never was, or by a version that wrote it otherwise."""
    return kept.seen(state / FILE, CatalogSeen)


def outdated(state: Path, catalog: CatalogSeen | None) -> bool:
    """Whether a catalog on this machine changed since it was looked at, or never was; of others nothing tells."""
    file = Path(catalog.file) if catalog and catalog.file else state / DATABASE
    if not file.is_file():
        return False
    return catalog is None or datetime.fromtimestamp(file.stat().st_mtime, UTC) > catalog.at
