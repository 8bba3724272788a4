"""The part of a large graph that a page shows: the tables around one, by levels, until a page is full.

Nothing is shown by halves: of a table whose making is shown everything that it is made from is there. The tables that
stand at the part's rim are there by name and columns, with how many tables they lead to and come from beyond it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from governance.dataset import Dataset
from governance.page.tables import Tables

SHOWN_TABLES, SHOWN_COLUMNS = 300, 15_000
"""What a part grows to: drawn within half a second, and as much as anybody can look through."""


@dataclass(frozen=True, slots=True)
class Part:
    """Tables around one.

    made:    those of which everything that they are made from is in the part
    tables:  those and what they read
    hops:    how far up and down the part is whole; None where nothing further leads to ``around`` or comes from it
    cut:     tables of the next hop that are left out
    of:      how many tables there are
    outside: by table how many that it reads, and that read it, are left out, where any is
    """

    around: Dataset
    made: frozenset[Dataset]
    tables: frozenset[Dataset]
    hops: int | None
    cut: int
    of: int
    outside: Mapping[Dataset, tuple[int, int]]


def part_around(tables: Tables, around: Dataset, most: int = SHOWN_TABLES, columns: int = SHOWN_COLUMNS) -> Part:
    """Return the tables around one: whole levels while they fit, then what fits of the next.

    A table's own inputs are always in it, however many.
    """
    growing = _Growing(tables, most, columns)
    growing.take(around)
    up, down, hops = _Level(tables.inputs, around), _Level(tables.readers, around), 0
    while True:
        level = tuple(dict.fromkeys(it for pair in zip_longest(up.next(), down.next()) for it in pair if it))
        if not level:
            return growing.part(around, None)
        refused = [it for it in level if not growing.took(it)]
        if refused:
            return growing.part(around, hops, refused)
        hops += 1


class _Level:
    """A walk in one direction, level by level."""

    def __init__(self, leads: Mapping[Dataset, tuple[Dataset, ...]], start: Dataset) -> None:
        self._leads = leads
        self._front: tuple[Dataset, ...] = (start,)
        self._seen = {start}

    def next(self) -> tuple[Dataset, ...]:
        """Return the next level by name, none of it met before."""
        found = {it for one in self._front for it in self._leads.get(one, ())} - self._seen
        self._seen |= found
        self._front = tuple(sorted(found))
        return self._front


class _Growing:
    """The part so far."""

    def __init__(self, tables: Tables, most: int, columns: int) -> None:
        self._tables = tables
        self._most, self._columns = most, columns
        self._made: set[Dataset] = set()
        self._shown: set[Dataset] = set()

    def take(self, it: Dataset) -> None:
        """Take a table and what it reads."""
        fresh = self._fresh(it)
        self._made.add(it)
        self._shown |= fresh
        self._most -= len(fresh)
        self._columns -= self._wide(fresh)

    def took(self, it: Dataset) -> bool:
        """Take a table where there is room for it and what it reads; whether there was."""
        fresh = self._fresh(it)
        if len(fresh) > self._most or self._wide(fresh) > self._columns:
            return False
        self.take(it)
        return True

    def part(self, around: Dataset, hops: int | None, refused: Iterable[Dataset] = ()) -> Part:
        """Return the part; what was refused may stand at its rim."""
        cut = sum(it not in self._shown for it in refused)
        made, shown = frozenset(self._made), frozenset(self._shown)
        return Part(around, made, shown, hops, cut, len(self._tables.names), dict(self._outside()))

    def _fresh(self, it: Dataset) -> set[Dataset]:
        return {it, *self._tables.inputs.get(it, ())} - self._shown

    def _wide(self, tables: Iterable[Dataset]) -> int:
        return sum(len(self._tables.columns.get(it, ())) for it in tables)

    def _outside(self) -> Iterator[tuple[Dataset, tuple[int, int]]]:
        for it in sorted(self._shown):
            above = 0 if it in self._made else len(self._tables.inputs.get(it, ()))
            below = sum(reader not in self._made for reader in self._tables.readers.get(it, ()))
            if above or below:
                yield it, (above, below)
