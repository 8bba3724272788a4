"""What a store has that was not read yet, day by day, and whether what was read is still as it was."""

import hashlib
import io
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from governance.events.arrays import texts
from governance.events.days import days, opened_day
from governance.events.decode import Decoder
from governance.events.edges import Sayings
from governance.events.keys import key
from governance.events.light import light, read_light
from governance.events.manifest import Day, Segment
from governance.events.model import Event
from governance.events.pieces import FOREIGN, HEAD, Piece, Problem, lines_of, piece, spread
from governance.events.reading import event_files
from governance.events.segment import light_rows, mentioned_in, pieces_at, pieces_in, require_whole, run_ids_in
from governance.events.torn import torn_in
from governance.names import mentioned
from governance.past.model import BESIDE, WHOLE, Consumed, Told

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
    sayings:  what light events of NDJSON say of columns
    """

    heard: list[Heard] = field(default_factory=list)
    names: list[pa.Array | pa.ChunkedArray] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    passing: list[Problem] = field(default_factory=list)
    sayings: Sayings = field(default_factory=Sayings)

    def whole(self, pieces: Iterable[Piece], segment: str) -> None:
        """Add the events of ``pieces``, whole."""
        self._add(pieces, lambda it, event: (Told(it.file, it.offset, it.raw, segment), event))

    def lines(self, pieces: Iterable[Piece], text: bytes, begin: int) -> None:
        """Add the events of ``text``, which begins at byte ``begin`` of its day, light where that tells all."""

        def heard(it: Piece, event: Event) -> Heard:
            # what is one of several in its line is not found again by where it begins
            place = it.offset - begin
            if it.reasons or event.design or text[place : text.index(b"\n", place)] != it.raw:
                return Told(it.file, it.offset, it.raw), event
            said, raw = tuple(number for _, number in self.sayings.of(event)), light(event)
            return Told(it.file, it.offset, raw, BESIDE, said), read_light(raw)

        self._add(pieces, heard)

    def _add(self, pieces: Iterable[Piece], heard: Callable[[Piece, Event], Heard]) -> None:
        named: set[str] = set()
        for it in pieces:
            self.problems += it.problems
            if it.event is not None:
                self.heard.append(heard(it, it.event))
                named.update(map(key, mentioned(it.event)))
        if named:
            self.names.append(texts(sorted(named)))


def names_of_days(store: Path) -> tuple[str, ...]:
    """Return the files of the store in the order in which they are read."""
    return tuple(sorted({file.name for file in event_files(store)} | set(days(store))))


def news_of(store: Path, name: str, before: Consumed, decode: Decoder, first: int = 0) -> tuple[Consumed, list[News]]:
    """Return how far the day goes now and what it has behind ``before``, a part for each segment and one for the tail.

    first: the number of what NDJSON says first

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
        tail, end, lines = _tail(name, (day, file), before, News(sayings=Sayings(first)), decode)
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


def _tail(
    name: str, opened: tuple[Day, BinaryIO | None], before: Consumed, news: News, decode: Decoder
) -> tuple[News, int, int]:
    day, file = opened
    begin = max(before.end, day.end)
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
    news.lines(lines_of(name, io.BytesIO(whole), decode, line=lines + 1, offset=begin), whole, begin)
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
                yield _settled_whole(it)
        yield from map(_settled_whole, within.values())


def _settled_whole(told: Told) -> Told:
    if told.segment == BESIDE:
        # a light form was made of it, and the segment has none: of another version
        raise Changed
    return Told(told.day, told.offset, told.raw, WHOLE)


def event_of(told: Told, decode: Decoder) -> Event:
    """Return the event that was kept, light or whole."""
    if told.segment:
        return read_light(told.raw)
    found = piece(told.day, 1, told.offset, told.raw, decode).event
    if found is None:
        raise Changed
    return found
