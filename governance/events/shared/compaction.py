"""Compaction of a shared store: its objects become segments, so that a look lists hundreds of objects and no million.

Any host may do it at any time, killed anywhere it loses and doubles nothing, and of two at once one wins:

1. objects that no segment has are read, a day's together, and written as a segment beside the store's others; a file
   that the ledger does not name is no part of the store, and a later compaction removes it
2. the ledger is replaced on the condition that it is still the one that was read: from then on the segment counts
3. :data:`~governance.events.shared.ledger.GRACE` later, by the store's clock, the objects are deleted if they are
   still what the segment has of them. A look that began before 2 has then ended, or begins again where it misses one
4. the ledger says that they are gone

An object that is no single event stays as it is, to be reported under its name until somebody takes it away.
"""

import hashlib
import io
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import msgspec

from governance.events.compact import STRETCH, is_over
from governance.events.days import PREFIX, SUFFIX
from governance.events.decode import Decoder
from governance.events.manifest import Segment
from governance.events.pieces import lines_of
from governance.events.segment import parquet, tables_of
from governance.events.shared.bucket import Bucket, Stored
from governance.events.shared.ledger import GRACE, Entry, Ledger, names_in, read_ledger, write_ledger
from governance.events.shared.line import line_of
from governance.events.shared.names import COMPACTED, EVENTS, compacted

MANY = 4000
"""Objects at which a day that goes on is compacted as well: four pages of a listing."""

_LEFT = timedelta(days=1)
"""Age at which a file that the ledger does not name is removed: no compaction takes so long and still goes on."""


@dataclass(frozen=True, slots=True)
class Folded:
    """What a compaction of the shared store did.

    events: objects whose events now stand in segments
    gone:   objects that were deleted, as their segments have stood for the grace
    kept:   what could not be compacted, each with the reason
    """

    events: int = 0
    gone: int = 0
    kept: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return what was done, in words."""
        done = f"{self.events} objects compacted, {self.gone} deleted that were before"
        return "\n".join((done, *(f"not compacted: {reason}" for reason in self.kept)))


@dataclass(frozen=True, slots=True)
class _Row:
    """An object that is one event, as a line."""

    stored: Stored
    line: bytes


def loose(bucket: Bucket, ledger: Ledger) -> dict[str, list[Stored]]:
    """Return the objects that no segment has, by their day, in order of arrival and name.

    Raises:
        EventStoreError: the store cannot be read.
    """
    had = {pair for entry in ledger.entries if not entry.swept for pair in names_in(bucket, entry)}
    days: dict[str, list[Stored]] = defaultdict(list)
    for page in bucket.pages(EVENTS):
        for it in page:
            if (it.name, it.tag) not in had:
                days[f"{PREFIX}{it.at.astimezone(UTC).date().isoformat()}{SUFFIX}"].append(it)
    return {day: sorted(days[day], key=lambda it: (it.at, it.name)) for day in sorted(days)}


def due_days(objects: Mapping[str, Sequence[Stored]], now: datetime) -> tuple[str, ...]:
    """Return the days whose objects are to be compacted: those that are over, and all where objects are many."""
    many = sum(map(len, objects.values())) >= MANY
    return tuple(day for day in objects if many or is_over(_date_of(day), now))


def compact_objects(bucket: Bucket, now: datetime, grace: timedelta = GRACE) -> Folded | None:
    """Compact what is due by ``now``; None where another host compacted meanwhile, and won.

    Raises:
        EventStoreError: the store cannot be read or written; all events are still in it.
    """
    ledger, former = read_ledger(bucket)
    began = time.time()
    objects = loose(bucket, ledger)
    made: list[Entry] = []
    kept: list[str] = []
    for day in due_days(objects, now):
        for rows in _stretches(bucket, objects[day], kept):
            whole = msgspec.structs.replace(ledger, entries=(*ledger.entries, *made))
            made.append(_write(bucket, day, whole.of_day(day), rows))
    if made:
        late = time.time() - began > _LEFT.total_seconds() / 2
        whole = msgspec.structs.replace(ledger, entries=(*ledger.entries, *made))
        if late or not write_ledger(bucket, whole, former):
            bucket.delete(compacted(file) for entry in made for file in entry.files)
            return None
    return Folded(sum(it.segment.events for it in made), _sweep(bucket, grace), tuple(kept))


def _date_of(day: str) -> date:
    return date.fromisoformat(day[len(PREFIX) : -len(SUFFIX)])


def _stretches(bucket: Bucket, objects: Sequence[Stored], kept: list[str]) -> Iterator[list[_Row]]:
    """The rows of segments; an object that is no single event is none, and named in ``kept``."""
    decode, rows, size = Decoder(), list[_Row](), 0
    for it, found in zip(objects, bucket.get_all([it.name for it in objects]), strict=True):
        line = line_of(found.data, decode) if found else None
        if line is None:
            kept.append(f"{it.name} is no single event" if found else f"{it.name} went meanwhile")
            continue
        rows.append(_Row(it, line))
        size += len(line)
        if size >= STRETCH:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


def _write(bucket: Bucket, day: str, before: Sequence[Entry], rows: Sequence[_Row]) -> Entry:
    start = before[-1].segment.end if before else 0
    line = before[-1].line + before[-1].lines if before else 0
    data = b"".join(row.line for row in rows)
    tables = tables_of(lines_of(day, io.BytesIO(data), Decoder(), line=line + 1, offset=start))
    # a name of its own: another host may be about to write this very stretch
    stem = f"{day.removesuffix(SUFFIX)}.{start:012d}-{uuid4().hex[:8]}"
    segment = Segment(
        file=f"{stem}.parquet",
        start=start,
        end=start + len(data),
        events=len(rows),
        quarantined=0,
        sha256=hashlib.sha256(data).hexdigest(),
        edges=f"{stem}.edges.parquet",
    )
    entry = Entry(day, line, len(rows), segment)
    bucket.put(compacted(segment.file), parquet(tables.events))
    bucket.put(compacted(f"{stem}.edges.parquet"), parquet(tables.edges))
    bucket.put(compacted(entry.names), msgspec.json.encode([[row.stored.name, row.stored.tag] for row in rows]))
    return entry


def _sweep(bucket: Bucket, grace: timedelta) -> int:
    """Delete the objects of segments that have been in the ledger for the grace; return how many."""
    ledger, former = read_ledger(bucket)
    now = bucket.now()
    ripe = [it for it in ledger.entries if not it.swept and it.since and it.since + grace <= now]
    _remove_left(bucket, ledger, now)
    if not ripe:
        return 0
    tags = {it.name: it.tag for page in bucket.pages(EVENTS) for it in page}
    gone, swept = 0, set()
    for entry in ripe:
        # nothing is deleted of what stands nowhere else
        if not all(bucket.version(compacted(file)) for file in entry.files):
            continue
        swept.add(entry.segment.file)
        names = [name for name, tag in names_in(bucket, entry) if tags.get(name) == tag]
        bucket.delete(names)
        gone += len(names)
    entries = (msgspec.structs.replace(it, swept=it.swept or it.segment.file in swept) for it in ledger.entries)
    # where another host was faster, it or the next compaction says so
    write_ledger(bucket, msgspec.structs.replace(ledger, entries=tuple(entries)), former)
    return gone


def _remove_left(bucket: Bucket, ledger: Ledger, now: datetime) -> None:
    named = {compacted(file) for entry in ledger.entries for file in entry.files}
    left = [it.name for page in bucket.pages(COMPACTED) for it in page if it.name not in named and it.at + _LEFT <= now]
    bucket.delete(left)
