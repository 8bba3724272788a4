"""The values of query logs: a line as it was exported, a read as it is kept, and the log over its windows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum

import msgspec

QUIET = timedelta(days=1)
"""Exports that lie no further apart are one window: the time between two logged queries is quiet, not missing."""


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """The span of time that a log speaks of, both ends with a zone and part of it; ``log`` names it, if it has one."""

    start: datetime
    end: datetime
    log: str = ""

    @property
    def length(self) -> timedelta:
        """How long it is."""
        return self.end - self.start

    def as_dict(self) -> dict[str, str]:
        """Return ``{"from", "to"}`` in ISO form, and ``log`` where it is of one."""
        ends = {"from": self.start.isoformat(), "to": self.end.isoformat()}
        return ends | ({"log": self.log} if self.log else {})

    def __str__(self) -> str:
        """Return ``2026-07-01 to 2026-09-29``."""
        return f"{self.start:%Y-%m-%d} to {self.end:%Y-%m-%d}"


@dataclass(frozen=True, slots=True)
class LoggedQuery:
    """One line of an export in Headwater's words, its SQL not read yet.

    line:    where it stands in the file, from 1
    at:      when it ran; None where the line does not say, and then it is of no use
    user:    account that ran it, ``tag``: what the client said about itself; empty where the log has none
    sql:     its text, empty where the export lists objects only
    schema:  in which it ran, where unqualified names live; empty where the log does not say
    objects: tables the engine itself says were read, each with its columns (None: not said); None: no such list
    failed:  it did not run to its end, so it read nothing for anybody
    """

    line: int
    at: datetime | None
    user: str = ""
    tag: str = ""
    application: str = ""
    sql: str = ""
    objects: tuple[tuple[str, tuple[str, ...] | None], ...] | None = None
    query_id: str = ""
    schema: str = ""
    failed: bool = False


class QueryRead(msgspec.Struct, frozen=True, omit_defaults=True):
    """A logged query as it is kept, without its SQL: texts hold literals, and literals hold people.

    id:      of the query in its log, or of its content where the log gives none; one id is one read
    tables:  read, by the catalog's names where it has them
    columns: read, as ``schema.table.column``; None where only the tables are known
    writes:  tables that the statement wrote
    problem: why columns, or tables too, are unknown: a kind of error and its place, never the text
    """

    id: str
    at: datetime
    user: str = ""
    tag: str = ""
    application: str = ""
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] | None = None
    writes: tuple[str, ...] = ()
    problem: str = ""


class Fate(Enum):
    """What became of one line of an export; every line has one, and all of them are counted."""

    COLUMNS = "columns known"
    TABLES = "tables known, columns not"
    UNREADABLE = "unreadable"
    NOTHING = "reads no table"
    FAILED = "did not succeed"
    MALFORMED = "malformed line"


@dataclass(frozen=True, slots=True)
class QueryLog:
    """All reads that were ingested, oldest first, and the windows that each log was drawn from, merged and in order.

    ended: when the last log ends that :meth:`since` left out because it is older; None where it left out none
    """

    reads: tuple[QueryRead, ...] = ()
    windows: tuple[Window, ...] = ()
    problems: tuple[str, ...] = field(default=())
    ended: datetime | None = None

    @property
    def window(self) -> Window | None:
        """The window by which silence is judged, None where no log was ingested.

        Of each log the latest without a gap, and of several logs the shortest: which of them a consumer would show up
        in is not known.
        """
        latest = {window.log: window for window in sorted(self.windows)}
        return min(latest.values(), key=lambda window: (window.length, window), default=None)

    @property
    def span(self) -> Window | None:
        """From the first to the last moment of which any log speaks: where reads are counted."""
        if not self.windows:
            return None
        return Window(min(it.start for it in self.windows), max(it.end for it in self.windows))

    @property
    def unreadable(self) -> int:
        """How many logged queries read something that is not known."""
        return sum(not read.tables for read in self.reads)

    def since(self, start: datetime) -> "QueryLog":
        """Return what the log says of the time from ``start`` on."""
        windows = tuple(Window(max(it.start, start), it.end, it.log) for it in self.windows if it.end >= start)
        ended = max((it.end for it in self.windows if it.end < start), default=None)
        return QueryLog(tuple(read for read in self.reads if read.at >= start), windows, self.problems, ended)


def merged(windows: Iterable[Window]) -> tuple[Window, ...]:
    """Return ``windows`` in order, those of one log that overlap or lie no further apart than ``QUIET`` as one."""
    by_log: dict[str, list[Window]] = {}
    for window in sorted(windows):
        by_log.setdefault(window.log, []).append(window)
    return tuple(sorted(joined for of_log in by_log.values() for joined in _merged(of_log)))


def _merged(windows: list[Window]) -> Iterator[Window]:
    current: Window | None = None
    for window in windows:
        if current and window.start <= current.end + QUIET:
            current = Window(current.start, max(current.end, window.end), window.log)
            continue
        if current:
            yield current
        current = window
    if current:
        yield current
