from datetime import date
from pathlib import Path

from governance.landing.model import FileColumn, Format, Record
from tests.engines.landed import columns_of, landed, read, source, told

FIXED = {
    "id": FileColumn("", "bigint", (1, 4)),
    "name": FileColumn("", "varchar", (5, 9)),
    "day": FileColumn("", "date", (10, 17), "%Y%m%d"),
}
LINES = "  12Ärger20260131\n  13     20260131\nx 14 abc 20260131\n  15 abc 2026\n\n  16  é  20261331\n"
FIT = [(12, "Ärger", date(2026, 1, 31)), (13, None, date(2026, 1, 31))]
RECORDS = (
    Record(
        "header",
        "H",
        columns_of({"batch": FileColumn("", "bigint", (2, 5)), "day": FileColumn("", "date", (6, 13), "%Y%m%d")}),
    ),
    Record(
        "detail",
        "D",
        columns_of({"batch": FileColumn("", "bigint", (2, 5)), "cents": FileColumn("", "bigint", (6, 9))}),
        "header",
        "batch",
    ),
    Record("trailer", "T", columns_of({"n": FileColumn("", "integer", (2, 3))})),
)
BATCH = "H000120260101\nD00010100\nD000100z0\nX0001\nD0001\nT 2\nHxxxx20260101\n"


def test_columns_at_fixed_places_are_characters(tmp_path: Path) -> None:
    for ending in ("\n", "\r\n"):
        landing = landed(tmp_path, source("a.txt", Format.FIXED, FIXED), {"a.txt": LINES.replace("\n", ending)})
        rows, outcome = read("from 'landing/a.txt'", landing)
        assert rows == FIT
        rejects = told(outcome["landing/a.txt"])
        assert [(line, column) for _, line, column, *_ in rejects] == [(3, "id"), (4, None), (6, "day")]
        assert rejects[0][3:] == ("Could not convert string \"x 14\" to 'BIGINT'", "x 14 abc 20260131")
        assert rejects[1][3].startswith("the line ends after 13 characters, its columns after 17")
        assert rejects[2][3] == 'Could not parse string "20261331" according to format specifier "%Y%m%d"'


def test_what_stands_after_the_last_place_is_not_lost(tmp_path: Path) -> None:
    good = LINES.splitlines()[0].ljust(17)
    content = f"{good}\n{good}   \n{good}X\n{good}  more\n"
    landing = landed(tmp_path, source("a.txt", Format.FIXED, FIXED), {"a.txt": content})
    rows, outcome = read("from 'landing/a.txt'", landing)
    assert len(rows) == 2
    reason = "the line goes on after character 17, where its columns end"
    assert [(it[1], it[3]) for it in told(outcome["landing/a.txt"])] == [(3, reason), (4, reason)]


def test_lines_of_another_encoding_and_lines_to_be_skipped(tmp_path: Path) -> None:
    declared = source("a.txt", Format.FIXED, FIXED, options={"skip": 1, "encoding": "latin-1", "nullstr": "x 14"})
    landing = landed(tmp_path, declared, {"a.txt": ("TITLE\n" + LINES).encode("latin-1")})
    rows, outcome = read("from 'landing/a.txt'", landing)
    assert rows == [*FIT, (None, "abc", date(2026, 1, 31))]
    assert [it[1] for it in told(outcome["landing/a.txt"])] == [5, 7]


def test_lines_that_are_no_text_keep_the_numbers_of_the_others(tmp_path: Path) -> None:
    landing = landed(
        tmp_path, source("a.txt", Format.FIXED, FIXED), {"a.txt": b"\xff\xfe\n" + LINES.encode() + b"\xff\n"}
    )
    rows, outcome = read("from 'landing/a.txt'", landing)
    assert rows == FIT
    assert [it[1] for it in told(outcome["landing/a.txt"])] == [1, 4, 5, 7, 8]


def test_several_kinds_of_record_are_one_relation_and_one_each(tmp_path: Path) -> None:
    declared = source("p.txt", Format.FIXED, {}, record_type=(1, 1), records=RECORDS, filename="file")
    landing = landed(tmp_path, declared, {"p.txt": BATCH})
    day, file = date(2026, 1, 1), "landing/p.txt"
    rows, outcome = read("from 'landing/p.txt'", landing)
    assert rows == [
        ("H", file, 1, day, None, None),
        ("D", file, 1, None, 100, None),
        ("T", file, None, None, None, 2),
    ]
    rejects = told(outcome["landing/p.txt"])
    assert [(line, column) for _, line, column, *_ in rejects] == [
        (3, "cents"),
        (4, "record_type"),
        (5, None),
        (7, "batch"),
    ]
    assert rejects[1][3] == "no kind of record has the value X"
    rows, again = read("from 'landing/p.txt#detail'", landing)
    assert rows == [(1, 100, file)]
    assert told(again["landing/p.txt"]) == rejects
    assert again["landing/p.txt"].rows == 3
    rows, _ = read(
        "select h.day, d.cents from 'landing/p.txt#header' h join 'landing/p.txt#detail' d using (batch)", landing
    )
    assert rows == [(day, 100)]


def test_delimited_records_are_told_by_their_first_field(tmp_path: Path) -> None:
    records = (
        Record("header", "H", columns_of({"batch": "bigint", "name": "varchar"})),
        Record(
            "item",
            "R",
            columns_of({"batch": "bigint", "day": FileColumn("", "date", format="%d.%m.%Y"), "note": "varchar"}),
        ),
    )
    declared = source(
        "r.csv",
        Format.CSV,
        {},
        record_type=(1, 1),
        records=records,
        options={"delim": "|", "header": False, "comment": "#"},
    )
    content = (
        'H|1|"a|b ""c"""\nR|1|31.12.2025|\n#R|1\n"R"|2|x|n\nR|3|01.01.2026\nH|1|"open\nQ|1\n'
        'R|4|01.01.2026|a|b\nH|5|a"b\n'
    )
    landing = landed(tmp_path, declared, {"r.csv": content})
    rows, outcome = read("from 'landing/r.csv'", landing)
    assert rows == [("H", 1, 'a|b "c"', None, None), ("R", 1, None, date(2025, 12, 31), None)]
    rejects = told(outcome["landing/r.csv"])
    assert [(line, column) for _, line, column, *_ in rejects] == [
        (4, "day"),
        (5, None),
        (6, None),
        (7, "record_type"),
        (8, None),
        (9, None),
    ]
    assert rejects[1][3] == "Expected Number of Columns: 4 Found: 3"
    assert rejects[2][3] == "Value with unterminated quote found."
    rows, _ = read("from 'landing/r.csv#item'", landing)
    assert rows == [(1, date(2025, 12, 31), None)]


def test_no_line_is_no_row(tmp_path: Path) -> None:
    for content in ("", "\n", "\ufeff"):
        landing = landed(tmp_path, source("a.txt", Format.FIXED, FIXED), {"a.txt": content})
        rows, outcome = read("from 'landing/a.txt'", landing)
        assert (rows, outcome["landing/a.txt"].rows, told(outcome["landing/a.txt"])) == ([], 0, [])
    rows, _ = read("from 'landing/a.txt'", landed(tmp_path, source("a.txt", Format.FIXED, FIXED), {}))
    assert rows == []
