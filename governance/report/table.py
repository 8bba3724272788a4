"""Tables as text and as Markdown, safe for names that nobody chose kindly."""

import re
from collections.abc import Iterable, Sequence

Rows = Iterable[Sequence[str]]

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
MARKUP = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def plain(text: str) -> str:
    """Return ``text`` on one line, without terminal codes and without marks that reorder what is read."""
    return CONTROL.sub(" ", text).strip()


def markdown(text: str) -> str:
    """Return ``text`` so that Markdown shows it as it is: no markup, no HTML, no end of cell."""
    safe = MARKUP.sub(lambda match: f"\\{match[0]}", plain(text))
    return "".join(HTML.get(character, character) for character in safe)


def markdown_table(head: Sequence[str], rows: Rows) -> str:
    """Return a Markdown table; cells are escaped here, so they come in as plain text."""
    lines = [
        [markdown(cell) for cell in head],
        ["---"] * len(head),
        *([markdown(cell) for cell in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def text_table(head: Sequence[str], rows: Rows) -> str:
    """Return aligned columns, two spaces apart, the last one as long as it is."""
    lines = [head, *([plain(cell) for cell in row] for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
