"""``-- partitions: daily from 2026-01-01``: the spans of time that a table is built and built again by, one at a time.

All times are in UTC. The column that decides in which span a row lies is that of the first term of ``partition by``, so
that one span is whole files of the table.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum

from governance.errors import HeadwaterError
from governance.partition import DAY, HOUR, IDENTITY, MONTH, Term

MONDAY = 0
FORM = re.compile(r"(?P<span>\S+)\s+from\s+(?P<start>\d{4}-\d\d-\d\d(?:[ T]\d\d(?::\d\d)?)?)", re.IGNORECASE)
YEARS = range(1000, 9999)
"""The years in which the first partition may begin: keys have four digits of them, and the next one has an end."""

WRITE = "write hourly, daily, weekly or monthly, from and the first day: daily from 2026-01-01"


class Span(Enum):
    """How long a partition is; weeks begin on Mondays."""

    HOURLY = "hourly"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"


CRON: Mapping[Span, str] = {
    Span.HOURLY: "0 * * * *",
    Span.DAILY: "0 0 * * *",
    Span.WEEKLY: "0 0 * * 1",
    Span.MONTHLY: "0 0 1 * *",
}
"""When the partitions of a span begin."""

WHOLE_FILES: Mapping[Span, tuple[str, ...]] = {
    Span.HOURLY: (HOUR,),
    Span.DAILY: (DAY, HOUR, IDENTITY),
    Span.WEEKLY: (DAY, HOUR, IDENTITY),
    Span.MONTHLY: (MONTH, DAY, HOUR, IDENTITY),
}
"""The transforms that never put rows of two partitions into one file."""


@dataclass(frozen=True, slots=True)
class Windows:
    """The partitions of a table: each a ``span``, the first from ``start`` on, without an end."""

    span: Span
    start: datetime

    @property
    def form(self) -> str:
        """How a partition's key writes its begin, for ``strftime``."""
        return "%Y-%m-%d-%H:%M" if self.span is Span.HOURLY else "%Y-%m-%d"

    def __str__(self) -> str:
        """Return the words of the header."""
        return f"{self.span.value} from {self.start:{'%Y-%m-%d %H:%M' if self.span is Span.HOURLY else '%Y-%m-%d'}}"


@dataclass(frozen=True, slots=True)
class Window:
    """The rows whose ``column`` is at ``start`` or later and before ``end``, both aware: one partition or several."""

    column: str
    start: datetime
    end: datetime

    def placed(self, names: Iterable[str]) -> "Window":
        """Return the window with the column's name as it stands among ``names``, in whatever case it was written."""
        near = {it.lower(): it for it in names}
        return replace(self, column=near.get(self.column.lower(), self.column))


def parse_windows(text: str) -> Windows:
    """Return the partitions that a header speaks of.

    Raises:
        HeadwaterError: it is no span with a begin, or no partition of the span begins then.
    """
    found = FORM.fullmatch(text.strip())
    spans = {span.value: span for span in Span}
    if found is None or found["span"].lower() not in spans:
        raise HeadwaterError(f"{text!r} are no partitions", fix=WRITE)
    span = spans[found["span"].lower()]
    try:
        start = datetime.fromisoformat(found["start"]).replace(tzinfo=UTC)
    except ValueError:
        raise HeadwaterError(f"{found['start']} is no day", fix=WRITE) from None
    if start.year not in YEARS:
        fix = f"begin with the first day that the table has rows of, in the years {YEARS[0]} to {YEARS[-1]}"
        raise HeadwaterError(f"no partition begins at {found['start']}", fix=fix)
    begin = begin_of(span, start)
    if begin != start:
        raise HeadwaterError(
            f"no {span.value} partition begins at {found['start']}", fix=f"write {span.value} from {begin:%Y-%m-%d}"
        )
    return Windows(span, start)


def begin_of(span: Span, at: datetime) -> datetime:
    """Return the begin of the partition that ``at`` lies in."""
    if span is Span.HOURLY:
        return at.replace(minute=0)
    day = at.replace(hour=0, minute=0)
    if span is Span.WEEKLY:
        return day - timedelta(days=(day.weekday() - MONDAY) % 7)
    return day.replace(day=1) if span is Span.MONTHLY else day


def parted_by(windows: Windows, terms: tuple[Term, ...]) -> Term:
    """Return the term by which a row's partition is known.

    Raises:
        HeadwaterError: the table is not parted by time, or more coarsely than its partitions.
    """
    if not terms:
        fix = f"add -- partition by: {_finest(windows)}(the column with the time)"
        raise HeadwaterError("nothing says which column decides the partition", fix=fix)
    first = terms[0]
    if first.transform not in WHOLE_FILES[windows.span]:
        fix = f"let partition by begin with {_finest(windows)}({first.column})"
        raise HeadwaterError(f"a file by {first} may hold rows of several {windows.span.value} partitions", fix=fix)
    return first


def _finest(windows: Windows) -> str:
    return WHOLE_FILES[windows.span][0]
