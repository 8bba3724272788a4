"""The files that lie in a table's own folders, on this machine or in a store, and how one of them is removed."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.fs as pafs
from pyiceberg.catalog import WAREHOUSE_LOCATION, Catalog, MetastoreCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import NoSuchNamespaceError
from pyiceberg.io import FileIO, load_file_io
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.table import Table

from governance.errors import CatalogError
from platform_assets.iceberg.error import reaching
from platform_assets.iceberg.warehouse import local_path

FOLDERS = ("data", "metadata")
ENDINGS = (".parquet", ".orc", ".avro", ".puffin")
STORES = frozenset({"s3", "s3a", "s3n", "gs"})


@dataclass(frozen=True, slots=True)
class Orphan:
    """A file that nothing refers to: its path within the table's location, its bytes, when it was written."""

    path: str
    bytes: int
    modified: datetime
    remove: Callable[[], None] = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Home:
    """Where a table lies, or is going to lie once it is built."""

    table: str
    location: str
    io: FileIO


def home_of(name: str, table: Table) -> Home:
    """Return where ``table`` lies."""
    return Home(name, table.location(), table.io)


def first_home(catalog: Catalog, name: str) -> Home | None:
    """Return where the catalog puts the table ``name`` that it does not have; None where it does not say.

    A catalog that is a server tells it when the table is made.

    Raises:
        CatalogError: the catalog cannot be reached.
    """
    if not isinstance(catalog, MetastoreCatalog):
        return None
    with reaching(catalog, OSError):
        location = _first_location(catalog, *catalog.identifier_to_database_and_table(name))
        return Home(name, location, load_file_io({**catalog.properties}, location)) if location else None


def _first_location(catalog: MetastoreCatalog, schema: str, name: str) -> str:
    try:
        # as create_table_transaction has it, which the first build uses
        return catalog._resolve_table_location(None, schema, name)  # noqa: SLF001
    except NoSuchNamespaceError:
        # a first build makes the schema, without a location of its own
        warehouse = catalog.properties.get(WAREHOUSE_LOCATION, "")
        return f"{warehouse.rstrip('/')}/{schema}/{name}" if warehouse and isinstance(catalog, SqlCatalog) else ""
    except ValueError:
        return ""


def files(catalog: Catalog, home: Home) -> Iterator[Orphan]:
    """Yield whatever lies in the folders of a table.

    Raises:
        CatalogError: whose files lie there is not known, or they cannot be listed.
    """
    location = home.location.rstrip("/")
    for folder in FOLDERS:
        if path := local_path(location):
            root = Path(path)
            _require_no_link(home.table, root / folder, local_path(catalog.properties.get(WAREHOUSE_LOCATION, "")))
            yield from _of_machine(root, folder)
        else:
            with reaching(catalog, OSError):
                yield from _of_store(home, location, folder)


def _require_no_link(name: str, folder: Path, warehouse: str) -> None:
    """Check that neither ``folder`` nor what it is in is a link, up to the warehouse, which may be one.

    Of a table that does not lie in the warehouse, its own folder is the last one to be looked at.
    """
    on_the_way = [folder, folder.parent]
    above = [folder, *folder.parents]
    inside = next((at for at, it in enumerate(above) if warehouse and str(it) == os.path.normpath(warehouse)), None)
    for it in above[:inside] if inside is not None else on_the_way:
        if it.is_symlink():
            problem = f"{it}, on the way to the files of {name}, is a link: whose files lie there is not known"
            raise CatalogError(problem, fix="look by hand")


def _of_machine(root: Path, folder: str) -> Iterator[Orphan]:
    """Yield the files below a folder of this machine; a link is nobody's file."""
    for at, _, names in os.walk(root / folder):
        for file in (Path(at, it) for it in names):
            # one that goes meanwhile is none
            with suppress(FileNotFoundError):
                if not file.is_symlink():
                    seen = file.stat()
                    modified = datetime.fromtimestamp(seen.st_mtime, UTC)
                    yield Orphan(str(file.relative_to(root)), seen.st_size, modified, file.unlink)


def _of_store(home: Home, location: str, folder: str) -> Iterator[Orphan]:
    scheme = location.partition("://")[0]
    if scheme not in STORES or not isinstance(home.io, PyArrowFileIO):
        problem = f"{home.table} lies at {scheme}://…, where files are not listed here"
        raise CatalogError(problem, fix="let another engine's remove_orphan_files do it")
    _, netloc, root = home.io.parse_location(location, home.io.properties)
    store = home.io.fs_by_scheme(scheme, netloc)
    for it in store.get_file_info(pafs.FileSelector(f"{root}/{folder}", allow_not_found=True, recursive=True)):
        if it.is_file:
            yield Orphan(it.path.removeprefix(f"{root}/"), it.size, it.mtime, _Remove(store, it.path))


@dataclass(frozen=True, slots=True)
class _Remove:
    store: pafs.FileSystem
    path: str

    def __call__(self) -> None:
        if not {"", ".", ".."}.isdisjoint(self.path.split("/")):
            # the store's client would ask for another file: that of the path which these parts are resolved to
            raise OSError("its key has a part that is empty, . or ..: remove it by the store's own tools")
        self.store.delete_file(self.path)
