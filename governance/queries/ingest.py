"""One export into the store: every line read, counted and, where it read something, kept."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from governance.errors import HeadwaterError
from governance.queries.files import Line
from governance.queries.formats import Format, format_named, format_of, logged
from governance.queries.model import Fate, LoggedQuery, QueryRead, Window
from governance.queries.read import Outcome, Reader, Schema, read_queries
from governance.queries.store import QueryStore

SHOWN = 5
"""Lines of each unwelcome fate that are named; all are counted."""


@dataclass(frozen=True, slots=True)
class Export:
    """An export and what its lines do not say themselves.

    form:    its format by name, ``auto`` to tell it by the first line
    dialect: of its SQL, empty for the format's own
    default: schema of unqualified names, None where there are none
    user:    account of lines that name none
    window:  that the export covers; an end that is None is that of the first or last line
    log:     the log that it is a part of, where several are of one form; empty for the form's name
    """

    file: str
    form: str = "auto"
    dialect: str = ""
    default: str | None = None
    user: str = ""
    window: tuple[datetime | None, datetime | None] = (None, None)
    log: str = ""


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of an export.

    fates: lines by what became of them; they sum to the lines there are
    added: reads that the store did not have yet
    lines: numbers of some lines of each fate that left something unknown, each with why
    """

    file: str
    form: str
    fates: Mapping[Fate, int]
    added: int
    window: Window | None
    lines: Mapping[Fate, tuple[tuple[int, str], ...]]

    def as_dict(self) -> dict[str, Any]:
        """Return the public JSON form.

        ``lines`` counts lines by fate, ``added`` the new reads; ``unknown`` has line and reason of some lines by fate.
        """
        return {
            "file": self.file,
            "form": self.form,
            "lines": {fate.value: self.fates.get(fate, 0) for fate in Fate},
            "added": self.added,
            "window": self.window.as_dict() if self.window else None,
            "unknown": {
                fate.value: [{"line": line, "reason": reason} for line, reason in told]
                for fate, told in self.lines.items()
            },
        }


def ingest(lines: Iterable[Line], export: Export, schema: Schema, store: QueryStore) -> Ingested:
    """Read ``lines`` against ``schema`` and keep what they read in ``store``.

    Raises:
        HeadwaterError: no known form, a window that ends before it starts, or the store cannot be written.
    """
    told = list(lines)
    first = next((row for _, row in told if row is not None), None)
    if first is None:
        return Ingested(export.file, export.form, Counter({Fate.MALFORMED: len(told)}), 0, None, {})
    form = format_of(first, export.file) if export.form == "auto" else format_named(export.form)
    times: list[datetime] = []
    reader = Reader(schema, export.dialect or form.dialect, export.default)
    outcomes = list(read_queries(_queries(told, form, export.user, times), reader))
    window = _window(export, form, times)
    reads: list[QueryRead] = [outcome.read for outcome in outcomes if outcome.read]
    return Ingested(
        file=export.file,
        form=form.name,
        fates=Counter(outcome.fate for outcome in outcomes),
        added=store.add(reads, window, export.file),
        window=window,
        lines={fate: _some(outcomes, fate) for fate in (Fate.TABLES, Fate.UNREADABLE, Fate.MALFORMED)},
    )


def _queries(lines: Iterable[Line], form: Format, user: str, times: list[datetime]) -> Iterator[LoggedQuery | int]:
    for number, row in lines:
        if row is None:
            yield number
            continue
        query = logged(row, form, number)
        if query.at:
            times.append(query.at)
        yield query if query.user else replace(query, user=user)


def _window(export: Export, form: Format, times: list[datetime]) -> Window | None:
    start = export.window[0] or min(times, default=None)
    end = export.window[1] or max(times, default=None)
    if start is None or end is None:
        return None
    if start > end:
        problem = f"{export.file}: its window would end on {end:%Y-%m-%d}, before it starts on {start:%Y-%m-%d}"
        raise HeadwaterError(problem, fix="give --from and --to as the times between which the log was kept")
    return Window(start, end, export.log or form.name)


def _some(outcomes: Iterable[Outcome], fate: Fate) -> tuple[tuple[int, str], ...]:
    told = [(it.line, it.read.problem if it.read else "") for it in outcomes if it.fate is fate]
    return tuple(told[:SHOWN])
