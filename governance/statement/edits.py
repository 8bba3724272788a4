"""A part of a text with some stretches of it written otherwise."""

from collections.abc import Iterable

Edit = tuple[int, int, str]
"""First character, past the last, and what stands there instead."""


def edited(text: str, start: int, end: int, edits: Iterable[Edit]) -> str:
    """Return ``text`` from ``start`` up to ``end`` with ``edits`` made; they lie within, in order, none in another."""
    pieces, done = [], start
    for first, past, instead in edits:
        pieces += [text[done:first], instead]
        done = past
    return "".join((*pieces, text[done:end]))


def moved(place: int, edits: Iterable[Edit]) -> int:
    """Return where the character at ``place`` is after the edits that end before it."""
    return place + sum(len(instead) - (past - first) for first, past, instead in edits if past <= place)
