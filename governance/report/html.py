"""Answers as one HTML page: no script, nothing fetched, every name as text, light and dark."""

from collections.abc import Iterable
from html import escape

from governance.report.page import Part
from governance.report.table import plain
from governance.report.tree import Line

OPEN = ("<ul>", '<ul class="tree">')

STYLE = """
:root{color-scheme:light dark;--ink:#1f2328;--soft:#59636e;--paper:#fff;--rule:#d0d7de;--value:#0969da;--rows:#9a5b00}
@media(prefers-color-scheme:dark){:root{
--ink:#e6edf3;--soft:#9198a1;--paper:#0d1117;--rule:#30363d;--value:#58a6ff;--rows:#e3a008}}
body{font:14px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
body{margin:2rem auto;max-width:80rem;padding:0 1rem}
table{border-collapse:collapse;margin:.5rem 0 1.5rem}
th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--rule)}
ul{list-style:none;padding-left:1.25rem;border-left:1px solid var(--rule);margin:0}
.tree{border:0;padding:0;margin-bottom:1.5rem}
code{font:13px ui-monospace,monospace;font-weight:600}.note,small{color:var(--soft)}
.value>code{color:var(--value)}.population>code,.rows>code{color:var(--rows)}.unknown>code{font-style:italic}
"""


def page_html(title: str, parts: Iterable[Part | tuple[Line, ...]]) -> str:
    """Return the whole page: paragraphs, tables under their titles, and trees."""
    body = "\n".join(map(_part, parts))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f'<meta name="viewport" content="width=device-width"><title>{_text(title)}</title>'
        f"<style>{STYLE}</style></head>\n<body><h1>{_text(title)}</h1>\n{body}\n</body></html>"
    )


def _part(part: Part | tuple[Line, ...]) -> str:
    if isinstance(part, str):
        return f"<p>{_text(part)}</p>"
    if isinstance(part, tuple):
        return _tree(part)
    heading = f"<h2>{_text(part.heading)}</h2>"
    if not part.rows:
        return heading
    head = "".join(f'<th scope="col">{_text(cell)}</th>' for cell in part.head)
    rows = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in part.rows)
    return f"{heading}\n<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _tree(lines: tuple[Line, ...]) -> str:
    """Return nested lists; a line is at most one deeper than the one before it."""
    found: list[str] = []
    deep = -1
    for line in lines:
        # an item stays open for what hangs below it, and is closed by the next one that does not
        found.append("</li></ul>" * (deep - line.depth))
        found.append("</li>" if line.depth <= deep else OPEN[deep < 0])
        found.append(f'<li class="{line.kind}"><code>{_text(line.name)}</code> {_note(line)}')
        deep = line.depth
    return "".join((*found, "</li></ul>" * (deep + 1)))


def _note(line: Line) -> str:
    detail = f" <small>{_text(line.detail)}</small>" if line.detail else ""
    return f'<span class="note">{_text(line.note)}</span>{detail}'


def _text(text: str) -> str:
    return escape(plain(text).encode("utf-8", "replace").decode())
