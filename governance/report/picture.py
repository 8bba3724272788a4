"""Column lineage as a picture of two sides: what is read at the left, what comes of it at the right.

A picture is a value that knows no drawing; ``svg`` draws it. Dagster's cells are narrow and keep every run's metadata,
so a picture is bounded: beyond ``COLUMNS`` columns the tables are folded, beyond ``BOXES`` tables the rest is counted.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from itertools import groupby

from governance.lineage.model import ColumnLineage, InputField

COLUMNS = 40
"""Columns drawn one by one; with more, each table becomes one box."""

BOXES = 30
"""Boxes of one side at the most."""

ROWS = "rows"
"""The port of a table for what decides which rows it has."""

ClassOf = Callable[[str, str], str | None]
"""Table and column → the class to show beside it, None for none."""


class Stroke(Enum):
    """How a wire is drawn: the value flows, it steers, or only rows come that way."""

    VALUE = "value"
    STEERS = "steers"
    ROWS = "rows"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a box: a column, with the class it carries."""

    name: str
    chip: str | None = None


@dataclass(frozen=True, slots=True)
class Box:
    """A table and the columns of it that matter here; ``ported`` boxes have a line for their rows first."""

    name: str
    rows: tuple[Row, ...]
    ported: bool = False


@dataclass(frozen=True, slots=True)
class Wire:
    """From a line of a left box to a line of a right one.

    source, target: (box, line); a line is a place in ``Box.rows``, None for the box itself or, at the right, its rows
    """

    source: tuple[int, int | None]
    target: tuple[int, int | None]
    stroke: Stroke
    masking: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """Two sides and the wires between; ``left_out`` counts the tables that found no place."""

    left: tuple[Box, ...]
    right: tuple[Box, ...]
    wires: tuple[Wire, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Link:
    """One dependency as a picture needs it; no field at a source means all of it, at a target its rows."""

    source: tuple[str, str | None]
    target: tuple[str, str | None]
    stroke: Stroke
    masking: bool = False


def lineage_picture(lineage: ColumnLineage, class_of: ClassOf) -> Picture:
    """Return the picture of one output: its inputs with the columns that it reads, and every column of its own."""
    output = lineage.output or "result"
    links = [*_field_links(output, lineage), *(_link(it, (output, None)) for it in lineage.dataset)]
    used = {link.source[0] for link in links}
    links += [Link((name, None), (output, None), Stroke.ROWS) for name in lineage.inputs if name not in used]
    return picture(links, class_of, {output: tuple(out.name for out in lineage.fields)})


def picture(links: Iterable[Link], class_of: ClassOf, columns: Mapping[str, tuple[str, ...]]) -> Picture:
    """Return the picture of ``links``; ``columns`` are the lines that a table at the right has in any case, in order.

    A table that reads itself stands on both sides.
    """
    drawn = tuple(links)
    if _lines(drawn, columns) > COLUMNS:
        drawn, columns = _folded(drawn, columns), dict.fromkeys(columns, ())
    right_names = tuple(dict.fromkeys((*columns, *(link.target[0] for link in drawn))))
    left_names = tuple(dict.fromkeys(link.source[0] for link in drawn))
    kept = [it for it in drawn if it.source[0] in left_names[:BOXES] and it.target[0] in right_names[:BOXES]]
    left = tuple(_box(name, _named(it.source for it in kept), (), class_of) for name in left_names[:BOXES])
    right = tuple(_box(name, _named(it.target for it in kept), columns, class_of) for name in right_names[:BOXES])
    return Picture(
        left=left,
        right=tuple(replace(box, ported=_ported(box, kept)) for box in right),
        wires=_wires(kept, left, right),
        left_out=max(0, len(left_names) - BOXES) + max(0, len(right_names) - BOXES),
    )


def _field_links(output: str, lineage: ColumnLineage) -> Iterable[Link]:
    return (_link(it, (output, out.name)) for out in lineage.fields for it in out.inputs)


def _link(used: InputField, target: tuple[str, str | None]) -> Link:
    stroke = Stroke.VALUE if used.transformation.direct else Stroke.STEERS
    return Link((used.dataset, used.field), target, stroke, used.masking)


def _lines(links: Iterable[Link], columns: Mapping[str, tuple[str, ...]]) -> int:
    own = {(name, column) for name, them in columns.items() for column in them}
    at_right = own | {link.target for link in links if link.target[1] is not None}
    return len(at_right) + len({link.source for link in links if link.source[1] is not None})


def _folded(links: Iterable[Link], columns: Mapping[str, tuple[str, ...]]) -> tuple[Link, ...]:
    """Return ``links`` table by table: one for the values and one for what steers, the counts in the lines' names."""
    of_source: dict[str, set[str]] = {}
    of_target = {name: set(them) for name, them in columns.items()}
    for link in links:
        of_source.setdefault(link.source[0], set()).update(filter(None, [link.source[1]]))
        of_target.setdefault(link.target[0], set()).update(filter(None, [link.target[1]]))

    def told(name: str, counted: Mapping[str, set[str]]) -> str | None:
        many = len(counted[name])
        return f"{many} column{'s' if many > 1 else ''}" if many else None

    found: dict[Link, bool] = {}
    for link in links:
        source = link.source[0], link.source[1] and told(link.source[0], of_source)
        target = link.target[0], link.target[1] and told(link.target[0], of_target)
        key = Link(source, target, link.stroke)
        found[key] = link.masking and found.get(key, True)
    return tuple(replace(link, masking=masking) for link, masking in found.items())


def _named(ends: Iterable[tuple[str, str | None]]) -> dict[str, tuple[str, ...]]:
    """Return the columns named at one side, by table, in order of mention."""
    ordered = sorted(dict.fromkeys((table, column) for table, column in ends if column is not None), key=_table)
    return {table: tuple(column for _, column in them) for table, them in groupby(ordered, key=_table)}


def _table(end: tuple[str, str]) -> str:
    return end[0]


def _box(
    name: str,
    named: Mapping[str, tuple[str, ...]],
    columns: Mapping[str, tuple[str, ...]] | tuple[()],
    class_of: ClassOf,
) -> Box:
    own = columns[name] if isinstance(columns, Mapping) and name in columns else ()
    lines = dict.fromkeys((*own, *named.get(name, ())))
    return Box(name, tuple(Row(line, class_of(name, line)) for line in lines))


def _ported(box: Box, links: Iterable[Link]) -> bool:
    return any(link.target == (box.name, None) for link in links)


def _wires(links: Iterable[Link], left: tuple[Box, ...], right: tuple[Box, ...]) -> tuple[Wire, ...]:
    at_left, at_right = _places(left), _places(right)
    found: dict[tuple[tuple[int, int | None], tuple[int, int | None], Stroke], bool] = {}
    for link in links:
        key = at_left[link.source], at_right[link.target], link.stroke
        # several transformations of one column are one wire, masked only if each of them is
        found[key] = link.masking and found.get(key, True)
    return tuple(Wire(source, target, stroke, masking) for (source, target, stroke), masking in found.items())


def _places(boxes: tuple[Box, ...]) -> dict[tuple[str, str | None], tuple[int, int | None]]:
    found: dict[tuple[str, str | None], tuple[int, int | None]] = {}
    for at, box in enumerate(boxes):
        found |= {(box.name, row.name): (at, line) for line, row in enumerate(box.rows)}
        found[box.name, None] = at, None
    return found
