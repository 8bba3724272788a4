"""A statement of DuckDB that a signal or a limit of time really ends."""

import threading

import duckdb

from governance.errors import EngineError

POLL_SECONDS = 0.2
SECONDS = 600.0
"""What one statement may take where nobody says otherwise."""


def run(connection: duckdb.DuckDBPyConnection, sql: str, seconds: float) -> list[tuple[object, ...]]:
    """Run one statement in a thread of its own and return its rows.

    DuckDB on the main thread holds off signals until it returns; waiting for another thread lets them in.

    Raises:
        duckdb.Error: what DuckDB says of it.
        EngineError: it takes longer than ``seconds``.
    """
    rows: list[tuple[object, ...]] = []
    errors: list[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            rows.extend(connection.execute(sql).fetchall())
        except BaseException as error:  # noqa: BLE001  # it is raised again, on the thread that asked
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=work, name="duckdb-scratch", daemon=True).start()
    try:
        # an event, for a signal in the midst of ``join`` makes Python 3.11 take the thread for ended
        in_time = done.wait(seconds)
    finally:
        _end(connection, done)
    if not in_time:
        raise EngineError(f"it takes longer than {seconds:g} seconds", fix="give it more with --seconds, or a --sample")
    if errors:
        raise errors[0]
    return rows


def _end(connection: duckdb.DuckDBPyConnection, done: threading.Event) -> None:
    while not done.is_set():
        # again and again: an interrupt that comes between two of DuckDB's tasks is forgotten
        connection.interrupt()
        done.wait(POLL_SECONDS)
