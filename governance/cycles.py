"""Cycles of a directed graph: its strongly connected components, what comes first first."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def components(before: Mapping[T, Sequence[T]]) -> Iterator[tuple[T, ...]]:
    """Yield the strongly connected components of ``before``, each after all those it depends on.

    ``before`` gives what each thing directly depends on; a thing on no cycle is a component of its own. Tarjan's
    algorithm (1972) without recursion, since a chain of tables may be longer than Python's stack.
    """
    place: dict[T, int] = {}
    lowest: dict[T, int] = {}
    held: dict[T, None] = {}
    for root in before:
        path = [] if root in place else [(root, iter(before[root]))]
        while path:
            current, rest = path[-1]
            if current not in place:
                place[current] = lowest[current] = len(place)
                held[current] = None
            deeper = next((other for other in rest if other not in place), None)
            if deeper is not None:
                path.append((deeper, iter(before.get(deeper, ()))))
                continue
            path.pop()
            lowest[current] = min(
                (lowest[current], *(lowest[other] for other in before.get(current, ()) if other in held))
            )
            if lowest[current] == place[current]:
                yield _taken(held, current)


def _taken(held: dict[T, None], first: T) -> tuple[T, ...]:
    """Take ``first`` and all that came to be held after it, the last one first."""
    members = [held.popitem()[0]]
    while members[-1] != first:
        members.append(held.popitem()[0])
    return tuple(reversed(members))
