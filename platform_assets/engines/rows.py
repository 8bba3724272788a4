"""Rows out of a file, for fixtures: the file's ending says how it is read."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb

from governance.errors import EngineError
from platform_assets.engines.duckdb import SETTINGS
from platform_assets.engines.engine import Rows
from platform_assets.engines.sql import literal, quoted

READERS: Mapping[str, str] = {
    ".csv": "read_csv",
    ".json": "read_json",
    ".ndjson": "read_json",
    ".parquet": "read_parquet",
}


def rows_of(file: Path, columns: Sequence[tuple[str, str]] = ()) -> Rows:
    """Return the rows of ``file``: its ``columns`` as (name, SQL type), or as DuckDB tells them where none are given.

    Raises:
        EngineError: the file is not what its ending says, or lacks a column.
    """
    picked = ", ".join(f"cast({quoted(name)} as {kind}) as {quoted(name)}" for name, kind in columns) or "*"
    with duckdb.connect(":memory:") as connection:
        for statement in SETTINGS:
            connection.execute(statement)
        try:
            sql = f"select {picked} from {READERS[file.suffix]}({literal(str(file))})"  # noqa: S608  # all is quoted
            return Rows(connection.sql(sql).to_arrow_table())
        except duckdb.Error as error:
            problem = f"{file.name} cannot be read as {file.suffix[1:]}: {error}"
            raise EngineError(problem, fix="correct the file, or give it the ending of what it is") from error
