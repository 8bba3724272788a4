"""Small random databases, and copies of them in which one column differs: what the law is tried on.

Every world is an attached in-memory DuckDB database with the same tables, so one text runs in each of them unchanged.
"""

# ruff: noqa: S608  # SQL is what is made here, of our own words

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import duckdb

from tests.lineage.law.values import Domain, literal
from tests.lineage.law.watch import Watch

Schema = Mapping[str, Mapping[str, str]]
Rows = list[tuple[str, ...]]
Tables = dict[str, Rows]
Values = Callable[[random.Random, str, str, Domain], str]  # source, column, type, domain → a literal
CHANGES = ("replace", "null", "one", "permute", "widen")
SHUFFLES = 3
PATIENCE = 0.5  # seconds for one query: random joins may multiply without end


def by_kind(rng: random.Random, _column: str, kind: str, domain: Domain) -> str:
    """A value of the type, whatever the column."""
    return literal(rng, kind, domain)


@dataclass(frozen=True, slots=True)
class World:
    """One database: ``column`` is the (table, column) in which it differs from the base, None for base and shuffles."""

    name: str
    column: tuple[str, str] | None
    change: str


class Worlds:
    """The base database, shuffled copies and one copy per column and change.

    ``values`` draws the data, ``columns`` limits which are changed, ``default`` is the schema of unqualified names.
    """

    def __init__(
        self,
        schema: Schema,
        seed: int,
        *,
        rows: int = 8,
        changes: Sequence[str] = CHANGES,
        values: Values = by_kind,
        columns: Collection[str] | None = None,
        default: str | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self._rng = random.Random(seed)  # noqa: S311  # test data
        self._connection = duckdb.connect(config={"threads": 1, "memory_limit": "1GB"})
        self._schema = schema
        self._values_of = values
        self._watch = Watch(patience)
        self._default = "" if default is None else f".{default}"
        self._base = {table: self._table(columns, rows) for table, columns in schema.items()}
        self._tables: dict[str, Tables] = {}
        self._within: dict[str, duckdb.DuckDBPyConnection] = {}
        self.base = self._make(self._base, None, "base")
        self.shuffles = tuple(self._make(self._shuffled(), None, "shuffle") for _ in range(SHUFFLES))
        self.changed = tuple(
            self._make(self._change(table, column, change), (table, column), change)
            for table, table_columns in schema.items()
            for column in table_columns
            if columns is None or column in columns
            for change in changes
        )

    def run(self, world: World, sql: str, *, read: str | None = None) -> tuple[list[str], list[tuple[str, ...]]]:
        """Column names and rows of a text in a world: its own, or those of the table ``read`` that it has written.

        Nothing that the text writes stays. Raises duckdb.Error, also for a text that runs longer than ``patience``.
        """
        within = self._within[world.name]
        if read is None:  # a query writes nothing: to begin and to roll back would cost as much as itself
            return self._told(within, sql)
        within.execute("BEGIN")
        try:
            return self._told(within, sql, f"SELECT * FROM {read}")
        finally:
            _roll_back(within)

    def _told(self, within: duckdb.DuckDBPyConnection, *texts: str) -> tuple[list[str], list[tuple[str, ...]]]:
        with self._watch.over(within.interrupt):
            for text in texts:
                within.execute(text)
            names = [column[0] for column in within.description or ()]
            return names, [tuple(map(written, row)) for row in within.fetchall()]

    def shuffle_again(self, world: World) -> World:
        """A copy of a world whose rows lie in another order."""
        tables = self._tables[world.name]
        return self._make({name: self._rng.sample(rows, len(rows)) for name, rows in tables.items()}, None, "shuffle")

    def close(self) -> None:
        """Let go of the databases."""
        self._watch.close()
        for connection in (*self._within.values(), self._connection):
            connection.close()

    def _table(self, columns: Mapping[str, str], rows: int) -> Rows:
        return [
            tuple("NULL" if self._rng.random() < 0.08 else self._draw(name, kind) for name, kind in columns.items())
            for _ in range(rows)
        ]

    def _shuffled(self) -> Tables:
        return {name: self._rng.sample(rows, len(rows)) for name, rows in self._base.items()}

    def _change(self, table: str, column: str, change: str) -> Tables:
        at = list(self._schema[table]).index(column)
        kind = self._schema[table][column]
        values = [row[at] for row in self._base[table]]
        new = self._values(values, column, kind, change)
        rows = [(*row[:at], value, *row[at + 1 :]) for row, value in zip(self._base[table], new, strict=True)]
        return {**self._base, table: rows}

    def _draw(self, column: str, kind: str, domain: Domain = "near") -> str:
        return self._values_of(self._rng, column, kind, domain)

    def _values(self, values: list[str], column: str, kind: str, change: str) -> list[str]:
        if change == "permute":
            return self._rng.sample(values, len(values))
        if change == "null":
            return ["NULL" if self._rng.random() < 0.6 else value for value in values]
        if change == "one":
            at = self._rng.randrange(len(values))
            return [*values[:at], self._draw(column, kind, "far"), *values[at + 1 :]]
        return [self._draw(column, kind, "far" if change == "widen" else "near") for _ in values]

    def _make(self, tables: Tables, column: tuple[str, str] | None, change: str) -> World:
        world = World(f"w{len(self._tables)}", column, change)
        self._tables[world.name] = tables
        run = self._connection.execute
        run(f"ATTACH ':memory:' AS {world.name}")
        for name, rows in tables.items():
            schema, table = name.rsplit(".", 1)
            columns = ", ".join(f'"{column}" {kind}' for column, kind in self._schema[name].items())
            run(f'CREATE SCHEMA IF NOT EXISTS {world.name}."{schema}"')
            run(f'CREATE TABLE {world.name}."{schema}"."{table}" ({columns})')
            if rows:
                lines = ", ".join(f"({', '.join(row)})" for row in rows)
                run(f'INSERT INTO {world.name}."{schema}"."{table}" VALUES {lines}')
        self._within[world.name] = self._connection.cursor()
        self._within[world.name].execute(f"USE {world.name}{self._default}")
        return world


def _roll_back(within: duckdb.DuckDBPyConnection) -> None:
    try:
        within.execute("ROLLBACK")
    except duckdb.InterruptException:  # the watch ran out between the query's end and here
        within.execute("ROLLBACK")


def written(value: object) -> str:
    """A value as comparable text; floats to nine digits, since sums depend on the order of addition."""
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{written(k)}: {written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return repr(value)
