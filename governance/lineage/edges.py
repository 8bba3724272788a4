"""The algebra of dependencies: hops, and what a path of hops amounts to (lineage semantics, section 5).

A *hop* is a small integer: a transformation's number, plus ``MASKED`` where the hop masks the value.
*Bits* hold all the ways in which one source field reaches one place: bit ``n`` says that some path has transformation
``n``, bit ``n + WIDTH`` that some such path is not masked. So uniting paths is ``|``, whatever the order of work.
A *source* is a field's dataset and name as one text: a dictionary finds texts fastest, and they sort as results shall.
*Deps* map sources to bits. Columns share them, and nobody changes them once a column holds them.
"""

from functools import cache, lru_cache
from itertools import count
from typing import TypeAlias

from governance.lineage.model import InputField, Transformation

Source: TypeAlias = str
Deps: TypeAlias = dict[Source, int]

SEPARATOR = "\0"
"""What parts the dataset from the field in a source: no engine has it in a name, and it sorts before all else."""

TRANSFORMATIONS = tuple(Transformation)
WIDTH = len(TRANSFORMATIONS)

IDENTITY, TRANSFORMATION, AGGREGATION, JOIN, FILTER, GROUP_BY, SORT, WINDOW, CONDITIONAL = range(WIDTH)
MASKED = 16

AS_IS = 1 | 1 << WIDTH
"""The bits of a source column as it is: one unmasked IDENTITY path."""

NOTHING: Deps = {}
"""From no column: shared, never written to."""

_PRESENT = (1 << WIDTH) - 1


def source_of(dataset: str, field: str) -> Source:
    """Return a field of a dataset as a source."""
    return f"{dataset}{SEPARATOR}{field}"


def unknown() -> Source:
    """Return a source like no other, which stands for a column until it is known what that comes from."""
    return f"{SEPARATOR}{next(_NUMBERS)}"


_NUMBERS = count()


def field_of(source: Source) -> tuple[str, str]:
    """Return the dataset and the name of the field that ``source`` is."""
    dataset, _, field = source.partition(SEPARATOR)
    return dataset, field


def datasets(deps: Deps) -> set[str]:
    """Return the datasets of the sources in ``deps``."""
    return {source.partition(SEPARATOR)[0] for source in deps}


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


class _Carried(dict[int, int]):
    """Bits → the bits after one more hop, filled as they occur."""

    def __init__(self, hop: int) -> None:
        super().__init__()
        self._hop = hop

    def __missing__(self, bits: int) -> int:
        plain = self._hop & ~MASKED
        present = _carry(plain, bits & _PRESENT)
        clear = 0 if self._hop & MASKED else _carry(plain, bits >> WIDTH)
        self[bits] = present | clear << WIDTH
        return self[bits]


CARRIED = tuple(_Carried(hop) for hop in range(2 * MASKED))
"""``CARRIED[hop][bits]``: the bits after one more hop toward the output."""


def add(into: Deps, deps: Deps, hop: int) -> None:
    """Unite ``deps``, one ``hop`` further on, into the accumulator ``into``."""
    if hop == IDENTITY:
        for source, bits in deps.items():
            into[source] = into.get(source, 0) | bits
        return
    carried = CARRIED[hop]
    for source, bits in deps.items():
        into[source] = into.get(source, 0) | carried[bits]


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
    carried = CARRIED[hop]
    return {source: carried[bits] for source, bits in deps.items()}


@cache
def unmixed(bits: int) -> tuple[tuple[int, bool], ...]:
    """Return ``bits`` as (transformation's number, masking) pairs; masking holds where every path masks."""
    return tuple((n, not bits >> (n + WIDTH) & 1) for n in range(WIDTH) if bits >> n & 1)


def inputs(deps: Deps) -> tuple[InputField, ...]:
    """Return ``deps`` as input fields, sorted by dataset, field and transformation."""
    if len(deps) == 1:
        (item,) = deps.items()
        return _shown(*item)
    return tuple([field for source in sorted(deps) for field in _shown(source, deps[source])])


@lru_cache(maxsize=16_384)
def _shown(source: Source, bits: int) -> tuple[InputField, ...]:
    """Remembered because frozen values are slow to make and statements over one schema show the same ones."""
    dataset, field = field_of(source)
    return tuple([InputField(dataset, field, TRANSFORMATIONS[n], masking) for n, masking in unmixed(bits)])
