"""Work that makes very many values which all stay: Python's collector would look through them time and again."""

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

EVERY = 32
"""Of so many texts the trees are a few megabytes."""


@contextmanager
def uncollected() -> Iterator[None]:
    """Let the collector rest; it is as it was afterwards. As a decorator: while the function runs."""
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            _age()
            gc.enable()


def _age() -> None:
    """Have all values count as old: the next small collection would look through every one that was just made."""
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


def swept(items: Iterable[T]) -> Iterator[T]:
    """Yield ``items``, each of which has trees made that hold each other: after some, those that nobody has go.

    Only what was made since is looked at, so that all of it costs what one look at the end does, and a project's trees
    are never in memory together.
    """
    for number, item in enumerate(items, 1):
        yield item
        if number % EVERY == 0:
            gc.collect(0)
