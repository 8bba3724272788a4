"""What files say of their own columns, as far as DuckDB can tell."""

from collections.abc import Mapping, Sequence

import duckdb

from governance.errors import EngineError
from governance.landing.model import Format, Option
from governance.landing.options import FUNCTIONS
from governance.sql_type import SqlType, read, sql_type
from platform_assets.engines.landing.option import arguments, listed, sql_of

WIDER = {
    "tinyint": "integer",
    "smallint": "integer",
    "utinyint": "integer",
    "usmallint": "integer",
    "uinteger": "bigint",
    "ubigint": "decimal(20, 0)",
    "hugeint": "decimal(38, 0)",
    "uhugeint": "decimal(38, 0)",
    "timestamp_s": "timestamp",
    "timestamp_ms": "timestamp",
    "timestamp_ns": "timestamp",
    "time with time zone": "varchar",
    "enum": "varchar",
}
"""DuckDB's types that no table stores, with those that hold their values."""

SCANNED: Mapping[Format, Mapping[str, str]] = {
    Format.CSV: {"sample_size": "-1", "union_by_name": "true"},
    Format.JSON: {"sample_size": "-1", "union_by_name": "true"},
    Format.PARQUET: {"union_by_name": "true"},
}
"""How a file is looked at: to its end, because the type of a column may show in its last row."""


def sniff(form: Format, paths: Sequence[str], options: Mapping[str, Option]) -> tuple[tuple[str, str], ...]:
    """Return the (name, SQL type) of the columns of files of one form, as ``governance.sql_type`` names types.

    What has no type of its own in JSON is text.

    Raises:
        EngineError: files of the form do not say what their columns are; they cannot be read.
    """
    if form not in FUNCTIONS or form not in SCANNED:
        raise EngineError(f"files of the form {form.value} do not say what their columns are", fix="declare them")
    given = arguments({**SCANNED[form], **{name: sql_of(value) for name, value in options.items()}})
    with duckdb.connect() as connection:
        try:
            found = connection.execute(f"describe from {FUNCTIONS[form]}({listed(paths)}{given})").fetchall()
        except duckdb.Error as error:
            raise EngineError(_without(paths, str(error)), fix="say in options how they are written") from error
    return tuple((name, stored(kind)) for name, kind, *_ in found)


def stored(kind: str) -> str:
    """Return the type of a table's column that holds the values of DuckDB's type ``kind``."""
    written = read(kind)
    return "varchar" if written is None else _stored(written).sql


def _stored(kind: SqlType) -> SqlType:
    if kind.members:
        return SqlType(kind.name, tuple((name, _stored(member)) for name, member in kind.members))
    return SqlType(sql_type(kind.name) or WIDER.get(kind.name, "varchar"))


def _without(paths: Sequence[str], text: str) -> str:
    for path in paths:
        text = text.replace(path, path.rpartition("/")[2])
    return text
