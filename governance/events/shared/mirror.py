"""The mirror of a shared store: a store of this machine's, brought up to date before each reading.

What the shared store has more is appended to the mirror's day files, the day being that of arrival by the shared
store's clock, in order of arrival and name; segments of days that the mirror has nothing of are taken as they are. So
all that reads a store reads it, in Parquet and NDJSON, and nothing of it knows of objects. A sync that has ended has
seen everything that was acknowledged before it began:

1. ``events/`` is listed, and the ledger read after that: what a compaction deleted before the listing is in the ledger
2. segments that are new are taken over, or, of a day that the mirror has already, what it lacks of them
3. objects that are new are read, many at a time. One that is gone was compacted meanwhile: all begins again

A sync may be killed anywhere. What it appends is recorded before, with its place, and the next one does it again, so
that the places that readers remember stay true. A mirror that was cut or damaged is made anew in another folder, while
readers of the former one still have it.
"""

import fcntl
import os
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from governance.errors import EventStoreError
from governance.events.days import PREFIX, SUFFIX
from governance.events.decode import Decoder
from governance.events.manifest import FOLDER, read_manifest, sync, write_durably, write_manifest
from governance.events.reading import SUFFIXES
from governance.events.shared.bucket import Bucket
from governance.events.shared.ledger import Entry, names_in, read_ledger, segment_file
from governance.events.shared.line import line_of
from governance.events.shared.names import EVENTS, MANIFEST
from governance.events.shared.records import Batch, Listed, Records, opened
from governance.events.store import EventStore

_MOST = 512
_BYTES = 8 << 20
"""Objects, and bytes of them, that are held at a time."""

_ROUNDS = 10
_LONGEST = 200  # of a file name, which may have 255 bytes
_FILE = "records.sqlite"
_LOCK = ".lock"
_FREE = "free space or correct the folder's permissions, then run it again"

Took = list[tuple[str, str]]
"""Names and tags of objects."""


class _Cut(Exception):
    """The mirror lacks something that its records have."""


@dataclass(frozen=True, slots=True)
class Mirror:
    """The mirror of ``bucket`` below ``root``; ``clock`` says how old a look is."""

    bucket: Bucket
    root: Path
    clock: Callable[[], datetime]

    def refresh(self) -> Path:
        """Bring the mirror up to date and return the folder of its events, which is not there while it has none.

        Raises:
            EventStoreError: the shared store cannot be read, or the mirror not be written.
        """
        with self.alone() as folder:
            return folder

    @contextmanager
    def alone(self) -> Iterator[Path]:
        """Bring the mirror up to date, and keep others from changing it until the block ends.

        Raises:
            EventStoreError: as for :meth:`refresh`.
        """
        with ExitStack() as held:
            try:
                held.enter_context(_locked(self.root))
                folder = self._brought()
            except OSError as error:
                raise self._unwritable(error.strerror) from error
            yield folder

    def looked(self) -> tuple[Path, datetime] | None:
        """Return the mirror's folder and when its last sync began, by this host's clock; None where there was none."""
        folder = self._last()
        try:
            text = (folder / "looked").read_text("utf-8")
            return folder / EVENTS, datetime.fromisoformat(text)
        except (OSError, ValueError):
            return None

    def _last(self) -> Path:
        made = [int(it.name) for it in self.root.iterdir() if it.name.isdecimal()] if self.root.is_dir() else []
        return self.root / str(max(made, default=0))

    def _brought(self) -> Path:
        folder = self._last()
        try:
            return self._bring(folder)
        except sqlite3.OperationalError as error:
            raise self._unwritable(str(error)) from error
        except (_Cut, sqlite3.DatabaseError):
            anew = folder.with_name(str(int(folder.name) + 1))
            shutil.rmtree(folder.with_name(str(int(folder.name) - 1)), ignore_errors=True)
            return self._bring(anew)

    def _bring(self, folder: Path) -> Path:
        began = self.clock()
        folder.mkdir(parents=True, exist_ok=True)
        with opened(folder / _FILE) as records:
            sync_ = _Sync(self.bucket, EventStore(folder / EVENTS), records)
            sync_.restore()
            if not any(sync_.round() for _ in range(_ROUNDS)):
                raise EventStoreError(
                    f"the event store {self.bucket.url} changes faster than it can be read", fix="run it again"
                )
        (folder / "looked.new").write_text(began.isoformat(), "utf-8")
        (folder / "looked.new").replace(folder / "looked")
        return folder / EVENTS

    def _unwritable(self, reason: str | None) -> EventStoreError:
        return EventStoreError(f"the mirror of the event store, {self.root}, cannot be written ({reason})", fix=_FREE)


@dataclass(frozen=True, slots=True)
class _Sync:
    """One sync of the mirror ``store``, whose ``records`` are open."""

    bucket: Bucket
    store: EventStore
    records: Records

    def restore(self) -> None:
        """Do again what a killed sync was doing; raise :class:`_Cut` where the mirror is not whole."""
        pending = self.records.batch()
        self._write(pending)
        self.records.done(pending)
        manifest = read_manifest(self.store.folder)
        for name, end in self.records.days().items():
            day = manifest.day(name)
            if max(day.end, day.base + _size(self.store.folder / name)) < end:
                raise _Cut
        segments = (it for day in manifest.days.values() for it in day.segments)
        if any(not (self.store.folder / FOLDER / name).exists() for it in segments for name in it.files):
            raise _Cut

    def round(self) -> bool:
        """Take what there is; return False where something went meanwhile, so that it has to be looked for anew."""
        look = self.records.next_look()
        self.records.list_anew(self.bucket.pages(EVENTS))
        version = self.bucket.version(MANIFEST)
        if version != self.records.kept("ledger"):
            self._entries(look)
        whole = all(self._objects(some, look) for some in self.records.missing(_MOST, _BYTES))
        if whole:
            for file in self.records.gone(look):
                (self.store.folder / file).unlink(missing_ok=True)
            if version != self.records.kept("ledger"):
                self.records.keep("ledger", version)
        return whole

    def _entries(self, look: int) -> None:
        ledger, _ = read_ledger(self.bucket)
        had = self.records.files()
        for entry in ledger.entries:
            if entry.segment.file not in had:
                self._entry(entry, look)

    def _entry(self, entry: Entry, look: int) -> None:
        folder, segment = self.store.folder, entry.segment
        day = read_manifest(folder).day(entry.day)
        stands = any(it.file == segment.file for it in day.segments)
        if not stands and ((day.end, day.lines) != (segment.start, entry.line) or _size(folder / entry.day)):
            self._complete(entry, look)
            return
        # their objects may be listed still, and are not to be taken again
        took = [] if entry.swept else names_in(self.bucket, entry)
        if not stands:
            self._adopt(entry)
        self.records.adopt(segment.file, entry.day, segment.end, took, look)

    def _adopt(self, entry: Entry) -> None:
        """Put a segment into the mirror as it is."""
        files = {name: segment_file(self.bucket, name) for name in entry.segment.files}
        folder = self.store.folder
        with self.store.locked():
            (folder / FOLDER).mkdir(exist_ok=True)
            for name, data in files.items():
                write_durably(folder / FOLDER / name, data)
            manifest = read_manifest(folder)
            day = manifest.day(entry.day).reaching(entry.segment, entry.lines).over(0)
            write_manifest(folder, manifest.with_day(entry.day, day))

    def _complete(self, entry: Entry, look: int) -> None:
        """Append what the mirror lacks of a segment, of a day that it has in another order."""
        from governance.events.shared.rows import raws_of  # noqa: PLC0415  # pyarrow is slow to start

        named = names_in(self.bucket, entry)
        known = self.records.known(name for name, _ in named)
        lacking = [place for place, (name, _) in enumerate(named) if name not in known]
        if lacking:
            raws = raws_of(segment_file(self.bucket, entry.segment.file))
            lines = b"".join(raws[place] + b"\n" for place in lacking)
            self._append({entry.day: lines}, [named[place] for place in lacking], look)
        self.records.skip(entry.segment.file, [] if entry.swept else named, look)

    def _objects(self, wanted: Sequence[Listed], look: int) -> bool:
        decode = Decoder()
        lines: dict[str, bytearray] = defaultdict(bytearray)
        took: Took = []
        whole = True
        for it, found in zip(wanted, self.bucket.get_all([it.name for it in wanted]), strict=True):
            if found is None:
                whole = False
            elif line := line_of(found.data, decode):
                lines[f"{PREFIX}{it.day}{SUFFIX}"] += line
                took.append((it.name, it.tag))
            else:
                self._set_aside(it, found.data, look)
        self._append(lines, took, look)
        return whole

    def _append(self, lines: Mapping[str, bytes | bytearray], took: Took, look: int) -> None:
        ends = self.records.days()
        batches = [Batch(day, ends.get(day, 0), bytes(data)) for day, data in lines.items()]
        self.records.begin(batches, took, look)
        self._write(batches)
        self.records.done(batches)

    def _write(self, batches: Iterable[Batch]) -> None:
        for batch in batches:
            with self.store.locked():
                file = self.store.folder / batch.day
                place = batch.start - read_manifest(self.store.folder).day(batch.day).base
                if not 0 <= place <= _size(file):
                    raise _Cut
                with os.fdopen(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644), "r+b") as opened_:
                    opened_.truncate(place)
                    opened_.seek(place)
                    opened_.write(batch.data)
                sync(file)

    def _set_aside(self, it: Listed, data: bytes, look: int) -> None:
        """Keep an object that is no single event as a file of its own: readers report it by its name."""
        file = _own_file(it.name)
        self.store.folder.mkdir(parents=True, exist_ok=True)
        write_durably(self.store.folder / file, data)
        self.records.set_aside(it.name, it.tag, file, look)


def _own_file(name: str) -> str:
    file = quote(name.removeprefix(f"{EVENTS}/"), safe=" ")[-_LONGEST:]
    file = f"object-{file}" if file.startswith(PREFIX) else file
    return file if file.endswith(SUFFIXES) else f"{file}.json"


def _size(file: Path) -> int:
    with suppress(FileNotFoundError):
        return file.stat().st_size
    return 0


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    root.mkdir(parents=True, exist_ok=True)
    with (root / _LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            # said aloud: closing alone would not end it where another thread has forked meanwhile
            fcntl.flock(lock, fcntl.LOCK_UN)
