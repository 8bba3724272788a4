"""Which files are templates, and where the SQL of a text begins.

``x.sql.j2`` is a template. ``x.sql`` is one where Jinja's marks stand in it outside of SQL's comments: ``{{`` and a
name, ``{% word`` or ``{# … #}``. A struct of DuckDB is none of them: ``{'a': 1}`` and ``{a: {b: 1}}`` have no two
opening braces together, and in ``map {{a: 1}: 2}`` a colon follows the name. In a SQL string only calls of ``ref``,
``source``, ``var`` and ``config`` count, so that text with braces stays text. A file that is taken for a template and
is none writes ``{ {`` in place of ``{{``.
"""

import re
from collections.abc import Iterator

TEMPLATE = ".sql.j2"

OPENS = re.compile(r"\{[{%#]")
"""Without one of them no mark is in a text, which is then not looked through word by word."""

_SKIPPED = r"--[^\n]*|/\*.*?(?:\*/|\Z)"
_QUOTED = r"""'(?:[^']|'')*(?:'|\Z)|"(?:[^"]|"")*(?:"|\Z)|\$\$.*?(?:\$\$|\Z)"""
_MARK = r"\{\{[-+]?\s*[A-Za-z_]\w*(?!\w|\s*:)|\{%[-+]?\s*[A-Za-z_]"
_SEEN = re.compile(f"(?P<skipped>{_SKIPPED})|(?P<quoted>{_QUOTED})|(?P<mark>{_MARK})|(?P<comment>{{#)", re.DOTALL)
_CALL = re.compile(r"\{\{[-+]?\s*(?:ref|source|var|config)\s*\(")
_WORD = re.compile(rf"(?P<skipped>{_SKIPPED}|\s+)|(?P<quoted>{_QUOTED})|(?P<word>\w+)|(?P<other>.)", re.DOTALL)


def is_template(name: str, text: str) -> bool:
    """Whether the file called ``name`` with ``text`` is rendered before it is read."""
    if name.endswith(TEMPLATE):
        return True
    if OPENS.search(text) is None:
        return False
    closed = text.rfind("#}")
    return any(
        found.lastgroup == "mark"
        or (found.lastgroup == "quoted" and _CALL.search(found[0]))
        or (found.lastgroup == "comment" and found.start() < closed)
        for found in _SEEN.finditer(text)
    )


def heads(sql: str) -> Iterator[tuple[int, str]]:
    """Yield where each statement of ``sql`` begins, with its first word in lower case; empty where that is no word."""
    begun = False
    for found in _WORD.finditer(sql):
        if found.lastgroup == "skipped":
            continue
        if found[0] == ";":
            begun = False
        elif not begun:
            begun = True
            yield found.start(), found[0].lower() if found.lastgroup == "word" else ""
