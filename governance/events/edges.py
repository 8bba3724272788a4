"""The column lineage of a stretch of events as one flat table, so that a graph needs no JSON.

What outputs say is numbered, and what is said again byte for byte has the number it had. The table of edges, one row
for each field or dataset that depends on a field by one transformation (:func:`governance.dependencies.dependencies`):

=============  =====================================================================================
said           int32, the number
source         the :mod:`key <governance.events.keys>` of the field that is read
target         the key of the field that is written, or of the dataset where it decides which rows exist
how            ``"DIRECT IDENTITY"`` and the like
masking        bool
=============  =====================================================================================
"""

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from governance.dataset import Dataset
from governance.dependencies import dependencies
from governance.events.keys import key
from governance.events.model import ColumnLineagePart, Event
from governance.explicit import explicit
from governance.lineage.model import Transformation

EDGES = pa.schema(
    [
        ("said", pa.int32()),
        ("source", pa.string()),
        ("target", pa.string()),
        ("how", pa.string()),
        ("masking", pa.bool_()),
    ]
)
NAMES = ["source", "target", "how"]
"""The columns that repeat a few names many times."""


_WORDS = {it: f"{it.type} {it.subtype}" for it in Transformation}


@dataclass(slots=True)
class Sayings:
    """Numbers what events say of their outputs, from ``first`` on, for the length of one stretch."""

    first: int = 0
    _numbers: dict[tuple[Dataset, int], int] = field(default_factory=dict)
    _said: list[tuple[Dataset, ColumnLineagePart]] = field(default_factory=list)

    def of(self, event: Event) -> list[tuple[str, int | None]]:
        """Return each output's key and the number of what is said of its columns; None where nothing is."""
        told = explicit(event)
        outputs = ((Dataset(it.namespace, it.name), it.facets.column_lineage) for it in told.outputs)
        return [(key(output), self._number(output, lineage)) for output, lineage in outputs]

    @property
    def end(self) -> int:
        """The number of what is said next."""
        return self.first + len(self._said)

    def table(self) -> pa.Table:
        """Return the edges of all that was numbered."""
        columns: tuple[list[Any], ...] = tuple([] for _ in EDGES)
        for number, (output, lineage) in enumerate(self._said, self.first):
            edges = _edges(output, lineage)
            for column, values in zip(columns, ([number] * len(edges), *zip(*edges, strict=True)), strict=False):
                column.extend(values)
        return pa.table([pa.array(it, kind) for it, kind in zip(columns, EDGES.types, strict=True)], schema=EDGES)

    def _number(self, output: Dataset, lineage: ColumnLineagePart | None) -> int | None:
        if lineage is None or not (lineage.fields or lineage.dataset):
            return None
        # a decoder gives the same bytes as the same object, and _said keeps it alive
        number = self._numbers.setdefault((output, id(lineage)), self.end)
        if number == self.end:
            self._said.append((output, lineage))
        return number


def _edges(output: Dataset, lineage: ColumnLineagePart) -> list[tuple[str, str, str, bool]]:
    """Each dependency once, masked only where every way is: one clear copy beside a hashed one is clear."""
    masked: dict[tuple[str, str, str], bool] = {}
    for source, target, transformation, masking in dependencies(output, lineage):
        edge = key(source), key(target), _WORDS[transformation]
        masked[edge] = masking and masked.get(edge, True)
    return [(*edge, masking) for edge, masking in masked.items()]
