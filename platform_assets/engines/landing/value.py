"""Text → values in SQL: what a column's text is worth, when it is worth nothing, and why, in DuckDB's words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from governance.landing.model import FileColumn
from governance.sql_type import is_nested
from platform_assets.engines.sql import literal

QUOTED = re.compile(r'(?<=string )".*?"(?= (?:to|according to) )', re.DOTALL)
"""A value as reasons quote it."""

QUOTED_LENGTH = 200
"""Characters of a value that a reason shows."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a row may not fit.

    column: what it is about; None: the row as a whole
    found:  SQL that is true where the fault is, else false or NULL
    reason: SQL of the text that says so
    """

    column: str | None
    found: str
    reason: str


@dataclass(frozen=True, slots=True)
class Value:
    """A column of a row: its name, its value in SQL, and what may be wrong with it; None: nothing."""

    name: str
    sql: str
    fault: Fault | None = None


def value_of(column: FileColumn, text: str, formats: "Formats") -> Value:
    """Return the value of ``column`` whose text the SQL expression ``text`` gives, NULL where there is none."""
    if column.type == "varchar":
        return Value(column.name, text)
    shape = formats.of(column)
    written = f"try_strptime({text}, {literal(shape)})" if shape else text
    sql = f"try_cast({written} as {column.type})"
    shown = f"left({text}, {QUOTED_LENGTH})"
    first, last = 'Could not convert string "', f"\" to '{kind(column.type)}'"
    if shape:
        first, last = 'Could not parse string "', f'" according to format specifier "{shape}"'
    reason = f"{literal(first)} || {shown} || {literal(last)}"
    return Value(column.name, sql, Fault(column.name, f"({text}) is not null and {sql} is null", reason))


DUCKDB_NAMES = {"timestamptz": "TIMESTAMP WITH TIME ZONE", "real": "FLOAT"}


def kind(name: str) -> str:
    """Return a SQL type as DuckDB writes it."""
    if is_nested(name):
        # the names of members are as they are
        return name
    return DUCKDB_NAMES.get(name) or name.upper().replace(", ", ",")


@dataclass(frozen=True, slots=True)
class Formats:
    """How dates and times are written where a column does not say so; empty: as ISO 8601."""

    date: str = ""
    timestamp: str = ""

    def of(self, column: FileColumn) -> str:
        """Return how the values of ``column`` are written."""
        default = {"date": self.date, "timestamp": self.timestamp, "timestamptz": self.timestamp}
        return column.format or default.get(column.type, "")


def any_of(faults: Sequence[Fault]) -> str:
    """Return the SQL condition that a row has one of ``faults``; it is never NULL."""
    return f"coalesce({' or '.join(f'({it.found})' for it in faults)}, false)" if faults else "false"


def without_values(reason: str) -> str:
    """Return a reason without the values that it quotes: logs are read by others than the data."""
    return QUOTED.sub("***", reason)
