"""No row is lost: what is in a file is read or rejected, whatever it is."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from governance.errors import LandingError
from governance.landing.model import FileColumn, FileSource, Format, Record
from platform_assets.engines.landing.lines import NO_DELIMITER
from platform_assets.engines.sql import quoted
from platform_assets.engines.xml import readable
from tests.engines.landed import columns_of, landed, read, source

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), max_size=6)
LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), max_size=20).filter(
    lambda it: NO_DELIMITER not in it
)
"""What is taken for a line of text: the one that DuckDB would part is none."""
NUMBER = st.integers(-(2**70), 2**70).map(str)
DATE = st.dates().map(lambda it: it.strftime("%d.%m.%Y"))
FIELD = st.one_of(
    TEXT, NUMBER, DATE, st.sampled_from(["1", "2.5", "2026-01-31", "31.12.2025", "", " ", "NULL", "nan", '"', "#"])
)
CSV = source(
    "a.csv",
    Format.CSV,
    {
        "n": "bigint",
        "t": "varchar",
        "d": "date",
        "e": FileColumn("", "date", format="%d.%m.%Y"),
    },
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT | DATE,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
OBJECT = st.one_of(VALUES, st.dictionaries(st.sampled_from(["n", "t", "e", "in", "x"]), VALUES))
JSON = {
    "n": "bigint",
    "t": "varchar",
    "e": FileColumn("", "date", format="%d.%m.%Y"),
    "i": FileColumn("", "double", path="in.x"),
}
RECORDS = (
    Record("h", "H", columns_of({"n": FileColumn("", "bigint", (2, 4)), "t": FileColumn("", "varchar", (5, 6))})),
    Record(
        "d", "D", columns_of({"n": FileColumn("", "bigint", (2, 3)), "u": FileColumn("", "date", (4, 11), "%Y%m%d")})
    ),
)
RECORD_LINE = st.one_of(LINE, st.tuples(st.sampled_from(["H", "D", "X", " H"]), LINE).map("".join))


def accounted(declared: FileSource, content: str, query: str = "") -> tuple[int, int]:
    """Return how many rows a file has by the view and by the outcome, and how many were rejected."""
    with TemporaryDirectory() as folder:
        landing = readable(landed(Path(folder), declared, {declared.name.partition("/")[2]: content}), Path(folder))
        rows, outcome = read(f"from {quoted(declared.name)}", landing)
        _, other = read(query or f"from {quoted(declared.name)} limit 1", landing)
    told, again = outcome[declared.name], other[declared.name]
    assert (again.rows, again.rejects) == (told.rows, told.rejects), "it depends on the query"
    assert len(rows) == told.rows, "the view has other rows than are counted"
    return told.rows, told.rejects.num_rows


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.lists(FIELD, min_size=2, max_size=5), max_size=12), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
)
def test_every_record_of_csv(records: Sequence[Sequence[str]], quoting: Any) -> None:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n", quoting=quoting)
    writer.writerows([["n", "t", "d", "e"], *records])
    read_, rejected = accounted(CSV, file.getvalue())
    assert read_ + rejected == len(records)


@settings(max_examples=15, deadline=None)
@given(st.lists(LINE, max_size=12), st.sampled_from(["\n", "\r\n"]), st.booleans())
@example(["\x01"], "\n", False)  # noqa: FBT003
def test_every_line_of_fixed_places(lines: Sequence[str], ending: str, ends: bool) -> None:  # noqa: FBT001
    columns = {"n": FileColumn("", "bigint", (1, 3)), "t": FileColumn("", "varchar", (4, 5))}
    content = ending.join(lines) + (ending if ends else "")
    read_, rejected = accounted(source("a.txt", Format.FIXED, columns), content)
    assert read_ + rejected == sum(line != "" for line in lines)


def of_kinds(declared: FileSource, content: str, query: str, whole: int) -> None:
    """Check that every one of ``whole`` rows is accounted for, or the file is refused for a kind of which none fits."""
    try:
        read_, rejected = accounted(declared, content, query)
    except LandingError as error:
        assert "none of its" in str(error)  # noqa: PT017  # it may be raised, and need not
    else:
        assert read_ + rejected == whole


@settings(max_examples=15, deadline=None)
@given(st.lists(RECORD_LINE, max_size=12))
@example(["D", "H00000"])
def test_every_line_of_several_kinds_of_record(lines: Sequence[str]) -> None:
    declared = source("p.txt", Format.FIXED, {}, record_type=(1, 1), records=RECORDS)
    of_kinds(declared, "\n".join(lines), "select * from 'landing/p.txt#d'", sum(line != "" for line in lines))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(FIELD.filter(lambda it: "\n" not in it), min_size=1, max_size=4), max_size=12))
def test_every_line_of_delimited_records(records: Sequence[Sequence[str]]) -> None:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n", delimiter=";").writerows(["HDX"[len(it) % 3], *it] for it in records)
    declared = source("p.csv", Format.CSV, {}, record_type=(1, 1), records=RECORDS, options={"delim": ";"})
    of_kinds(declared, file.getvalue(), "select * from 'landing/p.csv#h'", len(records))


@settings(max_examples=15, deadline=None)
@given(st.lists(OBJECT, max_size=8))
def test_every_value_of_json(values: Sequence[object]) -> None:
    declared = source("a.ndjson", Format.JSON, JSON, options={"format": "newline_delimited"})
    read_, rejected = accounted(declared, "\n".join(json.dumps(it, ensure_ascii=False) for it in values))
    assert read_ + rejected == len(values)
    read_, rejected = accounted(source("a.json", Format.JSON, JSON), json.dumps(values, ensure_ascii=False))
    assert read_ + rejected == len(values)
