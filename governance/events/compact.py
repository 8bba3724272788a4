"""Compaction: a store's finished days from NDJSON to Parquet, so that years of events stay small and quick to read.

A killed compaction loses and doubles nothing, wherever it is killed:

1. a stretch of a day is written to ``<store>/compacted/events-<day>.<first byte>.parquet``, what it says of columns to
   ``….edges.parquet``, what is torn in it to ``….quarantine``, all durable before anything speaks of them: a file that
   the manifest does not name is no part of the store, and the next compaction removes it
2. the manifest is replaced, which in one step makes readers take that stretch from Parquet and no longer from NDJSON
3. the NDJSON stays for a retention; it is then compared with what was compacted and removed
4. the manifest says that the file is gone. Between 3 and 4 an append to that day does so in its place

Appending goes on all the while: writers wait only for the moments in which the manifest is replaced. A destination's
cursor counts bytes of the day's whole text, so it goes on from Parquet where it stood in NDJSON.
"""

import fcntl
import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from governance.errors import EventStoreError
from governance.events.days import PREFIX, SUFFIX
from governance.events.decode import Decoder
from governance.events.manifest import FOLDER, NAME, Day, Segment, read_manifest, sync, write_durably, write_manifest
from governance.events.pieces import HEAD, lines_of, spread
from governance.events.segment import parquet, tables_of
from governance.events.store import EventStore
from governance.events.torn import quarantine

RETENTION = timedelta(days=7)
"""How long a finished day's NDJSON is kept beside its Parquet."""

STRETCH = 32 << 20
"""Bytes of NDJSON that become one segment, and at which a day that goes on is compacted as far as it has come."""

LATE = timedelta(hours=1)
"""How long after midnight a day counts as going on, for clocks that differ."""

_LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class Compacted:
    """What a compaction did.

    events:      events that now stand in Parquet
    quarantined: pieces that are no events, kept in quarantine files and reported by readers as before
    removed:     NDJSON files whose retention had passed
    kept:        what could not be compacted or removed, each with the reason
    """

    events: int = 0
    quarantined: int = 0
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return what was done, in words."""
        done = (
            f"{self.events} events compacted, {self.quarantined} torn pieces quarantined",
            f"{len(self.removed)} files removed",
        )
        return "\n".join((", ".join(done), *(f"not compacted or removed: {reason}" for reason in self.kept)))


def compact(store: EventStore, retention: timedelta = RETENTION, stretch: int = STRETCH) -> Compacted | None:
    """Compact all that is due; return None, having done nothing, while another process compacts this store.

    Raises:
        EventStoreError: the store cannot be read or written, or the disk is full; all events are still in it.
    """
    if not store.files() and not read_manifest(store.folder).days:
        return Compacted()
    try:
        with _alone(store.folder) as alone:
            return _compact(store, retention, stretch) if alone else None
    except OSError as error:
        raise EventStoreError(
            f"the event store {store.folder} cannot be compacted ({error.strerror})",
            fix="free space or correct the folder's permissions, then run it again; no event is lost",
        ) from error


def due(store: EventStore, retention: timedelta = RETENTION, stretch: int = STRETCH) -> dict[str, int]:
    """Return the NDJSON files that are to be compacted or removed, with their sizes: a look that reads no event."""
    manifest, now = read_manifest(store.folder), store.clock()
    found: dict[str, int] = {}
    for file, day in _days(store):
        with suppress(FileNotFoundError):  # a compaction that goes on may have removed it
            size, covered = file.stat().st_size, manifest.day(file.name).covered
            finished, past = is_over(day, now), is_over(day, now - retention)
            if past or _has_stretch(size, covered, stretch, finished=finished):
                found[file.name] = size
    return found


def _compact(store: EventStore, retention: timedelta, stretch: int) -> Compacted:
    _sweep(store)
    now = store.clock()
    segments: list[Segment] = []
    removed: list[str] = []
    kept: list[str] = []
    for file, day in _days(store):
        if not read_manifest(store.folder).day(file.name).end and _is_document(file):
            kept.append(f"{file.name} is one JSON document and not NDJSON")
            continue
        segments += _compact_day(store, file, stretch, finished=is_over(day, now))
        if is_over(day, now - retention):
            problem = _remove(store, file)
            (kept if problem else removed).append(problem or file.name)
    events, quarantined = sum(it.events for it in segments), sum(it.quarantined for it in segments)
    return Compacted(events, quarantined, tuple(removed), tuple(kept))


def _days(store: EventStore) -> Iterator[tuple[Path, date]]:
    """The NDJSON files that are named after a day; a file of any other name is not the store's own."""
    for file in store.files():
        with suppress(ValueError):
            yield file, date.fromisoformat(file.name[len(PREFIX) : -len(SUFFIX)])


def is_over(day: date, now: datetime) -> bool:
    """Return whether a day is over by ``now``, for clocks that differ as well."""
    return datetime.combine(day + timedelta(days=1), time(), UTC) + LATE <= now


def _is_document(file: Path) -> bool:
    with file.open("rb") as opened:
        return spread(opened.read(HEAD))


def _compact_day(store: EventStore, file: Path, stretch: int, *, finished: bool) -> Iterator[Segment]:
    while data := _next_stretch(store, file, stretch, finished=finished):
        segment = _put(store, file.name, data)
        if segment is None:
            return
        yield segment


def _next_stretch(store: EventStore, file: Path, stretch: int, *, finished: bool) -> bytes:
    """Whole lines that are to become the next segment; of a finished day the torn end as well."""
    with store.locked():
        # no writer is within an append now, so up to here the file will not change
        size = file.stat().st_size
    covered = read_manifest(store.folder).day(file.name).covered
    if not _has_stretch(size, covered, stretch, finished=finished):
        return b""
    with file.open("rb") as opened:
        opened.seek(covered)
        data = opened.read(stretch)
        data = (data + opened.readline())[: size - covered]
    return data if finished else data[: data.rfind(b"\n") + 1]


def _has_stretch(size: int, covered: int, stretch: int, *, finished: bool) -> bool:
    return size - covered >= (1 if finished else stretch)


def _put(store: EventStore, name: str, data: bytes) -> Segment | None:
    """Make the next bytes of a day a segment; None where the NDJSON file was cut by hand meanwhile."""
    day = read_manifest(store.folder).day(name)
    segment = _write(store.folder / FOLDER, name, day, data)
    with store.locked():
        manifest = read_manifest(store.folder)
        if manifest.day(name) != day:
            return None
        write_manifest(store.folder, manifest.with_day(name, day.reaching(segment, data.count(b"\n"))))
    return segment


def _write(folder: Path, name: str, day: Day, data: bytes) -> Segment:
    pieces = tuple(lines_of(name, io.BytesIO(data), Decoder(), line=day.lines + 1, offset=day.end))
    stem = f"{name.removesuffix(SUFFIX)}.{day.end:012d}"
    torn, tables = quarantine(pieces), tables_of(pieces)
    write_durably(folder / f"{stem}.parquet", parquet(tables.events))
    write_durably(folder / f"{stem}.edges.parquet", parquet(tables.edges))
    if torn:
        write_durably(folder / f"{stem}.quarantine", torn)
    return Segment(
        file=f"{stem}.parquet",
        start=day.end,
        end=day.end + len(data),
        events=sum(it.event is not None for it in pieces),
        quarantined=sum(it.event is None for it in pieces),
        sha256=hashlib.sha256(data).hexdigest(),
        edges=f"{stem}.edges.parquet",
        quarantine=f"{stem}.quarantine" if torn else None,
    )


def _remove(store: EventStore, file: Path) -> str:
    """Remove the NDJSON of a day that stands in segments; return why not, empty where it was removed."""
    day = read_manifest(store.folder).day(file.name)
    if not _is_as_compacted(file, day):
        return f"{file.name} was changed after it was compacted"
    with store.locked():
        manifest = read_manifest(store.folder)
        if manifest.day(file.name) != day or file.stat().st_size != day.covered:
            return f"{file.name} was appended to"
        file.unlink()
        # the file must be gone before the manifest says so, after a power cut as well
        sync(store.folder)
        write_manifest(store.folder, manifest.with_day(file.name, day.over(0)))
    return ""


def _is_as_compacted(file: Path, day: Day) -> bool:
    with file.open("rb") as opened:
        stretches = ((it.sha256, opened.read(it.end - it.start)) for it in day.segments if it.start >= day.base)
        return all(hashlib.sha256(data).hexdigest() == sha256 for sha256, data in stretches) and not opened.read(1)


def _sweep(store: EventStore) -> None:
    """Remove what a killed compaction left: files that the manifest does not name."""
    with store.locked():
        named = {NAME, _LOCK}
        for day in read_manifest(store.folder).days.values():
            named |= {name for it in day.segments for name in it.files}
        for file in (store.folder / FOLDER).iterdir():
            if file.name not in named:
                file.unlink()


@contextmanager
def _alone(store: Path) -> Iterator[bool]:
    """Whether no other process compacts the store until the block ends."""
    folder = store / FOLDER
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        sync(store)
    with (folder / _LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        try:
            yield True
        finally:
            # said aloud: closing alone would not end it where another thread has forked meanwhile
            fcntl.flock(lock, fcntl.LOCK_UN)
