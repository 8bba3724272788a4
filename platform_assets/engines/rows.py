"""Rows out of a file, for fixtures: the file's ending says how it is read."""

from collections.abc import Mapping
from pathlib import Path

import duckdb

from governance.errors import EngineError
from platform_assets.engines.duckdb import SETTINGS, literal
from platform_assets.engines.engine import Rows

READERS: Mapping[str, str] = {
    ".csv": "read_csv",
    ".json": "read_json",
    ".ndjson": "read_json",
    ".parquet": "read_parquet",
}


def rows_of(file: Path) -> Rows:
    """Return all the rows of ``file``, their types as DuckDB tells them.

    Raises:
        EngineError: the file is not what its ending says.
    """
    with duckdb.connect(":memory:") as connection:
        for statement in SETTINGS:
            connection.execute(statement)
        try:
            found = connection.execute(f"select * from {READERS[file.suffix]}({literal(str(file))})")  # noqa: S608
            return Rows(found.to_arrow_table())
        except duckdb.Error as error:
            problem = f"{file.name} cannot be read as {file.suffix[1:]}: {error}"
            raise EngineError(problem, fix="correct the file, or give it the ending of what it is") from error
