"""What rules ask of each table's metadata, remembered: a look at the catalog loads only the tables that changed.

Iceberg never changes a metadata file; a commit writes another (https://iceberg.apache.org/spec/#overview). So what was
read of one stands as long as the catalog names it as the table's. An SQL catalog names those of all tables in one
query; any other tells a table's with the table, which is then loaded, and only its earlier schemas are spared.

``<state>/tables.bin`` is a digest and then a :class:`_Kept`. Where it is missing, damaged or of another version, all is
looked at anew; it is replaced whole, and deleting it is always right.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec
from pyiceberg.catalog.sql import IcebergTables, SqlCatalog
from pyiceberg.table import Table
from sqlalchemy import select

from governance.errors import CatalogError
from governance.identity import SchemaVersion
from governance.rules import Head
from platform_assets.iceberg.catalog import Catalog
from platform_assets.iceberg.error import reaching
from platform_assets.iceberg.heads import head_of, loadable
from platform_assets.iceberg.schema_history import versions_of
from platform_assets.iceberg.warehouse import local_path

FILE = "tables.bin"
VERSION = 1
"""Of what is kept, and of what it is taken to mean; what another version kept is looked at anew."""

_DIGEST = 16
_ONCE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}[^/]*$")
"""A name that no second metadata file gets; catalogs of files call theirs ``v3.metadata.json``, after a drop again."""


class TableSeen(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A table as one of its metadata files has it.

    columns:  nested ones as dotted paths
    versions: of its columns, the oldest first; none where they never changed
    head:     None where it has no snapshot
    """

    metadata: str
    columns: tuple[str, ...]
    versions: tuple[SchemaVersion, ...]
    head: Head | None


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    version: int
    tables: dict[str, TableSeen]


@dataclass(frozen=True, slots=True)
class TablesSeen:
    """What a look found, by name and in its order: tables, and why others cannot be read."""

    tables: Mapping[str, TableSeen]
    damaged: Mapping[str, CatalogError]


def tables_seen(catalog: Catalog, names: Iterable[str], state: Path) -> TablesSeen:
    """Return what is known of the tables ``names``.

    state: the folder in which they are remembered

    Raises:
        CatalogError: the catalog cannot be reached.
    """
    before, present = _read(state / FILE), _metadata(catalog)
    asked = sorted(names)
    same = {it: before[it] for it in asked if it in before and _stands(before[it].metadata, present.get(it))}
    loaded = loadable(catalog, (it for it in asked if it not in same))
    damaged = {name: it for name, it in loaded.items() if isinstance(it, CatalogError)}
    found = same | {
        name: _seen(it, before.get(name)) for name, it in loaded.items() if not isinstance(it, CatalogError)
    }
    if found != before:
        # a disk that is full must not hide what was found
        with suppress(OSError):
            _write(state / FILE, found)
    return TablesSeen({name: found[name] for name in asked if name in found}, damaged)


def _metadata(catalog: Catalog) -> Mapping[str, str | None]:
    """Return the present metadata file of each table, as far as the catalog tells without the tables."""
    if not isinstance(catalog, SqlCatalog):
        return {}
    columns = IcebergTables.table_namespace, IcebergTables.table_name, IcebergTables.metadata_location
    with reaching(catalog, OSError), catalog.engine.connect() as connection:
        rows = connection.execute(select(*columns).where(IcebergTables.catalog_name == catalog.name))
        return {f"{namespace}.{name}": location for namespace, name, location in rows}


def _stands(before: str, present: str | None) -> bool:
    if before != present or not _ONCE.search(before):
        return False
    path = local_path(before)
    # one that is lost is found out where that costs no request
    return not path or Path(path).is_file()


def _seen(table: Table, before: TableSeen | None) -> TableSeen:
    location = table.metadata_location
    if before is not None and before.metadata == location and _ONCE.search(location):
        return before
    return TableSeen(location, tuple(table.schema().column_names), versions_of(table), head_of(table))


def _read(file: Path) -> Mapping[str, TableSeen]:
    try:
        data = file.read_bytes()
        if _digest(data[_DIGEST:]) != data[:_DIGEST]:
            return {}
        kept = msgspec.msgpack.decode(data[_DIGEST:], type=_Kept)
    except (OSError, msgspec.DecodeError):
        return {}
    return kept.tables if kept.version == VERSION else {}


def _write(file: Path, tables: dict[str, TableSeen]) -> None:
    data = msgspec.msgpack.encode(_Kept(VERSION, tables))
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as beside:
        place = Path(beside.name)
        try:
            beside.write(_digest(data) + data)
            beside.close()
            place.replace(file)
        except OSError:
            place.unlink(missing_ok=True)
            raise


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()
