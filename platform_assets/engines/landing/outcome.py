"""What a query left of the files that it read: how many rows fitted, and the rows that did not."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from governance.errors import EngineError, LandingError
from governance.landing.model import Format, Option
from platform_assets.engines.engine import REJECTED, Landing, Outcome
from platform_assets.engines.landing import csv, option
from platform_assets.engines.landing.kept import NONE, kept
from platform_assets.engines.landing.name import plain
from platform_assets.engines.landing.option import options_of
from platform_assets.engines.landing.quote import require_closed
from platform_assets.engines.landing.relation import taken_apart
from platform_assets.engines.landing.text import Rows, count_of, rejects_of
from platform_assets.engines.landing.value import any_of
from platform_assets.engines.landing.whole import may_lose, require_whole
from platform_assets.engines.sql import quoted

EXHAUSTIVE = frozenset(
    {
        "RESULT_COLLECTOR",
        "ARROW_COLLECTOR",
        "COPY_TO_FILE",
        "BATCH_COPY_TO_FILE",
        "PROJECTION",
        "FILTER",
        "UNGROUPED_AGGREGATE",
        "HASH_GROUP_BY",
        "PERFECT_HASH_GROUP_BY",
        "ORDER_BY",
        "WINDOW",
        "STREAMING_WINDOW",
        "UNION",
        "UNNEST",
    }
)
"""Operators that take all that is below them. A join, a limit or a subquery may stop early, or never begin."""


def outcomes(connection: duckdb.DuckDBPyConnection, landings: Mapping[str, Landing]) -> Mapping[str, Outcome]:
    """Return the outcome of each relation, by its name; to be called right after the query, on its connection.

    It is the same for each query: of all columns and of all rows of the files, whatever the query asked for. Where the
    query's own plan went through the whole of a file, nothing is read again.

    Raises:
        duckdb.Error: a file cannot be read.
        LandingError: DuckDB left out rows; see ``landing.whole`` and ``landing.quote``.
    """
    seen = _seen(connection, landings)
    return {name: _outcome(connection, name, landing, seen.get(name)) for name, landing in landings.items()}


def rejected(connection: duckdb.DuckDBPyConnection, name: str, landing: Landing) -> pa.Table:
    """Return the rows that do not fit, of one relation; see ``outcomes``, which reads less where there are several."""
    return outcomes(connection, {name: landing})[name].rejects


def _outcome(connection: duckdb.DuckDBPyConnection, name: str, landing: Landing, seen: int | None) -> Outcome:
    if not landing.paths:
        return Outcome(0, NONE)
    if landing.source.format is Format.PARQUET:
        return Outcome(_count(connection, f"select count(*), 0 from {_view(name)}")[0], NONE)
    options = options_of(landing)
    rows = taken_apart(name, landing, options)
    return (
        _of_csv(connection, name, landing, options, seen)
        if rows is None
        else _of_text(connection, name, landing, options, rows)
    )


def _of_csv(
    connection: duckdb.DuckDBPyConnection, name: str, landing: Landing, options: Mapping[str, Option], seen: int | None
) -> Outcome:
    searches = csv.searches(name, landing, options)
    fitting, late = (
        (seen, 0) if seen is not None and not searches else _count(connection, csv.count(name, landing, options))
    )
    native = kept(connection, name, landing, options)
    every_line = require_closed(landing, options, fitting + late + native.num_rows)
    if not every_line and may_lose(landing.paths, options):
        before = option.number(options, "skip") + bool(options.get("header", True))
        found = fitting + late + int(native.num_rows)
        slowly = partial(_in_one_piece, connection, name, landing, options)
        require_whole(landing, landing.paths, before, lambda: found, slowly)
    if not late:
        return _unfit(connection, name, landing, options, Outcome(fitting, native))
    for search in searches:
        connection.execute(search).fetchall()
    every = kept(connection, name, landing, options)
    if (again := every.num_rows - native.num_rows) != late:
        problem = f"{landing.source.name}: {late} rows have dates that do not fit, {again} are found again"
        raise EngineError(problem, fix="report the file's form of dates as a bug")
    return _unfit(connection, name, landing, options, Outcome(fitting, every))


def _in_one_piece(
    connection: duckdb.DuckDBPyConnection, name: str, landing: Landing, options: Mapping[str, Option]
) -> int:
    again, whole = f"{plain(name)} in one piece", {**options, "parallel": False}
    fitting, late = _count(connection, csv.count(again, landing, whole))
    return fitting + late + int(kept(connection, again, landing, whole).num_rows)


def _require_lines(
    connection: duckdb.DuckDBPyConnection, name: str, landing: Landing, options: Mapping[str, Option], unread: pa.Table
) -> None:
    """Raise LandingError where not all lines of large files were read."""
    paths = [it for it in landing.paths if may_lose([it], options)]
    rows, again = taken_apart(name, landing, options), f"{plain(name)} in one piece"
    slow = taken_apart(again, landing, {**options, "parallel": False})
    if rows is None or rows.lines is None or slow is None or slow.lines is None or not paths:
        return
    shown = dict(zip(landing.paths, landing.shown, strict=True))
    files = [shown[path] for path in paths]
    fast, whole = (f"select count(*), 0 from {it.read(paths)}" for it in (rows.lines, slow.lines))

    def of(rejects: pa.Table) -> int:
        return int(rejects.filter(pc.is_in(rejects["file"], pa.array(files))).num_rows)

    require_whole(
        landing,
        paths,
        option.number(options, "skip"),
        lambda: _count(connection, fast)[0] + of(unread),
        lambda: _count(connection, whole)[0] + of(kept(connection, again, landing, options)),
    )


def _unfit(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    landing: Landing,
    options: Mapping[str, Option],
    outcome: Outcome,
) -> Outcome:
    """Return the outcome with the files of which no row fits; each file is read as far as its first row that does."""
    rejected = set(outcome.rejects["file"].to_pylist())
    if not outcome.rows or len(landing.paths) == 1:
        return replace(outcome, unfit=() if outcome.rows else tuple(it for it in landing.shown if it in rejected))
    unfit = []
    for path, shown in zip(landing.paths, landing.shown, strict=True):
        if shown in rejected:
            first = csv.first(name, replace(landing, paths=(path,), shown=(shown,)), options)
            if not connection.execute(first).fetchall():
                unfit.append(shown)
    return replace(outcome, unfit=tuple(unfit))


def _of_text(
    connection: duckdb.DuckDBPyConnection, name: str, landing: Landing, options: Mapping[str, Option], rows: Rows
) -> Outcome:
    counts = {path: (fit, bad) for path, fit, bad in connection.execute(count_of(rows)).fetchall()}
    # a line ends where it ends, whatever is quoted
    unread = kept(connection, name, landing, {**options, "quote": ""})
    _require_lines(connection, name, landing, options, unread)
    tables = [unread]
    for path, shown in zip(landing.paths, landing.shown, strict=True):
        if counts.get(path, (0, 0))[1]:
            _require_kinds(connection, rows, path, shown)
            found = connection.sql(rejects_of(rows, path)).to_arrow_table()
            skipped = unread.filter(pc.equal(unread["file"], shown))["line"].to_pylist()
            tables.append(_told(found, shown, skipped))
    rejects = _in_order(pa.concat_tables(tables), landing)
    rejected = set(rejects["file"].to_pylist())
    fitting = {shown: counts.get(path, (0, 0))[0] for path, shown in zip(landing.paths, landing.shown, strict=True)}
    unfit = tuple(shown for shown, fit in fitting.items() if not fit and shown in rejected)
    return Outcome(sum(fitting.values()), rejects, unfit)


def _require_kinds(connection: duckdb.DuckDBPyConnection, rows: Rows, path: str, shown: str) -> None:
    """Raise LandingError where a file has rows of one kind of record of which none fits, while others do."""
    if not rows.record:
        return
    bad = [(f"({it.found})", any_of(it.every_fault)) for it in rows.kinds]
    counts = ", ".join(
        f"count(*) filter ({kind} and not {wrong}), count(*) filter ({kind} and {wrong})" for kind, wrong in bad
    )
    ((*numbers,),) = connection.execute(f"select {counts} from {rows.numbered(path)}").fetchall()
    fits, wrongs = numbers[::2], numbers[1::2]
    if not any(fits):
        return
    for kind, fit, wrong in zip(rows.kinds, fits, wrongs, strict=True):
        if wrong and not fit:
            raise LandingError(
                f"{shown}: none of its {wrong} rows of {kind.id} fits",
                fix=f"mend the file, or the columns of {kind.id} in sources.toml",
            )


def _told(found: pa.Table, shown: str, skipped: Sequence[int]) -> pa.Table:
    """Return rejected rows of one file with its name; lines that the reader did not let through count too."""
    lines = [None if line is None else _line(line, skipped) for line in found["line"].to_pylist()]
    file = [shown] * found.num_rows
    columns = [file, lines, *(found[name] for name in REJECTED.names[2:])]
    return pa.table(columns, schema=REJECTED)


def _line(number: int, skipped: Sequence[int]) -> int:
    for line in sorted(skipped):
        if line > number:
            break
        number += 1
    return number


def _in_order(table: pa.Table, landing: Landing) -> pa.Table:
    place = {shown: number for number, shown in enumerate(landing.shown)}
    order = pa.array([place[file] for file in table["file"].to_pylist()], pa.int64())
    return table.append_column("place", order).sort_by([("place", "ascending"), ("line", "ascending")]).drop("place")


def _count(connection: duckdb.DuckDBPyConnection, select: str) -> tuple[int, int]:
    # all rows, though there is one: what a query rejects is kept when its last row has been asked for
    ((first, second),) = connection.execute(select).fetchall()
    return int(first), int(second)


def _view(name: str) -> str:
    return name if name.endswith('"') else f"main.{quoted(name)}"


def _seen(connection: duckdb.DuckDBPyConnection, landings: Mapping[str, Landing]) -> Mapping[str, int]:
    """Return how many rows the last query took of each relation whose files it went through to their ends."""
    try:
        profile = json.loads(connection.get_profiling_information(format="json"))
    except (duckdb.Error, ValueError):
        return {}
    scans = [it for operator in profile.get("operator", ()) for it in _scans(operator, "")]
    return {name: rows for name in landings for said, rows in scans if csv.mark(name) in said}


def _scans(operator: Mapping[str, Any], said: str) -> Iterator[tuple[str, int]]:
    """Yield the words of the operators above each scan of CSV that nothing ends early, and the rows it gave."""
    if operator["name"] == "READ_CSV":
        yield said, operator["intermediate_rows"]
    elif operator["name"] in EXHAUSTIVE:
        for below in operator["children"]:
            yield from _scans(below, f"{said} {operator['extra_info']}")
