"""Files in a table's own folders that no table of the catalog refers to: what killed runs and lost answers left behind.

Careful rather than thorough: a file is known by its name alone, which is unique and which no scheme, link or escaping
changes, and counts as referred to where any table of the catalog has a file of that name. Looked into are ``data`` and
``metadata`` of the table's location alone, and there what Iceberg's writers put; metadata files stay, for they are
small and an old one is how a table is brought back.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

import pyarrow.fs as pafs
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.table import Table

from governance.errors import CatalogError
from platform_assets.iceberg.catalog import Catalog, inventory, load
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
class Found:
    """What is left in the folders of ``table``, sorted by path; ``newer`` files are too young to be told of."""

    table: str
    orphans: tuple[Orphan, ...]
    newer: int


@dataclass(slots=True)
class Referred:
    """The names of the files that the catalog's tables refer to; a table that did not change is not read again."""

    catalog: Catalog
    _names: dict[str, frozenset[str]] = field(default_factory=dict)

    def names(self) -> frozenset[str]:
        """Return the names of all files, as of now.

        Raises:
            CatalogError: a table cannot be read, so that nobody knows what it refers to.
        """
        every: set[str] = set()
        for name in sorted(inventory(self.catalog)):
            table = load(self.catalog, name)
            known = self._names.get(table.metadata_location)
            if known is None:
                with reaching(self.catalog, OSError):
                    known = self._names[table.metadata_location] = frozenset(_names_of(name, table))
            every |= known
        return frozenset(every)


def orphans(catalog: Catalog, names: Iterable[str], before: Mapping[str, datetime]) -> tuple[Found, ...]:
    """Return what is left in the folders of the tables ``names``; of each only what was written ``before`` its moment.

    Raises:
        CatalogError: a table or its folders cannot be read; other tables have files in them, or may have.
    """
    asked = {name: load(catalog, name) for name in names}
    _require_own(catalog, asked)
    # first what is there: what is committed meanwhile is referred to by the time that references are read
    listed = {name: tuple(_files(name, table)) for name, table in asked.items()}
    referred = Referred(catalog).names() if any(listed.values()) else frozenset()
    found = []
    for name, files in listed.items():
        left = [it for it in files if _names(it.path).isdisjoint(referred)]
        old = tuple(sorted((it for it in left if it.modified < before[name]), key=lambda it: it.path))
        found.append(Found(name, old, len(left) - len(old)))
    return tuple(found)


def remove(catalog: Catalog, found: Iterable[Found]) -> tuple[Found, ...]:
    """Remove what was found, after one more look that nothing refers to it by now; return what was removed.

    Raises:
        CatalogError: a table cannot be read, or a file cannot be removed; those before it are gone.
    """
    given = tuple(found)
    referred = Referred(catalog).names()
    gone = tuple(
        Found(it.table, tuple(one for one in it.orphans if _names(one.path).isdisjoint(referred)), it.newer)
        for it in given
    )
    with reaching(catalog, OSError):
        for one in (one for it in gone for one in it.orphans):
            one.remove()
    return gone


def _names(location: str) -> frozenset[str]:
    name = location.rpartition("/")[2]
    return frozenset({name, unquote(name)})


def _names_of(name: str, table: Table) -> Iterator[str]:
    for location in _locations(name, table):
        yield from _names(location)


def _locations(name: str, table: Table) -> Iterator[str]:
    """Yield where all files lie that any snapshot of the table needs, those of its branches and tags among them."""
    metadata = table.metadata
    yield table.metadata_location
    yield from (it.metadata_file for it in metadata.metadata_log)
    yield from (it.statistics_path for it in (*metadata.statistics, *metadata.partition_statistics))
    read: set[str] = set()
    for snapshot in metadata.snapshots:
        if not snapshot.manifest_list:
            problem = (
                f"{name} has a snapshot without a manifest list, {snapshot.snapshot_id}: what it needs is not known"
            )
            raise CatalogError(
                problem, fix="let the engine that wrote it rewrite its manifests, or expire the snapshot"
            )
        yield snapshot.manifest_list
        for manifest in snapshot.manifests(table.io):
            if manifest.manifest_path not in read:
                read.add(manifest.manifest_path)
                yield manifest.manifest_path
                yield from (it.data_file.file_path for it in manifest.fetch_manifest_entry(table.io))


def _require_own(catalog: Catalog, asked: Mapping[str, Table]) -> None:
    """Check that no other table lies at, or below, the location of one."""
    places = {name: _place(load(catalog, name).location()) for name in inventory(catalog)}
    for name, table in asked.items():
        own = _place(table.location())
        if own.count("/") < 2:  # noqa: PLR2004  # of a bucket, or of the machine
            raise CatalogError(f"{name} lies at {table.location()}, which is no folder of its own", fix="look by hand")
        for other, place in places.items():
            if other != name and f"{place}/".startswith(f"{own}/"):
                problem = f"{other} lies at {name}'s location or below it: whose a file is there is not known"
                raise CatalogError(problem, fix="look by hand, or rewrite one of them to a location of its own")


def _place(location: str) -> str:
    """Return a location whose scheme is one of several that mean the same."""
    path = local_path(location)
    if path:
        return os.path.realpath(path)
    scheme, _, rest = location.partition("://")
    return f"{'s3' if scheme in {'s3a', 's3n'} else scheme}:{rest.rstrip('/')}"


def _files(name: str, table: Table) -> Iterator[Orphan]:
    location = table.location().rstrip("/")
    for folder in FOLDERS:
        if path := local_path(location):
            yield from _of_machine(name, Path(path), folder)
        else:
            with reaching(table.catalog, OSError):
                yield from _of_store(name, table, location, folder)


def _of_machine(name: str, root: Path, folder: str) -> Iterator[Orphan]:
    """Yield the files below a folder of this machine; a link is nobody's file."""
    if (root / folder).is_symlink():
        problem = f"{root / folder} of {name} is a link: whose files lie there is not known"
        raise CatalogError(problem, fix="look by hand")
    for at, _, names in os.walk(root / folder):
        for file in (Path(at, it) for it in names if it.endswith(ENDINGS)):
            if not file.is_symlink():
                seen = file.stat()
                modified = datetime.fromtimestamp(seen.st_mtime, UTC)
                yield Orphan(str(file.relative_to(root)), seen.st_size, modified, file.unlink)


def _of_store(name: str, table: Table, location: str, folder: str) -> Iterator[Orphan]:
    scheme = location.partition("://")[0]
    if scheme not in STORES or not isinstance(table.io, PyArrowFileIO):
        problem = f"{name} lies at {scheme}://…, where files are not listed here"
        raise CatalogError(problem, fix="let another engine's remove_orphan_files do it")
    _, netloc, root = table.io.parse_location(location, table.io.properties)
    store = table.io.fs_by_scheme(scheme, netloc)
    for it in store.get_file_info(pafs.FileSelector(f"{root}/{folder}", allow_not_found=True, recursive=True)):
        if it.is_file and it.path.endswith(ENDINGS):
            yield Orphan(it.path.removeprefix(f"{root}/"), it.size, it.mtime, _Remove(store, it.path))


@dataclass(frozen=True, slots=True)
class _Remove:
    store: pafs.FileSystem
    path: str

    def __call__(self) -> None:
        self.store.delete_file(self.path)
