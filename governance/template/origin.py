"""Text with marks → text without, and where each line of it comes from."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from governance.template.model import Piece
from governance.template.rewrite import MARK

_MARKED = re.compile(f"{MARK}([df]) (\\d+) (\\d+){MARK}")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text that one place of the template wrote.

    own:         whether it is the template's own text, so that its further lines are the template's further lines
    first, last: the template's lines, 1-based
    """

    text: str
    own: bool
    first: int
    last: int


def stretches(marked: str) -> tuple[Stretch, ...]:
    """Return ``marked`` cut at its marks."""
    # what no mark stands before is the first line's, if anything is
    parts = ["f", "1", "1", *_MARKED.split(marked)]
    cut = zip(*(parts[at::4] for at in range(4)), strict=True)
    return tuple(Stretch(text, kind == "d", int(first), int(last)) for kind, first, last, text in cut if text)


def with_text(made: Sequence[Stretch], at: int, text: str) -> tuple[Stretch, ...]:
    """Return ``made`` with ``text``, which has no line's end, put in before the character ``at``."""
    begins = 0
    for place, it in enumerate(made):
        if begins <= at < begins + len(it.text):
            inside = at - begins
            more = replace(it, text=f"{it.text[:inside]}{text}{it.text[inside:]}")
            return (*made[:place], more, *made[place + 1 :])
        begins += len(it.text)
    raise ValueError(f"the text has no character {at}")


def pieces(made: Iterable[Stretch]) -> tuple[Piece, ...]:
    """Return where each line of the text of ``made`` comes from, and each part of one that comes from elsewhere."""
    found: list[Piece] = []
    line, column = 1, 1
    for it in made:
        for further, text in enumerate(it.text.split("\n")):
            if further:
                line, column = line + 1, 1
            own = further if it.own else 0
            found.append(Piece(line, column, it.first + own, it.last + own))
            column += len(text)
    return tuple(_distinct(found))


def _distinct(found: Sequence[Piece]) -> Iterator[Piece]:
    """Leave out pieces that have no text, and those that only go on."""
    before: Piece | None = None
    for at, it in enumerate(found):
        nothing = at + 1 < len(found) and (found[at + 1].line, found[at + 1].column) == (it.line, it.column)
        goes_on = before and (before.line, before.first, before.last) == (it.line, it.first, it.last)
        if not nothing and not goes_on:
            before = it
            yield it


def origin(sql: str, made: Sequence[Piece]) -> tuple[int, ...]:
    """Return for each line of ``sql`` the template's line that its first word comes from."""
    by_line: dict[int, list[Piece]] = {}
    for it in made:
        by_line.setdefault(it.line, []).append(it)
    return tuple(
        _first(text, by_line[number]).first if number in by_line else 1
        for number, text in enumerate(sql.split("\n"), start=1)
    )


def _first(text: str, made: Sequence[Piece]) -> Piece:
    """Return the piece that has the first character of ``text`` which is no blank; the first one where all are."""
    indent = len(text) - len(text.lstrip())
    return next((it for it in reversed(made) if it.column - 1 <= indent < len(text)), made[0])
