"""The text that made each edge of a version: pieces of SQL, and where in them the edge's input is named."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from governance.dataset import Field
from governance.events.uses import ExpressionPart, ExpressionsPart, UsePart
from governance.graph import Edge

Shown = Callable[[str], bool]
"""Whether a piece of SQL may be shown as it is."""

_Key = tuple[str | None, str, str, str, str, str]
"""The output field, None for every row; the source's namespace, name and field; type and subtype."""


@dataclass(frozen=True, slots=True)
class Texts:
    """What a version's edges were made by, in the document's form; ``places`` are indices into ``uses``."""

    expressions: list[dict[str, Any]]
    uses: list[dict[str, Any]]
    places: Mapping[_Key, int]

    def place(self, edge: Edge) -> int:
        """Return the place of the edge's text in ``uses``, -1 where none was told."""
        source, target = edge.source, edge.target
        dataset, kind = source.dataset, edge.transformation
        into = target.name if isinstance(target, Field) else None
        return self.places.get((into, dataset.namespace, dataset.name, source.name, kind.type, kind.subtype), -1)


def texts_of(told: ExpressionsPart | None, shown: Shown) -> Texts:
    """Return the texts of a facet; a piece that may not be shown is left out, and marks that lie outside theirs."""
    if told is None:
        return Texts([], [], {})
    pieces = {place: it for place, it in enumerate(told.expressions) if shown(it.text)}
    numbers = {place: number for number, place in enumerate(pieces)}
    by_edge: dict[_Key, list[dict[str, Any]]] = defaultdict(list)
    for use in told.uses:
        if use.expression in pieces:
            piece = {"expression": numbers[use.expression], "marks": list(_marks(use, pieces[use.expression]))}
            by_edge[use.field, use.namespace, use.name, use.input_field, use.type, use.subtype].append(piece)
    # the piece that names the source comes first; the edge goes on through the others
    uses = [first | ({"through": others} if others else {}) for first, *others in by_edge.values()]
    expressions = [
        {"text": it.text, "line": it.line} | ({"template": it.template_line} if it.template_line else {})
        for it in pieces.values()
    ]
    return Texts(expressions, uses, {key: place for place, key in enumerate(by_edge)})


def _marks(use: UsePart, piece: ExpressionPart) -> Iterator[list[int]]:
    units = len(piece.text.encode("utf-16-le", "surrogatepass")) // 2
    for start, end in use.marks:
        if 0 <= start < end <= units:
            yield [start, end]
