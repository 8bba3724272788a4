"""A DuckDB database beside the real tables, in which both revisions of a pipeline are built and compared.

Nothing here can reach a live table: the inputs are views of the files of pinned snapshots and of files where they
landed, SQL that is under review may read those and write nowhere but to the scratch folder, and what does not fit into
memory goes to that folder too.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import duckdb

from governance.errors import EngineError, HeadwaterError
from governance.simulate import Simulated
from governance.statement import Kind
from governance.statement.merged import merged
from platform_assets.engines.changed import ROW, changed
from platform_assets.engines.compare import Comparison, name_in
from platform_assets.engines.duckdb import SETTINGS, create
from platform_assets.engines.engine import Empty, Landing, QueryError, Relation, Rows
from platform_assets.engines.patience import SECONDS, run
from platform_assets.engines.room import LANDED, NOTHING, Landed, Readable, land, room
from platform_assets.engines.sql import literal, quoted
from platform_assets.engines.stored import allow, reading

BEFORE, AFTER, AGAIN, SHUFFLED = "before", "after", "again", "shuffled"
"""The two revisions, and the earlier one once more, over its inputs in another order: what differs between its two
builds is not the change's doing."""

MEMORY = "1GB"
SEED = 20_260_101
"""Of samples: the same rows each time."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """Two databases, ``before`` and ``after``, of one connection; a statement may take ``seconds``.

    ``landed`` is where the rows of files are.
    """

    connection: duckdb.DuckDBPyConnection
    seconds: float = SECONDS
    landed: Landed = NOTHING

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
            self._run(f"create table {pinned} as select * from {whole} {_sample(rows)}")
        try:
            self._run(f"create view {name_in(AFTER, table)} as {changed(pinned, changes)}")
            self._run(f"select * from {name_in(AFTER, table)} limit 0")
        except duckdb.Error as error:
            said = "; ".join(map(str, changes))
            raise EngineError(
                f"{said or table} cannot be simulated: {error}", fix="write a change that fits"
            ) from error

    def begin(self, table: str, relation: Relation, rows: int | None) -> None:
        """Let a MERGE of either side begin on ``relation``, a sample of so many rows or all, as ``table`` is now."""
        self._schema(BEFORE, table)
        whole, begun = (name_in(BEFORE, f"{table}{part}") for part in (WHOLE, BEGUN))
        self._hold(whole, relation)
        self._run(f"create table {begun} as select * from {whole} {'' if rows is None else _sample(rows)}")

    @property
    def revisions(self) -> Comparison:
        """The later revision's tables beside the earlier one's."""
        return Comparison(self.connection, BEFORE, AFTER, self.seconds)

    @property
    def repeats(self) -> Comparison:
        """The earlier revision's tables beside themselves, built again."""
        return Comparison(self.connection, BEFORE, AGAIN, self.seconds)

    def build_again(self, read: Readable) -> None:
        """Build the statement's table of the earlier side once more, over the same rows in another order.

        Raises:
            QueryError: the SQL does not run over what that side has.
        """
        statement = read.statement
        files = frozenset(read.datasets)
        for table in (it for it in statement.reads if it not in files):
            self._schema(SHUFFLED, table)
            # an INSERT starts on an empty table this time too, and a MERGE on what there was
            own, merges = table == statement.pipeline.table, statement.kind is Kind.MERGE
            rows = "limit 0" if own and not merges else f"order by hash({ROW})"
            given = name_in(BEFORE, f"{table}{BEGUN}" if own and merges else table)
            self._run(f"create view if not exists {name_in(SHUFFLED, table)} as select * from {given} as {ROW} {rows}")
        self.build(AGAIN, read, reading=SHUFFLED)

    def build(self, side: str, read: Readable, reading: str = "") -> None:
        """Build the statement's table on one side: an INSERT starts on an empty table, a MERGE on its rows of now.

        ``reading`` is the side whose tables it reads, its own where none is named.

        Raises:
            QueryError: the SQL does not run over what that side has, or not in time.
        """
        table, from_ = read.statement.pipeline.table, reading or side
        self._schema(side, table)
        try:
            self._run(f"use {from_}")
            if read.statement.kind is Kind.APPEND:
                create(self.connection, name_in(side, table), Empty(read.statement.declared))
            if read.statement.kind is Kind.MERGE:
                self._begun(side, read)
            made = room(read, from_, self.landed, self._run, shuffled=from_ == SHUFFLED)
            with made if read.needs_room else nullcontext():
                write = self._merge if read.statement.kind is Kind.MERGE else self._fill
                write(side, read)
        except (duckdb.Error, HeadwaterError) as error:
            raise QueryError(str(error), file=read.statement.pipeline.file) from None

    def _fill(self, side: str, read: Readable) -> None:
        self._run(_building(name_in(side, read.statement.pipeline.table), read))

    def _begun(self, side: str, read: Readable) -> None:
        """Make the table that a MERGE begins on."""
        table, declared = read.statement.pipeline.table, read.statement.declared
        begun = name_in(BEFORE, f"{table}{BEGUN}")
        if not self._columns(begun):
            if not declared:
                raise EngineError(f"{table} has no rows here and no declared columns", fix=MISSING)
            create(self.connection, begun, Empty(declared))
        self._run(f"create table {name_in(side, table)} as select * from {begun}")

    def _merge(self, side: str, read: Readable) -> None:
        """Put what the MERGE leaves in place of what it began on."""
        table = read.statement.pipeline.table
        name, made = name_in(side, table), name_in(side, f"{table}{MADE}")
        select = merged(read.statement, read.text, {**read.schemas, table: self._columns(name)}).text
        self._run(f"create table {made} as {select}")
        self._run(f"drop table {name}")
        self._run(f"alter table {made} rename to {quoted(read.statement.pipeline.name)}")

    def _columns(self, name: str) -> dict[str, str]:
        """Return the columns of a table with their SQL types; none where there is no such table."""
        try:
            found = self.connection.sql(f"from {name}")
        except duckdb.CatalogException:
            return {}
        return dict(zip(found.columns, map(str, found.types), strict=True))

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
BEGUN, MADE = "__begun", "__made"
MISSING = "begin the file with create table if not exists … (name type, …), or build it once"


def _sample(rows: int) -> str:
    return f"using sample reservoir({rows} rows) repeatable ({SEED})"


def _building(name: str, read: Readable) -> str:
    if read.statement.kind is Kind.REPLACE:
        return f"create table {name} as {read.text}"
    columns = f" ({', '.join(map(quoted, read.statement.columns))})" if read.statement.columns else ""
    return f"insert into {name}{columns} {read.text}"


@contextmanager
def scratch(
    folder: Path,
    relations: Iterable[Relation],
    seconds: float = SECONDS,
    *,
    landings: Iterable[Landing] = (),
    rows: int | None = None,
) -> Iterator[Scratch]:
    """Give an empty scratch database in ``folder``, whose SQL can read the files of ``relations`` and no other.

    Of ``landings``, files as they landed, it has so many ``rows`` each, or all; what it can read is what is made of
    them here.
    """
    read = (*(relations := tuple(relations)), *(every := dict.fromkeys(landings)))
    with duckdb.connect(":memory:") as connection, reading(connection, relations):
        for statement in (*SETTINGS, f"set temp_directory = {literal(str(folder))}", f"set memory_limit = '{MEMORY}'"):
            connection.execute(statement)
        for side in (BEFORE, AFTER, AGAIN, SHUFFLED, LANDED):
            connection.execute(f"attach {literal(str(folder / f'{side}.duckdb'))} as {side}")
        patient, sample = partial(run, connection, seconds=seconds), "" if rows is None else _sample(rows)
        landed = land(connection, every, folder, patient, sample)
        allow(connection, read)
        connection.execute(f"set allowed_directories = [{literal(str(folder))}]")
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
        yield Scratch(connection, seconds, landed)
