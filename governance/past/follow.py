"""The past brought up to date: what the file holds, what the store has beyond it, and the file written again.

The file is ``<state>/past.bin``: a digest, then a :class:`governance.past.model.Kept`. It is never trusted blindly:
where it is missing, damaged or of another version, or a day that was read is not as it was, all is read anew. It is
replaced as a whole, and whoever writes it last has read all that it says: no process waits for another.
"""

import hashlib
import os
import threading
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from governance.events.days import parts_of_day
from governance.events.decode import Decoder
from governance.events.manifest import read_manifest
from governance.events.pieces import Problem
from governance.past.claims import parts_of, renames
from governance.past.model import BESIDE, VERSION, Consumed, Kept, Told
from governance.past.names import Names
from governance.past.news import (
    Changed,
    Heard,
    News,
    Unfollowed,
    names_of_days,
    news_of,
    of_segment,
    settled,
    some_of_runs,
)
from governance.past.past import Marks, Past
from governance.past.stretches import Stretches

FILE = "past.bin"

LATELY = timedelta(days=32)
"""How long a run stays known by itself after it was last heard of: longer than rules ask what the scheduler saw end."""

_DIGEST = 16
_LEFT = 3600
"""Seconds after which a file that is being written is nobody's."""


@dataclass(frozen=True, slots=True)
class Followed:
    """The past as of the store's present end, and how far each day had been read for it.

    beside:   the edges of light events that only NDJSON has
    problems: what of the store is no event, or one with something wrong, in order
    """

    past: Past
    days: dict[str, Consumed]
    beside: Stretches = field(default_factory=Stretches)
    problems: tuple[Problem, ...] = ()


def follow(store: Path, state: Path, now: datetime) -> Followed | None:
    """Return the past of ``store``; None where it has to be read whole.

    That is where a file of it is no NDJSON, where an event's line has no end yet, where one thing is spelled in several
    ways, and where a table was renamed.

    Raises:
        EventStoreError: a file of the store cannot be read.
    """
    file, horizon = state / FILE, now - LATELY
    try:
        found = _gone_on(read(file), store, horizon) or _anew(store, horizon)
    except Unfollowed:
        return None
    if found.moved:
        # a disk that is full must not hide what was found
        with suppress(OSError):
            write(file, found.kept(store))
    return None if found.past.names.twins or found.past.renamed else found.followed()


def _gone_on(kept: Kept | None, store: Path, horizon: datetime) -> "_Reading | None":
    """Return what was kept with what is new; None where nothing was, or what it says does not hold any more."""
    with suppress(Changed):
        found = _Reading.of(kept, horizon) if kept and kept.store == str(store) else None
        return found if found and found.advance(store) else None
    return None


def _anew(store: Path, horizon: datetime) -> "_Reading":
    late: frozenset[str] = frozenset()
    while True:
        found = _Reading(Past(horizon, Names.of(b""), Marks.of(b""), Marks.of(b""), late=late), {}, moved=True)
        found.advance(store)
        found.lost |= set(found.past.close())
        if not found.lost:
            return found
        # what they lost is found only if they are heard once, with all that they say
        late |= found.lost


@dataclass(slots=True)
class _Reading:
    """The past while a store is read into it; ``lost`` are runs that stand for less than they did.

    problems: of what was read; ``passing`` of what follows it and has no end yet
    """

    past: Past
    days: dict[str, Consumed]
    moved: bool = False
    lost: set[str] = field(default_factory=set)
    beside: Stretches = field(default_factory=Stretches)
    problems: list[Problem] = field(default_factory=list)
    passing: list[Problem] = field(default_factory=list)
    decode: Decoder = field(default_factory=Decoder)

    @classmethod
    def of(cls, kept: Kept, horizon: datetime) -> "_Reading":
        """Return what was kept.

        Raises:
            Changed: an event that was kept is none.
        """
        names = Names.of(kept.names, linked=kept.linked, twins=kept.twins)
        past = Past(horizon, names, Marks.of(kept.gone), Marks.of(kept.snapshots), renamed=kept.renamed)
        for it in kept.over:
            past.over[it.run_id] = (*past.over.get(it.run_id, ()), it)
        past.load(kept.told.items())
        beside = Stretches(list(kept.edges), kept.end, kept.sayings)
        return cls(past, dict(kept.days), beside=beside, problems=list(kept.problems))

    def advance(self, store: Path) -> bool:
        """Read what is new; return whether all still stands for what it stood for.

        Raises:
            Changed: what was read is not as it was.
            Unfollowed: the store has to be read whole.
            EventStoreError: a file of the store cannot be read.
        """
        names = names_of_days(store)
        if not self.days.keys() <= set(names):
            raise Changed
        self._settle(store)
        for name in names:
            before = self.days.get(name, Consumed())
            after, news = news_of(store, name, before, self.decode, self.beside.end)
            if after != before:
                self.days[name], self.moved = after, True
            self._learn([it for it in news if it.heard])
            for it in news:
                self._hear(store, it)
        self.past.age()
        return not self.lost

    def _learn(self, news: Collection[News]) -> None:
        """Take the names of a day at once: each time, all that are known are looked through."""
        if not news:
            return
        parts = [part for it in news for _, event in it.heard for part in parts_of(event)]
        self.past.renamed |= any(map(renames, parts))
        linked = any(part.facets.symlinks for part in parts)
        self.past.names.learn([keys for it in news for keys in it.names], linked=linked)

    def _hear(self, store: Path, news: News) -> None:
        self.problems += news.problems
        self.passing += news.passing
        if news.sayings.end > self.beside.end:
            self.beside.add(news.sayings.table(), news.sayings.end)
        if not news.heard:
            return
        again = self.past.forgotten({event.run.run_id for _, event in news.heard})
        before = tuple(recalled(store, again, self.decode)) if again else ()
        self.lost.update(self.past.hear(news.heard, before))

    def _settle(self, store: Path) -> None:
        """Take light forms of events that have been compacted since they were kept."""
        waiting: dict[str, list[Told]] = defaultdict(list)
        for of_run in self.past.told.values():
            for told, _ in of_run.values():
                if told.segment in (None, BESIDE):
                    waiting[told.day].append(told)
        manifest = read_manifest(store)
        for name, of_day in waiting.items():
            self.past.settle(settled(store, name, manifest.day(name).segments, of_day))

    def kept(self, store: Path) -> Kept:
        """Return what is to be kept."""
        past = self.past
        of_runs = (told for of_run in past.told.values() for told, _ in of_run.values())
        self.beside.keep({it for told in of_runs if told.segment == BESIDE for it in told.said if it is not None})
        return Kept(
            VERSION,
            str(store),
            self.days,
            {run_id: tuple(told for told, _ in of_run.values()) for run_id, of_run in past.told.items()},
            tuple(it for over in past.over.values() for it in over),
            past.gone.data(),
            past.snapshots.data(),
            past.names.data(),
            past.names.linked,
            past.names.twins,
            past.renamed,
            tuple(self.problems),
            tuple(self.beside.tables),
            self.beside.end,
            self.beside.count,
        )

    def followed(self) -> Followed:
        """Return what was read, for who asks."""
        problems = sorted((*self.problems, *self.passing), key=lambda it: (it.file, it.offset))
        return Followed(self.past, self.days, self.beside, tuple(problems))


def recalled(store: Path, run_ids: Iterable[str], decode: Decoder) -> Iterator[Heard]:
    """Yield all events of the runs, wherever in the store they stand.

    Raises:
        EventStoreError: a file of the store cannot be read.
    """
    wanted = frozenset(run_ids)
    for name in names_of_days(store):
        segments, tail = parts_of_day(store, name, decode)
        for segment in segments:
            if some_of_runs(store, segment, wanted):
                heard = (it for news in [of_segment(store, name, segment, Consumed(), decode)] for it in news.heard)
                yield from (it for it in heard if it[1].run.run_id in wanted)
        own = (it for it in tail if it.event is not None and it.event.run.run_id in wanted)
        yield from ((Told(name, it.offset, it.raw), it.event) for it in own if it.event)


def read(file: Path) -> Kept | None:
    """Return what was kept; None where nothing was, or it is damaged or of another version."""
    try:
        data = file.read_bytes()
        if hashlib.blake2b(data[_DIGEST:], digest_size=_DIGEST).digest() != data[:_DIGEST]:
            return None
        found = msgspec.msgpack.decode(data[_DIGEST:], type=Kept)
    except (OSError, msgspec.DecodeError):
        return None
    return found if found.version == VERSION else None


def write(file: Path, kept: Kept) -> None:
    """Put ``kept`` in place of what the file held, all or nothing.

    Raises:
        OSError: it cannot be written; what the file held is still there.
    """
    data = msgspec.msgpack.encode(kept)
    file.parent.mkdir(parents=True, exist_ok=True)
    _sweep(file)
    beside = file.with_name(f"{file.name}.{os.getpid()}.{threading.get_ident()}.new")
    try:
        with beside.open("wb") as opened:
            opened.write(hashlib.blake2b(data, digest_size=_DIGEST).digest())
            opened.write(data)
        beside.replace(file)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def _sweep(file: Path) -> None:
    """Remove what a killed process left beside the file."""
    for left in file.parent.glob(f"{file.name}.*.new"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _LEFT:
                left.unlink()
