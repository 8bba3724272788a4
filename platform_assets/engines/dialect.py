"""How a delimited file is written, as DuckDB guesses it."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Iterator, Mapping
from typing import Any

import duckdb

from governance.errors import EngineError
from governance.landing.model import Option
from platform_assets.engines.landing.opened import PIECE, opened
from platform_assets.engines.landing.option import arguments, sql_of
from platform_assets.engines.sql import literal

UNSEEN = "(empty)"
"""What DuckDB says of a quote or a comment that the file does not have."""

HEAD = 4096
"""Bytes by which an encoding is told."""

ISO = {"DateFormat": "%Y-%m-%d", "TimestampFormat": "%Y-%m-%d %H:%M:%S"}
"""What is read without saying so."""


def dialect(path: str, shown: str, options: Mapping[str, Option]) -> Mapping[str, Option]:
    """Return the options of ``read_csv`` that the file at ``path`` needs, those in ``options`` among them.

    What is DuckDB's default is left out; a header is told where the file has none.

    Raises:
        EngineError: no way of reading the file is found; it is called ``shown``.
    """
    with duckdb.connect() as connection:
        found = _guess(connection, path, options)
        if found is None or len(found["Columns"]) == 1:
            # one line that does not fit makes a whole file one of a single column
            lenient = _guess(connection, path, {**options, "ignore_errors": True})
            found = lenient if found is None or (lenient and len(lenient["Columns"]) > 1) else found
    if found is None:
        fix = "say how it is written: --option delim=';', or --format where it is no CSV"
        raise EngineError(f"{shown}: it cannot be told how this file is written", fix=fix)
    return {**dict(_needed(found)), **options}


def require_utf8(path: str, shown: str, options: Mapping[str, Option]) -> None:
    """Check that a file for which no encoding is said is UTF-8: DuckDB makes columns of any other all the same.

    Raises:
        EngineError: it is not.
    """
    if "encoding" in options:
        return
    with opened(path, options) as file:
        head = file.read(HEAD)
    if head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or b"\0" in head:
        fix = 'say its encoding, --option encoding=utf-16, and declare it: options = { encoding = "utf-16" }'
        raise EngineError(f"{shown}: the file is not UTF-8", fix=fix)
    if line := _line_of_other_bytes(path, options):
        fix = 'say its encoding, as --option encoding=latin-1, and declare it: options = { encoding = "latin-1" }'
        raise EngineError(f"{shown}: line {line} is not UTF-8", fix=fix)


def _line_of_other_bytes(path: str, options: Mapping[str, Option]) -> int | None:
    """Return the number of the first line that is not UTF-8, None where all are."""
    decoder, line = getincrementaldecoder("utf-8")(), 1
    with opened(path, options) as file:
        while True:
            piece = file.read(PIECE)
            try:
                decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as error:
                return line + error.object[: error.start].count(b"\n")
            if not piece:
                return None
            line += piece.count(b"\n")


def _guess(connection: duckdb.DuckDBPyConnection, path: str, options: Mapping[str, Option]) -> dict[str, Any] | None:
    """Return what DuckDB says of the file, None where it can make nothing of it."""
    given = arguments({name: sql_of(value) for name, value in options.items()})
    try:
        found = connection.execute(f"from sniff_csv({literal(path)}{given})")
        row = found.fetchone()
    except duckdb.Error:
        return None
    return None if row is None else dict(zip((it[0] for it in found.description or ()), row, strict=True))


def _needed(seen: Mapping[str, Any]) -> Iterator[tuple[str, Option]]:
    """Yield what is not DuckDB's default."""
    if seen["Delimiter"] != ",":
        yield "delim", str(seen["Delimiter"])
    if seen["Quote"] not in {'"', UNSEEN}:
        yield "quote", str(seen["Quote"])
    if seen["Escape"] not in {'"', UNSEEN, seen["Quote"]}:
        yield "escape", str(seen["Escape"])
    if seen["Comment"] != UNSEEN:
        yield "comment", str(seen["Comment"])
    if seen["SkipRows"]:
        yield "skip", int(str(seen["SkipRows"]))
    if not seen["HasHeader"]:
        yield "header", False
    for name, usual in ISO.items():
        if seen[name] and seen[name] != usual:
            yield name.lower(), str(seen[name])
