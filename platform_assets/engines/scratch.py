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
from platform_assets.engines.compare import Comparison, name_in
from platform_assets.engines.duckdb import SETTINGS, create
from platform_assets.engines.engine import Empty, Files, QueryError, Relation, Rows
from platform_assets.engines.patience import SECONDS, run
from platform_assets.engines.sql import literal, quoted

BEFORE, AFTER, AGAIN, SHUFFLED = "before", "after", "again", "shuffled"
"""The two revisions, and the earlier one once more, over its inputs in another order: what differs between its two
builds is not the change's doing."""

MEMORY = "1GB"
SEED = 20_260_101
"""Of samples: the same rows each time."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """Two databases, ``before`` and ``after``, of one connection; a statement may take ``seconds``."""

    connection: duckdb.DuckDBPyConnection
    seconds: float = SECONDS

    def give(self, table: str, relation: Relation, rows: int | None, changes: Sequence[Simulated]) -> None:
        """Let both sides read ``relation`` as ``table``: a sample of so many rows, or all; the later side as changed.

        Raises:
            EngineError: a change that the rows do not allow.
        """
        for side in (BEFORE, AFTER):
            self._schema(side, table)
        pinned = name_in(BEFORE, table)
        if rows is None:
            self._hold(pinned, relation)
        else:
            whole = name_in(BEFORE, f"{table}{WHOLE}")
            self._hold(whole, relation)
            sample = f"using sample reservoir({rows} rows) repeatable ({SEED})"
            self._run(f"create table {pinned} as select * from {whole} {sample}")
        try:
            self._run(f"create view {name_in(AFTER, table)} as {_changed(pinned, changes)}")
            self._run(f"select * from {name_in(AFTER, table)} limit 0")
        except duckdb.Error as error:
            said = "; ".join(map(str, changes))
            raise EngineError(
                f"{said or table} cannot be simulated: {error}", fix="write a change that fits"
            ) from error

    @property
    def revisions(self) -> Comparison:
        """The later revision's tables beside the earlier one's."""
        return Comparison(self.connection, BEFORE, AFTER, self.seconds)

    @property
    def repeats(self) -> Comparison:
        """The earlier revision's tables beside themselves, built again."""
        return Comparison(self.connection, BEFORE, AGAIN, self.seconds)

    def build_again(self, statement: Statement) -> None:
        """Build the statement's table of the earlier side once more, over the same rows in another order.

        Raises:
            QueryError: the SQL does not run over what that side has.
        """
        for table in statement.reads:
            self._schema(SHUFFLED, table)
            # an INSERT starts on an empty table this time too
            rows = "limit 0" if table == statement.pipeline.table else f"order by hash({ROW})"
            shuffled = f"select * from {name_in(BEFORE, table)} as {ROW} {rows}"
            self._run(f"create view if not exists {name_in(SHUFFLED, table)} as {shuffled}")
        self.build(AGAIN, statement, reading=SHUFFLED)

    def build(self, side: str, statement: Statement, reading: str = "") -> None:
        """Build the statement's table on one side, from nothing: an INSERT starts on an empty table.

        ``reading`` is the side whose tables it reads, its own where none is named.

        Raises:
            QueryError: the SQL does not run over what that side has, or not in time.
        """
        self._schema(side, statement.pipeline.table)
        self._run(f"use {reading or side}")
        try:
            self._build(name_in(side, statement.pipeline.table), statement)
        except (duckdb.Error, EngineError) as error:
            raise QueryError(str(error), file=statement.pipeline.file) from error

    def _build(self, name: str, statement: Statement) -> None:
        if statement.kind is Kind.REPLACE:
            self._run(f"create table {name} as {statement.query}")
            return
        create(self.connection, name, Empty(statement.declared))
        columns = f" ({', '.join(map(quoted, statement.columns))})" if statement.columns else ""
        self._run(f"insert into {name}{columns} {statement.query}")

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

    def _run(self, sql: str) -> None:
        run(self.connection, sql, self.seconds)


WHOLE = "__whole"
HELD = "__held"
ROW = "__row"


@contextmanager
def scratch(folder: Path, relations: Sequence[Relation], seconds: float = SECONDS) -> Iterator[Scratch]:
    """Give an empty scratch database in ``folder``, whose SQL can read the files of ``relations`` and no other."""
    with duckdb.connect(":memory:") as connection:
        for statement in (*SETTINGS, f"set temp_directory = {literal(str(folder))}", f"set memory_limit = '{MEMORY}'"):
            connection.execute(statement)
        for side in (BEFORE, AFTER, AGAIN, SHUFFLED):
            connection.execute(f"attach {literal(str(folder / f'{side}.duckdb'))} as {side}")
        files = sorted({path for it in relations if isinstance(it, Files) for path in it.paths})
        connection.execute(f"set allowed_paths = [{', '.join(map(literal, files))}]")
        connection.execute(f"set allowed_directories = [{literal(str(folder))}]")
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
        yield Scratch(connection, seconds)


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
