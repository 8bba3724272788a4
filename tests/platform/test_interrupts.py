"""Whenever a signal comes, it is what ends the query: DuckDB makes no error of its own of it, and nothing is left."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pyarrow as pa
import pytest

from governance.project import project_at
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Column, Query, Rows
from platform_assets.factory import duckdb_resource

ONE = pa.table({"id": [1]})
ENDLESS = Query("select sum(a.i * b.i) as n from range(10000000) a(i), range(10000000) b(i), bronze.buyers", "q.sql")
STEPS, LONGEST = 40, 0.12
"""How many moments are tried, and seconds to the latest: what is before the query is over by then."""


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
