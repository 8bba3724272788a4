"""What a store has that was not read yet, day by day, and whether what was read is still as it was."""

import hashlib
import io
import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from governance.events.arrays import texts
from governance.events.days import days, opened_day
from governance.events.decode import Decoder
from governance.events.keys import key
from governance.events.light import read_light
from governance.events.manifest import Day, Segment
from governance.events.model import Event
from governance.events.pieces import FOREIGN, HEAD, Piece, Problem, lines_of, piece, spread
from governance.events.reading import event_files
from governance.events.segment import light_rows, mentioned_in, pieces_at, pieces_in, require_whole, run_ids_in
from governance.events.torn import torn_in
from governance.names import mentioned
from governance.past.model import WHOLE, Consumed, Told

Heard = tuple[Told, Event]


class Changed(Exception):  # no error: what was kept is made anew
    """What was read is not there as it was."""


class Unfollowed(Exception):  # no error: the store is read whole
    """The store holds what has no place to go on from: a document, or an event whose line has no end yet."""


@dataclass(slots=True)
class News:
    """Events of one stretch, and the keys of all that they name, some of them several times.

    problems: what of the stretch was no event, or one with something wrong
    passing:  likewise of what stands behind it and has no end yet
    """

    heard: list[Heard] = field(default_factory=list)
    names: list[pa.Array | pa.ChunkedArray] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    passing: list[Problem] = field(default_factory=list)

    def whole(self, pieces: Iterable[Piece], segment: str | None) -> None:
        """Add the events of ``pieces``, whole."""
        named: set[str] = set()
        for it in pieces:
            self.problems += it.problems
            if it.event is not None:
                self.heard.append((Told(it.file, it.offset, it.raw, segment), it.event))
                named.update(map(key, mentioned(it.event)))
        if named:
            self.names.append(texts(sorted(named)))


def names_of_days(store: Path) -> tuple[str, ...]:
    """Return the files of the store in the order in which they are read."""
    return tuple(sorted({file.name for file in event_files(store)} | set(days(store))))


def news_of(store: Path, name: str, before: Consumed, decode: Decoder) -> tuple[Consumed, list[News]]:
    """Return how far the day goes now and what it has behind ``before``, a part for each segment and one for the tail.

    Raises:
        Changed: what was consumed is not as it was.
        Unfollowed: the file is no NDJSON.
        EventStoreError: a file of the day cannot be read.
    """
    with opened_day(store, name) as (day, file):
        _require_same(day, file, before)
        for it in day.segments:
            # what was read of it once is kept, and would hide that the store has lost it
            require_whole(store, it)
        found = [of_segment(store, name, it, before, decode) for it in day.segments if it.end > before.end]
        tail, end, lines = _tail(name, day, file, before, decode)
        begin = max(day.end, 0)
        digest = _digest(file, begin - day.base, end - day.base) if file and end > begin else b""
        segments = tuple(it.sha256 for it in day.segments)
        return Consumed(max(end, day.end), segments, begin, digest, _signature(file), lines), [*found, tail]


def _require_same(day: Day, file: BinaryIO | None, before: Consumed) -> None:
    size = os.fstat(file.fileno()).st_size if file else 0
    had = tuple(it.sha256 for it in day.segments)[: len(before.segments)]
    if max(day.end, day.base + size) < before.end or had != before.segments:
        raise Changed
    behind = before.end > max(before.begin, day.end)
    if file and behind and day.end == before.begin and _signature(file) != before.file:
        if _digest(file, before.begin - day.base, before.end - day.base) != before.digest:
            raise Changed
    elif behind and not file:
        raise Changed


def _signature(file: BinaryIO | None) -> tuple[int, int, int] | None:
    if file is None:
        return None
    found = os.fstat(file.fileno())
    return found.st_ino, found.st_size, found.st_mtime_ns


def _digest(file: BinaryIO, begin: int, end: int) -> bytes:
    file.seek(begin)
    return hashlib.blake2b(file.read(end - begin), digest_size=16).digest()


def of_segment(store: Path, name: str, segment: Segment, before: Consumed, decode: Decoder) -> News:
    """Return the events of the segment that begin behind ``before``.

    Raises:
        EventStoreError: a file of it is missing or damaged.
    """
    news = News()
    rows = light_rows(store, segment)
    if rows is None:
        news.whole((it for it in pieces_in(store, name, segment, decode) if it.offset >= before.end), WHOLE)
        return news
    fresh = [row for row in rows if row["offset"] >= before.end]
    for row in fresh:
        if row["light"]:
            told = Told(name, row["offset"], row["light"], segment.file, tuple(row["said"]))
            news.heard.append((told, read_light(row["light"])))
    if untold := {row["offset"] for row in fresh if row["light"] is None}:
        news.whole(pieces_at(store, name, segment, untold, decode), WHOLE)
    news.whole((it for it in torn_in(store, name, segment, decode) if it.offset >= before.end), WHOLE)
    news.names.append(mentioned_in(store, segment))
    return news


def some_of_runs(store: Path, segment: Segment, run_ids: Collection[str]) -> bool:
    """Whether the segment has an event of one of the runs.

    Raises:
        EventStoreError: a file of it is missing or damaged.
    """
    return bool(pc.any(pc.is_in(run_ids_in(store, segment), value_set=pa.array(sorted(run_ids), pa.string()))).as_py())


def _tail(name: str, day: Day, file: BinaryIO | None, before: Consumed, decode: Decoder) -> tuple[News, int, int]:
    news, begin = News(), max(before.end, day.end)
    lines = before.lines if before.end > day.end else day.lines
    if file is None:
        return news, begin, lines
    if begin == 0:
        head = file.read(HEAD)
        if spread(head) or any(head.startswith(it) for it in FOREIGN):
            raise Unfollowed
    file.seek(begin - day.base)
    data = file.read()
    whole = data[: data.rfind(b"\n") + 1]
    rest = data[len(whole) :]
    news.whole(lines_of(name, io.BytesIO(whole), decode, line=lines + 1, offset=begin), None)
    end, lines = begin + len(whole), lines + whole.count(b"\n")
    for it in lines_of(name, io.BytesIO(rest), decode, line=lines + 1, offset=end):
        if it.event:
            # it counts as it stands, and may go on
            raise Unfollowed
        news.passing += it.problems
    return news, end, lines


def settled(store: Path, name: str, segments: Iterable[Segment], told: Collection[Told]) -> Iterator[Told]:
    """Yield those of ``told``, which NDJSON alone had, that a segment has by now, as it has them."""
    for segment in segments:
        within = {it.offset: it for it in told if segment.start <= it.offset < segment.end}
        for row in (light_rows(store, segment) or ()) if within else ():
            it = within.pop(row["offset"], None)
            if it and row["light"]:
                yield Told(name, it.offset, row["light"], segment.file, tuple(row["said"]))
            elif it:
                yield Told(name, it.offset, it.raw, WHOLE)
        yield from (Told(name, it.offset, it.raw, WHOLE) for it in within.values())


def event_of(told: Told, decode: Decoder) -> Event:
    """Return the event that was kept, light or whole."""
    if told.segment:
        return read_light(told.raw)
    found = piece(told.day, 1, told.offset, told.raw, decode).event
    if found is None:
        raise Changed
    return found
