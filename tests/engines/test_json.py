import gzip
import json
from datetime import date
from pathlib import Path

import duckdb
import pytest

from governance.landing.model import FileColumn, Format, Section
from tests.engines.landed import columns_of, landed, read, source, told

COLUMNS = {
    "id": "bigint",
    "name": "varchar",
    "day": FileColumn("", "date", format="%d.%m.%Y"),
    "city": FileColumn("", "varchar", path="address.city"),
}
ROWS = [
    {"id": 1, "name": "a", "day": "31.12.2025", "address": {"city": "Ulm", "zip": 1}},
    {"id": "2", "name": None, "address": None},
    {"id": "x", "name": "b"},
    {"id": 4, "extra": 1},
    {"id": 5, "name": {"first": "c"}, "day": "2025-12-31"},
    {"id": 6, "address": "Ulm"},
    {"id": True},
    7,
]
FIT = [(1, "a", date(2025, 12, 31), "Ulm"), (2, None, None, None)]
REASONS = [
    ("id", "Could not convert string \"x\" to 'BIGINT'"),
    (None, "no column is declared for extra"),
    ("day", 'Could not parse string "2025-12-31" according to format specifier "%d.%m.%Y"'),
    (None, "address is no object but VARCHAR"),
    ("id", "Could not convert string \"true\" to 'BIGINT'"),
    (None, "Expected an object, but it is UBIGINT"),
]


def test_objects_a_line(tmp_path: Path) -> None:
    content = "\n".join(map(json.dumps, ROWS)) + '\n\n{"id": \n{"id": 1, "id": 2}\n'
    landing = landed(tmp_path, source("a.json", Format.JSON, COLUMNS), {"a.json": content})
    rows, outcome = read("from 'landing/a.json'", landing)
    assert rows == FIT
    rejects = told(outcome["landing/a.json"])
    assert [it[2:4] for it in rejects] == [*REASONS, (None, "Malformed JSON"), (None, "a key is there more than once")]
    assert [it[1] for it in rejects] == [3, 4, 5, 6, 7, 8, 10, 11]
    assert rejects[0][4] == '{"id": "x", "name": "b"}'


def test_an_array_of_objects(tmp_path: Path) -> None:
    for written in (json.dumps(ROWS), json.dumps(ROWS, indent=2), "\ufeff" + json.dumps(ROWS)):
        landing = landed(tmp_path, source("a.json", Format.JSON, COLUMNS), {"a.json": written})
        rows, outcome = read("from 'landing/a.json'", landing)
        assert rows == FIT
        assert [it[2:4] for it in told(outcome["landing/a.json"])] == REASONS
        assert {it[1] for it in told(outcome["landing/a.json"])} == {None}


def test_files_of_a_glob_may_be_written_each_otherwise(tmp_path: Path) -> None:
    declared = source("*.json", Format.JSON, {"id": "bigint"}, filename="file")
    files = {"a.json": '{"id": 1}\n{"id": "x"}', "b.json": '[{"id": 2}]', "c.json": '{\n"id": 3\n}', "d.json": ""}
    landing = landed(tmp_path, declared, {**files, "e.json.gz": gzip.compress(b'{"id": 4}\n')})
    rows, outcome = read("from 'landing/*.json' order by all", landing)
    assert rows == [(1, "landing/a.json"), (2, "landing/b.json"), (3, "landing/c.json"), (4, "landing/e.json.gz")]
    assert [it[:3] for it in told(outcome["landing/*.json"])] == [("landing/a.json", 2, "id")]


DOCUMENT = source(
    "batch.json",
    Format.JSON,
    {"id": "bigint", "amount": "decimal(10, 2)"},
    rows="body.payments",
    filename="file",
    sections=(
        Section("header", columns_of({"day": FileColumn("", "date", path="header.day")})),
        Section("trailer", columns_of({"n": FileColumn("", "integer", path="end.count")})),
    ),
)
BATCH = {
    "header": {"day": "2026-01-01"},
    "body": {"payments": [{"id": 1, "amount": 2.5}, {"id": "x"}]},
    "end": {"count": 2},
}


def test_a_document_has_its_sections_beside_its_rows(tmp_path: Path) -> None:
    landing = landed(tmp_path, DOCUMENT, {"batch.json": json.dumps(BATCH, indent=1)})
    rows, outcome = read('select id, "$doc".header.day, "$doc".trailer.n, file from "landing/batch.json"', landing)
    assert rows == [(1, date(2026, 1, 1), 2, "landing/batch.json")]
    assert [it[:3] for it in told(outcome["landing/batch.json"])] == [("landing/batch.json", None, "id")]


def test_a_document_whose_section_does_not_fit_has_no_row_that_does(tmp_path: Path) -> None:
    content = json.dumps({**BATCH, "end": {"count": "many"}})
    rows, outcome = read("from 'landing/batch.json'", landed(tmp_path, DOCUMENT, {"batch.json": content}))
    assert rows == []
    assert [it[2] for it in told(outcome["landing/batch.json"])] == ["$doc.trailer.n", "$doc.trailer.n"]
    assert outcome["landing/batch.json"].unfit == ("landing/batch.json",)


def test_a_document_without_its_rows_is_no_empty_one(tmp_path: Path) -> None:
    with pytest.raises(duckdb.Error, match=r"landing/batch.json has no array at body\.payments"):
        read("from 'landing/batch.json'", landed(tmp_path, DOCUMENT, {"batch.json": "{}"}))
