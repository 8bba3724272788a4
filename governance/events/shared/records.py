"""What a mirror has of the shared store, in SQLite beside its events, so that a killed sync goes on where it was."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

from governance.events.shared.bucket import Stored

_TABLES = """
create table if not exists taken (name text primary key, tag text not null, look integer not null) without rowid;
create table if not exists entry (file text primary key) without rowid;
create table if not exists day (name text primary key, "end" integer not null) without rowid;
create table if not exists batch (day text primary key, start integer not null, data blob not null) without rowid;
create table if not exists odd (name text primary key, tag text not null, file text not null) without rowid;
create table if not exists kept (name text primary key, value text not null) without rowid;
create temp table listed (name text primary key, tag text, at text, size integer) without rowid;
create temp table wanted (place integer primary key, name text, tag text, at text, size integer);
"""
_DAY = len("2026-11-30")


@dataclass(frozen=True, slots=True)
class Listed:
    """An object that is to be taken; ``day`` is the day of its arrival by the store's clock, UTC."""

    name: str
    tag: str
    day: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Bytes that are to stand in a day's text from ``start`` on."""

    day: str
    start: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Records:
    """An open file of records. Each method is one transaction; :class:`sqlite3.Error` where the file is no good.

    taken: names and tags of objects whose events the mirror has, as long as they are listed
    entry: segments that the mirror has
    day:   how long each day's text is in the mirror
    batch: what is being appended to day files just now: recorded first, so that it is done again after a kill
    odd:   objects that are no single event, and the file each has in the mirror
    """

    database: sqlite3.Connection

    def batch(self) -> tuple[Batch, ...]:
        """Return what was being appended when a sync was killed."""
        return tuple(Batch(*row) for row in self.database.execute("select day, start, data from batch order by day"))

    def days(self) -> dict[str, int]:
        """Return the length of each day's text, in bytes."""
        return dict(self.database.execute('select name, "end" from day'))

    def files(self) -> frozenset[str]:
        """Return the segments that the mirror has."""
        return frozenset(file for (file,) in self.database.execute("select file from entry"))

    def next_look(self) -> int:
        """Return a number for a look that is higher than that of any look by which something was taken."""
        return int(self.database.execute("select coalesce(max(look), 0) + 1 from taken").fetchone()[0])

    def kept(self, name: str) -> str:
        """Return a value that was kept, empty where there is none."""
        found = self.database.execute("select value from kept where name = ?", (name,)).fetchone()
        return str(found[0]) if found else ""

    def keep(self, name: str, value: str) -> None:
        """Keep a value."""
        with self.database:
            self.database.execute("insert or replace into kept values (?, ?)", (name, value))

    def list_anew(self, pages: Iterable[Sequence[Stored]]) -> None:
        """Take down what is listed now, in place of what was."""
        with self.database:
            self.database.execute("delete from listed")
            for page in pages:
                rows = ((it.name, it.tag, it.at.astimezone(UTC).isoformat(), it.size) for it in page)
                self.database.executemany("insert or replace into listed values (?, ?, ?, ?)", rows)

    def missing(self, most: int, bytes_: int) -> Iterator[list[Listed]]:
        """Yield the listed objects that were not taken, in order of time and name, some at a time."""
        with self.database:
            self.database.execute("delete from wanted")
            self.database.execute(
                "insert into wanted select null, name, tag, at, size from listed left join taken using (name, tag)"
                " where look is null order by at, name"
            )
        last = 0
        while rows := self.database.execute(
            "select * from wanted where place > ? order by place limit ?", (last, most)
        ).fetchall():
            some, size = list[Listed](), 0
            for place, name, tag, at, length in rows:
                if some and size + length > bytes_:
                    break
                some.append(Listed(name, tag, at[:_DAY]))
                last, size = place, size + length
            yield some

    def known(self, names: Iterable[str]) -> frozenset[str]:
        """Return those of ``names`` that were taken."""
        asked = "select name from taken where name = ?"
        return frozenset(name for name in names if self.database.execute(asked, (name,)).fetchone())

    def begin(self, batches: Iterable[Batch], took: Iterable[tuple[str, str]], look: int) -> None:
        """Record what is about to be appended, and of which objects it is."""
        with self.database:
            self._take(took, look)
            self.database.executemany(
                "insert into batch values (?, ?, ?)", ((it.day, it.start, it.data) for it in batches)
            )

    def done(self, batches: Iterable[Batch]) -> None:
        """Record that it was appended."""
        with self.database:
            self.database.executemany(
                "insert or replace into day values (?, ?)", ((it.day, it.start + len(it.data)) for it in batches)
            )
            self.database.execute("delete from batch")

    def adopt(self, file: str, day: str, end: int, took: Iterable[tuple[str, str]], look: int) -> None:
        """Record that a segment stands in the mirror as it is, and that the day's text now ends at ``end``."""
        with self.database:
            self._take(took, look)
            self.database.execute("insert or replace into entry values (?)", (file,))
            self.database.execute("insert or replace into day values (?, ?)", (day, end))

    def skip(self, file: str, took: Iterable[tuple[str, str]], look: int) -> None:
        """Record that the mirror has what a segment holds."""
        with self.database:
            self._take(took, look)
            self.database.execute("insert or replace into entry values (?)", (file,))

    def set_aside(self, name: str, tag: str, file: str, look: int) -> None:
        """Record that an object has a file of its own."""
        with self.database:
            self._take(((name, tag),), look)
            self.database.execute("insert or replace into odd values (?, ?, ?)", (name, tag, file))

    def gone(self, look: int) -> tuple[str, ...]:
        """Forget the objects that are not listed any more; return the files of those that had one of their own.

        One that was put anew and is an event now has none any more.
        """
        with self.database:
            other = "from odd where (name, tag) not in (select name, tag from listed)"
            files = self.database.execute(f"select file {other}").fetchall()
            self.database.execute(f"delete {other}")
            # what was taken during this look may be younger than the listing
            self.database.execute("delete from taken where look < ? and name not in (select name from listed)", (look,))
        return tuple(file for (file,) in files)

    def _take(self, took: Iterable[tuple[str, str]], look: int) -> None:
        self.database.executemany("insert or replace into taken values (?, ?, ?)", ((*it, look) for it in took))


@contextmanager
def opened(file: Path) -> Iterator[Records]:
    """Open the records; the caller is alone with them.

    Raises:
        sqlite3.Error: the file is damaged, or the disk is full.
    """
    with closing(sqlite3.connect(file)) as database:
        # a power cut may undo the last transactions, never a part of one: what they took is then taken again
        database.executescript(f"pragma journal_mode = wal; pragma synchronous = normal; {_TABLES}")
        yield Records(database)
