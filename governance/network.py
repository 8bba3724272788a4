"""A graph of millions of edges as int32 arrays, and what a change in it reaches.

The rules are those of :mod:`governance.impact.walk`, in bulk: a walk goes from a whole frontier of columns and tables
to the next by a few array operations. Vertices are numbers; a table is a vertex of its own, a hub: what shapes its rows
leads to it by one edge, and it leads to its columns. Edges lie sorted by source, those of a source that carry its value
before those that steer, so that both walks read one array.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]
Marks = npt.NDArray[np.bool_]
Pairs = tuple[Ids, Ids]
"""Sources and targets, of equal length."""

NOTHING: Ids = np.empty(0, np.int32)
NO_PAIRS: Pairs = (NOTHING, NOTHING)
LOW_WORD = 0 if np.little_endian else 1


@dataclass(frozen=True, slots=True)
class Rows:
    """Compressed sparse rows: the targets of vertex ``v`` are ``targets[starts[v]:starts[v + 1]]``."""

    starts: Ids
    targets: Ids

    def out(self, vertices: Ids, begins: Ids | None = None, ends: Ids | None = None) -> Ids:
        """Return the targets of all ``vertices``, repeated where several lead to one."""
        begins = self.starts[vertices] if begins is None else begins
        counts = (self.starts[vertices + 1] if ends is None else ends) - begins
        some = np.flatnonzero(counts)
        if len(some) == 1:
            begin = begins[some[0]]
            return self.targets[begin : begin + counts[some[0]]]
        total = int(counts.sum())
        shifts = np.repeat(begins - (np.cumsum(counts, dtype=np.int32) - counts), counts)
        shifts += np.arange(total, dtype=np.int32)
        return self.targets[shifts]


@dataclass(frozen=True, slots=True)
class Network:
    """Columns and tables as vertices ``0 … size - 1``.

    edges:   from columns, to columns and (what shapes rows) to tables; of vertex ``v`` those that carry its value come
             first and end at ``direct_ends[v]``
    members: from tables to their columns
    flows:   from tables to the tables that jobs write from them
    untold:  from tables to the tables and columns that a job wrote from them and told no column lineage of
    owner:   the table of each column; a table's own number for a table
    """

    size: int
    edges: Rows
    direct_ends: Ids
    members: Rows
    flows: Rows
    untold: Rows
    owner: Ids


@dataclass(frozen=True, slots=True)
class Reach:
    """What a change reaches, ascending: columns by value, columns by population, tables by rows, and what is unknown.

    As with an ``Impact``, ``values`` and ``population`` share nothing, the start is in none of the lists, and what is
    unknown is in none of the first two.
    """

    values: Ids
    population: Ids
    tables: Ids
    unknown: Ids


def network(edges: Pairs, direct: Marks, owner: Ids, flows: Pairs = NO_PAIRS, untold: Pairs = NO_PAIRS) -> Network:
    """Return the network of ``edges``, of which ``direct`` ones carry values.

    owner: for each vertex the table that it is or is in; its length is the number of vertices, at most 2**31 - 1
    """
    size = len(owner)
    columns = np.flatnonzero(owner != np.arange(size, dtype=np.int32)).astype(np.int32)
    rows, direct_ends = _edges(edges, direct, size)
    return Network(
        size=size,
        edges=rows,
        direct_ends=direct_ends,
        members=rows_of((owner[columns], columns), size),
        flows=rows_of(flows, size),
        untold=rows_of(untold, size),
        owner=owner,
    )


def rows_of(pairs: Pairs, size: int) -> Rows:
    """Return ``pairs`` by their sources."""
    source, target = pairs
    keys = source.astype(np.int64)
    keys <<= 32
    keys |= target
    keys.sort()
    return Rows(_starts(np.bincount(source, minlength=size)), _low(keys))


def _edges(pairs: Pairs, direct: Marks, size: int) -> tuple[Rows, Ids]:
    source, target = pairs
    # one sort of one number an edge: its source, then whether it steers, then its target
    keys = source.astype(np.int64)
    keys <<= 1
    keys |= ~direct
    keys <<= 31
    keys |= target
    keys.sort()
    targets = _low(keys)
    targets &= np.int32(2**31 - 1)
    del keys
    starts = _starts(np.bincount(source, minlength=size))
    return Rows(starts, targets), starts[:-1] + np.bincount(source[direct], minlength=size).astype(np.int32)


def _low(keys: npt.NDArray[np.int64]) -> Ids:
    """Return the lower 32 bits of each of ``keys``, without another array of their size."""
    words: Ids = keys.view(np.int32)
    return words[LOW_WORD::2].copy()


def _starts(counts: npt.NDArray[np.int64]) -> Ids:
    starts = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=starts[1:])
    return starts


def reach(net: Network, start: int) -> Reach:
    """Return what a change of the vertex ``start`` reaches; a table means its rows and all of its columns."""
    begun = np.array([start], np.int32)
    own = np.concatenate((begun, net.members.out(begun)))
    is_table = bool(net.owner[start] == start)
    walk = _Walk(net.size)
    values = walk.closure(own[1:] if is_table else begun, lambda front: _carried(net, front))
    valued = walk.seen.copy()
    steered = _steered(net, values)
    first = begun if is_table else NOTHING
    changed = walk.closure(np.concatenate((first, steered)), lambda front: _changed(net, front))
    touched = np.unique(net.owner[np.concatenate((values, changed))])
    unknown = _unknown(net, touched)
    columns = net.owner[changed] != changed
    return Reach(
        values=_without(np.flatnonzero(valued).astype(np.int32), own),
        population=_without(np.sort(changed[columns]), own),
        tables=_without(np.sort(changed[~columns]), own),
        unknown=_without(unknown[~walk.seen[unknown] | (net.owner[unknown] == unknown)], own),
    )


class _Walk:
    """What was seen so far, and room to find each vertex of a frontier once."""

    __slots__ = ("_place", "seen")

    def __init__(self, size: int) -> None:
        self.seen: Marks = np.zeros(size, np.bool_)
        self._place: Ids = np.empty(size, np.int32)

    def closure(self, begun: Ids, step: Callable[[Ids], Iterable[Ids]]) -> Ids:
        """Return all that was not seen before and is reached from ``begun`` by ``step``, ``begun`` included."""
        found: list[Ids] = []
        front = self._fresh(begun)
        while len(front):
            found.append(front)
            parts = [part for part in step(front) if len(part)]
            front = self._fresh(np.concatenate(parts)) if parts else NOTHING
        return np.concatenate(found) if found else NOTHING

    def _fresh(self, vertices: Ids) -> Ids:
        fresh = vertices[~self.seen[vertices]]
        self.seen[fresh] = True
        # the last writer of a place wins it: of several mentions one is kept, without a sort
        numbers = np.arange(len(fresh), dtype=np.int32)
        self._place[fresh] = numbers
        first: Ids = fresh[self._place[fresh] == numbers]
        return first


def _carried(net: Network, front: Ids) -> tuple[Ids, ...]:
    return (net.edges.out(front, ends=net.direct_ends[front]),)


def _steered(net: Network, values: Ids) -> Ids:
    return net.edges.out(values, begins=net.direct_ends[values])


def _changed(net: Network, front: Ids) -> tuple[Ids, ...]:
    return net.edges.out(front), net.members.out(front), net.flows.out(front)


def _unknown(net: Network, touched: Ids) -> Ids:
    """Return what jobs wrote from ``touched`` tables without telling, and what reads that."""
    walk = _Walk(net.size)

    def step(front: Ids) -> tuple[Ids, ...]:
        columns = front[net.owner[front] != front]
        return net.edges.out(front), net.untold.out(net.owner[columns]), net.flows.out(front)

    return np.sort(walk.closure(net.untold.out(touched), step))


def _without(ids: Ids, own: Ids) -> Ids:
    kept: Ids = ids[~np.isin(ids, own)]
    return kept
