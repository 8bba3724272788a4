"""Walks in bulk over a graph of millions of edges, as int32 arrays.

Vertices are numbers. A walk goes from a whole frontier of vertices to the next by a few array operations.
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
LOW_WORD = 0 if np.little_endian else 1


@dataclass(frozen=True, slots=True)
class Rows:
    """Compressed sparse rows: the targets of vertex ``v`` are ``targets[starts[v]:starts[v + 1]]``."""

    starts: Ids
    targets: Ids

    def out(self, vertices: Ids) -> Ids:
        """Return the targets of all ``vertices``, repeated where several lead to one."""
        begins = self.starts[vertices]
        counts = self.starts[vertices + 1] - begins
        some = np.flatnonzero(counts)
        if len(some) == 1:
            begin = begins[some[0]]
            return self.targets[begin : begin + counts[some[0]]]
        total = int(counts.sum())
        shifts = np.repeat(begins - (np.cumsum(counts, dtype=np.int32) - counts), counts)
        shifts += np.arange(total, dtype=np.int32)
        return self.targets[shifts]


def rows_of(pairs: Pairs, size: int) -> Rows:
    """Return ``pairs`` by their sources; vertices are ``0 … size - 1``, at most 2**31 - 1."""
    source, target = pairs
    # one sort of one number an edge
    keys = source.astype(np.int64)
    keys <<= 32
    keys |= target
    keys.sort()
    # the lower 32 bits of each, without another array of their size
    targets: Ids = keys.view(np.int32)[LOW_WORD::2].copy()
    del keys
    starts = np.zeros(size + 1, np.int32)
    np.cumsum(np.bincount(source, minlength=size), out=starts[1:])
    return Rows(starts, targets)


def closure(begun: Ids, step: Callable[[Ids], Iterable[Ids]], size: int) -> Marks:
    """Return for each of ``size`` vertices whether it is reached from ``begun`` by ``step``, ``begun`` included.

    ``step`` gives what a frontier leads to, in parts, in any order and as often as it likes.
    """
    seen: Marks = np.zeros(size, np.bool_)
    place: Ids = np.empty(size, np.int32)
    front = begun
    while len(front):
        fresh = front[~seen[front]]
        seen[fresh] = True
        # the last writer of a place wins it: of several mentions one is kept, without a sort
        numbers = np.arange(len(fresh), dtype=np.int32)
        place[fresh] = numbers
        first: Ids = fresh[place[fresh] == numbers]
        parts = [part for part in step(first) if len(part)] if len(first) else []
        front = np.concatenate(parts) if parts else NOTHING
    return seen


def everything(size: int) -> Marks:
    """Return the marks of ``size`` vertices or edges, all of which are marked."""
    return np.ones(size, np.bool_)
