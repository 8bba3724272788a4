"""Dagster's SQLite without what it does anew for each event: a third of the work of a job in these tests.

It makes an engine of SQLAlchemy for every statement, which compiles that statement anew, and reads all its migrations
for every run. Here both are kept, by the file that they are of. The engines hold no connection, so files are opened,
written and closed as ever; processes that tests start have none of this.
"""

import functools

import sqlalchemy as db
from alembic.config import Config
from alembic.script import ScriptDirectory
from dagster._core.storage.event_log.sqlite import sqlite_event_log
from dagster._core.storage.runs.sqlite import sqlite_run_storage
from dagster._core.storage.schedules.sqlite import sqlite_schedule_storage
from sqlalchemy.pool import NullPool

MODULES = (sqlite_event_log, sqlite_run_storage, sqlite_schedule_storage)


def keep_engines() -> None:
    """Let Dagster's SQLite use the engines and migrations that it has made already, in this process."""
    for module in MODULES:
        assert module.create_engine in (db.create_engine, engine), f"{module.__name__} makes its engines otherwise"
        module.create_engine = engine
    ScriptDirectory.from_config = scripts  # type: ignore[method-assign]


def engine(at: str, *, poolclass: type[NullPool], connect_args: dict[str, float] | None = None) -> db.Engine:
    return _engine(at, poolclass, tuple((connect_args or {}).items()))


@functools.lru_cache(64)
def _engine(at: str, poolclass: type[NullPool], settings: tuple[tuple[str, float], ...]) -> db.Engine:
    assert poolclass is NullPool, "an engine with connections of its own cannot be kept"
    return db.create_engine(at, poolclass=poolclass, connect_args=dict(settings))


read_scripts = ScriptDirectory.from_config
SCRIPTS: dict[str | None, ScriptDirectory] = {}


def scripts(config: Config) -> ScriptDirectory:
    at = config.get_main_option("script_location")
    return SCRIPTS.get(at) or SCRIPTS.setdefault(at, read_scripts(config))
