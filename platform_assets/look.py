"""A look at the catalog, kept for the commands that open none."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pyiceberg.table import Table
from sqlalchemy import make_url

from governance.catalog_seen import CatalogSeen, keep
from governance.project import Project
from platform_assets.catalog import Catalog, inventory, open_catalog
from platform_assets.heads import loadable
from platform_assets.schema_history import schema_history


@dataclass(frozen=True, slots=True)
class Look:
    """The catalog as one look found it, and those of its tables that can be loaded."""

    seen: CatalogSeen
    tables: Mapping[str, Table]


def look(project: Project, now: datetime) -> Look:
    """Look at the catalog, and keep what was seen in the project's state.

    Raises:
        CatalogError: the catalog cannot be read.
    """
    with open_catalog(project) as catalog:
        names = inventory(catalog)
        tables = loadable(catalog, names)
        columns = {name: tuple(table.schema().column_names) for name, table in tables.items()}
        seen = CatalogSeen(now, tuple(sorted(names)), schema_history(tables), _file(catalog), columns)
    # a disk that is full must not hide what was found
    with suppress(OSError):
        keep(project.state, seen)
    return Look(seen, tables)


def _file(catalog: Catalog) -> str | None:
    uri = catalog.properties.get("uri", "")
    database = make_url(uri).database if uri.startswith("sqlite") else None
    return str(Path(database).absolute()) if database else None
