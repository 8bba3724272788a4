"""What one statement reads, laid out in a database of its own: tables, files by its own options, macros and views.

Two statements may call different things by one name (files read with other options, a pipeline that the one includes
and the other reads), so each has a room to itself, which is gone after it. Rows stay where they are: a room has views.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from governance.errors import HeadwaterError
from governance.simulate import Simulated
from governance.statement import Statement
from platform_assets.engines.changed import ROW, changed_files, names_of
from platform_assets.engines.compare import name_in
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing import create_landing
from platform_assets.engines.many import require_bounded
from platform_assets.engines.shape import check_shape
from platform_assets.engines.sql import quoted
from platform_assets.engines.xml import readable

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
    """A statement with its text as it is run: ``text`` reads relations where the file reads files.

    ``schemas`` has the columns of all that it reads, as far as they are known: a MERGE's SELECT is made by them.
    """

    statement: Statement
    text: str
    files: tuple[FilesRead, ...] = ()
    schemas: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def datasets(self) -> tuple[str, ...]:
        """The datasets of files that it reads."""
        return tuple(f"{it.landing.source.name}{rest}" for it in self.files for rest in names_of(it.landing.source))

    @property
    def needs_room(self) -> bool:
        """Whether it reads anything that is no table."""
        return bool(self.files or self.statement.setup)


Places = Mapping[str, str]
"""By what follows the file's name in the name of each relation of a landing, where its rows are."""


@dataclass(frozen=True, slots=True)
class Landed:
    """Where the rows of each landing are, or why they cannot be read."""

    places: Mapping[Landing, Places]
    problems: Mapping[Landing, Exception]

    def of(self, landing: Landing) -> Places:
        """Return where the rows of ``landing`` are.

        Raises:
            HeadwaterError, duckdb.Error: its files are not as declared, or the options do not go with the declaration.
        """
        if landing in self.problems:
            raise self.problems[landing]
        return self.places[landing]


NOTHING = Landed({}, {})


def land(
    connection: duckdb.DuckDBPyConnection, landings: Iterable[Landing], folder: Path, run: Run, sample: str
) -> Landed:
    """Make the relations of ``landings`` in ``LANDED``, each once for all statements and both sides.

    ``sample`` is the clause that takes some rows of each, the same for whoever reads it; empty for all. What is made of
    files that DuckDB does not read goes to ``folder``. One that cannot be read leaves the others standing.
    """
    places: dict[Landing, Places] = {}
    problems: dict[Landing, Exception] = {}
    for number, landing in enumerate(landings):
        try:
            check_shape(connection, landing)
            require_bounded(connection, landing)
            name = f"{landing.source.name} {number}"
            create_landing(connection, f"{LANDED}.main.{quoted(name)}", readable(landing, folder))
            names = {rest: f"{name}{rest}" for rest in names_of(landing.source)}
            places[landing] = {rest: _place(it, run, sample) for rest, it in names.items()}
        except (HeadwaterError, duckdb.Error) as error:
            problems[landing] = error
    return Landed(places, problems)


def _place(name: str, run: Run, sample: str) -> str:
    place = f"{LANDED}.main.{quoted(name)}"
    if not sample:
        return place
    held = f"{LANDED}.sampled.{quoted(name)}"
    run(f"create schema if not exists {LANDED}.sampled")
    run(f"create table {held} as select * from {place} {sample}")
    return held


@contextmanager
def room(read: Readable, side: str, landed: Landed, run: Run, *, shuffled: bool) -> Iterator[None]:
    """Let what ``read`` names be found, the tables of ``side``; ``shuffled``: files' rows come in another order."""
    run(f"attach ':memory:' as {ROOM}")
    try:
        for files in read.files:
            for rest, sql in changed_files(files.landing.source, landed.of(files.landing), files.changes).items():
                rows = f"select * from ({sql}) as {ROW} order by hash({ROW})" if shuffled else sql
                run(f"create view {ROOM}.main.{quoted(f'{files.relation}{rest}')} as {rows}")
        for table in (it for it in read.statement.reads if it not in read.datasets):
            run(f"create schema if not exists {ROOM}.{quoted(table.partition('.')[0])}")
            run(f"create view {name_in(ROOM, table)} as select * from {name_in(side, table)}")
        run(f"use {ROOM}")
        _set_up(run, [(it.name, it.sql) for it in read.statement.setup])
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
