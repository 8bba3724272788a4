"""A statement of DuckDB that a signal or a limit of time really ends."""

import duckdb

from governance.errors import EngineError
from platform_assets.engines.interruptible import waited

SECONDS = 600.0
"""What one statement may take where nobody says otherwise."""


def run(connection: duckdb.DuckDBPyConnection, sql: str, seconds: float) -> list[tuple[object, ...]]:
    """Run one statement in a thread of its own and return its rows.

    Raises:
        duckdb.Error: what DuckDB says of it.
        EngineError: it takes longer than ``seconds``.
    """
    try:
        return waited(connection, lambda: connection.execute(sql).fetchall(), seconds)
    except TimeoutError:
        problem = f"it takes longer than {seconds:g} seconds"
        raise EngineError(problem, fix="give it more with --seconds, or a --sample") from None
