"""The lines of an export: NDJSON, a JSON array, or CSV with or without a header line. Parquet is ``parquet``'s."""

import codecs
import csv
import gzip
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, TextIO

from governance.errors import HeadwaterError
from governance.queries.formats import CSVLOG

Line = tuple[int, dict[str, Any] | None]
"""Number of the line, from 1, and what it says; None where it is malformed."""


class _Records(Protocol):
    """What ``csv.reader`` returns; its type has no public name before Python 3.14."""

    line_num: int

    def __next__(self) -> list[str]: ...


JSON_SUFFIXES = frozenset({".ndjson", ".jsonl", ".json", ".log"})
CSV_SUFFIXES = frozenset({".csv", ".tsv"})
PACKED = ".gz"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def _as_latin(error: UnicodeError) -> tuple[str, int]:
    """Read bytes that are no UTF-8 as Latin-1: in a name they are a letter, and two names must not fall together."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("headwater.latin", _as_latin)


def lines_of(path: Path) -> Iterator[Line]:
    """Yield the lines of a JSON or CSV export.

    Raises:
        HeadwaterError: the file cannot be read, or its name says neither.
    """
    suffix = Path(path.stem if path.suffix.lower() == PACKED else path.name).suffix.lower()
    if suffix not in JSON_SUFFIXES | CSV_SUFFIXES:
        raise HeadwaterError(
            f"{path.name}: a query log is NDJSON, CSV or Parquet", fix="name it .ndjson, .csv or .parquet"
        )
    return _json(path) if suffix in JSON_SUFFIXES else _csv(path, suffix)


@contextmanager
def _open(path: Path) -> Iterator[TextIO]:
    opening = gzip.open if path.suffix.lower() == PACKED else open
    try:
        with opening(path, "rb") as raw:
            encoding = "utf-16" if raw.read(2) in UTF_16 else "utf-8-sig"
        with opening(path, "rt", encoding=encoding, errors="headwater.latin", newline="") as file:
            yield file
    except (OSError, EOFError) as error:
        said = getattr(error, "strerror", None) or error
        raise HeadwaterError(f"{path.name} cannot be read: {said}", fix="name a readable file") from error


def _json(path: Path) -> Iterator[Line]:
    with _open(path) as file:
        head = file.readline()
        if head.lstrip().startswith("["):
            yield from enumerate(map(_row, _array(head + file.read())), start=1)
            return
        for number, line in enumerate(chain([head], file), start=1):
            if line.strip():
                yield number, _parsed(line)


def _array(text: str) -> list[Any]:
    try:
        return list(json.loads(text))
    except ValueError:
        return [None]


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        return _row(json.loads(line))
    except (ValueError, RecursionError):
        return None


def _row(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _csv(path: Path, suffix: str) -> Iterator[Line]:
    # a logged statement may be longer than the csv module's own limit of 128 KB
    csv.field_size_limit(sys.maxsize)
    with _open(path) as file:
        head = file.readline()
        # spreadsheets of half of Europe put semicolons where others put commas
        delimiter = "\t" if suffix == ".tsv" else ";" if ";" in head and "," not in head else ","
        reader = csv.reader(chain([head], file), delimiter=delimiter, strict=True)
        header: list[str] | None = None
        for number, values in _records(reader):
            if header is None and values:
                header = _header(values)
                if header is values:
                    continue
            if values != []:
                yield number, _named(header or [], values)


def _records(reader: "_Records") -> Iterator[tuple[int, list[str] | None]]:
    while True:
        try:
            yield reader.line_num + 1, next(reader)
        except csv.Error:
            yield reader.line_num, None
        except StopIteration:
            return


def _header(first: list[str]) -> list[str]:
    """Return the file's keys: its first line, or csvlog's where that line is a log entry already."""
    is_entry = len(first) in CSVLOG_WIDTHS and first[:1] != ["log_time"] and first[0][:4].isdigit()
    return list(CSVLOG[: len(first)]) if is_entry else first


CSVLOG_WIDTHS = frozenset({23, 24, 25, 26})
"""Columns of a csvlog entry since Postgres 9."""


def _named(header: list[str], values: list[str] | None) -> dict[str, Any] | None:
    if values is None or len(values) != len(header):
        return None
    return dict(zip(header, values, strict=True))
