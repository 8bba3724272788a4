"""Files as they landed → views of DuckDB."""

import duckdb

from platform_assets.engines.engine import Landing
from platform_assets.engines.sql import literal


def create_landing(connection: duckdb.DuckDBPyConnection, name: str, landing: Landing) -> None:
    """Let ``name``, a quoted name with its schema, stand for the rows of the files that fit their declaration."""
    paths = ", ".join(map(literal, landing.paths))
    columns = ", ".join(f"{literal(it.name)}: {literal(it.type)}" for it in landing.source.columns)
    read = f"read_csv([{paths}], columns = {{{columns}}}, header = true, auto_detect = false, store_rejects = true)"
    connection.execute(f"create view {name} as select * from {read}")  # noqa: S608  # all is quoted
