"""A PostgreSQL whose process stops in the midst of a statement: it is given up in time, and the table is whole."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import event

from governance.errors import CatalogError
from governance.project import Project
from platform_assets.iceberg import connect
from platform_assets.iceberg.catalog import Catalog, inventory, load, load_known, open_catalog
from platform_assets.iceberg.publish import Conflict, landed, replace, target
from tests.catalogs.conftest import configure
from tests.postgres import Postgres

LIMIT = 0.7


@pytest.fixture
def database(postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database of the test's own, which the settings name."""
    monkeypatch.setitem(connect.LIBPQ, "tcp_user_timeout", str(int(LIMIT * 1000)))
    monkeypatch.setitem(connect.LIBPQ, "connect_timeout", "2")
    name = uuid4().hex
    configure(monkeypatch, uri=postgres.make(name), warehouse=f"file://{tmp_path}/house")
    return name


@pytest.fixture
def catalog(database: str, project: Project) -> Iterator[Catalog]:
    assert database
    with open_catalog(project) as opened:
        put(opened, "one", 1)
        yield opened


def put(catalog: Catalog, run: str, value: int) -> None:
    at = target("s.t", load_known(catalog, ["s.t"]).get("s.t"))
    replace(catalog, at, pa.table({"a": [value]}).to_reader(), {"openlineage.runId": run}, {})


def rows(catalog: Catalog) -> list[int]:
    found: list[int] = load(catalog, "s.t").scan().to_arrow()["a"].to_pylist()
    return found


def backends(postgres: Postgres, database: str) -> list[int]:
    return asked(postgres, f"datname = '{database}'")


def asked(postgres: Postgres, condition: str) -> list[int]:
    found = postgres.ask("postgres", f"select pid from pg_stat_activity where {condition}")  # noqa: S608  # the test's own
    return [int(str(pid)) for (pid,) in found]


@contextmanager
def going_on_afterwards(stopped: list[int]) -> Iterator[None]:
    try:
        yield
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


def until(true: Any) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_commit_that_is_not_answered_is_given_up_and_found_later(
    postgres: Postgres, database: str, catalog: Catalog
) -> None:
    assert isinstance(catalog, SqlCatalog)
    stopped: list[int] = []

    def stop(_: object) -> None:
        # what is sent from here on is COMMIT
        stopped.extend(backends(postgres, database))
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)

    event.listen(catalog.engine, "commit", stop)
    with going_on_afterwards(stopped):
        begun = time.monotonic()
        with pytest.raises(CatalogError) as caught:
            put(catalog, "two", 2)
        assert time.monotonic() - begun < LIMIT + 10
        assert not isinstance(caught.value, Conflict)
        said = str(caught.value)
        assert "PostgreSQL has not answered for 0.7 s, and whether it took the commit is not known" in said
        assert "headwater check tells by stale_lineage" in said
        assert postgres.password not in said
        event.remove(catalog.engine, "commit", stop)
        # another connection is answered, and sees the table as it was
        assert landed(catalog, "s.t", "two", "OVERWRITE") is None
        assert rows(catalog) == [1]
    until(lambda: landed(catalog, "s.t", "two", "OVERWRITE"))
    assert rows(catalog) == [2]
    put(catalog, "three", 3)
    assert rows(catalog) == [3]


def test_a_statement_that_is_not_answered_is_given_up_and_nothing_of_it_stands(
    postgres: Postgres, database: str, catalog: Catalog
) -> None:
    assert isinstance(catalog, SqlCatalog)
    stopped: list[int] = []
    raised: list[BaseException] = []

    def write() -> None:
        try:
            put(catalog, "two", 2)
        except CatalogError as error:
            raised.append(error)

    def waiting() -> list[int]:
        return asked(postgres, f"datname = '{database}' and wait_event_type = 'Lock'")

    with catalog.engine.begin() as holder, going_on_afterwards(stopped):
        # the UPDATE of the table's row waits for this one, and is in its midst when its process stops
        holder.exec_driver_sql("select * from iceberg_tables for update")
        writing = Thread(target=write)
        writing.start()
        until(waiting)
        stopped.extend(waiting())
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        writing.join(LIMIT + 20)
        assert not writing.is_alive()
    assert "PostgreSQL has not answered for 0.7 s; check that it is there" in str(raised[0])
    until(lambda: not set(stopped) & set(backends(postgres, database)))
    assert landed(catalog, "s.t", "two", "OVERWRITE") is None
    assert rows(catalog) == [1]
    put(catalog, "three", 3)
    assert rows(catalog) == [3]


def test_a_server_that_stops_between_two_statements_is_given_up(
    postgres: Postgres, database: str, catalog: Catalog
) -> None:
    # the connection lies in the pool, and its ping is not answered; nor are new ones made
    stopped = [postgres.process.pid, *backends(postgres, database)]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    with going_on_afterwards(stopped):
        begun = time.monotonic()
        with pytest.raises(CatalogError, match=r"timeout expired|has not answered"):
            inventory(catalog)
        assert time.monotonic() - begun < LIMIT + 10
    assert rows(catalog) == [1]


def test_no_limit_is_one_that_is_said(database: str, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connect.LIBPQ, "tcp_user_timeout", "0")
    assert database
    with open_catalog(project) as catalog:
        assert isinstance(catalog, SqlCatalog)
        with catalog.engine.connect() as connection:
            connection.exec_driver_sql(f"select pg_sleep({LIMIT * 1.5})")


def test_a_process_that_stops_while_it_opens_the_local_catalog_holds_nobody_up(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "LOCK_SECONDS", 0.2)
    with open_catalog(project) as catalog:
        assert inventory(catalog) == frozenset()
    with connect.locked(project.state / "catalog.lock"), pytest.raises(CatalogError, match=r"has held .*catalog\.lock"):
        open_catalog(project)
    with open_catalog(project) as catalog:
        assert inventory(catalog) == frozenset()
