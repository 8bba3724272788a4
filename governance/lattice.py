"""Classes of protection and which protects more: a line as a rule, a partial order where a team needs one.

Two classes that meet in one column need a least class that protects at least as much as both (Denning 1976,
https://doi.org/10.1145/360051.360056), so an order in which two classes have none is refused when it is made.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from types import MappingProxyType

from governance.cycles import components


@dataclass(frozen=True, slots=True)
class Lattice:
    """Classes with, for each, all that protect at least as much; made by :func:`lattice_of`.

    classes: from least to most protected; where two compare not, as they were first written
    """

    classes: tuple[str, ...]
    above: Mapping[str, frozenset[str]]

    @property
    def lowest(self) -> str:
        """The class of what is derived from no column at all."""
        return self.classes[0]

    def strictest(self, classes: Iterable[str | None]) -> str | None:
        """Return the least upper bound of the classes given; None of none."""
        given = {it for it in classes if it is not None}
        if not given:
            return None
        bounds = frozenset.intersection(*(self.above[it] for it in given))
        return next(it for it in self.classes if it in bounds and bounds <= self.above[it])

    def highest(self, classes: Iterable[str | None]) -> frozenset[str]:
        """Return those of the classes given that no other given one protects more than."""
        given = frozenset(it for it in classes if it is not None)
        return frozenset(it for it in given if self.above[it] & given == {it})

    def lower(self, one: str, other: str) -> bool:
        """Whether ``one`` does not protect as much as ``other``: it is lower, or the two compare not."""
        return one not in self.above[other]


class NoBound(ValueError):
    """Classes in a circle, without one least class, or two that no least class is above."""


def lattice_of(order: Iterable[str]) -> Lattice:
    """Return the lattice that ``order`` tells: a list of classes is a line, ``"a < b < c"`` texts are chains of one.

    Raises:
        NoBound: the order is a circle, has no least class, or two classes have no least upper bound.
    """
    written = tuple(order)
    chains = [[name.strip() for name in text.split("<")] for text in written]
    if all(len(chain) == 1 for chain in chains):
        chains = [[name for chain in chains for name in chain]]
    below: dict[str, list[str]] = {name: [] for chain in chains for name in chain}
    for chain in chains:
        for lower, higher in pairwise(chain):
            below[higher].append(lower)
    classes = _in_order(below)
    lattice = Lattice(classes, MappingProxyType({name: _above(name, below) for name in classes}))
    _require_bounds(lattice)
    return lattice


def _in_order(below: Mapping[str, list[str]]) -> tuple[str, ...]:
    found: list[str] = []
    for component in components(below):
        if len(component) > 1 or component[0] in below[component[0]]:
            raise NoBound(f"{', '.join(sorted(component))} are each below the other")
        found += component
    return tuple(found)


def _above(name: str, below: Mapping[str, list[str]]) -> frozenset[str]:
    found = {name}
    while fresh := {higher for higher in below if found & set(below[higher])} - found:
        found |= fresh
    return frozenset(found)


def _require_bounds(lattice: Lattice) -> None:
    least = [name for name in lattice.classes if lattice.above[name] >= set(lattice.classes)]
    if not least:
        raise NoBound("no class is below all others, so what comes from no column has none")
    for one, other in combinations(lattice.classes, 2):
        bounds = lattice.above[one] & lattice.above[other]
        if not any(bounds <= lattice.above[it] for it in bounds):
            raise NoBound(f"{one} and {other} have no least class above both")
