"""A look at the catalog, kept for the commands that open none."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import make_url

from governance.catalog_seen import CatalogSeen, keep
from governance.errors import CatalogError
from governance.project import Project
from governance.rules import Head
from platform_assets.iceberg.catalog import Catalog, inventory, open_catalog
from platform_assets.iceberg.tables_seen import tables_seen


@dataclass(frozen=True, slots=True)
class Look:
    """The catalog as one look found it, the current snapshots of its tables, and why some cannot be read."""

    seen: CatalogSeen
    heads: Mapping[str, Head]
    damaged: Mapping[str, CatalogError]


def look(project: Project, now: datetime) -> Look:
    """Look at the catalog, and keep what was seen in the project's state.

    Raises:
        CatalogError: the catalog cannot be read.
    """
    with open_catalog(project) as catalog:
        names = inventory(catalog)
        found = tables_seen(catalog, names, project.state)
        tables = found.tables
        columns = {name: it.columns for name, it in tables.items()}
        versions = {name: it.versions for name, it in tables.items() if it.versions}
        seen = CatalogSeen(now, tuple(sorted(names)), versions, _file(catalog), columns)
    # a disk that is full must not hide what was found
    with suppress(OSError):
        keep(project.state, seen)
    return Look(seen, {name: it.head for name, it in tables.items() if it.head}, found.damaged)


def _file(catalog: Catalog) -> str | None:
    uri = catalog.properties.get("uri", "")
    database = make_url(uri).database if uri.startswith("sqlite") else None
    return str(Path(database).absolute()) if database else None
