"""What one statement reads, laid out in a database of its own: tables, files by its own options, macros and views.

Two statements may call different things by one name (files read with other options, a pipeline that the one includes
and the other reads), so each has a room to itself, which is gone after it. Rows stay where they are: a room has views.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import duckdb

from governance.simulate import Simulated
from governance.statement import Statement
from platform_assets.engines.changed import ROW, changed_files, names_of
from platform_assets.engines.compare import name_in
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing import create_landing
from platform_assets.engines.sql import quoted

ROOM, LANDED = "room", "landed"

Run = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class FilesRead:
    """Files as a statement reads them on one side.

    relation: what the statement calls them; kinds of record by that name, ``#`` and their own
    landing:  what is read, by which declaration
    changes:  of the later side, to be simulated
    """

    relation: str
    landing: Landing
    changes: tuple[Simulated, ...] = ()


@dataclass(frozen=True, slots=True)
class Readable:
    """A statement with its text as it is run: ``text`` reads relations where the file reads files."""

    statement: Statement
    text: str
    files: tuple[FilesRead, ...] = ()

    @property
    def datasets(self) -> tuple[str, ...]:
        """The datasets of files that it reads."""
        return tuple(f"{it.landing.source.name}{rest}" for it in self.files for rest in names_of(it.landing.source))

    @property
    def needs_room(self) -> bool:
        """Whether it reads anything that is no table."""
        return bool(self.files or self.statement.setup)


@dataclass(frozen=True, slots=True)
class Landed:
    """Files that were read or are to be, each with the options of a query once, for all statements and both sides.

    sample: the clause that takes some rows of each relation, the same for whoever reads it; empty for all
    named:  by landing, how its relations are called in ``LANDED``
    """

    connection: duckdb.DuckDBPyConnection
    run: Run
    sample: str = ""
    named: dict[Landing, Mapping[str, str]] = field(default_factory=dict)

    def places(self, landing: Landing) -> Mapping[str, str]:
        """Return, by what follows the file's name in each relation of ``landing``, where its rows are."""
        if landing not in self.named:
            self.named[landing] = self._land(landing, f"{landing.source.name} {len(self.named)}")
        return self.named[landing]

    def _land(self, landing: Landing, name: str) -> Mapping[str, str]:
        create_landing(self.connection, f"{LANDED}.main.{quoted(name)}", landing)
        places = {rest: f"{LANDED}.main.{quoted(f'{name}{rest}')}" for rest in names_of(landing.source)}
        if not self.sample:
            return places
        self.run(f"create schema if not exists {LANDED}.sampled")
        for rest, place in places.items():
            held = f"{LANDED}.sampled.{quoted(f'{name}{rest}')}"
            self.run(f"create table {held} as select * from {place} {self.sample}")
            places[rest] = held
        return places


@contextmanager
def room(read: Readable, side: str, landed: Landed, *, shuffled: bool) -> Iterator[None]:
    """Let what ``read`` names be found, the tables of ``side``; ``shuffled``: files' rows come in another order."""
    run, statement = landed.run, read.statement
    run(f"attach ':memory:' as {ROOM}")
    try:
        for files in read.files:
            for rest, sql in changed_files(files.landing.source, landed.places(files.landing), files.changes).items():
                rows = f"select * from ({sql}) as {ROW} order by hash({ROW})" if shuffled else sql
                run(f"create view {ROOM}.main.{quoted(f'{files.relation}{rest}')} as {rows}")
        for table in (it for it in statement.reads if it not in read.datasets):
            run(f"create schema if not exists {ROOM}.{quoted(table.partition('.')[0])}")
            run(f"create view {name_in(ROOM, table)} as select * from {name_in(side, table)}")
        run(f"use {ROOM}")
        _set_up(run, [(it.name, it.sql) for it in statement.setup])
        yield
    finally:
        run(f"use {side}")
        run(f"detach {ROOM}")


def _set_up(run: Run, blocks: Iterable[tuple[str, str]]) -> None:
    for name, sql in blocks:
        schema, dot, _ = name.rpartition(".")
        if dot:
            run(f"create schema if not exists {ROOM}.{quoted(schema)}")
        run(sql)
