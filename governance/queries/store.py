"""The store of reads: NDJSON files under the project's state, one a UTC day of queries, and the windows they span."""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from governance.errors import HeadwaterError
from governance.queries.model import QueryLog, QueryRead, Window, merged

WINDOWS = "windows.ndjson"

Kept = TypeVar("Kept")


class _Span(msgspec.Struct, frozen=True):
    """A line of ``windows.ndjson``: what one ingest covered."""

    start: datetime
    end: datetime
    log: str = ""
    file: str = ""
    queries: int = 0


_READ = msgspec.json.Decoder(QueryRead)
_SPAN = msgspec.json.Decoder(_Span)


@dataclass(frozen=True, slots=True)
class QueryStore:
    """The reads kept under ``folder``; the same lines ingested again, or an export that overlaps, add nothing twice."""

    folder: Path

    def add(self, reads: Iterable[QueryRead], window: Window | None, file: str) -> int:
        """Keep ``reads`` drawn from ``window`` of ``file``; return how many were not there yet.

        Raises:
            HeadwaterError: the store cannot be written or read.
        """
        days: dict[str, list[QueryRead]] = {}
        for read in reads:
            days.setdefault(f"{read.at.astimezone(UTC):%Y-%m-%d}", []).append(read)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._locked():
                added = sum(self._append(day, of_day) for day, of_day in sorted(days.items()))
                if window:
                    span = _Span(window.start, window.end, window.log, file, added)
                    _write(self.folder / WINDOWS, [msgspec.json.encode(span)])
        except OSError as error:
            raise _unusable(self.folder, error) from error
        return added

    def read(self) -> QueryLog:
        """Return everything kept; a torn line is told as a problem, by file and line.

        Raises:
            HeadwaterError: the store cannot be read.
        """
        problems: list[str] = []
        try:
            files = sorted(self.folder.glob("queries-*.ndjson"))
            reads = [read for file in files for read in _decoded(file, _READ, problems)]
            spans = list(_decoded(self.folder / WINDOWS, _SPAN, problems))
        except OSError as error:
            raise _unusable(self.folder, error) from error
        unique = {read.id: read for read in reads}
        ordered = sorted(unique.values(), key=lambda read: (read.at, read.id))
        windows = merged(Window(it.start, it.end, it.log) for it in spans)
        if ordered and not windows:
            # stopped between reads and window: what was read says at least of which time the log spoke
            windows = (Window(ordered[0].at, ordered[-1].at),)
        return QueryLog(tuple(ordered), windows, tuple(problems))

    def _append(self, day: str, reads: list[QueryRead]) -> int:
        file = self.folder / f"queries-{day}.ndjson"
        there = {read.id for read in _decoded(file, _READ, [])}
        fresh = {read.id: read for read in reads if read.id not in there}
        _write(file, [msgspec.json.encode(read) for read in fresh.values()])
        return len(fresh)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with (self.folder / ".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _write(file: Path, lines: list[bytes]) -> None:
    if not lines:
        return
    torn = file.exists() and file.stat().st_size > 0 and not file.read_bytes().endswith(b"\n")
    with file.open("ab") as out:
        out.write((b"\n" if torn else b"") + b"\n".join(lines) + b"\n")
        out.flush()
        os.fsync(out.fileno())


def _decoded(file: Path, decoder: "msgspec.json.Decoder[Kept]", problems: list[str]) -> Iterator[Kept]:
    if not file.exists():
        return
    for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
        if line.strip():
            try:
                yield decoder.decode(line)
            except msgspec.DecodeError:
                problems.append(f"{file.name}:{number}: no whole record")


def _unusable(folder: Path, error: OSError) -> HeadwaterError:
    return HeadwaterError(
        f"the query store {folder.name} cannot be used: {error.strerror}", fix="check the disk and its permissions"
    )
