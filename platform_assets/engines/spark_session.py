"""A session on a Spark Connect server: reached within seconds or not at all, and every failure is an EngineError."""

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar
from urllib.parse import urlsplit

import grpc
from pyspark.errors import PySparkException
from pyspark.sql.connect.client.retries import DefaultPolicy
from pyspark.sql.connect.session import SparkSession

from governance.errors import EngineError
from platform_assets.engines.choice import REMOTE

T = TypeVar("T")

PORT = 15002
SECONDS = 4.0
"""What reaching the server and its first answer may take together; with the rest under 5 seconds."""

SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.fieldId.write.enabled": "true",
}

FAILURES = (PySparkException, grpc.RpcError, grpc.FutureTimeoutError)
TRACE = re.compile(r"\n\s*(JVM stacktrace:|at |== SQL).*", re.DOTALL)
LOST = re.compile(r'RPC that terminated with:.*?details = "([^"]*)"', re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])-?\d[\d.]{2,}(?:[LSYFD]|BD)?(?!\w)")
"""A value as an error may quote it: whoever reads logs may not read the table."""

INTERRUPTS = 10
"""How often the server is asked to cancel; after that the connection is cut, and the server does as it likes."""


class Connection:
    """A session that can be interrupted from another thread, again and again."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        self._asked = 0

    def interrupt(self) -> None:
        """Cancel what the session runs."""
        self._asked += 1
        with suppress(*FAILURES, ValueError):
            if self._asked <= INTERRUPTS:
                self.session.interruptAll()
            else:
                self.session.client.close()


@contextmanager
def connected(remote: str | None) -> Iterator[Connection]:
    """Give a session of its own on the server ``remote``, which ends with the block.

    Raises:
        EngineError: no server is named, or it does not answer in time.
    """
    session = _session(remote)
    try:
        yield Connection(session)
    finally:
        # a server that died cannot be told, and a client that waits for it must not hold anybody up
        with suppress(EngineError):
            within(SECONDS, session.stop, "the server")


def _session(remote: str | None) -> SparkSession:
    host, port = address(remote)
    shown = f"the Spark Connect server {host}:{port}"
    begun = time.monotonic()
    try:
        socket.create_connection((host, port), SECONDS / 2).close()
    except OSError as error:
        fix = f"start it, or let {REMOTE} name one that runs"
        raise EngineError(f"{shown} cannot be reached: {error.strerror or error}", fix=fix) from None
    # the first session of a server that has just started takes it seconds
    return within(SECONDS - (time.monotonic() - begun), lambda: _opened(str(remote)), shown)


def _opened(remote: str) -> SparkSession:
    session = SparkSession.builder.remote(remote).create()
    # the client would try for ten minutes
    session.client.set_retry_policies([DefaultPolicy(max_retries=3, initial_backoff=100, max_backoff=500)])
    for name, value in SETTINGS.items():
        session.conf.set(name, value)
    return session


def address(remote: str | None) -> tuple[str, int]:
    """Return host and port of ``remote``.

    Raises:
        EngineError: it is not there, or no address of a Spark Connect server.
    """
    fix = f"set {REMOTE} to sc://host:port"
    if not remote:
        raise EngineError(f"{REMOTE} names no Spark Connect server", fix=fix)
    try:
        parts = urlsplit(remote)
        host, port = parts.hostname, parts.port or PORT
    except ValueError:
        host, port, parts = None, PORT, urlsplit("")
    if parts.scheme != "sc" or not host:
        # the address may hold a token: it is not repeated
        raise EngineError(f"{REMOTE} is no address of a Spark Connect server", fix=fix)
    return host, port


def within(seconds: float, work: Callable[[], T], shown: str) -> T:
    """Return what ``work`` returns, if it does so in time; else what hangs is left behind.

    Raises:
        EngineError: it takes longer than ``seconds``, or the server refuses.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001  # it is raised again, on the thread that asked
            errors.append(error)

    thread = threading.Thread(target=run, name="spark-call", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors and isinstance(errors[0], FAILURES):
        raise EngineError(f"{shown} refused: {words(errors[0])}", fix="look at its log") from None
    if errors:
        raise errors[0]
    if not results:
        fix = f"see whether {REMOTE} is a Spark Connect server, and whether it is overloaded"
        raise EngineError(f"{shown} does not answer within {seconds:.0f} seconds", fix=fix)
    return results[0]


def words(error: BaseException) -> str:
    """Return what an error says, without the server's stack and without the numbers that it quotes."""
    text = str(error)
    if isinstance(error, grpc.RpcError) and isinstance(error, grpc.Call):
        return f"the connection to the Spark server failed: {error.code().name}: {error.details()}"
    if lost := LOST.search(text):
        return f"the connection to the Spark server failed: {lost[1]}"
    return NUMBER.sub("***", TRACE.sub("", text)).strip() or type(error).__name__
