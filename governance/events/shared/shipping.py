"""Events of a shared store on their way to lineage servers: each at least once, and not once for each host.

What a destination was sent is remembered in the shared store, as objects without content::

    shipped/<destination>/events/…                      an event that it was sent
    shipped/<destination>/segments/<file>/<rows>        so many rows of a segment; its events have none of their own
    shipped/<destination>.lease                         who sends what was missed, just now

A pipeline sends what its own process wrote, so no two hosts send the same, and marks it. Whatever stays unmarked (the
server was down, a process died in between) is sent by whoever ships next, on any host, one at a time. An event is sent
twice where a process dies between sending and marking, and where one ships in the moment in which another pipeline
sends: servers know a run by its id.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from openlineage.client.event_v2 import RunEvent

from governance.events.cursor import Cursor
from governance.events.outbox import Place, event_of
from governance.events.shared.bucket import Bucket
from governance.events.shared.compaction import loose
from governance.events.shared.lease import Lease
from governance.events.shared.ledger import Entry, Ledger, names_in, read_ledger, segment_file
from governance.events.shared.names import EVENTS
from governance.events.shared.rows import raws_of
from governance.events.shared.store import SharedEventStore

SHIPPED = "shipped"
_SEGMENTS = "segments/"
_OFTEN = 1.0  # seconds between two marks within a segment


@dataclass(frozen=True, slots=True)
class Marks(Cursor):
    """What a destination was sent, by the names of objects and of segments; ``known`` is what the store has of it."""

    bucket: Bucket
    known: dict[str, int] = field(default_factory=dict)
    since: dict[str, float] = field(default_factory=dict)

    def offsets(self) -> dict[str, int]:
        """Return what is known to have been sent."""
        return dict(self.known)

    def move(self, offsets: Mapping[str, int]) -> None:
        """Mark what is new in ``offsets``, and take back the marks of what is not in it.

        Raises:
            EventStoreError: the store cannot be written.
        """
        gone = [self._mark(name, end) for name, end in self.known.items() if offsets.get(name) is None]
        if gone:
            self.bucket.delete(gone)
        for name, end in offsets.items():
            former = self.known.get(name)
            if former != end and not (name.startswith(_SEGMENTS) and self._too_often(name)):
                self.bucket.put(self._mark(name, end), b"")
                self.known[name] = end
                if former is not None:
                    self.bucket.delete((self._mark(name, former),))
        for name in [name for name in self.known if name not in offsets]:
            del self.known[name]

    def _mark(self, name: str, end: int) -> str:
        return f"{SHIPPED}/{self.key}/{name}/{end}" if name.startswith(_SEGMENTS) else f"{SHIPPED}/{self.key}/{name}"

    def _too_often(self, name: str) -> bool:
        """Whether a segment was marked a moment ago: what a kill makes somebody send again is a moment's worth."""
        now = time.monotonic()
        if now - self.since.get(name, 0.0) < _OFTEN:
            return True
        self.since[name] = now
        return False


@dataclass(frozen=True, slots=True)
class AllMarks(Marks):
    """The marks of all hosts."""

    def offsets(self) -> dict[str, int]:
        """Return what any host has sent.

        Raises:
            EventStoreError: the store cannot be read.
        """
        self.known.clear()
        prefix = f"{SHIPPED}/{self.key}/"
        for page in self.bucket.pages(prefix.rstrip("/")):
            for it in page:
                name, end = _read_mark(it.name.removeprefix(prefix))
                self.known[name] = max(end, self.known.get(name, 0))
        return dict(self.known)

    @contextmanager
    def exclusive(self, deadline: float) -> Iterator[bool]:
        """Hold the destination, of all hosts, until the block ends; False where another held it until ``deadline``.

        Raises:
            EventStoreError: the store cannot be read or written.
        """
        # zero-argument super() does not know a class that slots made anew
        with Marks.exclusive(self, deadline) as held:
            lease = Lease(self.bucket, f"{SHIPPED}/{self.key}.lease") if held else None
            if lease is None or not lease.taken(deadline):
                yield False
                return
            stop = threading.Event()
            sign = threading.Thread(target=lease.renew, args=(stop,), name="lease", daemon=True)
            sign.start()
            try:
                yield True
            finally:
                stop.set()
                sign.join()
                lease.end()


@dataclass(frozen=True, slots=True)
class OwnOutbox:
    """What this process wrote to ``store``: that a pipeline sends it needs no look at the shared store."""

    store: SharedEventStore

    def cursor(self, key: str) -> Cursor:
        """Return the marks that this process makes."""
        own = self.store.marked.setdefault(key, {})
        return Marks(self.store.folder / ".shipped", key, self.store.bucket, own)

    def pending(self, offsets: Mapping[str, int]) -> Iterator[tuple[Place, RunEvent]]:
        """Yield what was written and not sent, in order."""
        for name, data in tuple(self.store.written.items()):
            event = None if name in offsets else event_of(data)
            if event is not None:
                yield Place(name, 1), event


@dataclass(frozen=True, slots=True)
class AllOutbox:
    """What any host wrote to ``store``."""

    store: SharedEventStore

    def cursor(self, key: str) -> Cursor:
        """Return the marks of all hosts."""
        return AllMarks(self.store.folder / ".shipped", key, self.store.bucket)

    def pending(self, offsets: Mapping[str, int]) -> Iterator[tuple[Place, RunEvent]]:
        """Yield what no host has sent: of segments first, then of objects in order of arrival.

        Raises:
            EventStoreError: the store cannot be read.
        """
        bucket = self.store.bucket
        ledger, _ = read_ledger(bucket)
        # before the segments, as one that is compacted meanwhile is in a segment of the next shipping
        objects = [it.name for day in loose(bucket, ledger).values() for it in day if it.name not in offsets]
        for entry in ledger.entries:
            yield from _of_segment(bucket, entry, offsets)
        for name in objects:
            found = bucket.get(name)
            event = event_of(found.data) if found else None
            if event is not None:
                yield Place(name, 1), event


def _of_segment(bucket: Bucket, entry: Entry, offsets: Mapping[str, int]) -> Iterator[tuple[Place, RunEvent]]:
    mark = f"{_SEGMENTS}{entry.segment.file}"
    sent = offsets.get(mark, 0)
    if sent >= entry.lines:
        return
    named = names_in(bucket, entry)
    left = [place for place, (name, _) in enumerate(named) if place >= sent and name not in offsets]
    raws = raws_of(segment_file(bucket, entry.segment.file)) if left else []
    for place in left:
        event = event_of(raws[place])
        if event is not None:
            yield Place(mark, place + 1), event


def tidy_marks(bucket: Bucket) -> None:
    """Put one mark in place of those of a segment's events, for each destination that was sent all of them.

    Only of events whose objects are gone: the marks of the others are few.

    Raises:
        EventStoreError: the store cannot be read or written.
    """
    marks: dict[str, dict[str, int]] = defaultdict(dict)
    for page in bucket.pages(SHIPPED):
        for it in page:
            key, _, rest = it.name.removeprefix(f"{SHIPPED}/").partition("/")
            name, end = _read_mark(rest)
            marks[key][name] = max(end, marks[key].get(name, 0))
    if not marks:
        return
    there = {it.name for page in bucket.pages(EVENTS) for it in page}
    ledger, _ = read_ledger(bucket)
    for key, of_key in marks.items():
        _tidy(bucket, ledger, key, {name: end for name, end in of_key.items() if name and name not in there})


def _tidy(bucket: Bucket, ledger: Ledger, key: str, marks: Mapping[str, int]) -> None:
    left = {name for name in marks if not name.startswith(_SEGMENTS)}
    for entry in reversed(ledger.entries):
        if not left:
            return
        named = [name for name, _ in names_in(bucket, entry)]
        mine = left.intersection(named)
        segment = f"{_SEGMENTS}{entry.segment.file}"
        sent = marks.get(segment, 0)
        if mine and all(name in mine for name in named[sent:]):
            bucket.put(f"{SHIPPED}/{key}/{segment}/{entry.lines}", b"")
            bucket.delete(f"{SHIPPED}/{key}/{name}" for name in mine)
        left -= mine


def _read_mark(rest: str) -> tuple[str, int]:
    """Name and end of a mark, by what stands behind its destination."""
    if not rest.startswith(_SEGMENTS):
        return rest, 1
    name, _, end = rest.rpartition("/")
    return name, int(end)
