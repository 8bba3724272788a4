"""The catalog that pyiceberg's own settings name, opened so that one that is dead is an error within seconds.

What the settings say goes before what is added to them here (https://py.iceberg.apache.org/configuration/).
"""

import fcntl
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pyiceberg.catalog import PY_CATALOG_IMPL, TYPE, Catalog, CatalogType, infer_catalog_type, load_catalog
from pyiceberg.utils.config import Config
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from governance.catalog_seen import DATABASE
from governance.errors import CatalogError
from governance.project import Project
from platform_assets.iceberg.error import UNREACHED, require_escaped, unreached, unwritable_state
from platform_assets.iceberg.sql import SqlCatalog

Settings = Mapping[str, object]
"""A catalog's settings by name: texts, and mappings of texts for ``auth`` and ``ssl``."""

_UNUSABLE = (ValueError, OSError, ImportError, AttributeError)  # what wrong settings of a catalog raise

LIBPQ = {
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
"""When a PostgreSQL server that does not answer is given up, at the start and later on; libpq's own names.

Seconds, and milliseconds in the last. Keepalives find a host that is gone while an answer is waited for, the last one
that takes nothing more of what is sent. Neither finds a server that is frozen, for its host's kernel answers for it:
with psycopg2 the last is also how long ``postgres.Connection`` waits for an answer.
"""

BOUNDED_DRIVER = "psycopg2"
LIBPQ_DRIVERS = (BOUNDED_DRIVER, "psycopg")

STORE = {"s3.connect-timeout": "5", "s3.request-timeout": "10"}
"""Seconds without a byte after which an object store is asked anew; after three times, it is given up."""

LOCK_SECONDS, LOCK_POLL = 60.0, 0.02
"""Seconds that another process may take to open the catalog of the state folder, and between two looks at it."""

RACES = 3
"""How often processes may find no tables in a new catalog and lose the race to make them."""


def open_catalog(project: Project) -> Catalog:
    """Return the default catalog of pyiceberg's own configuration, else SQLite in the project's state folder.

    The local one bears pyiceberg's default name too, so that naming its URI in a configuration later finds its tables.

    Raises:
        CatalogError: the configuration cannot be used; the catalog cannot be reached.

    """
    config = Config()
    name = config.get_default_catalog_name()
    settings = config.get_catalog_config(name)
    try:
        if settings:
            return _configured(name, bounded(settings, os.environ))
        return _local(name, project.state)
    except (*UNREACHED, *_UNUSABLE) as error:
        raise unreached(error, name, str((settings or {}).get("uri", ""))) from None


def bounded(settings: Settings, env: Mapping[str, str]) -> dict[str, object]:
    """Return ``settings`` with limits of time where neither they nor libpq's variables in ``env`` have any.

    Raises:
        CatalogError: the URI's password has a sign that ends it.
    """
    # yaml gives numbers and truth values, and pyiceberg takes texts; auth and ssl are mappings
    given: dict[str, object] = {
        key: value if isinstance(value, Mapping) else str(value) for key, value in settings.items()
    }
    uri = str(given.get("uri", ""))
    if uri.startswith(("postgresql", "http")):
        require_escaped(uri)
    if not uri.startswith("postgresql"):
        return {**STORE, **given}
    url = make_url(uri)
    if url.get_driver_name() in LIBPQ_DRIVERS:
        missing = {key: value for key, value in LIBPQ.items() if key not in url.query}
        if "PGCONNECT_TIMEOUT" in env:
            missing.pop("connect_timeout", None)
        url = url.update_query_dict(missing)
    # a connection that lay idle through an hour's query may be gone when its commit comes
    return {**STORE, "pool_pre_ping": "true", **given, "uri": url.render_as_string(hide_password=False)}


def _configured(name: str, settings: Mapping[str, object]) -> Catalog:
    if PY_CATALOG_IMPL not in settings and _type(name, settings) is CatalogType.REST:
        # who has no such catalog does not wait for its client
        from platform_assets.iceberg.rest import RestCatalog  # noqa: PLC0415

        return RestCatalog(name, **settings)  # type: ignore[arg-type]  # auth and ssl are mappings
    for last in (False,) * (RACES - 1) + (True,):
        try:
            return _loaded(name, settings)
        except DBAPIError as error:
            if last or "already exists" not in str(error.orig):
                raise
    raise AssertionError("a loop of tries ends in a return or a raise")


def _loaded(name: str, settings: Settings) -> Catalog:
    psycopg2 = str(settings.get("uri", "")).startswith(f"postgresql+{BOUNDED_DRIVER}:")
    if psycopg2 and PY_CATALOG_IMPL not in settings and _type(name, settings) is CatalogType.SQL:
        return SqlCatalog(name, **settings)  # type: ignore[arg-type]  # likewise
    return load_catalog(name, **settings)  # type: ignore[arg-type]  # likewise


def _type(name: str, settings: Mapping[str, object]) -> CatalogType | None:
    told = settings.get(TYPE)
    return CatalogType(str(told).lower()) if told else infer_catalog_type(name, dict(settings))  # type: ignore[arg-type]


def _local(name: str, state: Path) -> Catalog:
    warehouse = state / "warehouse"
    try:
        warehouse.mkdir(parents=True, exist_ok=True)
        # two processes that both find no tables would both create them
        with locked(state / "catalog.lock"):
            return load_catalog(
                name,
                type="sql",
                uri=f"sqlite:///{state / DATABASE}?timeout=30",
                warehouse=str(warehouse),
            )
    except (OSError, SQLAlchemyError) as error:
        raise unwritable_state(error, state) from None


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file ``path`` while the block runs; other processes wait.

    Raises:
        CatalogError: another process holds it and does not go on.
    """
    with path.open("a") as file:
        latest = time.monotonic() + LOCK_SECONDS
        while not _taken(file):
            if time.monotonic() > latest:
                problem = f"another process has held {path} for {LOCK_SECONDS:g} s"
                raise CatalogError(problem, fix=f"see whether it is stopped (fuser {path} names it), and end it")
            time.sleep(LOCK_POLL)
        yield


def _taken(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
