"""Places shown in text: an error's line with a caret under the column, a piece of SQL with carets under its marks."""

from collections.abc import Sequence

from governance.errors import LineageError
from governance.lineage.model import Span

_SHOWN = 160
"""Longest piece of a line that is shown; a longer line is cut around the place."""


def caret(sql: str, error: LineageError) -> str:
    """Return the error's line of ``sql`` and a caret under its column, as far as it has them."""
    lines = sql.splitlines()
    if error.line is None or not 1 <= error.line <= len(lines):
        return ""
    text = lines[error.line - 1].replace("\t", " ")
    if error.column is None:
        return text[:_SHOWN]
    column = min(max(error.column, 1), len(text) + 1)
    start = max(0, column - 1 - _SHOWN // 2)
    return f"{text[start : start + _SHOWN]}\n{' ' * (column - 1 - start)}^"


def underlined(text: str, marks: Sequence[Span]) -> tuple[str, str]:
    """Return ``text``, which has one line, and the line under it with a caret under each character of ``marks``."""
    under = [" "] * len(text)
    for start, end in marks:
        under[start:end] = "^" * (end - start)
    return text.replace("\t", " "), "".join(under).rstrip()
