"""Edges as arrays, and which of them a walk may meet: the step before any value is made of them.

A column and all of its members are one vertex, a table is another. Marks are over the stored edges, then the others.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from governance.dataset import Dataset, Field
from governance.events.arrays import Edges
from governance.events.edges import SEPARATOR, key
from governance.graph.model import Edge, Flow
from governance.network import Ids, Marks, Pairs, closure, rows_of


@dataclass(frozen=True, slots=True)
class Bulk:
    """Edges by the numbers of their ends.

    owner:  for each vertex the table that it is or is in
    flows:  from tables to the tables that jobs wrote from them; ``untold`` those of whose columns something is unknown
    starts: where the walk begins
    numbers: vertices by the keys of tables and of columns that lie in none
    """

    source: Ids
    target: Ids
    owner: Ids
    flows: Pairs
    untold: Pairs
    starts: Ids
    numbers: Mapping[str, int]

    def derived(self) -> Marks:
        """Return which edges lead from something that a change of the starts can reach."""
        size = len(self.owner)
        out = [rows_of(it, size) for it in ((self.source, self.target), self._members(), self.flows)]
        untold = rows_of(self.untold, size)

        def step(front: Ids) -> tuple[Ids, ...]:
            return *(it.out(front) for it in out), untold.out(self.owner[front])

        return closure(self.starts, step, size)[self.source]

    def feeding(self) -> Marks:
        """Return which edges lead to something that the values of the starts come from; of a table, of its columns."""
        size = len(self.owner)
        into, members = rows_of((self.target, self.source), size), rows_of(self._members(), size)
        begun = np.concatenate((self.starts, members.out(self.starts)))
        return closure(begun, lambda front: (into.out(front),), size)[self.target]

    def feeding_rows(self) -> Marks:
        """Return which edges lead to something that the values or the rows of the starts come from."""
        size = len(self.owner)
        into = [rows_of(it, size) for it in ((self.target, self.source), self.flows[::-1])]
        members = rows_of(self._members(), size)
        begun = np.concatenate((self.starts, members.out(self.starts)))
        return closure(begun, lambda front: (*(it.out(front) for it in into), self.owner[front]), size)[self.target]

    def vertices(self, things: Iterable[Field | Dataset]) -> Ids:
        """Return the vertices of those of ``things`` that some edge or flow names."""
        found = (self.numbers.get(_vertex(key(it))) for it in things)
        return np.array([it for it in found if it is not None], np.int32)

    def passing(self, kinds: Marks, seeds: Iterable[Ids]) -> tuple[Marks, ...]:
        """Return for each of ``seeds`` which vertices it reaches by edges of ``kinds``, and from tables to columns."""
        size = len(self.owner)
        out = rows_of((self.source[kinds], self.target[kinds]), size), rows_of(self._members(), size)
        return tuple(closure(of, lambda front: (it.out(front) for it in out), size) for of in seeds)

    def deciding(self, kinds: Marks, starts: Ids) -> Marks:
        """Return which vertices decide over ``starts`` by edges that are of ``kinds``: a table over its columns."""
        size = len(self.owner)
        into = rows_of((self.target[kinds], self.source[kinds]), size)
        return closure(starts, lambda front: (into.out(front), self.owner[front]), size)

    def _members(self) -> Pairs:
        columns = np.flatnonzero(self.owner != np.arange(len(self.owner), dtype=np.int32)).astype(np.int32)
        return self.owner[columns], columns


def bulk_of(stored: Edges, others: Sequence[Edge], starts: Iterable[Field | Dataset], flows: Iterable[Flow]) -> Bulk:
    """Return the edges of ``stored`` and ``others``, between tables of ``flows``."""
    numbers: dict[str, int] = {}
    places = np.fromiter((_number(numbers, name) for name in stored.names), np.int32, len(stored.names))
    ends = [(_number(numbers, key(edge.source)), _number(numbers, key(edge.target))) for edge in others]
    begun = np.array([_number(numbers, key(it)) for it in starts], np.int32)
    flowing = [(_number(numbers, key(it.source)), _number(numbers, key(it.target)), it) for it in flows]
    # a table that is first named here owns itself
    owners = [numbers.setdefault(_table(name), len(numbers)) for name in tuple(numbers)]
    of_others = _pairs(ends)
    return Bulk(
        source=np.concatenate((places[stored.source], of_others[0])),
        target=np.concatenate((places[stored.target], of_others[1])),
        owner=np.array([*owners, *range(len(owners), len(numbers))], np.int32),
        flows=_pairs((source, target) for source, target, _ in flowing),
        untold=_pairs((source, target) for source, target, flow in flowing if flow.gaps or not flow.traced),
        starts=begun,
        numbers=numbers,
    )


def _number(numbers: dict[str, int], name: str) -> int:
    return numbers.setdefault(_vertex(name), len(numbers))


def _vertex(name: str) -> str:
    dot = name.find(".", name.rindex(SEPARATOR) + 1)
    return name if dot < 0 else name[:dot]


def _table(name: str) -> str:
    return name[: name.rindex(SEPARATOR) + 1]


def _pairs(pairs: Iterable[tuple[int, int]]) -> Pairs:
    both = np.array(list(pairs), np.int32).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()
