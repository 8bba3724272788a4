"""Data files of an object store as files that DuckDB reads in place: only the columns and the rows that it asks for.

DuckDB has a reader of object stores of its own, as an extension that it would load from the network and that knows none
of the credentials that a catalog hands out.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial

import duckdb

from platform_assets.engines.engine import Files, Landing, Relation, Stored
from platform_assets.engines.sql import literal


def paths_of(relation: Relation) -> tuple[str, ...]:
    """Return the files of ``relation`` as DuckDB names them."""
    if isinstance(relation, Stored):
        return tuple(_path_of(location) for location, _ in relation.files)
    return relation.paths if isinstance(relation, Files | Landing) else ()


def allow(connection: duckdb.DuckDBPyConnection, relations: Iterable[Relation]) -> None:
    """Let ``connection`` read the files of ``relations`` once it reads no other."""
    paths = sorted({path for it in relations for path in paths_of(it)})
    connection.execute(f"set allowed_paths = [{', '.join(map(literal, paths))}]")


@contextmanager
def reading(connection: duckdb.DuckDBPyConnection, relations: Iterable[Relation]) -> Iterator[None]:
    """Let ``connection`` read the files of ``relations`` that lie in a store, as ``paths_of`` names them.

    Raises:
        HeadwaterError: what opening or reading one of them failed with, in place of DuckDB's error.
    """
    stored = [it for it in relations if isinstance(it, Stored)]
    files = {_path_of(at): (partial(it.open, at), size) for it in stored for at, size in it.files}
    if not files:
        yield
        return
    # who has no store does not wait for what reads one
    from platform_assets.engines.store_files import Store  # noqa: PLC0415

    store = Store(files)
    connection.register_filesystem(store)
    try:
        yield
    except Exception:
        if store.failed:
            raise store.failed[0] from None
        raise


def _path_of(location: str) -> str:
    """Return a path that has no sign of a glob's, whatever the location has, and that tells nothing in an error."""
    return f"stored://{hashlib.sha256(location.encode()).hexdigest()}.parquet"
