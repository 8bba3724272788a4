"""Whenever a signal comes, it is what ends the query: DuckDB makes no error of its own of it, and nothing is left."""

import os
import signal
import threading
import weakref
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType

import pyarrow as pa
import pytest

from governance.project import project_at
from platform_assets.assets.factory import duckdb_resource
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Column, Query, Rows
from platform_assets.engines.signals import kept

ONE = pa.table({"id": [1]})
ENDLESS = Query("select sum(a.i * b.i) as n from range(10000000) a(i), range(10000000) b(i), bronze.buyers", "q.sql")
STEPS, LONGEST = 40, 0.12
"""How many moments are tried, and seconds to the latest: what is before the query is over by then."""


class Gone:
    """What a weak reference looks at."""


class Told(BaseException):
    """What a signal raises, as Dagster's Terminate does."""


@pytest.fixture
def told() -> Iterator[None]:
    def tell(_number: int, _frame: FrameType | None) -> None:
        raise Told

    before = signal.signal(signal.SIGUSR1, tell)
    yield
    signal.signal(signal.SIGUSR1, before)


@pytest.mark.usefixtures("told")
def test_a_signal_ends_a_query_at_every_moment(tmp_path: Path) -> None:
    project = project_at(tmp_path)
    engine = DuckDb(duckdb_resource(project).get_connection)
    for step in range(STEPS):
        timer = threading.Timer(LONGEST * step / STEPS, os.kill, (os.getpid(), signal.SIGUSR1))
        ended = ""
        try:
            timer.start()
            with engine.open(ENDLESS, {"bronze.buyers": Rows(ONE)}) as result:
                result.write([Column(1, "n", "decimal(38, 0)")])
        except Told:
            ended = "told"
        timer.join()
        assert ended == "told"
    assert not any(path.is_file() for path in (project.state / "spill").rglob("*.parquet"))


def interrupted_where_python_drops_it(engine: DuckDb) -> None:
    with kept(), engine.open(ENDLESS, {"bronze.buyers": Rows(ONE)}) as result:
        gone = Gone()
        watched = weakref.ref(gone, lambda _: signal.raise_signal(signal.SIGINT))
        del gone
        assert watched() is None
        result.write([Column(1, "n", "decimal(38, 0)")])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_that_python_drops_ends_the_query_all_the_same(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted_where_python_drops_it(DuckDb(duckdb_resource(project_at(tmp_path)).get_connection))


def interrupted_where_nobody_tells(reached: list[str]) -> None:
    with kept():
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        reached.append("the end")


def test_a_signal_that_nobody_got_is_raised_at_the_end() -> None:
    reached: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        interrupted_where_nobody_tells(reached)
    assert reached == ["the end"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
