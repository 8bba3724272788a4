"""A table's properties changed by themselves: no snapshot comes of it."""

from collections.abc import Iterable, Mapping

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table import Table

from governance.errors import CatalogError
from platform_assets.iceberg.error import reaching


def change_properties(catalog: Catalog, table: Table, said: Mapping[str, str], gone: Iterable[str]) -> None:
    """Set and remove properties in one commit.

    Raises:
        CatalogError: another run changed the table meanwhile; the catalog refused or cannot be reached.
    """
    removed = sorted(gone)
    try:
        with reaching(catalog, OSError), table.transaction() as commit:
            commit.set_properties(dict(said))
            if removed:
                commit.remove_properties(*removed)
    except CommitFailedException as error:
        name = ".".join(table.name())
        raise CatalogError(f"{name} was changed by another run: {error}", fix="say it again") from error
