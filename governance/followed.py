"""A long store as a question of now is given it: by what of it stands, gone on with from where it was read before."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from governance.identity import Schemas
from governance.names import Spelling
from governance.stored import NO_CATALOG, Catalog, Stored

LONG = 8_000_000
"""Bytes of a store from which on it is followed: fewer are read whole within a second or two."""


def is_long(path: Path) -> bool:
    """Whether a file of events or a store is more than is read within a second or two."""
    size = 0
    for file in path.rglob("*") if path.is_dir() else (path,) if path.is_file() else ():
        size += file.stat().st_size
        if size > LONG:
            return True
    return False


def followed_store(
    store: Path,
    state: Path,
    now: datetime,
    spellings: Mapping[str, Spelling],
    schemas: Schemas,
    *,
    catalog: Catalog = NO_CATALOG,
) -> Stored | None:
    """Return what of the store in the folder ``store`` stands; None where it is short, or has to be read whole.

    Whatever is asked as of now is answered from it as from all events; runs that stand for nothing are not in it.

    state: the folder in which what was followed of it is kept

    Raises:
        EventStoreError: the store cannot be read.
    """
    if not store.is_dir() or not is_long(store):
        return None
    from governance.past.follow import follow  # noqa: PLC0415  # pyarrow is slow to start
    from governance.past.news import Changed  # noqa: PLC0415
    from governance.past.stands import stored_of  # noqa: PLC0415

    followed = follow(store, state, now)
    try:
        return stored_of(followed, store, spellings, schemas, catalog) if followed else None
    except Changed:
        # somebody replaced the store within this moment
        return None
