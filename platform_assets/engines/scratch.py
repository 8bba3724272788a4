"""A DuckDB database beside the real tables, in which both revisions of a pipeline are built and compared.

Nothing here can reach a live table: the inputs are views of the files of pinned snapshots, SQL that is under review may
read those and write nowhere but to the scratch folder, and what does not fit into memory goes to that folder too.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from governance.errors import EngineError
from governance.simulate import Simulated
from governance.statement import Kind, Statement
from governance.validation import ColumnCompared, Compared, Figures, Value
from platform_assets.engines.duckdb import SETTINGS, create, literal, quoted
from platform_assets.engines.engine import Empty, Files, QueryError, Relation, Rows

BEFORE, AFTER = "before", "after"

EXAMPLES = 5
TOP = 3
MEMORY = "1GB"
SEED = 20_260_101
"""Of samples: the same rows each time."""

NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")


@dataclass(frozen=True, slots=True)
class Scratch:
    """Two databases, ``before`` and ``after``, of one connection."""

    connection: duckdb.DuckDBPyConnection

    def give(self, table: str, relation: Relation, rows: int | None, changes: Sequence[Simulated]) -> None:
        """Let both sides read ``relation`` as ``table``: a sample of so many rows, or all; the later side as changed.

        Raises:
            EngineError: a change that the rows do not allow.
        """
        for side in (BEFORE, AFTER):
            self._schema(side, table)
        pinned = _name(BEFORE, table)
        if rows is None:
            self._hold(pinned, relation)
        else:
            whole = _name(BEFORE, f"{table}{WHOLE}")
            self._hold(whole, relation)
            sample = f"using sample reservoir({rows} rows) repeatable ({SEED})"
            self._run(f"create table {pinned} as select * from {whole} {sample}")
        try:
            self._run(f"create view {_name(AFTER, table)} as {_changed(pinned, changes)}")
            self._run(f"select * from {_name(AFTER, table)} limit 0")
        except duckdb.Error as error:
            said = "; ".join(map(str, changes))
            raise EngineError(
                f"{said or table} cannot be simulated: {error}", fix="write a change that fits"
            ) from error

    def build(self, side: str, statement: Statement) -> None:
        """Build the statement's table on one side, from nothing: an INSERT starts on an empty table.

        Raises:
            QueryError: the SQL does not run over what this side has.
        """
        self._schema(side, statement.pipeline.table)
        self._run(f"use {side}")
        try:
            self._build(_name(side, statement.pipeline.table), statement)
        except duckdb.Error as error:
            raise QueryError(str(error), file=statement.pipeline.file) from error

    def _build(self, name: str, statement: Statement) -> None:
        if statement.kind is Kind.REPLACE:
            self._run(f"create table {name} as {statement.query}")
            return
        create(self.connection, name, Empty(statement.declared))
        columns = f" ({', '.join(map(quoted, statement.columns))})" if statement.columns else ""
        self._run(f"insert into {name}{columns} {statement.query}")

    def compare(
        self, table: str, key: Sequence[str], renamed: Sequence[tuple[str, str]], *, tolerance: float
    ) -> Compared:
        """Compare what both sides built, by ``key`` where it is one, else whole rows against whole rows.

        ``renamed`` are (old, new) names; numbers that differ by no more than ``tolerance`` of the larger are the same.
        """
        pairs = self._pairs(table, renamed)
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
            f"select count(*) from (select 1 from {_name(side, table)} group by {columns} having count(*) > 1)"
        )

    def _hold(self, name: str, relation: Relation) -> None:
        if not isinstance(relation, Rows):
            create(self.connection, name, relation)
            return
        # rows in memory end with the connection's own names, and a view of another database cannot see those
        self.connection.register(HELD, relation.data)
        self._run(f"create table {name} as select * from {HELD}")
        self.connection.unregister(HELD)

    def _schema(self, side: str, table: str) -> None:
        self._run(f"create schema if not exists {side}.{quoted(table.partition('.')[0])}")

    def _duplicates(self, table: str, key: Sequence[str], by: dict[str, str]) -> tuple[int, int]:
        return self.duplicated(BEFORE, table, [by[name] for name in key]), self.duplicated(AFTER, table, key)

    def _pairs(self, table: str, renamed: Sequence[tuple[str, str]]) -> list[tuple[str, str, str, str]]:
        """Return old name, new name, old type, new type of the columns that both sides have, in the later's order."""
        before, after = (dict(self._columns(side, table)) for side in (BEFORE, AFTER))
        old = {new: name for name, new in renamed}
        named = [(old.get(name, name), name) for name in after]
        return [(was, name, before[was], after[name]) for was, name in named if was in before]

    def _columns(self, side: str, table: str) -> list[tuple[str, str]]:
        described = self._run(f"describe {_name(side, table)}").fetchall()
        return [(str(row[0]), str(row[1])) for row in described]

    def _by_key(
        self, table: str, key: tuple[str, ...], pairs: list[tuple[str, str, str, str]], tolerance: float
    ) -> Compared:
        by = {new: old for old, new, _, _ in pairs}
        on = " and ".join(f"b.{quoted(by[name])} is not distinct from a.{quoted(name)}" for name in key)
        rest = [pair for pair in pairs if pair[1] not in key]
        differ = {new: _differ(old, new, (was, now), tolerance) for old, new, was, now in rest}
        # a row of one side alone has no row of the other: its mark is missing
        joined = (
            f"from (select *, 1 as {MARK} from {_name(BEFORE, table)}) b "
            f"full join (select *, 1 as {MARK} from {_name(AFTER, table)}) a on {on}"
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
        ).fetchall()
        examples = tuple((tuple(map(_value, row[:-2])), _value(row[-2]), _value(row[-1])) for row in found)
        figures = self._figures(_name(BEFORE, table), old, was), self._figures(_name(AFTER, table), new, now)
        return ColumnCompared(new, old, count, retyped, examples, *figures)

    def _by_rows(self, table: str, pairs: list[tuple[str, str, str, str]], why: str) -> Compared:
        """Count rows that only one side has, as often as it has them more: a multiset has no changed row."""
        old, new = (", ".join(quoted(pair[place]) for pair in pairs) for place in (0, 1))
        before, after = (self._number(f"select count(*) from {_name(side, table)}") for side in (BEFORE, AFTER))
        sides = f"select {old} from {_name(BEFORE, table)}", f"select {new} from {_name(AFTER, table)}"
        removed = self._number(f"select count(*) from ({sides[0]} except all {sides[1]})") if pairs else before
        added = self._number(f"select count(*) from ({sides[1]} except all {sides[0]})") if pairs else after
        columns = tuple(map(_unchanged, pairs))
        return Compared(table, (), why, before, after, added, removed, 0, before - removed, columns)

    def _figures(self, name: str, column: str, kind: str) -> Figures:
        it = quoted(column)
        mean = f"avg({it})" if kind.upper().startswith(NUMBERS) else "null"
        row = self._row(f"select min({it}), max({it}), {mean}, count(*) - count({it}) from {name}")
        top = self._run(f"select {it}, count(*) from {name} group by 1 order by 2 desc, 1 limit {TOP}").fetchall()
        mean_value = None if row[2] is None else float(str(row[2]))
        return Figures(
            _value(row[0]), _value(row[1]), mean_value, int(str(row[3])), tuple((_value(it), int(n)) for it, n in top)
        )

    def _row(self, sql: str) -> tuple[object, ...]:
        row = self._run(sql).fetchone()
        assert row is not None  # noqa: S101  an aggregate has one row
        return tuple(row)

    def _number(self, sql: str) -> int:
        return int(str(self._row(sql)[0]))

    def _run(self, sql: str) -> duckdb.DuckDBPyConnection:
        return self.connection.execute(sql)


WHOLE = "__whole"
HELD = "__held"
ROW = "__row"
MARK = '"__there"'


@contextmanager
def scratch(folder: Path, relations: Sequence[Relation]) -> Iterator[Scratch]:
    """Give an empty scratch database in ``folder``, whose SQL can read the files of ``relations`` and no other."""
    with duckdb.connect(":memory:") as connection:
        for statement in (*SETTINGS, f"set temp_directory = {literal(str(folder))}", f"set memory_limit = '{MEMORY}'"):
            connection.execute(statement)
        for side in (BEFORE, AFTER):
            connection.execute(f"attach {literal(str(folder / f'{side}.duckdb'))} as {side}")
        files = sorted({path for it in relations if isinstance(it, Files) for path in it.paths})
        connection.execute(f"set allowed_paths = [{', '.join(map(literal, files))}]")
        connection.execute(f"set allowed_directories = [{literal(str(folder))}]")
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
        yield Scratch(connection)


def _name(side: str, table: str) -> str:
    return ".".join((side, *map(quoted, table.split("."))))


def _differ(old: str, new: str, types: tuple[str, str], tolerance: float) -> str:
    """Return the condition that a column differs; numbers may by the tolerance, where one is given."""
    b, a = f"b.{quoted(old)}", f"a.{quoted(new)}"
    distinct = f"{b} is distinct from {a}"
    if not tolerance or not all(kind.upper().startswith(("FLOAT", "DOUBLE", "DECIMAL")) for kind in types):
        return distinct
    near = f"abs({b} - {a}) <= {tolerance!r} * greatest(abs({b}), abs({a}))"
    return f"({distinct} and not coalesce({near}, false))"


def _changed(pinned: str, changes: Sequence[Simulated]) -> str:
    """Return the SELECT that shows ``pinned`` as it is after ``changes``, one after the other."""
    sql = f"select * from {pinned}"
    for change in changes:
        sql = f"select {_star(change)} from ({sql}) as {ROW}"
    return sql


def _star(change: Simulated) -> str:
    column, to = quoted(change.column), change.to
    return {
        "rename": f"* rename ({column} as {quoted(to)})",
        "drop": f"* exclude ({column})",
        "add": f"*, cast(null as {to}) as {column}",
        "type": f"* replace (cast({column} as {to}) as {column})",
        "unit": f"* replace (({column} * {to}) as {column})",
        # every tenth row by its content, so that it is the same ones each time
        "enum": f"* replace (case when hash({ROW}) % 10 = 0 then {literal(to)} else {column} end as {column})",
    }[change.what]


def _unchanged(pair: tuple[str, str, str, str]) -> ColumnCompared:
    """Return a column whose values are not looked at one by one, with its type if that changed."""
    old, new, was, now = pair
    return ColumnCompared(new, old, 0, f"{was} → {now}" if was != now else "")


def _value(value: object) -> Value:
    """Return a value as it is shown: numbers and texts as they are, all else as text."""
    return value if value is None or isinstance(value, int | float | str) else str(value)
