"""What people see of lineage in Dagster: whole, linked, and safe from names that were not chosen kindly."""

import re

from governance.lineage.model import ColumnLineage, InputField, OutputField, Transformation
from platform_assets.assets.metadata import ROWS_SHOWN, column_lineage, fenced, field_table, row_table

HOSTILE = "<img src=x onerror=alert(1)>|](javascript:alert(1))`**"


def lineage(*fields: OutputField, rows: tuple[InputField, ...] = (), inputs: tuple[str, ...] = ()) -> ColumnLineage:
    return ColumnLineage("m.t", fields, rows, inputs)


def test_n14_only_direct_inputs_that_are_assets_are_dagsters_column_lineage() -> None:
    found = lineage(
        OutputField(
            "a",
            (
                InputField("s.t", "x", Transformation.IDENTITY),
                InputField("s.t", "x", Transformation.AGGREGATION),
                InputField("s.t", "y", Transformation.CONDITIONAL),
                InputField("elsewhere.t", "z", Transformation.IDENTITY),
            ),
        ),
        OutputField("b", ()),
    )
    deps = column_lineage(found, {"s.t"}).deps_by_column
    assert [(dep.asset_key.path, dep.column_name) for dep in deps["a"]] == [(["s", "t"], "x")]
    assert deps["b"] == []


def test_every_input_is_shown_with_its_type_and_where_it_comes_from() -> None:
    found = lineage(
        OutputField("a", (InputField("s.t", "x", Transformation.TRANSFORMATION, masking=True),)), OutputField("b", ())
    )
    assert field_table(found, {"s.t"}).splitlines()[2:] == [
        "| a | DIRECT TRANSFORMATION, masked | [s.t.x](/assets/s/t) |",
        "| b | from no column |  |",
    ]


def test_tables_read_for_no_column_are_named() -> None:
    found = lineage(
        OutputField("n", ()), rows=(InputField("s.t", "x", Transformation.FILTER),), inputs=("s.other", "s.t")
    )
    shown = row_table(found, {"s.t", "s.other"})
    assert "| INDIRECT FILTER | [s.t.x](/assets/s/t) |" in shown
    assert shown.endswith("for how many rows there are: [s.other](/assets/s/other)")
    assert row_table(lineage(), set()) == "none"


def test_hostile_names_stay_text() -> None:
    found = lineage(
        OutputField(HOSTILE, (InputField(f"s.{HOSTILE}\n| x", HOSTILE, Transformation.IDENTITY),)),
        rows=(InputField("s.a b/c?d", HOSTILE, Transformation.JOIN),),
    )
    shown = field_table(found, {f"s.{HOSTILE}\n| x"})
    assert "<img" not in shown
    assert len(shown.splitlines()) == 3
    assert [target[:8] for target in re.findall(r"(?<!\\)\]\((.{8})", shown)] == ["/assets/"]
    assert "(/assets/s/a%20b%2Fc%3Fd)" in row_table(found, {"s.a b/c?d"})


def test_a_long_table_says_what_it_leaves_out() -> None:
    found = lineage(*(OutputField(f"c{n}", ()) for n in range(ROWS_SHOWN + 7)))
    assert field_table(found, set()).endswith("and 7 more, which the COMPLETE event has")


def test_nothing_in_a_text_ends_its_block() -> None:
    text = "select 1 -- ```\n````\n<b>"
    assert fenced(text, "sql") == f"`````sql\n{text}\n`````"
