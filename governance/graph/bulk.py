"""Edges as arrays, and which of them a walk may meet: the step before any value is made of them.

A column and all of its members are one vertex, a table is another. Marks are over the stored edges, then the others.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from governance.dataset import Dataset, Field
from governance.events.arrays import Edges, numbers_in, texts
from governance.events.keys import SEPARATOR, key
from governance.graph.model import Edge, Flow
from governance.network import Ids, Marks, Pairs, closure, rows_of

_MEMBER = rf"({SEPARATOR}[^{SEPARATOR}.]*)\.[^{SEPARATOR}]*$"
_COLUMN = rf"[^{SEPARATOR}]*$"


@dataclass(frozen=True, slots=True)
class Bulk:
    """Edges by the numbers of their ends.

    owner:  for each vertex the table that it is or is in
    flows:  from tables to the tables that jobs wrote from them; ``untold`` those of whose columns something is unknown
    starts: where the walk begins, in the order in which it was said
    """

    source: Ids
    target: Ids
    owner: Ids
    flows: Pairs
    untold: Pairs
    starts: Ids

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
    begun, flowing = tuple(starts), tuple(flows)
    ends = [thing for edge in others for thing in (edge.source, edge.target)]
    ends += [thing for it in flowing for thing in (it.source, it.target)]
    names = pa.concat_arrays([stored.names, texts([*map(key, ends), *map(key, begun)])])
    places, owner = _numbered(names)
    count = len(stored.names)
    of_ends = places[count : count + len(ends)].reshape(-1, 2)
    of_others, of_flows = of_ends[: len(others)], of_ends[len(others) :]
    untold = np.array([bool(flow.gaps) or not flow.traced for flow in flowing], np.bool_)
    return Bulk(
        source=np.concatenate((places[stored.source], of_others[:, 0])),
        target=np.concatenate((places[stored.target], of_others[:, 1])),
        owner=owner,
        flows=_pairs(of_flows),
        untold=_pairs(of_flows[untold]),
        starts=places[count + len(ends) :],
    )


def _numbered(told: pa.Array) -> tuple[Ids, Ids]:
    """Return the vertex of each name, and the table of each vertex; all of it in bulk."""
    # of a column that lies in others, the outermost
    members = pc.match_substring_regex(told, pattern=_MEMBER)
    if pc.any(members).as_py():
        told = pc.replace_substring_regex(told, pattern=_MEMBER, replacement=r"\1")
    columns = told.dictionary_encode()
    known = columns.dictionary
    tables = pc.replace_substring_regex(known, pattern=_COLUMN, replacement="").dictionary_encode()
    # a table that is named itself is a vertex already; those that only columns name come behind
    found = pc.index_in(tables.dictionary, value_set=known)
    named = numbers_in(found.is_valid().cast(pa.int32())) != 0
    places: Ids = np.empty(len(found), np.int32)
    places[named] = numbers_in(found.drop_null())
    fresh = np.flatnonzero(~named)
    places[fresh] = np.arange(len(known), len(known) + len(fresh), dtype=np.int32)
    owner: Ids = np.concatenate((places[numbers_in(tables.indices)], places[fresh]))
    return numbers_in(columns.indices), owner


def _pairs(pairs: Ids) -> Pairs:
    return pairs[:, 0].copy(), pairs[:, 1].copy()
