import gzip
import json
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from governance.landing.model import FileColumn, FileSource, Format, Record, Section
from platform_assets.engines.shape import ShapeChanged, check_shape, require_few
from tests.engines.landed import columns_of, landed, read, source

CSV = source("o/*.csv", Format.CSV, {"id": "bigint", "amount": "decimal(10, 2)", "Day": "date"})
JSON = source("o/*.json", Format.JSON, {"id": "bigint", "city": FileColumn("", "varchar", path="to.city")})
PARQUET = source("o/*.parquet", Format.PARQUET, {"id": "bigint", "amount": "decimal(10, 2)"})
FIXED = source(
    "o/*.txt", Format.FIXED, {"id": FileColumn("", "bigint", (1, 4)), "name": FileColumn("", "varchar", (5, 9))}
)
DOCUMENT = source(
    "o/*.json",
    Format.JSON,
    {"id": "bigint"},
    rows="body.rows",
    sections=(Section("head", columns_of({"n": FileColumn("", "integer", path="head.n")})),),
)


def problem(folder: Path, declared: FileSource, content: bytes | str, name: str = "o/1") -> str | None:
    """Return what is wrong with a file."""
    ending = declared.name.rpartition(".")[2]
    landing = landed(folder, declared, {f"{name}.{ending}": content})
    with duckdb.connect() as connection:
        try:
            check_shape(connection, landing)
        except ShapeChanged as error:
            said = error
        else:
            return None
    # sniff is named where it can help
    helps = declared.format is not Format.FIXED and not declared.rows and "more than once" not in said.problem
    assert ("headwater sniff" in said.fix) == helps
    assert str(folder) not in str(said)
    return said.problem


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("id,amount,day\n1,2,2026-01-01\n", None),
        ('\ufeff"ID", Amount ,day\r\n', None),
        ("id,day\n", "column amount is missing"),
        ("id,amount,day,x,y\n", "columns x, y are not declared"),
        ("id,sum,day\n", "column amount is missing; column sum is not declared"),
        ("id,day,amount\n", "the columns stand in another order: id, day, amount, and declared are id, amount, Day"),
        ("id,amount,day,id\n", "column id is there more than once"),
        ("id;amount;day\n", "columns id, amount, Day are missing; column id;amount;day is not declared"),
    ],
)
def test_the_header_of_csv(tmp_path: Path, content: str, told: str | None) -> None:
    assert problem(tmp_path, CSV, content) == (told and f"landing/o/1.csv: {told}")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("id,amount,day,\n", "column 4 has no name in its header"),
        ("id,,day,\n", "columns 2, 4 have no name in its header"),
        ("id,amount,day,ID\n", "columns id, ID are there more than once"),
    ],
)
def test_a_header_that_does_not_name_each_column_once_needs_names_of_ones_own(
    tmp_path: Path, content: str, told: str
) -> None:
    landing = landed(tmp_path, CSV, {"o/1.csv": content})
    with duckdb.connect() as connection, pytest.raises(ShapeChanged) as caught:
        check_shape(connection, landing)
    assert caught.value.problem == f"landing/o/1.csv: {told}"
    assert "header = false, skip = 1" in caught.value.fix


def test_one_file_of_several_that_is_another_is_declared_apart(tmp_path: Path) -> None:
    landing = landed(tmp_path, CSV, {"o/1.csv": "id,amount,day\n", "o/2.csv": "id,day,amount\n"})
    with duckdb.connect() as connection, pytest.raises(ShapeChanged) as caught:
        check_shape(connection, landing)
    assert caught.value.problem.startswith("landing/o/2.csv: the columns stand in another order")
    assert caught.value.fix == (
        'mend the file, or declare files of another shape apart from ["landing/o/*.csv"] in sources.toml'
    )


@pytest.mark.parametrize(
    ("declared", "content", "told"),
    [
        (CSV, "", "it has no header line"),
        (CSV, "\ufeff", "it has no header line"),
        (replace(CSV, options={"comment": "#"}), "# nothing yet\n", "it has no header line"),
        (replace(CSV, options={"header": False}), "", None),
        (replace(CSV, columns=(), records=(Record("h", "H", CSV.columns),)), "", None),
        (JSON, "", "it is empty"),
        (JSON, "\ufeff", "it is empty"),
        (JSON, "[]", None),
        (replace(JSON, options={"format": "newline_delimited"}), "", None),
        (DOCUMENT, "", "it is empty"),
        (PARQUET, "", "it is empty"),
        (FIXED, "", None),
    ],
)
def test_a_file_in_which_there_is_nothing_is_no_whole_one(
    tmp_path: Path, declared: FileSource, content: str, told: str | None
) -> None:
    ending = declared.name.rpartition(".")[2]
    assert problem(tmp_path, declared, content) == (told and f"landing/o/1.{ending}: {told}")


def test_csv_without_header_has_so_many_fields(tmp_path: Path) -> None:
    declared = source("o/*.csv", Format.CSV, {"a": "bigint", "b": "varchar"}, options={"header": False, "delim": ";"})
    assert problem(tmp_path, declared, '1;"x\n;y"\n') is None
    found = problem(tmp_path, declared, "1;2;3\n")
    assert found == "landing/o/1.csv: its lines have 3 fields, and 2 columns are declared"


def test_the_header_stands_after_what_is_skipped(tmp_path: Path) -> None:
    options = {"header": True, "skip": 1, "comment": "#", "encoding": "utf-16", "delim": "||"}
    declared = source("o/*.csv", Format.CSV, {"a": "bigint", "b": "varchar"}, options=options)
    assert problem(tmp_path, declared, "title\n# note\na||b\n1||2\n".encode("utf-16")) is None


def test_the_keys_of_json(tmp_path: Path) -> None:
    assert problem(tmp_path, JSON, '{"id": 1}\n{"to": {"city": 1, "zip": 2}}\n') is None
    found = problem(tmp_path, JSON, '[{"id": 1, "extra": 2}, {"id": 2, "more": 1}]')
    assert found == "landing/o/1.json: column to is missing; columns extra, more are not declared"


def test_a_document_without_its_rows_or_with_another_section(tmp_path: Path) -> None:
    good = {"head": {"n": 1}, "body": {"rows": [{"id": 1}]}}
    for content, told in (
        (good, None),
        ({**good, "body": {}}, "it has no array at body.rows"),
        ({**good, "head": {}}, "column $doc.head.n is missing"),
        ({**good, "head": {"n": "x"}}, "$doc.head.n: Could not convert string *** to 'INTEGER'"),
        ({**good, "head": {"n": None}}, None),
        ({**good, "body": {"rows": [{"key": 1}]}}, "column id is missing; column key is not declared"),
    ):
        assert problem(tmp_path, DOCUMENT, json.dumps(content)) == (told and f"landing/o/1.json: {told}")


def parquet(folder: Path, select: str) -> bytes:
    duckdb.execute(f"copy ({select}) to '{folder}/made.parquet'")
    return (folder / "made.parquet").read_bytes()


def test_the_columns_of_parquet(tmp_path: Path) -> None:
    for select, told in (
        ("select 1.5::decimal(10, 2) as amount, 1::integer as id", None),
        ("select 1::tinyint as amount, 1::utinyint as ID", None),
        ("select 1::integer as id, 1::integer as amount", "column amount is integer, and decimal(10, 2) is declared"),
        ("select 'x' as id, 1 as amount", "column id is varchar, and bigint is declared"),
        ("select 1 as id, 1 as b", "column amount is missing; column b is not declared"),
    ):
        found = problem(tmp_path, PARQUET, parquet(tmp_path, select))
        assert (found is None) if told is None else (f"landing/o/1.parquet: {told}" in str(found))


def test_parquet_that_widens_is_read(tmp_path: Path) -> None:
    content = parquet(tmp_path, "select 1::tinyint as amount, 1::utinyint as ID")
    rows, outcome = read("from 'landing/o/*.parquet'", landed(tmp_path, PARQUET, {"o/1.parquet": content}))
    assert rows == [(1, 1)]
    assert outcome["landing/o/*.parquet"].rows == 1


def test_lines_that_are_all_too_short(tmp_path: Path) -> None:
    assert problem(tmp_path, FIXED, "   1\n   2   b \n") is None
    found = problem(tmp_path, FIXED, "   1\n   2\n")
    assert found == "landing/o/1.txt: its lines have 4 characters, beyond which column name is declared"


def test_no_row_of_a_file_fits(tmp_path: Path) -> None:
    files = {"o/1.csv": "id,amount,day\n1,2,2026-01-01\n", "o/2.csv": 'id,amount,day\n1,"2,5",2026-01-01\n2,"3,0",\n'}
    landing = landed(tmp_path, CSV, files)
    _, outcome = read("from 'landing/o/*.csv'", landing)
    with pytest.raises(ShapeChanged) as raised:
        require_few(landing, outcome["landing/o/*.csv"])
    assert raised.value.problem.startswith("landing/o/2.csv: none of its 2 rows fits: amount (2): ")
    assert 'Could not convert string "2,5"' in raised.value.problem


def test_so_many_rows_may_be_rejected(tmp_path: Path) -> None:
    content = "id,amount,day\n1,2,2026-01-01\nx,2,\ny,2,\n1,2,,4\n"
    for most, told in ((None, None), (3, None), (2, "3 rows do not fit, max_rejects allows 2: id (2): ")):
        declared = source("o.csv", Format.CSV, {"id": "bigint", "amount": "double", "day": "date"}, max_rejects=most)
        landing = landed(tmp_path, declared, {"o.csv": content})
        _, outcome = read("from 'landing/o.csv'", landing)
        if told is None:
            require_few(landing, outcome["landing/o.csv"])
        else:
            with pytest.raises(ShapeChanged) as raised:
                require_few(landing, outcome["landing/o.csv"])
            assert told in raised.value.problem
            assert "the row as a whole (1): Expected Number of Columns" in raised.value.problem


def test_no_line_of_a_compressed_file_fits(tmp_path: Path) -> None:
    records = (Record("a", "A", columns_of({"n": FileColumn("", "bigint", (2, 3))})),)
    declared = source("p.txt.gz", Format.FIXED, {}, record_type=(1, 1), records=records)
    landing = landed(tmp_path, declared, {"p.txt.gz": gzip.compress(b"B 1\nB 2\n")})
    _, outcome = read("from 'landing/p.txt.gz'", landing)
    with pytest.raises(
        ShapeChanged, match=r"none of its 2 rows fits: record_type \(2\): no kind of record has the value B"
    ):
        require_few(landing, outcome["landing/p.txt.gz"])
