"""Pictures: what stands where, how much of it is drawn, and that no name becomes anything but text."""

import base64
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from governance.lineage.model import ColumnLineage, InputField, OutputField, Transformation
from governance.report.picture import BOXES, Link, Picture, Stroke, lineage_picture, picture
from governance.report.svg import WIDTH, markdown_image, svg

HOSTILE = ("<img src=x onerror=alert(1)>", "a\"b'c&d", "\u202egnp.exe", "x" * 300, "\ud800 half", "表の列", "rows", "")


def used(name: str, kind: Transformation = Transformation.IDENTITY, *, masking: bool = False) -> InputField:
    table, _, column = name.rpartition(".")
    return InputField(table, column, kind, masking)


def unclassed(_table: str, _column: str) -> None:
    return None


AUDIENCE = ColumnLineage(
    output="mart.people",
    fields=(
        OutputField("id", (used("crm.people.id"),)),
        OutputField("hashed", (used("crm.people.email", Transformation.TRANSFORMATION, masking=True),)),
        OutputField("many", ()),
    ),
    dataset=(used("crm.people.consent", Transformation.FILTER),),
    inputs=("crm.people", "shop.orders"),
)


def ends(drawn: Picture) -> list[tuple[str, str, str, bool]]:
    def name(boxes: Any, end: tuple[int, int | None]) -> str:
        box = boxes[end[0]]
        return box.name if end[1] is None else f"{box.name}.{box.rows[end[1]].name}"

    return [
        (name(drawn.left, it.source), name(drawn.right, it.target), it.stroke.value, it.masking) for it in drawn.wires
    ]


def test_values_steer_and_rows_are_told_apart() -> None:
    assert ends(lineage_picture(AUDIENCE, unclassed)) == [
        ("crm.people.id", "mart.people.id", "value", False),
        ("crm.people.email", "mart.people.hashed", "value", True),
        ("crm.people.consent", "mart.people", "steers", False),
        ("shop.orders", "mart.people", "rows", False),
    ]


def test_every_column_of_the_output_stands_there_and_only_read_ones_of_the_inputs() -> None:
    drawn = lineage_picture(AUDIENCE, unclassed)
    assert [row.name for row in drawn.right[0].rows] == ["id", "hashed", "many"]
    assert drawn.right[0].ported
    assert [[row.name for row in box.rows] for box in drawn.left] == [["id", "email", "consent"], []]


def test_classes_stand_beside_their_columns() -> None:
    classes = {("crm.people", "email"): "personal"}
    drawn = lineage_picture(AUDIENCE, lambda table, column: classes.get((table, column)))
    assert [row.chip for row in drawn.left[0].rows] == [None, "personal", None]
    assert ">personal<" in svg(drawn, "t")


def test_several_uses_of_one_column_are_one_wire_masked_only_if_each_is() -> None:
    both = ColumnLineage(
        "m.t",
        (
            OutputField(
                "a",
                (used("s.t.x"), used("s.t.x", Transformation.AGGREGATION, masking=True)),
            ),
        ),
        (),
        ("s.t",),
    )
    assert ends(lineage_picture(both, unclassed)) == [("s.t.x", "m.t.a", "value", False)]


def test_a_table_that_reads_itself_stands_on_both_sides() -> None:
    itself = ColumnLineage("m.t", (OutputField("a", (used("m.t.a"),)),), (), ("m.t",))
    assert ends(lineage_picture(itself, unclassed)) == [("m.t.a", "m.t.a", "value", False)]


def test_beyond_forty_columns_tables_are_folded() -> None:
    fields = tuple(OutputField(f"c{n}", (used(f"s.t{n % 3}.c{n}"),)) for n in range(60))
    wide = ColumnLineage("m.t", fields, (used("s.t0.k", Transformation.FILTER),), ("s.t0", "s.t1", "s.t2"))
    assert ends(lineage_picture(wide, unclassed)) == [
        ("s.t0.21 columns", "m.t.60 columns", "value", False),
        ("s.t1.20 columns", "m.t.60 columns", "value", False),
        ("s.t2.20 columns", "m.t.60 columns", "value", False),
        ("s.t0.21 columns", "m.t", "steers", False),
    ]


def test_it_stays_small_whatever_it_shows_and_says_what_it_leaves_out() -> None:
    links = [
        Link((f"s{n}.{'x' * 300}", f"{'é' * 300}{m}"), ("m.t", f"c{m}"), Stroke.VALUE)
        for n in range(1000)
        for m in (1, 2)
    ]
    drawn = picture(links, unclassed, {})
    assert drawn.left_out == 1000 - BOXES
    shown = markdown_image(drawn, "t" * 200)
    assert len(shown) < 100_000
    assert "970 more tables" in svg(drawn, "t")


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_text(name: str) -> None:
    lineage = ColumnLineage(
        f"m.{name}", (OutputField(name, (InputField(f"s.{name}", name, Transformation.IDENTITY),)),), (), ()
    )
    drawn = lineage_picture(lineage, lambda _table, _column: name)
    image = markdown_image(drawn, name)
    alt, _, data = image.partition("](data:image/svg+xml;base64,")
    assert not set("[]()<>\"'\n") & set(alt.removeprefix("!["))
    root = ET.fromstring(base64.b64decode(data.removesuffix(")")))  # noqa: S314  what we wrote ourselves
    kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert kinds <= {"svg", "title", "style", "rect", "path", "circle", "text"}
    assert "\u202e" not in svg(drawn, name)


def test_nothing_is_written_outside_the_sheet() -> None:
    drawn = lineage_picture(AUDIENCE, lambda _table, _column: "restricted-and-long")
    root = ET.fromstring(svg(drawn, "t"))  # noqa: S314  what we wrote ourselves
    height = float(root.attrib["height"])
    for rect in root.iter("{http://www.w3.org/2000/svg}rect"):
        assert float(rect.attrib["x"]) + float(rect.attrib["width"]) <= WIDTH
        assert float(rect.attrib["y"]) + float(rect.attrib["height"]) <= height
