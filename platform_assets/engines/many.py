"""Large files of which too many rows do not fit: found before a query runs.

DuckDB keeps all that it rejects of a file in memory, beyond any limit that it is given, at more than a kilobyte a row.
So where pieces out of a large file promise many of them, its rows are counted first, those that fit and all.
"""

import csv as python_csv
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

import duckdb

from governance.landing.model import FileColumn, Format, Option
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing import csv
from platform_assets.engines.landing.name import NOT_KEPT
from platform_assets.engines.landing.opened import opened, opened_text
from platform_assets.engines.landing.option import number, options_of, text
from platform_assets.engines.sampled import likely_misfits
from platform_assets.engines.shape import ShapeChanged

KEPT = 200_000
"""Rows that one query keeps of those that do not fit, at most."""

PIECE = 1 << 22


def require_bounded(connection: duckdb.DuckDBPyConnection, landing: Landing) -> None:
    """Raise ShapeChanged where more rows of delimited files do not fit than a run keeps, or the declaration allows.

    Rows that SQL takes apart are counted where they are read.
    """
    source = landing.source
    if source.format is not Format.CSV or source.records or not landing.paths:
        return
    # of a file that is read in parts DuckDB may leave out rows
    options = {**options_of(landing), "parallel": False}
    try:
        likely = likely_misfits(connection, landing, options)
    except duckdb.Error:
        # the query itself will say so
        return
    if likely is not None and likely <= KEPT / 2:
        return
    ends = sum(_line_ends(path, options) for path in landing.paths)
    if ends <= KEPT:
        return
    try:
        fit = _fitting(connection, landing, options)
    except duckdb.Error:
        # the query itself will say so
        return
    # a quoted value may have ends of lines in it
    if ends - fit <= KEPT or (bad := _records(landing, options) - fit) <= KEPT:
        return
    told = "; ".join(_by_column(connection, landing, options, bad))
    raise ShapeChanged(source, [f"{source.name}: {bad} rows do not fit, {allowed(source.max_rejects)}: {told}"])


def allowed(max_rejects: int | None) -> str:
    """Return how many rows may not fit, in words."""
    few = max_rejects is not None and max_rejects <= KEPT
    return f"max_rejects allows {max_rejects}" if few else f"a run keeps {KEPT} at most"


def _fitting(connection: duckdb.DuckDBPyConnection, landing: Landing, options: Mapping[str, Option]) -> int:
    ((fit, _),) = connection.execute(csv.count(NOT_KEPT, landing, options)).fetchall()
    return int(fit)


def _by_column(
    connection: duckdb.DuckDBPyConnection, landing: Landing, options: Mapping[str, Option], bad: int
) -> Iterator[str]:
    """Yield how many rows do not fit by which column; a value is not told, there are too many."""
    texts = tuple(FileColumn(it.name, "varchar") for it in landing.source.columns)

    def fitting(columns: tuple[FileColumn, ...]) -> int:
        return _fitting(connection, replace(landing, source=replace(landing.source, columns=columns)), options)

    whole = fitting(texts)
    for place, column in enumerate(landing.source.columns):
        if column.type != "varchar" and (its := whole - fitting((*texts[:place], column, *texts[place + 1 :]))):
            yield f"{column.name} ({its}) is not {column.type}"
    if rest := bad + _fitting(connection, landing, options) - whole:
        yield f"the row as a whole ({rest})"


def _line_ends(path: str, options: Mapping[str, Option]) -> int:
    with opened(path, options) as file:
        pieces: Iterator[bytes] = iter(lambda: file.read(PIECE), b"")
        return sum(max(it.count(b"\n"), it.count(b"\r")) for it in pieces) + 1


def _records(landing: Landing, options: Mapping[str, Option]) -> int:
    header = bool(options.get("header", True))
    return sum(max(_records_in(path, options) - header, 0) for path in landing.paths)


def _records_in(path: str, options: Mapping[str, Option]) -> int:
    delim, quote = text(options, "delim", ","), text(options, "quote", '"')
    escape, comment = text(options, "escape", quote), text(options, "comment", "")
    with opened_text(path, options) as file:
        lines = (it for it in islice(file, number(options, "skip"), None) if not comment or not it.startswith(comment))
        if len(delim) != 1 or not quote:
            return sum(1 for it in lines if it.strip("\r\n"))
        other = escape if escape not in {"", quote} else None
        reader = python_csv.reader(lines, delimiter=delim, quotechar=quote, doublequote=other is None, escapechar=other)
        return sum(1 for it in reader if it)
