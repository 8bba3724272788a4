"""Ends that nobody wants: a server that is not there, or dies; a run that is terminated. Nothing is left of them."""

import socket
import subprocess
import threading
import time
from pathlib import Path

import psutil
import pyarrow as pa
import pytest

from governance.errors import EngineError
from platform_assets.engines.choice import spark as spark_engine
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Engine, Relation, Rows
from tests.engines_contract.asking import ask
from tests.engines_contract.conftest import sail_server
from tests.terminated import Terminated, terminated_after

pytestmark = pytest.mark.filterwarnings("ignore:.*RETRIES_EXCEEDED")

LONG = "select count(*) as n from s.n a, s.n b, s.n c where a.id + b.id * c.id = 3"
NUMBERS: dict[str, Relation] = {"s.n": Rows(pa.table({"id": pa.array(range(5000), pa.int32())}))}
QUICK = "select count(*) as n from s.n"


def refuses(engine: Engine, words: str) -> None:
    begun = time.monotonic()
    with pytest.raises(EngineError, match=words) as caught:
        ask(engine, QUICK, NUMBERS)
    assert time.monotonic() - begun < 60  # the client itself hangs for minutes
    assert caught.value.fix


def test_no_server_is_told_at_once(binder: DuckDb, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    refuses(spark_engine(f"sc://127.0.0.1:{port}", binder, tmp_path), f"127.0.0.1:{port} cannot be reached")


def test_a_server_that_says_nothing_is_told_soon(binder: DuckDb, tmp_path: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(5)
        refuses(spark_engine(f"sc://127.0.0.1:{silent.getsockname()[1]}", binder, tmp_path), "does not answer within")


@pytest.mark.parametrize(
    ("remote", "words"),
    [
        (None, "names no Spark Connect server"),
        ("local[2]", "no address"),
        ("sc://", "no address"),
        ("sc://h:x", "no address"),
    ],
)
def test_a_wrong_address_is_told(binder: DuckDb, tmp_path: Path, remote: str | None, words: str) -> None:
    refuses(spark_engine(remote, binder, tmp_path), words)


def test_a_version_that_cannot_be_asked_is_no_error(binder: DuckDb, tmp_path: Path) -> None:
    assert spark_engine(None, binder, tmp_path).version == "0+unreached"


def test_an_interrupt_ends_the_query_and_leaves_no_file(engine: Engine, tmp_path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(Terminated), terminated_after(1.5):
        ask(engine, LONG, NUMBERS)
    assert time.monotonic() - begun < 60  # it would take hours
    assert not [thread for thread in threading.enumerate() if thread.name == "engine-query"]
    assert not list(tmp_path.glob("*/run-*"))
    assert ask(engine, QUICK, NUMBERS).to_pylist() == [{"n": 5000}]


def test_an_interrupt_ends_the_work_on_the_server(binder: DuckDb, tmp_path: Path) -> None:
    with sail_server() as (remote, server):
        with pytest.raises(Terminated), terminated_after(1.5):
            ask(spark_engine(remote, binder, tmp_path), LONG, NUMBERS)
        watched = psutil.Process(server.pid)
        deadline = time.monotonic() + 60
        while watched.cpu_percent(0.5) > 20:
            assert time.monotonic() < deadline, "the server still works"


def test_a_server_that_is_killed_in_a_query_is_an_error_and_leaves_no_file(binder: DuckDb, tmp_path: Path) -> None:
    with sail_server() as (remote, server):
        killer = threading.Thread(target=kill_at_work, args=(server,))
        killer.start()
        with pytest.raises(EngineError, match="connection to the Spark server failed"):
            ask(spark_engine(remote, binder, tmp_path), LONG, NUMBERS)
        killer.join()
    assert not list(tmp_path.glob("*/run-*"))
    assert not list(tmp_path.glob("run-*"))


def kill_at_work(server: "subprocess.Popen[str]") -> None:
    """Kill the server once it has worked for a second, which only the query makes it do."""
    watched = psutil.Process(server.pid)
    idle = watched.cpu_times().user
    while watched.cpu_times().user - idle < 1:
        time.sleep(0.05)
    server.kill()
