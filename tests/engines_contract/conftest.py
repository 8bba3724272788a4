import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import duckdb
import pytest

from platform_assets.engines.choice import spark as spark_engine
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Engine

REAL = "HEADWATER_TEST_SPARK"
"""Names a Spark 4 server that is there already: the suite then runs on it as well."""


@contextmanager
def sail_server() -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    script = Path(__file__).with_name("server.py")
    quiet = {**os.environ, "RUST_LOG": "off"}
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=quiet) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip(), server
        finally:
            server.kill()


@pytest.fixture(scope="session")
def sail() -> Iterator[str]:
    with sail_server() as (remote, _):
        yield remote


@pytest.fixture
def binder(tmp_path: Path) -> DuckDb:
    def connect() -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return duckdb.connect(":memory:", config={"temp_directory": str(tmp_path / "spill")})

    return DuckDb(connect)


@pytest.fixture(params=["duckdb", "sail", *(["spark"] if REAL in os.environ else [])])
def engine(request: pytest.FixtureRequest, binder: DuckDb, tmp_path: Path) -> Engine:
    if request.param == "duckdb":
        return binder
    remote = request.getfixturevalue("sail") if request.param == "sail" else os.environ[REAL]
    return spark_engine(remote, binder, tmp_path / "spark")


@pytest.fixture(params=["sail", *(["spark"] if REAL in os.environ else [])])
def spark(request: pytest.FixtureRequest, binder: DuckDb, tmp_path: Path) -> Engine:
    remote = request.getfixturevalue("sail") if request.param == "sail" else os.environ[REAL]
    return spark_engine(remote, binder, tmp_path / "spark")
