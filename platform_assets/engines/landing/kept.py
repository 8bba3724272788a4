"""What DuckDB's own reader rejected: its tables of errors → rows, each once, at its line of the file."""

from collections.abc import Iterator, Mapping, Sequence

import duckdb
import pyarrow as pa

from governance.landing.model import Option
from platform_assets.engines.engine import REJECTED, Landing
from platform_assets.engines.landing.cut import DUCKDB_KEEPS, whole_rows
from platform_assets.engines.landing.name import rejects
from platform_assets.engines.landing.opened import opened_utf8
from platform_assets.engines.landing.option import listed
from platform_assets.engines.sql import quoted

NONE = REJECTED.empty_table()


def kept(connection: duckdb.DuckDBPyConnection, name: str, landing: Landing, options: Mapping[str, Option]) -> pa.Table:
    """Return what was rejected in whichever reads of the relation ``name``, in the order of its files and lines."""
    table = rejects(name)
    known = "select 1 from duckdb_tables() where temporary and table_name = $1"
    if not connection.execute(known, [table]).fetchall():
        return NONE
    found = connection.sql(_select(table, landing)).to_arrow_table()
    lines = [
        line
        for path, positions, newline in _by_file(found, landing)
        for line in _lines_at(path, options, newline, positions)
    ]
    told = {it: found[it] for it in ("file", "column", "reason")}
    return (
        pa.table({**told, "row": pa.array(_rows(found, landing, options), pa.string()), "line": lines})
        .select(REJECTED.names)
        .cast(REJECTED)
    )


def _select(table: str, landing: Landing) -> str:
    # a line's own number counts rows, of which a quoted value may make several lines; its byte does not err
    return f"""
        with files as (select unnest({listed(landing.paths)}) as path, unnest({listed(landing.shown)}) as shown,
            unnest(range({len(landing.paths)})) as place),
        errors as (
            select distinct place, shown, line_byte_position as byte, newline_delimiter, column_name, error_message,
                csv_line,
                -- that of a column that is missing is counted from 0, that of another from 1
                column_idx + (error_type = 'MISSING COLUMNS')::int as number
            from {quoted(table)} join {quoted(f"{table}_scan")} using (scan_id, file_id) join files on path = file_path
            -- a line that is too short has one for each column that it lacks
            qualify error_type <> 'MISSING COLUMNS' or column_idx = min(column_idx)
                over (partition by place, line_byte_position, error_type))
        select place, shown as file, byte, first(newline_delimiter) as newline,
            first(column_name order by number, error_message) as column,
            string_agg(error_message, '; ' order by number, error_message) as reason,
            ltrim(first(csv_line), chr(10) || chr(13)) as row,
            strlen(first(csv_line)) > {DUCKDB_KEEPS} - 4 as is_cut
        from errors group by place, shown, byte order by place, byte
    """


def _rows(found: pa.Table, landing: Landing, options: Mapping[str, Option]) -> list[str]:
    """Return the rejected rows, those whole that DuckDB cut."""
    rows: list[str] = found["row"].to_pylist()
    at = [number for number, is_cut in enumerate(found["is_cut"].to_pylist()) if is_cut]
    cut = found.take(pa.array(at, pa.int64()))
    whole = (row for path, bytes_, _ in _by_file(cut, landing) for row in whole_rows(path, options, bytes_))
    for number, row in zip(at, whole, strict=True):
        rows[number] = row
    return rows


def _by_file(found: pa.Table, landing: Landing) -> Iterator[tuple[str, list[int], str]]:
    """Yield the path, the rows' bytes and what ends a line, of each file that has rejected rows."""
    places, bytes_, newlines = (found[name].to_pylist() for name in ("place", "byte", "newline"))
    begin = 0
    while begin < len(places):
        place, end = places[begin], begin
        while end < len(places) and places[end] == place:
            end += 1
        yield landing.paths[place], bytes_[begin:end], newlines[begin]
        begin = end


def _lines_at(path: str, options: Mapping[str, Option], newline: str, positions: Sequence[int]) -> Iterator[int]:
    """Yield the line, from 1, of each byte, counted from 1 and in order."""
    end = b"\r" if newline == "\\r" else b"\n"
    chunks = opened_utf8(path, options)
    # of the chunk, which begins at the byte ``before``, the line ends up to ``seen`` are counted
    chunk, before, seen, line = b"", 0, 0, 1
    for position in positions:
        while position > before + len(chunk) and (following := next(chunks, None)) is not None:
            line += chunk.count(end, seen)
            chunk, before, seen = following, before + len(chunk), 0
        line += chunk.count(end, seen, position - before)
        seen = position - before
        yield line
