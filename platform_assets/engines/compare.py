"""Two tables of one connection compared: by a key where there is one, else whole rows against whole rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import duckdb

from governance.validation import ColumnCompared, Compared, Figures, Presence, Value
from platform_assets.engines.patience import SECONDS, run
from platform_assets.engines.sql import quoted

EXAMPLES = 5
TOP = 3
MARK = '"__there"'

TEXT = "VARCHAR"
NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The tables of one database beside the tables of another, both attached to ``connection``."""

    connection: duckdb.DuckDBPyConnection
    before: str
    after: str
    seconds: float = SECONDS

    def compare(
        self, table: str, key: Sequence[str], renamed: Sequence[tuple[str, str]], *, tolerance: float
    ) -> Compared:
        """Compare what both sides built, by ``key`` where it is one, else whole rows against whole rows.

        ``renamed`` are (old, new) names; numbers that differ by no more than ``tolerance`` of the larger are the same.
        """
        pairs = self._pairs(table, renamed)
        found = self._compare(table, key, pairs, tolerance)
        return replace(found, columns=(*found.columns, *self._alone(table, pairs)))

    def _compare(
        self, table: str, key: Sequence[str], pairs: list[tuple[str, str, str, str]], tolerance: float
    ) -> Compared:
        by = {new: old for old, new, _, _ in pairs}
        usable, why = [name for name in key if name in by], ""
        if key and len(usable) < len(key):
            why, usable = f"the grain {', '.join(key)} is not on both sides", []
        if usable:
            duplicates = self._duplicates(table, usable, by)
            if any(duplicates):
                why, usable = f"the grain {', '.join(key)} is not unique", []
        if usable:
            return self._by_key(table, tuple(usable), pairs, tolerance)
        return self._by_rows(table, pairs, why or "no grain is declared")

    def duplicated(self, side: str, table: str, key: Sequence[str]) -> int:
        """Return how many keys occur more than once."""
        columns = ", ".join(map(quoted, key))
        return self._number(
            f"select count(*) from (select 1 from {name_in(side, table)} group by {columns} having count(*) > 1)"
        )

    def _duplicates(self, table: str, key: Sequence[str], by: dict[str, str]) -> tuple[int, int]:
        return self.duplicated(self.before, table, [by[name] for name in key]), self.duplicated(self.after, table, key)

    def _pairs(self, table: str, renamed: Sequence[tuple[str, str]]) -> list[tuple[str, str, str, str]]:
        """Return old name, new name, old type, new type of the columns that both sides have, in the later's order."""
        before, after = (dict(self._columns(side, table)) for side in (self.before, self.after))
        old = {new: name for name, new in renamed}
        named = [(old.get(name, name), name) for name in after]
        return [(was, name, before[was], after[name]) for was, name in named if was in before]

    def _alone(self, table: str, pairs: list[tuple[str, str, str, str]]) -> Iterator[ColumnCompared]:
        """Yield the columns that only one side has."""
        sides = ((self.before, 0, Presence.GONE), (self.after, 1, Presence.NEW))
        for side, place, presence in sides:
            paired = {pair[place] for pair in pairs}
            alone = (name for name, _ in self._columns(side, table) if name not in paired)
            yield from (ColumnCompared(name, name, 0, presence=presence) for name in alone)

    def _columns(self, side: str, table: str) -> list[tuple[str, str]]:
        described = self._run(f"describe {name_in(side, table)}")
        return [(str(row[0]), str(row[1])) for row in described]

    def _by_key(
        self, table: str, key: tuple[str, ...], pairs: list[tuple[str, str, str, str]], tolerance: float
    ) -> Compared:
        by = {new: old for old, new, _, _ in pairs}
        types = {new: (was, now) for _, new, was, now in pairs}
        on = " and ".join(_same_key(by[name], name, types[name]) for name in key)
        rest = [pair for pair in pairs if pair[1] not in key]
        differ = {new: _differ(old, new, (was, now), tolerance) for old, new, was, now in rest}
        # a row of one side alone has no row of the other: its mark is missing
        joined = (
            f"from (select *, 1 as {MARK} from {name_in(self.before, table)}) b "
            f"full join (select *, 1 as {MARK} from {name_in(self.after, table)}) a on {on}"
        )
        both = f"b.{MARK} = 1 and a.{MARK} = 1"
        any_differs = " or ".join(differ.values()) or "false"
        counts = ", ".join(f"count(*) filter ({both} and {it})" for it in differ.values())
        row = self._row(
            f"select count(b.{MARK}), count(a.{MARK}), count(*) filter (b.{MARK} is null), "
            f"count(*) filter (a.{MARK} is null), count(*) filter ({both} and ({any_differs})), "
            f"count(*) filter ({both} and not ({any_differs})){f', {counts}' if counts else ''} {joined}"
        )
        before, after, added, removed, changed, same, *each = (int(str(it)) for it in row)
        columns = tuple(
            self._column(table, key, pair, f"{joined} where {both} and {differ[pair[1]]}", count)
            for pair, count in zip(rest, each, strict=True)
        )
        keys = tuple(_unchanged(pair) for pair in pairs if pair[1] in key)
        return Compared(table, key, "", before, after, added, removed, changed, same, (*keys, *columns))

    def _column(
        self, table: str, key: tuple[str, ...], pair: tuple[str, str, str, str], differing: str, count: int
    ) -> ColumnCompared:
        old, new, was, now = pair
        retyped = f"{was} → {now}" if was != now else ""
        if not count:
            return ColumnCompared(new, old, 0, retyped)
        shown = ", ".join(f"a.{quoted(name)}" for name in key)
        found = self._run(
            f"select {shown}, b.{quoted(old)}, a.{quoted(new)} {differing} "
            f"order by {', '.join(str(place + 1) for place in range(len(key)))} limit {EXAMPLES}"
        )
        examples = tuple((tuple(map(_value, row[:-2])), _value(row[-2]), _value(row[-1])) for row in found)
        figures = (
            self._figures(name_in(self.before, table), old, was),
            self._figures(name_in(self.after, table), new, now),
        )
        return ColumnCompared(new, old, count, retyped, examples, *figures)

    def _by_rows(self, table: str, pairs: list[tuple[str, str, str, str]], why: str) -> Compared:
        """Count rows that only one side has, as often as it has them more: a multiset has no changed row."""
        old, new = (", ".join(quoted(pair[place]) for pair in pairs) for place in (0, 1))
        before, after = (
            self._number(f"select count(*) from {name_in(side, table)}") for side in (self.before, self.after)
        )
        sides = f"select {old} from {name_in(self.before, table)}", f"select {new} from {name_in(self.after, table)}"
        removed = self._number(f"select count(*) from ({sides[0]} except all {sides[1]})") if pairs else before
        added = self._number(f"select count(*) from ({sides[1]} except all {sides[0]})") if pairs else after
        columns = tuple(map(_unchanged, pairs))
        return Compared(table, (), why, before, after, added, removed, 0, before - removed, columns)

    def _figures(self, name: str, column: str, kind: str) -> Figures:
        it = quoted(column)
        mean = f"avg({it})" if kind.upper().startswith(NUMBERS) else "null"
        row = self._row(f"select min({it}), max({it}), {mean}, count(*) - count({it}) from {name}")
        top = self._run(f"select {it}, count(*) from {name} group by 1 order by 2 desc, 1 limit {TOP}")
        mean_value = None if row[2] is None else float(str(row[2]))
        return Figures(
            _value(row[0]),
            _value(row[1]),
            mean_value,
            int(str(row[3])),
            tuple((_value(it), int(str(n))) for it, n in top),
        )

    def _row(self, sql: str) -> tuple[object, ...]:
        (row,) = self._run(sql)
        return row

    def _number(self, sql: str) -> int:
        return int(str(self._row(sql)[0]))

    def _run(self, sql: str) -> list[tuple[object, ...]]:
        return run(self.connection, sql, self.seconds)


def name_in(side: str, table: str) -> str:
    """Return the quoted name of ``table`` (``schema.table``) in an attached database."""
    return ".".join((side, *map(quoted, table.split("."))))


def _same_key(old: str, new: str, types: tuple[str, str]) -> str:
    b, a = f"b.{quoted(old)}", f"a.{quoted(new)}"
    if types[0] != types[1] and TEXT in types:
        b, a = f"cast({b} as {TEXT})", f"cast({a} as {TEXT})"
    return f"{b} is not distinct from {a}"


def _differ(old: str, new: str, types: tuple[str, str], tolerance: float) -> str:
    """Return the condition that a column differs; numbers may by the tolerance, where one is given."""
    b, a = f"b.{quoted(old)}", f"a.{quoted(new)}"
    if types[0] != types[1] and TEXT in types:
        return _text_differs(b, a, types)
    distinct = f"{b} is distinct from {a}"
    if not tolerance or not all(kind.upper().startswith(("FLOAT", "DOUBLE", "DECIMAL")) for kind in types):
        return distinct
    near = f"abs({b} - {a}) <= {tolerance!r} * greatest(abs({b}), abs({a}))"
    return f"({distinct} and not coalesce({near}, false))"


def _text_differs(b: str, a: str, types: tuple[str, str]) -> str:
    """Return the condition that a text is not the value of another type: one that is no such value at all is not."""
    text, value, kind = (b, a, types[1]) if types[0] == TEXT else (a, b, types[0])
    read = f"try_cast({text} as {kind})"
    return f"({read} is distinct from {value} or ({text} is not null and {read} is null))"


def _unchanged(pair: tuple[str, str, str, str]) -> ColumnCompared:
    """Return a column whose values are not looked at one by one, with its type if that changed."""
    old, new, was, now = pair
    return ColumnCompared(new, old, 0, f"{was} → {now}" if was != now else "")


def _value(value: object) -> Value:
    """Return a value as it is shown: numbers and texts as they are, all else as text."""
    return value if value is None or isinstance(value, int | float | str) else str(value)
