"""The days of a store as readers see them: first what stands in Parquet, then what only the NDJSON file has yet.

Readers take no lock. A day's record and its open file are taken together: if the manifest has another record after the
file was opened, both are taken again, so that nothing is read twice or not at all while a compaction goes on.
"""

import mmap
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

from governance.errors import EventStoreError
from governance.events.manifest import Day, Segment, read_manifest
from governance.events.pieces import Decode, Piece, lines_of, pieces_of

PREFIX = "events-"
SUFFIX = ".ndjson"
_BUFFER = 1 << 20


def day_files(store: Path) -> tuple[Path, ...]:
    """Return the store's NDJSON files as they stand, oldest first."""
    return tuple(sorted(store.glob(f"{PREFIX}*{SUFFIX}"))) if store.is_dir() else ()


def days(store: Path) -> tuple[str, ...]:
    """Return the names of all days, oldest first, those without NDJSON as well."""
    # the files first: one that is removed meanwhile is in the manifest by then
    names = {file.name for file in day_files(store)}
    return tuple(sorted(names | read_manifest(store).days.keys()))


def pieces_of_day(store: Path, name: str, decode: Decode) -> Iterator[Piece]:
    """Return every piece of the day in order of arrival.

    Raises:
        EventStoreError: a file of it cannot be read.
    """
    with opened_day(store, name) as (day, file):
        for segment in day.segments:
            yield from _segments().pieces_in(store, name, segment, decode)
        if file:
            yield from _tail(name, day, file, decode)


def parts_of_day(store: Path, name: str, decode: Decode) -> tuple[tuple[Segment, ...], tuple[Piece, ...]]:
    """Return the day's segments, and the pieces of what only its NDJSON has.

    Raises:
        EventStoreError: a file of the day cannot be read.
    """
    with opened_day(store, name) as (day, file):
        return day.segments, tuple(_tail(name, day, file, decode)) if file else ()


def pieces_of_file(file: Path, decode: Decode) -> Iterator[Piece]:
    """Return every piece of a file that is no day of a store.

    Raises:
        EventStoreError: it cannot be read.
    """
    with _reading(file), file.open("rb", _BUFFER) as opened:
        # what a pipe gives it gives once
        yield from pieces_of(file.name, opened if opened.seekable() else BytesIO(opened.read()), decode)


def lines_behind(store: Path, name: str, offset: int) -> Iterator[tuple[int, bytes]]:
    """Return the lines behind byte ``offset`` of the day's text, each with the byte that it ends before.

    An offset beyond the end means that the file was written anew, and begins again. A line without its end is left for
    later. Of what was compacted only events are given, each for itself.

    Raises:
        EventStoreError: a file of the day cannot be read.
    """
    with opened_day(store, name) as (day, file):
        size = os.fstat(file.fileno()).st_size if file else 0
        offset = 0 if offset > max(day.end, day.base + size) else offset
        for segment in day.segments:
            if segment.end > offset:
                yield from _segments().events_behind(store, segment, offset)
        if file:
            yield from _whole_lines(file, day.base, max(offset, day.end))


def lines_of_run(store: Path, name: str, run_id: str) -> Iterator[bytes]:
    """Return the lines of the day in which ``run_id`` stands, in order of arrival, without parsing the others.

    Raises:
        EventStoreError: a file of the day cannot be read.
    """
    with opened_day(store, name) as (day, file):
        for segment in day.segments:
            yield from _segments().events_of_run(store, segment, run_id)
        if file and os.fstat(file.fileno()).st_size > day.covered:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                yield from _around(data, run_id.encode(), day.covered)


def _tail(name: str, day: Day, file: BinaryIO, decode: Decode) -> Iterator[Piece]:
    if not day.end:
        return pieces_of(name, file, decode)
    file.seek(day.covered)
    return lines_of(name, file, decode, line=day.lines + 1, offset=day.end)


@contextmanager
def opened_day(store: Path, name: str) -> Iterator[tuple[Day, BinaryIO | None]]:
    """Return a day's record and its NDJSON file (None where there is none), which belong together.

    Raises:
        EventStoreError: the file cannot be read.
    """
    while True:
        day = read_manifest(store).day(name)
        with _reading(store / name), _open(store / name) as file:
            if read_manifest(store).day(name) == day:
                yield day, file
                return


def _open(file: Path) -> AbstractContextManager[BinaryIO | None]:
    try:
        return file.open("rb", _BUFFER)
    except FileNotFoundError:
        return nullcontext()


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EventStoreError(f"{file.name} cannot be read ({error.strerror})", fix="check its permissions") from error


def _segments() -> ModuleType:
    from governance.events import segment  # noqa: PLC0415  # pyarrow is slow to start, and only compacted days need it

    return segment


def _whole_lines(file: BinaryIO, base: int, offset: int) -> Iterator[tuple[int, bytes]]:
    file.seek(offset - base)
    for line in file:
        offset += len(line)
        if line.endswith(b"\n"):
            yield offset, line


def _around(data: mmap.mmap, text: bytes, begin: int) -> Iterator[bytes]:
    found = data.find(text, begin)
    while found >= 0:
        start = data.rfind(b"\n", begin, found) + 1 or begin
        end = data.find(b"\n", found)
        end = len(data) if end < 0 else end
        yield data[start:end]
        found = data.find(text, end)
