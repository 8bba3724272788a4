"""The event store: append-only NDJSON, one file a UTC day, written through the OpenLineage client.

An event is whole and on the disk when ``append`` returns, or ``append`` raises. Writers of one machine take a file lock
in turn; no promise is made on network file systems, whose locks differ.
"""

import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from openlineage.client.event_v2 import RunEvent
from openlineage.client.serde import Serde
from openlineage.client.transport.file import FileConfig, FileTransport

from governance.errors import EventStoreError
from governance.events.client import client_for, disabled, filtered
from governance.events.days import PREFIX, SUFFIX, day_files, days, lines_of_run
from governance.events.decode import Decoder
from governance.events.manifest import read_manifest, sync, write_manifest
from governance.events.model import TERMINAL, Event
from governance.events.pieces import lines_of
from governance.events.reading import Reading, read_store, require_folder
from governance.events.redact import redact_event, secrets_of

STARTED = frozenset({"START"})
"""The state of an event that begins a run."""

_LOCK = ".lock"
_UUID_V7 = 7
_LATEST = int(datetime.max.replace(tzinfo=UTC).timestamp()) * 1000  # an id may carry a year that datetime lacks
_FREE = "free space or correct the folder's permissions, then run it again"


def _utc_now() -> datetime:
    return datetime.now(UTC)


class _LocalFile(FileTransport):
    """The client's file transport for events that are redacted as they are written, whatever the client added."""

    def emit(self, event: Any) -> None:
        """Append one line; what the client added (environment variables that it collects) is redacted with the rest."""
        super().emit(redact_event(Serde.to_dict(event), secrets_of()))


@dataclass(frozen=True, slots=True)
class EventStore:
    """The events of one project, in ``folder``; ``clock`` names the day file of an append."""

    folder: Path
    clock: Callable[[], datetime] = _utc_now

    def silenced(self, job: str = "") -> str | None:
        """Return why events of ``job`` are not written, in words; None where they are.

        Users switch events off with ``OPENLINEAGE_DISABLED=true`` or with a filter in ``openlineage.yml``.

        Raises:
            EventStoreError: the OpenLineage settings cannot be read.
        """
        return disabled() or filtered(client_for(self._transport(self._day_file())), job)

    def append(self, event: RunEvent) -> bool:
        """Write ``event``, durably; return False only where the user's own settings silence it.

        Raises:
            EventStoreError: the store cannot be written, or the disk is full; nothing of the event is left in it.
        """
        if disabled():
            return False
        with self.locked():
            return self._write(event)

    def begin(self, event: RunEvent) -> bool:
        """Write a START unless its run has one; return whether it was written.

        Raises:
            EventStoreError: as for :meth:`append`.
        """
        return self._write_once(event, STARTED)

    def end(self, event: RunEvent) -> bool:
        """Write a terminal ``event`` unless its run has one; return whether it was written.

        The look and the write are one step under the store's lock: of a run's own end and of what a sensor or an
        orphaned step says, the first stands.

        Raises:
            EventStoreError: as for :meth:`append`.
        """
        return self._write_once(event, TERMINAL)

    def refresh(self) -> Path:
        """Return the folder that has all events of this moment, for those who read it; it may not be there yet."""
        return self.folder

    def read(self) -> Reading:
        """Return all events in order of arrival and what could not be read; an absent store is an empty one.

        Raises:
            EventStoreError: the store is a file, or cannot be read.
        """
        return read_store(self.folder)

    def started(self, run_id: str) -> bool:
        """Return whether the run's START is in the store.

        Raises:
            EventStoreError: a file of the store cannot be read.
        """
        return self.first(run_id, STARTED) is not None

    def terminal(self, run_id: str) -> Event | None:
        """Return the event that ended the run, None while there is none.

        Raises:
            EventStoreError: a file of the store cannot be read.
        """
        return self.first(run_id, TERMINAL)

    def first(self, run_id: str, states: frozenset[str]) -> Event | None:
        """Return the run's first event in one of ``states``, in order of arrival; None where it has none.

        Raises:
            EventStoreError: a file of the store cannot be read.
        """
        decode = Decoder()
        for day in self._days_of(run_id):
            for raw in lines_of_run(self.folder, day, run_id):
                for piece in lines_of(day, (raw,), decode):
                    event = piece.event
                    if event is not None and event.run.run_id == run_id and event.event_type in states:
                        return event
        return None

    def files(self) -> tuple[Path, ...]:
        """Return the NDJSON files as they stand, oldest first; a day that was compacted may have none."""
        return day_files(self.folder)

    def _write_once(self, event: RunEvent, states: frozenset[str]) -> bool:
        if disabled():
            return False
        with self.locked():
            return self.first(event.run.runId, states) is None and self._write(event)

    def _days_of(self, run_id: str) -> Iterator[str]:
        """Days that can hold events of a run: none is older than the instant in its UUIDv7."""
        begun = instant_of(run_id)
        # one day of slack for clocks that differ; a run dated ahead of this clock may still have been written today
        first = min(begun, self.clock()).date() - timedelta(days=1) if begun else date.min
        return (day for day in days(self.folder) if day >= f"{PREFIX}{first.isoformat()}{SUFFIX}")

    def _day_file(self) -> Path:
        return self.folder / f"{PREFIX}{self.clock().astimezone(UTC).date().isoformat()}{SUFFIX}"

    def _transport(self, file: Path) -> FileTransport:
        return _LocalFile(FileConfig(log_file_path=str(file), append=True))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep all who write to the store waiting until the block ends.

        Raises:
            EventStoreError: the store cannot be written.
        """
        require_folder(self.folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        except OSError as error:
            raise self._unwritable(error.strerror) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            # said aloud: closing alone would not end it where another thread has forked meanwhile
            fcntl.flock(lock, fcntl.LOCK_UN)
            os.close(lock)

    def _write(self, event: RunEvent) -> bool:
        file = self._day_file()
        client = client_for(self._transport(file))
        if client.filter_event(event) is None:
            return False
        before = self._prepare(file)
        try:
            client.emit(event)
            sync(file)
            if not before:
                sync(self.folder)
        except (OSError, RuntimeError) as error:
            # the lock is held, so what stands behind the old end is this event's own torn beginning
            with suppress(OSError):
                os.truncate(file, before)
            cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
            raise self._unwritable(getattr(cause, "strerror", None) or type(cause).__name__) from error
        return True

    def _prepare(self, file: Path) -> int:
        """Return the file's size, after ending a line that a crash tore off; what is appended to it will be read."""
        try:
            size = self._ended(file)
            manifest = read_manifest(self.folder)
            day = manifest.day(file.name)
            if size < day.covered:
                # removed after it was compacted, or cut: what comes now must not pass for what the segments hold
                write_manifest(self.folder, manifest.with_day(file.name, day.over(size)))
        except OSError as error:
            raise self._unwritable(error.strerror) from error
        return size

    def _ended(self, file: Path) -> int:
        try:
            if not stat.S_ISREG(file.lstat().st_mode):
                raise EventStoreError(
                    f"{file} is not a regular file", fix="remove it; the store writes only plain files"
                )
            with file.open("r+b") as opened:
                size = opened.seek(0, os.SEEK_END)
                if size and os.pread(opened.fileno(), 1, size - 1) != b"\n":
                    opened.write(b"\n")
                    size += 1
        except FileNotFoundError:
            return 0
        return size

    def _unwritable(self, reason: str | None) -> EventStoreError:
        return EventStoreError(f"the event store {self.folder} cannot be written ({reason})", fix=_FREE)


def instant_of(run_id: str) -> datetime | None:
    """Return the instant in a UUIDv7 (RFC 9562: its first 48 bits are milliseconds), None for any other id."""
    try:
        parsed = UUID(run_id)
    except ValueError:
        return None
    milliseconds = parsed.int >> 80
    if parsed.version != _UUID_V7 or milliseconds > _LATEST:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
