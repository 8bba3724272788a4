"""Choices on a tape: a random query is a list of small numbers, so a failing one can be made smaller."""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """Reads choices from a tape and, past its end, from a random source (zeros without one). 0 is the simplest."""

    def __init__(self, tape: Sequence[int] = (), rng: random.Random | None = None) -> None:
        self._given = tape
        self._rng = rng
        self.tape: list[int] = []

    def below(self, limit: int) -> int:
        """A number from 0 to ``limit`` - 1."""
        at = len(self.tape)
        choice = self._given[at] % limit if at < len(self._given) else self._beyond(limit)
        self.tape.append(choice)
        return choice

    def _beyond(self, limit: int) -> int:
        return self._rng.randrange(limit) if self._rng else 0

    def pick(self, options: Sequence[T]) -> T:
        """One of the options, the first being the simplest."""
        return options[self.below(len(options))]

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred cases, False when simplest."""
        return self.below(100) >= 100 - percent


def shrink(tape: Sequence[int], fails: Callable[[Sequence[int]], bool], *, budget: int = 400) -> list[int]:
    """A shorter or smaller tape that still fails: blocks cut out, then numbers lowered, within so many tries."""
    best = list(tape)
    for size in (32, 16, 8, 4, 2, 1):
        at = 0
        while at < len(best) and budget > 0:
            budget -= 1
            shorter = [*best[:at], *best[at + size :]]
            if fails(shorter):
                best = shorter
            else:
                at += size
    for at in range(len(best)):
        if best[at] and budget > 0:
            budget -= 1
            lower = [*best[:at], 0, *best[at + 1 :]]
            best = lower if fails(lower) else best
    return best
