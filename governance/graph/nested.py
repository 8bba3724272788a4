"""Nested columns: what ``address`` and ``address.city`` have to do with each other."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from governance.dataset import Field


@dataclass(frozen=True, slots=True)
class Nesting:
    """For each field that holds others or lies in one: which, the outermost first.

    A field that stands alone, as most do, is in neither.
    """

    outer: Mapping[Field, tuple[Field, ...]]
    inner: Mapping[Field, tuple[Field, ...]]

    def related(self, field: Field) -> tuple[Field, ...]:
        """Return what holds the field and what it holds: whoever reads one of them reads of the field."""
        return (*self.outer.get(field, ()), *self.inner.get(field, ()))


def nesting(fields: Iterable[Field]) -> Nesting:
    """Return how ``fields`` lie in one another, by their dotted paths."""
    known = frozenset(fields)
    outer: dict[Field, tuple[Field, ...]] = {}
    inner: dict[Field, list[Field]] = defaultdict(list)
    for field in sorted(it for it in known if "." in it.name):
        steps = field.name.split(".")
        paths = (Field(field.dataset, ".".join(steps[:length])) for length in range(1, len(steps)))
        holding = tuple(path for path in paths if path in known)
        if holding:
            outer[field] = holding
            for path in holding:
                inner[path].append(field)
    return Nesting(outer, {field: tuple(members) for field, members in inner.items()})
