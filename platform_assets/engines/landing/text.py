"""Rows that SQL takes apart: of lines, of JSON, of what XML was made into. One that does not fit is not in a view."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from governance.landing.model import RECORD_TYPE
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing.lines import Lines
from platform_assets.engines.landing.name import FILE, LINE, ROW_LENGTH, TEXT, of_kind, shown
from platform_assets.engines.landing.value import Fault, Value, any_of
from platform_assets.engines.sql import literal, quoted


@dataclass(frozen=True, slots=True)
class Kind:
    """Rows of one kind.

    id:     the kind of record; empty where the file has no kinds
    found:  SQL that is true of its rows
    values: its columns, the file's name not among them
    faults: what may be wrong with a row as a whole
    beside: columns that stand after the file's name: of a document
    """

    id: str
    found: str
    values: tuple[Value, ...]
    faults: tuple[Fault, ...] = ()
    beside: tuple[Value, ...] = ()

    @property
    def every_fault(self) -> tuple[Fault, ...]:
        """All that may be wrong with one of its rows: a row that is no row has no values."""
        return (*self.faults, *(it.fault for it in self.values if it.fault is not None))


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that are taken apart in SQL.

    source:   a FROM item over all files: columns ``__file``, ``__text`` and what the kinds' expressions name
    numbered: the same over one file, of its path, in its order and with ``__line``, NULL where it has no lines
    kinds:    of the rows, one or several
    record:   SQL of the discriminator, empty where there is one kind
    broken:   what may be wrong with a row before its kind is known
    lines:    how its lines are read; None where a row is no line
    """

    source: str
    numbered: Callable[[str], str]
    kinds: tuple[Kind, ...]
    record: str = ""
    broken: tuple[Fault, ...] = ()
    lines: Lines | None = None

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All that may be wrong with a row of any kind."""
        if not self.record:
            return self.kinds[0].every_fault
        reason = f"{literal('no kind of record has the value ')} || {self.record}"
        none = " and ".join(f"not {it.found}" for it in self.kinds)
        return (
            *self.broken,
            Fault(RECORD_TYPE, none, reason),
            *(
                Fault(fault.column, f"({it.found}) and ({fault.found})", fault.reason)
                for it in self.kinds
                for fault in it.every_fault
            ),
        )


def views(name: str, landing: Landing, rows: Rows) -> tuple[str, ...]:
    """Return the statements that make ``name``, quoted with its schema, and a view of each kind of record."""
    file = [f"{shown(landing, FILE)} as {quoted(landing.source.filename)}"] if landing.source.filename else []
    if not rows.record:
        (kind,) = rows.kinds
        return (
            _view(
                name, [*_columns(kind.values), *file, *_columns(kind.beside)], rows.source, f"not {any_of(rows.faults)}"
            ),
        )
    every = [f"{rows.record} as {quoted(RECORD_TYPE)}", *file, *_every(rows.kinds)]
    kinds = (
        _view(
            of_kind(name, it.id),
            [*_columns(it.values), *file],
            rows.source,
            f"coalesce({it.found}, false) and not {any_of(it.every_fault)}",
        )
        for it in rows.kinds
    )
    return (_view(name, every, rows.source, f"not {any_of(rows.faults)}"), *kinds)


def rejects_of(rows: Rows, path: str) -> str:
    """Return the SELECT of the rows of one file that do not fit: line, column, reason, row."""
    faults = rows.faults
    columns = ", ".join(f"case when {it.found} then {literal(it.column or '')} end" for it in faults)
    reasons = ", ".join(f"case when {it.found} then {it.reason} end" for it in faults)
    first = f"nullif(coalesce({columns}), '')"
    told = f"concat_ws('; ', {reasons})"
    return (
        f"select {LINE} as line, {first} as column, {told} as reason, "
        f"{_kept()} as row from {rows.numbered(path)} where {any_of(faults)}"
    )


def _kept() -> str:
    mark = f"'… cut: the row has ' || length({TEXT}) || ' characters'"
    return f"case when length({TEXT}) > {ROW_LENGTH} then left({TEXT}, {ROW_LENGTH}) || {mark} else {TEXT} end"


def count_of(rows: Rows) -> str:
    """Return the SELECT of each path, how many of its rows fit, and how many do not."""
    bad = any_of(rows.faults)
    return f"select {FILE}, count(*) filter (not {bad}), count(*) filter ({bad}) from {rows.source} group by {FILE}"


def _columns(values: Sequence[Value]) -> list[str]:
    return [f"{it.sql} as {quoted(it.name)}" for it in values]


def _every(kinds: Sequence[Kind]) -> list[str]:
    """Return each column once, whichever kinds have it."""
    cases: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    for kind in kinds:
        for value in kind.values:
            names.setdefault(value.name.lower(), value.name)
            cases.setdefault(value.name.lower(), []).append(f"when {kind.found} then {value.sql}")
    return [f"case {' '.join(whens)} end as {quoted(names[name])}" for name, whens in cases.items()]


def _view(name: str, columns: Sequence[str], source: str, condition: str) -> str:
    return f"create view {name} as select {', '.join(columns)} from {source} where {condition}"
