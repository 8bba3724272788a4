"""A table whose own metadata cannot be read: which file of it is damaged or gone, and what to do."""

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from pyiceberg.catalog import Catalog
from pyiceberg.catalog.sql import IcebergTables, SqlCatalog
from pyiceberg.exceptions import NoSuchTableError, ResolveError, ValidationError
from pyiceberg.table import Table
from sqlalchemy import select

from governance.errors import CatalogError
from platform_assets.iceberg.error import UNREACHED, reaching
from platform_assets.iceberg.warehouse import local_path

DAMAGED = (
    *(EOFError, ValueError, LookupError, TypeError, ArithmeticError, SystemError, MemoryError),
    *(zlib.error, ResolveError, ValidationError),
)
"""What pyiceberg's readers of JSON and Avro let through where a file is cut, empty or has other bits."""

FIX = (
    "bring that file back from a copy; without one, register an older metadata file of the table (pyiceberg's "
    "register_table), or drop the table from the catalog and build it again"
)


@contextmanager
def reading(catalog: Catalog, name: str) -> Iterator[None]:
    """Let the block read the catalog and metadata of the table ``name``.

    Readers do not say which file they were at. So it is looked for once something failed; where every file of
    metadata can be read, the failure is about something else and goes on as it is.

    Raises:
        CatalogError: a file of the table's metadata is damaged or gone; the catalog cannot be reached or read.
    """
    with reaching(catalog, OSError):
        try:
            yield
        except UNREACHED:
            raise
        except (*DAMAGED, FileNotFoundError):
            if (found := _damage(catalog, name)) is not None:
                raise found from None
            raise


def _damage(catalog: Catalog, name: str) -> CatalogError | None:
    try:
        table = catalog.load_table(name)
    except NoSuchTableError:
        return None
    except UNREACHED:
        raise
    except (*DAMAGED, FileNotFoundError) as error:
        return _told(name, "metadata file", _metadata_file(catalog, name), error)
    for what, location, read in _manifests(table):
        try:
            read()
        except (*DAMAGED, FileNotFoundError) as error:
            return _told(name, what, location, error)
    return None


def _manifests(table: Table) -> Iterator[tuple[str, str, Callable[[], object]]]:
    """Yield what each further file of metadata is, where it lies, and what reads it."""
    seen: set[str] = set()
    for snapshot in table.metadata.snapshots:
        yield "manifest list", snapshot.manifest_list, partial(snapshot.manifests, table.io)
        for it in snapshot.manifests(table.io):
            if it.manifest_path not in seen:
                seen.add(it.manifest_path)
                yield "manifest", it.manifest_path, partial(it.fetch_manifest_entry, table.io, discard_deleted=False)


def _told(name: str, what: str, location: str, error: Exception) -> CatalogError | None:
    gone = isinstance(error, FileNotFoundError)
    if gone and not local_path(location):
        # a store that is not the right one has none of them: that is said of the store, with the file
        return None
    how = "is gone" if gone else f"is damaged ({type(error).__name__})"
    return CatalogError(f"{name} cannot be read: its {what}{f' {location}' if location else ''} {how}", fix=FIX)


def _metadata_file(catalog: Catalog, name: str) -> str:
    """Return where the table's metadata file lies, an empty text where the catalog tells that with the table alone."""
    if not isinstance(catalog, SqlCatalog):
        return ""
    namespace, _, table = name.rpartition(".")
    query = select(IcebergTables.metadata_location).where(
        IcebergTables.catalog_name == catalog.name,
        IcebergTables.table_namespace == namespace,
        IcebergTables.table_name == table,
    )
    with catalog.engine.connect() as connection:
        return str(connection.scalar(query) or "")
