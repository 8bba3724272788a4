"""The algebra of dependencies: hops, and what a path of hops amounts to (lineage semantics, section 5).

A *hop* is a small integer: a transformation's number, plus ``MASKED`` where the hop masks the value.
*Bits* hold all the ways in which one source field reaches one place: bit ``n`` says that some path has transformation
``n``, bit ``n + WIDTH`` that some such path is not masked. So uniting paths is ``|``, whatever the order of work.
*Deps* map source fields, by number, to bits. Columns share them, and nobody changes them once a column holds them.
"""

from functools import cache, lru_cache
from typing import TypeAlias

from governance.lineage.model import InputField, Transformation

Deps: TypeAlias = dict[int, int]

TRANSFORMATIONS = tuple(Transformation)
WIDTH = len(TRANSFORMATIONS)

IDENTITY, TRANSFORMATION, AGGREGATION, JOIN, FILTER, GROUP_BY, SORT, WINDOW, CONDITIONAL = range(WIDTH)
MASKED = 16

SOURCE = 1 | 1 << WIDTH
"""The bits of a source column as it is: one unmasked IDENTITY path."""

NOTHING: Deps = {}
"""From no column: shared, never written to."""

_PRESENT = (1 << WIDTH) - 1
_DIRECT = (1 << JOIN) - 1


def _compose(outer: int, inner: int) -> int:
    """Return the hop that ``inner`` then ``outer`` make: the INDIRECT one nearest the output, else the stronger."""
    masked = (outer | inner) & MASKED
    out, into = outer & ~MASKED, inner & ~MASKED
    if out >= JOIN:
        return out | masked
    return (into if into >= JOIN else max(out, into)) | masked


COMPOSE = tuple(tuple(_compose(outer, inner) for inner in range(2 * MASKED)) for outer in range(2 * MASKED))
"""``COMPOSE[outer][inner]``: hops compose by table because the walk does it for every piece of SQL."""


def _carry(hop: int, present: int) -> int:
    if hop >= JOIN:
        return 1 << hop if present else 0
    weaker = (1 << hop) - 1
    return present & ~weaker | (1 << hop if present & weaker else 0)


@cache
def through(hop: int, bits: int) -> int:
    """Return ``bits`` after one more hop toward the output."""
    plain = hop & ~MASKED
    present = _carry(plain, bits & _PRESENT)
    clear = 0 if hop & MASKED else _carry(plain, bits >> WIDTH)
    return present | clear << WIDTH


def add(into: Deps, deps: Deps, hop: int) -> None:
    """Unite ``deps``, one ``hop`` further on, into the accumulator ``into``."""
    if hop == IDENTITY:
        for field, bits in deps.items():
            into[field] = into.get(field, 0) | bits
        return
    for field, bits in deps.items():
        into[field] = into.get(field, 0) | through(hop, bits)


def rowwise(hop: int) -> int:
    """Return what a hop does to row clauses beneath it: INDIRECT hops rename them, values only mask them."""
    return hop if hop & ~MASKED >= JOIN else IDENTITY | hop & MASKED


def united(parts: list[Deps]) -> Deps:
    """Return the union of ``parts``, sharing the one that says it all."""
    filled = [part for part in parts if part]
    if not filled:
        return NOTHING
    first = filled[0]
    if all(part is first for part in filled):
        return first
    result = dict(first)
    for part in filled[1:]:
        add(result, part, IDENTITY)
    return result


def moved(deps: Deps, hop: int) -> Deps:
    """Return ``deps`` one hop further on, as a value of its own."""
    if hop == IDENTITY or not deps:
        return deps
    return {field: through(hop, bits) for field, bits in deps.items()}


@cache
def unmixed(bits: int) -> tuple[tuple[int, bool], ...]:
    """Return ``bits`` as (transformation's number, masking) pairs; masking holds where every path masks."""
    return tuple((n, not bits >> (n + WIDTH) & 1) for n in range(WIDTH) if bits >> n & 1)


class Fields:
    """Source fields by number. Numbers are given in order of first use and live as long as one call."""

    __slots__ = ("_shown", "names")

    def __init__(self) -> None:
        self.names: list[tuple[str, str]] = []
        self._shown: dict[tuple[int, int], tuple[InputField, ...]] = {}

    def number(self, dataset: str, field: str) -> int:
        """Return a new number; whoever asks remembers it, since a table has each field once."""
        self.names.append((dataset, field))
        return len(self.names) - 1

    def inputs(self, deps: Deps) -> tuple[InputField, ...]:
        """Return ``deps`` as input fields, sorted by dataset, field and transformation."""
        if len(deps) == 1:
            (item,) = deps.items()
            return self._shown.get(item) or self._show(item)
        names, shown = self.names, self._shown
        items = sorted(deps.items(), key=lambda item: names[item[0]])
        return tuple(field for item in items for field in shown.get(item) or self._show(item))

    def _show(self, item: tuple[int, int]) -> tuple[InputField, ...]:
        dataset, field = self.names[item[0]]
        shown = [_input(dataset, field, TRANSFORMATIONS[n], masking) for n, masking in unmixed(item[1])]
        self._shown[item] = tuple(shown)
        return self._shown[item]


_input = lru_cache(maxsize=16_384)(InputField)
"""Frozen values are slow to make and the same ones are made again and again."""
