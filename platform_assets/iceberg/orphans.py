"""Files in a table's own folders that no table of the catalog refers to: what killed runs and lost answers left behind.

Careful rather than thorough: a file is known by its name alone, which is unique and which no scheme, link or escaping
changes, and counts as referred to where any table of the catalog has a file of that name. Looked into are ``data`` and
``metadata`` of the table's location alone, and there what Iceberg's writers put; metadata files stay, for they are
small and an old one is how a table is brought back.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from urllib.parse import unquote

import pyarrow as pa
from pyiceberg.table import Table

from governance.errors import CatalogError
from governance.events.failure import reason
from platform_assets.iceberg.catalog import Catalog, inventory, load
from platform_assets.iceberg.damage import reading
from platform_assets.iceberg.error import AWS
from platform_assets.iceberg.orphan_files import ENDINGS, Home, Orphan, files, first_home, home_of
from platform_assets.iceberg.warehouse import local_path

__all__ = ["Found", "Orphan", "orphans", "remove"]

NOBODY_ANSWERS = frozenset({"NETWORK_CONNECTION", "SLOW_DOWN"})
"""What a store says, or is said of it, that holds for its other files as well."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is left in the folders of ``table``, sorted by path.

    newer:  files that are too young to be told of
    home:   where the catalog would put the table, of one that it does not have
    why:    why nobody looked there, an empty text where somebody did
    failed: path and reason of each file that could not be removed
    """

    table: str
    orphans: tuple[Orphan, ...]
    newer: int
    home: str = ""
    why: str = ""
    failed: tuple[tuple[str, str], ...] = ()


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
                with reading(self.catalog, name):
                    known = self._names[table.metadata_location] = frozenset(_names_of(name, table))
            every |= known
        return frozenset(every)


def orphans(
    catalog: Catalog, names: Iterable[str], before: Mapping[str, datetime], unbuilt: Iterable[str] = ()
) -> tuple[Found, ...]:
    """Return what is left in the folders of the tables ``names``; of each only what was written ``before`` its moment.

    Of the tables ``unbuilt``, which the catalog does not have, it is what killed first builds left. Where that is not
    sure the files stay, and ``why`` tells it.

    Raises:
        CatalogError: a table or its folders cannot be read; other tables have files in them, or may have.
    """
    asked = [home_of(name, load(catalog, name)) for name in names]
    places = {name: _place(load(catalog, name).location()) for name in inventory(catalog)}
    for home in asked:
        _require_own(home, places)
    # first what is there: what is committed meanwhile is referred to by the time that references are read
    listed = [
        (Found(it.table, (), 0), tuple(one for one in files(catalog, it) if one.path.endswith(ENDINGS))) for it in asked
    ]
    listed += [_of_first_builds(catalog, name, places) for name in unbuilt]
    referred = Referred(catalog).names() if any(left for _, left in listed) else frozenset()
    found = []
    for of, there in listed:
        left = [it for it in there if _names(it.path).isdisjoint(referred)]
        old = tuple(sorted((it for it in left if it.modified < before[of.table]), key=lambda it: it.path))
        found.append(replace(of, orphans=old, newer=len(left) - len(old)))
    return tuple(found)


def _of_first_builds(catalog: Catalog, name: str, places: Mapping[str, str]) -> tuple[Found, tuple[Orphan, ...]]:
    """Return what lies where a table would that is not there."""
    home = first_home(catalog, name)
    if home is None:
        return Found(name, (), 0, why="the catalog has no such table, and does not say where it would lie"), ()
    own, of = _place(home.location), Found(name, (), 0, home.location)
    try:
        _require_own(home, places)
    except CatalogError as error:
        return replace(of, why=error.problem), ()
    around = next((other for other, place in places.items() if own.startswith(f"{place}/")), None)
    if around:
        return replace(of, why=f"it would lie within the folder of {around}: whose a file is there is not known"), ()
    there = tuple(files(catalog, home))
    if any(".metadata.json" in it.path for it in there):
        # by such a file a table that was dropped is brought back, and then it needs all that lies there
        why = "there is a metadata file, by which a table that was dropped may be brought back: look by hand"
        return replace(of, why=why), ()
    return of, tuple(it for it in there if it.path.endswith(ENDINGS))


def remove(catalog: Catalog, found: Iterable[Found]) -> tuple[Found, ...]:
    """Remove what was found, after one more look that nothing refers to it by now; return what is gone.

    A file that cannot be removed is in ``failed`` and keeps no other one.

    Raises:
        CatalogError: a table cannot be read, so that nothing was removed.
    """
    given = tuple(found)
    referred = Referred(catalog).names()
    down: list[str] = []
    return tuple(_removed(it, referred, down) for it in given)


def _removed(found: Found, referred: frozenset[str], down: list[str]) -> Found:
    """Remove the files of one table; a store that is ``down`` is not asked for each file again."""
    gone: list[Orphan] = []
    failed: list[tuple[str, str]] = []
    for it in found.orphans:
        if _names(it.path).isdisjoint(referred):
            why = down[0] if down else _failure(it, down)
            if why:
                failed.append((it.path, why))
            else:
                gone.append(it)
    return replace(found, orphans=tuple(gone), failed=tuple(failed))


def _failure(orphan: Orphan, down: list[str]) -> str:
    """Remove a file and return why it is still there, an empty text where it is not."""
    try:
        orphan.remove()
    except FileNotFoundError:
        return ""
    except (OSError, pa.ArrowException) as error:
        code = AWS.search(str(error))
        # a store's own words have addresses
        why = code[1] if code else reason(error)
        if code and code[1] in NOBODY_ANSWERS:
            down.append(why)
        return why
    return ""


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


def _require_own(home: Home, places: Mapping[str, str]) -> None:
    """Check that no other table lies at, or below, the location of one."""
    name, own = home.table, _place(home.location)
    if own.count("/") < 2:  # noqa: PLR2004  # of a bucket, or of the machine
        raise CatalogError(f"{name} lies at {home.location}, which is no folder of its own", fix="look by hand")
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
