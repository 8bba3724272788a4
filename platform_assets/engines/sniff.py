"""What files say of their own columns, as far as DuckDB can tell."""

from collections.abc import Mapping, Sequence

import duckdb

from governance.errors import EngineError, LandingError
from governance.landing.model import FileSource, Format, Option
from governance.landing.options import FUNCTIONS
from governance.sql_type import SqlType, read, sql_type
from platform_assets.engines.engine import Landing
from platform_assets.engines.header import FIX as NAMES_FIX
from platform_assets.engines.landing.option import arguments, listed, sql_of
from platform_assets.engines.shape import ShapeChanged, check_shape

APART_FIX = "let all of them have the same columns in one order, or declare those apart that have others"

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
            fix = f"mend the file, or see that it is {form.value} at all: --format says how a file is read"
            raise EngineError(f"it cannot be read as {form.value}: {_said(paths, error)}", fix=fix) from None
    return tuple((name, stored(kind)) for name, kind, *_ in found)


def require_readable(source: FileSource, paths: Sequence[str], shown: Sequence[str]) -> None:
    """Check that a run reads files by ``source``, which was made of what they say themselves.

    Raises:
        LandingError: a header does not name each column once; the files have unlike columns; one cannot be read.
    """
    with duckdb.connect() as connection:
        try:
            check_shape(connection, Landing(source, tuple(paths), tuple(shown)))
        except ShapeChanged as error:
            fix = error.fix if error.fix == NAMES_FIX else APART_FIX
            raise LandingError(f"a run would refuse these files: {error.problem}", fix=fix) from None


def stored(kind: str) -> str:
    """Return the type of a table's column that holds the values of DuckDB's type ``kind``."""
    written = read(kind)
    return "varchar" if written is None else _stored(written).sql


def _stored(kind: SqlType) -> SqlType:
    if kind.members:
        return SqlType(kind.name, tuple((name, _stored(member)) for name, member in kind.members))
    return SqlType(sql_type(kind.name) or WIDER.get(kind.name, "varchar"))


def _said(paths: Sequence[str], error: duckdb.Error) -> str:
    """Return DuckDB's words as a sentence, without its own text and without paths."""
    said = str(error).partition("\n")[0].strip().rstrip(".").removeprefix("Invalid Input Error: ")
    for path in paths:
        said = said.replace(path, path.rpartition("/")[2])
    return said
