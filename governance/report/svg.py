"""Picture → SVG, to stand as an image in a narrow cell: no script, no link, no font of its own, light and dark.

Names are text of XML elements, so no name can become markup. Sizes are in CSS pixels.
"""

import base64
import re
from collections.abc import Iterator
from unicodedata import east_asian_width
from xml.etree import ElementTree as ET

from governance.report.picture import ROWS, Box, Picture, Stroke, Wire
from governance.report.table import plain

WIDTH = 430
"""The width of a metadata cell in Dagster's UI (seen on 1.13.27)."""

BOX, GAP, LINE, MARGIN = 174, 66, 18, 8
CHARACTER, SMALL = 6.1, 5.0
"""Widths of a character of names and of chips: a little more than the fonts need."""

STYLE = """
text{font:10px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328}
.sheet{fill:#fff;stroke:#d0d7de}.box{fill:#f6f8fa;stroke:#8c959f}.name{font-weight:600}
.port,.note{fill:#59636e;font-style:italic}.chip{fill:#ddf4ff;stroke:#54aeff}.class{font-size:8.5px;fill:#0a3069}
path{fill:none;stroke-width:1.2}.value{stroke:#0969da}.steers{stroke:#9a5b00;stroke-dasharray:4 3}
.rows{stroke:#59636e;stroke-dasharray:1 3}.end{stroke:none;fill:#59636e}.mask{fill:#fff;stroke:#0969da}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.sheet{fill:#0d1117;stroke:#30363d}.box{fill:#161b22;stroke:#6e7681}
.port,.note{fill:#9198a1}.chip{fill:#0c2d6b;stroke:#388bfd}.class{fill:#cae8ff}.value{stroke:#58a6ff}
.steers{stroke:#e3a008}.rows{stroke:#9198a1}.end{fill:#9198a1}.mask{fill:#0d1117;stroke:#58a6ff}}
"""

LEGEND = {Stroke.VALUE: "value", Stroke.STEERS: "steers", Stroke.ROWS: "only rows"}

_UNFIT = re.compile(r"[\ud800-\udfff\ufffe\uffff]")
"""What XML cannot hold beside the control characters that ``plain`` takes out."""

_MARKUP = re.compile(r"[^\w .,-]")


def svg(picture: Picture, title: str) -> str:
    """Return ``picture`` as an SVG document, named ``title`` for who does not see it."""
    tops = {side: _tops(boxes) for side, boxes in (("left", picture.left), ("right", picture.right))}
    height = max(_bottom(picture.left), _bottom(picture.right)) + 2 * LINE
    root = ET.Element(
        "svg",
        {"xmlns": "http://www.w3.org/2000/svg", "width": str(WIDTH), "height": str(height), "role": "img"},
        viewBox=f"0 0 {WIDTH} {height}",
    )
    _add(root, "title").text = _fit(title)
    _add(root, "style").text = STYLE.replace("\n", "")
    _add(root, "rect", {"class": "sheet"}, x="0.5", y="0.5", width=WIDTH - 1, height=height - 1, rx=6)
    for wire in picture.wires:
        _draw_wire(root, wire, picture, tops)
    for boxes, x, side in ((picture.left, MARGIN, "left"), (picture.right, WIDTH - MARGIN - BOX, "right")):
        for box, top in zip(boxes, tops[side], strict=True):
            _draw_box(root, box, x, top)
    _draw_legend(root, picture, height)
    return ET.tostring(root, encoding="unicode")


def markdown_image(picture: Picture, title: str) -> str:
    """Return ``picture`` as a Markdown image that carries its own bytes, as Dagster's UI shows it."""
    data = base64.b64encode(svg(picture, title).encode()).decode()
    return f"![{_MARKUP.sub(' ', plain(title))}](data:image/svg+xml;base64,{data})"


def _tops(boxes: tuple[Box, ...]) -> tuple[int, ...]:
    tops, y = [], MARGIN
    for box in boxes:
        tops.append(y)
        y += _height(box) + MARGIN
    return tuple(tops)


def _bottom(boxes: tuple[Box, ...]) -> int:
    return MARGIN + sum(_height(box) + MARGIN for box in boxes)


def _height(box: Box) -> int:
    return LINE * (1 + box.ported + len(box.rows)) + 4


def _line(box: Box, top: int, line: int | None) -> float:
    """Return the middle of a line; None is the line of the rows, where the box has one, else its head."""
    below = box.ported if line is None else 1 + box.ported + line
    return top + LINE * (below + 0.5) + 1


def _draw_box(root: ET.Element, box: Box, x: int, top: int) -> None:
    _add(root, "rect", {"class": "box"}, x=x, y=top, width=BOX, height=_height(box), rx=4)
    _write(root, "name", x + 6, top + 13, _cut(box.name, BOX - 12, CHARACTER))
    if box.ported:
        _write(root, "port", x + 6, _line(box, top, None) + 4, ROWS)
    for at, row in enumerate(box.rows):
        y = _line(box, top, at) + 4
        room = BOX - 12
        if row.chip:
            shown = _cut(row.chip, BOX * 0.45, SMALL)
            width = _wide(shown) * SMALL + 9
            room -= int(width) + 4
            at_x = x + BOX - width - 5
            _add(root, "rect", {"class": "chip"}, x=round(at_x, 1), y=y - 10, width=round(width, 1), height=13, rx=6)
            _write(root, "class", at_x + 4.5, y - 0.5, shown)
        _write(root, "column", x + 6, y, _cut(row.name, room, CHARACTER))


def _draw_wire(root: ET.Element, wire: Wire, picture: Picture, tops: dict[str, tuple[int, ...]]) -> None:
    (left, out), (right, into) = wire.source, wire.target
    x1, x2 = MARGIN + BOX, WIDTH - MARGIN - BOX
    y1 = _line(picture.left[left], tops["left"][left], out)
    y2 = _line(picture.right[right], tops["right"][right], into)
    bend = GAP * 0.55
    path = f"M{x1} {y1:g}C{x1 + bend:g} {y1:g} {x2 - bend:g} {y2:g} {x2 - 5} {y2:g}"
    _add(root, "path", {"class": wire.stroke.value}, d=path)
    _add(root, "path", {"class": "end"}, d=f"M{x2} {y2:g}l-6 -3v6z")
    if wire.masking:
        _add(root, "circle", {"class": "mask"}, cx=x2 - 11, cy=f"{y2:g}", r=3)


def _draw_legend(root: ET.Element, picture: Picture, height: int) -> None:
    """Draw what the strokes mean, only those that occur, and how many tables found no place."""
    x, y = MARGIN + 2, height - LINE + 4
    present = {wire.stroke for wire in picture.wires}
    for stroke in (it for it in LEGEND if it in present):
        _add(root, "path", {"class": stroke.value}, d=f"M{x} {y - 3}h20")
        _write(root, "note", x + 25, y, LEGEND[stroke])
        x += int(37 + _wide(LEGEND[stroke]) * CHARACTER)
    if any(wire.masking for wire in picture.wires):
        _add(root, "circle", {"class": "mask"}, cx=x + 4, cy=y - 3, r=3)
        _write(root, "note", x + 12, y, "masked")
        x += 60
    if picture.left_out:
        _write(root, "note", x, y, f"{picture.left_out} more tables")


def _write(root: ET.Element, style: str, x: float, y: float, text: str) -> None:
    _add(root, "text", {"class": style}, x=round(x, 1), y=round(y, 1)).text = text


def _add(parent: ET.Element, tag: str, attributes: dict[str, str] | None = None, **more: str | float) -> ET.Element:
    return ET.SubElement(parent, tag, {**(attributes or {}), **{name: str(value) for name, value in more.items()}})


def _cut(text: str, room: float, character: float) -> str:
    """Return as much of ``text`` as fits into ``room`` pixels, with … where something is cut."""
    whole = _fit(text)
    if _wide(whole) * character <= room:
        return whole
    kept, width = [], character
    for letter, wide in _widths(whole):
        width += wide * character
        if width > room:
            break
        kept.append(letter)
    return "".join(kept) + "…"


def _fit(text: str) -> str:
    return _UNFIT.sub("\ufffd", plain(text))


def _wide(text: str) -> int:
    return sum(wide for _, wide in _widths(text))


def _widths(text: str) -> Iterator[tuple[str, int]]:
    return ((letter, 2 if east_asian_width(letter) in "WF" else 1) for letter in text)
