"""Files as they landed → views of DuckDB."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import duckdb

from governance.errors import EngineError
from governance.landing.model import Format, Option
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing import csv, document, json, line, parquet, text, xml
from platform_assets.engines.landing.name import without_paths
from platform_assets.engines.landing.option import options_of
from platform_assets.engines.landing.text import Rows

PROFILE = ("set enable_profiling = 'no_output'", "set profiling_coverage = 'ALL'")
"""How it is known after a query which files it went through to their ends."""

TAKEN_APART: Mapping[Format, Callable[[str, Landing, Mapping[str, Option]], Rows]] = MappingProxyType(
    {Format.FIXED: line.fixed, Format.JSON: json.rows_of, Format.XML: xml.rows_of}
)
BY_DUCKDB: Mapping[Format, Callable[[str, Landing, Mapping[str, Option]], str]] = MappingProxyType(
    {Format.CSV: csv.view, Format.PARQUET: parquet.view}
)


def create_landing(connection: duckdb.DuckDBPyConnection, name: str, landing: Landing) -> None:
    """Let ``name``, a quoted name with its schema, stand for the rows of the files that fit their declaration.

    A file with several kinds of record is a view of all, with the columns record_type, the file's name if declared and
    those of every kind, and a view ``name#kind`` of each. A document's rows have the struct ``$doc`` beside them.

    Raises:
        EngineError: the options do not go with the declaration, or DuckDB does not understand them.
    """
    options = options_of(landing)
    try:
        for statement in (*PROFILE, *_views(name, landing, options)):
            connection.execute(statement)
    except duckdb.Error as error:
        said = without_paths(str(error).partition("\nLINE ")[0].strip(), [landing])
        problem = f"{landing.source.name} cannot be read: {said}"
        raise EngineError(problem, fix="correct the options by which it is read") from None


def taken_apart(name: str, landing: Landing, options: Mapping[str, Option]) -> Rows | None:
    """Return the rows of files that SQL takes apart, None of those that DuckDB's own reader converts."""
    if landing.source.records and landing.source.format is Format.CSV:
        return line.delimited(name, landing, options)
    if landing.source.rows and landing.source.format is Format.JSON:
        return document.rows_of(name, landing, options)
    make = TAKEN_APART.get(landing.source.format)
    return make(name, landing, options) if make else None


def _views(name: str, landing: Landing, options: Mapping[str, Option]) -> tuple[str, ...]:
    rows = taken_apart(name, landing, options)
    if rows is None:
        return (BY_DUCKDB[landing.source.format](name, landing, options),)
    return text.views(name, landing, rows)
