"""The law, judged on executed queries: what moves without an edge that says so is a miss.

A changed input column may move an output column that has an edge from it. If it is no input of the dataset, the same
rows exist, so their number and the joint multiset of all output columns without an edge from it must stay. What only
``inputs`` carries (row counts) no column carries, so it explains nothing here. That the rows which an UPDATE or MERGE
leaves alone keep their values is no edge.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import duckdb

from tests.lineage.cases import Expected
from tests.lineage.law.worlds import World, Worlds

Row = tuple[str, ...]
Column = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Miss:
    """An output that moved with the input column though no edge says so."""

    column: Column
    change: str
    moved: str

    def __str__(self) -> str:
        return f"{'.'.join(self.column)} ({self.change}) moves {self.moved} with no edge that says so"


@dataclass(slots=True)
class Trial:
    """What trying one text in all worlds showed. ``confirmed`` and ``unseen`` hold (output or *, dataset, column)."""

    misses: list[Miss] = field(default_factory=list)
    confirmed: set[tuple[str, str, str]] = field(default_factory=set)
    unseen: set[tuple[str, str, str]] = field(default_factory=set)
    unstable: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    failed: str = ""


def try_law(worlds: Worlds, sql: str, lineage: Expected, *, columns: Iterable[Column] | None = None) -> Trial:
    """Run a text in the base, in shuffled copies and wherever one column that it may read differs."""
    judge = _Judge(worlds, sql, lineage)
    try:
        names, rows = judge.run(worlds.base)
        stable, joint = judge.stability(rows)
    except duckdb.Error as error:
        return Trial(failed=str(error).splitlines()[0])
    trial = Trial(names=tuple(names))
    trial.unstable = tuple(name for at, name in enumerate(names) if at not in stable)
    if judge.rows_unstable:
        trial.unstable = ("*",)
        return trial
    wanted = None if columns is None else set(columns)
    for world in worlds.changed:
        table_read = world.column is not None and world.column[0] in lineage.inputs
        if world.column is not None and table_read and (wanted is None or world.column in wanted):
            judge.compare(trial, world, rows, stable, joint=joint)
    trial.unseen = judge.edges - trial.confirmed
    return trial


class _Judge:
    def __init__(self, worlds: Worlds, sql: str, lineage: Expected) -> None:
        self.worlds = worlds
        self.sql = sql
        self.read = lineage.output
        self.rows_unstable = False
        self.of_field = [{edge[:2] for edge in edges} for _, edges in lineage.fields]
        self.of_rows = {edge[:2] for edge in lineage.dataset}
        self.of_order = {edge[:2] for edge in lineage.dataset if edge[3] == "SORT"}
        self.fields = [name for name, _ in lineage.fields]
        self.edges = {
            (name, *column) for name, found in zip(self.fields, self.of_field, strict=True) for column in found
        }
        self.edges |= {("*", *column) for column in self.of_rows}

    def run(self, world: World) -> tuple[list[str], list[Row]]:
        names, rows = self.worlds.run(world, self.sql, read=self.read)
        if self.read is None or len(names) == len(self.fields):
            return names, rows
        kept = [at for at, name in enumerate(names) if name in self.fields]
        return [names[at] for at in kept], [tuple(row[at] for at in kept) for row in rows]

    def stability(self, rows: list[Row], shuffles: Sequence[World] = ()) -> tuple[list[int], bool]:
        """The output columns that physical order does not move, and whether they hold together row by row."""
        width = len(self.fields)
        others = [self.run(world)[1] for world in (*self.worlds.shuffles, *shuffles)]
        self.rows_unstable = any(len(other) != len(rows) for other in others)
        stable = [at for at in range(width) if all(bag(other, [at]) == bag(rows, [at]) for other in others)]
        return stable, all(bag(other, stable) == bag(rows, stable) for other in others)

    def compare(self, trial: Trial, world: World, base: list[Row], stable: list[int], *, joint: bool) -> None:
        assert world.column is not None
        try:
            _, rows = self.run(world)
        except duckdb.Error:
            return
        own = [at for at in stable if world.column in self.of_field[at]]
        rest = [at for at in stable if at not in own and world.column != (self.read, self.fields[at])]
        moved = self.moved(base, rows, rest, joint=joint)
        if world.column in self.of_rows:
            if moved or (world.column in self.of_order and rows != base):
                trial.confirmed.add(("*", *world.column))
            if moved:
                return
        elif moved and self.stays(world, base, rest, joint=joint):
            trial.misses.append(Miss(world.column, world.change, moved))
        for at in own:
            if moved or bag(base, [*rest, at]) != bag(rows, [*rest, at]):
                trial.confirmed.add((self.fields[at], *world.column))

    def moved(self, base: list[Row], rows: list[Row], rest: list[int], *, joint: bool) -> str:
        if len(base) != len(rows):
            return "the number of rows"
        for at in rest:
            if bag(base, [at]) != bag(rows, [at]):
                return self.fields[at]
        if joint and bag(base, rest) != bag(rows, rest):
            return " with ".join(self.fields[at] for at in rest)
        return ""

    def stays(self, world: World, base: list[Row], rest: list[int], *, joint: bool) -> bool:
        """Whether the movement is the column's and not physical order's: eight more orders agree, and no column else.

        Alone, the columns that moved are not ordered by the windows of those beside them.
        """
        again = [self.worlds.shuffle_again(world) for _ in range(4)]
        anew = [self.worlds.shuffle_again(self.worlds.base) for _ in range(4)]
        try:
            still = all(not self.moved(base, self.run(other)[1], rest, joint=joint) for other in anew)
            moves = still and all(self.moved(base, self.run(other)[1], rest, joint=joint) for other in again)
            return moves and self.moves_alone(world, rest, joint=joint)
        except duckdb.Error:
            return False

    def moves_alone(self, world: World, rest: list[int], *, joint: bool) -> bool:
        if self.read is not None or not rest or len(set(self.fields)) < len(self.fields):
            return True
        names = ", ".join(f'"{self.fields[at]}"' for at in rest)
        alone = f"SELECT {names} FROM ({self.sql.strip().rstrip(';')}) AS alone"  # noqa: S608  our own words
        before, after = (self.worlds.run(one, alone)[1] for one in (self.worlds.base, world))
        return bool(self.moved(before, after, list(range(len(rest))), joint=joint))


def bag(rows: Iterable[Row], columns: Sequence[int]) -> Counter[Row]:
    """The multiset of the rows' values in some columns."""
    return Counter(tuple(row[at] for at in columns) for row in rows)


def by_subtype(lineage: Expected) -> Iterator[tuple[tuple[str, str, str], str]]:
    """Each edge as (output or *, dataset, column) with its subtype."""
    for name, edges in (*lineage.fields, ("*", lineage.dataset)):
        for dataset, column, _, subtype, _ in edges:
            yield (name, dataset, column), subtype
