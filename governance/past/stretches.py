"""Edges of what only NDJSON has, kept as tables: the lineage of one night is read once, not by every question."""

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from governance.events.beside import packed, table_of


@dataclass(slots=True)
class Stretches:
    """Tables of edges, each of a stretch that was read at once, or of several.

    end:   the number that the next saying gets
    count: how many sayings the tables have, with those that nobody asks for any more
    """

    tables: list[bytes] = field(default_factory=list)
    end: int = 0
    count: int = 0

    def add(self, edges: pa.Table, end: int) -> None:
        """Take the edges of the sayings up to ``end``."""
        self.count += end - self.end
        self.end = end
        if edges.num_rows:
            self.tables.append(packed(edges))
        # a question after each run adds little: as many tables as a number has digits, and each edge in few rewritings
        while len(self.tables) > 1 and 2 * len(self.tables[-1]) > len(self.tables[-2]):
            self.tables[-2:] = [packed(table_of(self.tables[-2:]))]

    def keep(self, wanted: Collection[int]) -> None:
        """Let go of what is not ``wanted``, where that is most of all."""
        if not wanted:
            self.tables, self.count = [], 0
        elif 2 * len(wanted) < self.count:
            edges = self.table()
            # Arrow that is given Python's own values starts pandas where there is one
            numbers = pa.Array.from_buffers(
                pa.int32(), len(wanted), [None, pa.py_buffer(np.array(sorted(wanted), np.int32))]
            )
            self.tables, self.count = [packed(edges.filter(pc.is_in(edges["said"], value_set=numbers)))], len(wanted)

    def table(self) -> pa.Table:
        """Return all of them as one."""
        return table_of(self.tables)
