"""Lists, structs and maps in landing files: whichever format has them, a value fits or its row does not."""

import json
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from governance.landing.model import FileColumn, FileSource, Format, Record, Section
from governance.sql_type import sql_type
from platform_assets.engines.landing.nested import members_of
from platform_assets.engines.shape import ShapeChanged, check_shape
from platform_assets.engines.sql import literal
from tests.engines.landed import landed, read, source, told


def of(**types: str) -> dict[str, str | FileColumn]:
    return {name: sql_type(written) or "" for name, written in types.items()}


ADDRESS = "struct(city varchar, zip integer)"
COLUMNS = of(
    id="bigint",
    address=ADDRESS,
    tags="varchar[]",
    prices="map(varchar, decimal(10, 2))",
    lines="struct(sku varchar, qty integer, of struct(n bigint[]))[]",
)
FIT = [
    (
        {
            "id": 1,
            "address": {"city": "Ulm", "zip": "89073"},
            "tags": ["a", 1, None],
            "prices": {"EUR": 1.5, "USD": "2"},
            "lines": [{"sku": "s", "qty": 1, "of": {"n": [12345678901234567]}}, None],
        },
        (
            1,
            {"city": "Ulm", "zip": 89073},
            ["a", "1", None],
            [("EUR", Decimal("1.50")), ("USD", Decimal("2.00"))],
            [{"sku": "s", "qty": 1, "of": {"n": [12345678901234567]}}, None],
        ),
    ),
    ({"id": 2, "address": None, "tags": [], "prices": {}, "lines": []}, (2, None, [], [], [])),
    ({"id": 3, "address": {"city": {"deep": 1}}}, (3, {"city": '{"deep":1}', "zip": None}, None, None, None)),
]
UNFIT = [
    ('{"address": "nope"}', "address", "address is not an object but VARCHAR"),
    ('{"address": {"zip": "q"}}', "address", "address.zip: Could not convert string \"q\" to 'INTEGER'"),
    ('{"address": {"town": 1}}', "address", "no member is declared for town in address"),
    ('{"address": {"zip": 1, "zip": 2}}', "address", "a key of address is there more than once"),
    ('{"tags": "[1]"}', "tags", "tags is not an array but VARCHAR"),
    ('{"tags": {"a": 1}}', "tags", "tags is not an array but OBJECT"),
    ('{"prices": {"EUR": "x"}}', "prices", "prices: Could not convert string \"x\" to 'DECIMAL(10,2)'"),
    ('{"prices": {"EUR": 1, "EUR": 2}}', "prices", "a key of prices is there more than once"),
    ('{"lines": [{"qty": 1}, {"qty": "x"}]}', "lines", "lines.qty: Could not convert string \"x\" to 'INTEGER'"),
    ('{"lines": [{"of": {"n": ["q"]}}]}', "lines", "lines.of.n: Could not convert string \"q\" to 'BIGINT'"),
]


@pytest.mark.parametrize(("begin", "between", "end"), [("", "\n", "\n"), ("[", ",\n", "]"), ("", " ", "")])
def test_json_takes_members_and_rejects_what_does_not_fit_in_one(
    tmp_path: Path, begin: str, between: str, end: str
) -> None:
    content = begin + between.join([*(json.dumps(row) for row, _ in FIT), *(row for row, _, _ in UNFIT)]) + end
    files = landed(tmp_path, source("a.json", Format.JSON, COLUMNS), {"a.json": content})
    rows, outcomes = read('from "landing/a.json"', files)
    assert rows == [row for _, row in FIT]
    rejected = [(column, reason) for _, _, column, reason, _ in told(outcomes["landing/a.json"])]
    assert rejected == [(column, reason) for _, column, reason in UNFIT]


def test_names_of_members_may_be_anything(tmp_path: Path) -> None:
    columns = of(s='struct("x""y" integer, "b\\c.d" integer, "it\'s" date)', m="map(date, boolean[])")
    row = {"s": {'x"y': 1, "b\\c.d": 2, "it's": "2026-01-01"}, "m": {"2024-01-01": [True]}}
    files = landed(tmp_path, source("a.json", Format.JSON, columns), {"a.json": json.dumps(row)})
    query = """select s."x""y", s."b\\c.d", s."it's"::varchar, m[date '2024-01-01'] from "landing/a.json\""""
    assert read(query, files)[0] == [(1, 2, "2026-01-01", [True])]


def test_dates_within_are_written_as_the_file_says(tmp_path: Path) -> None:
    declared = source("a.json", Format.JSON, of(days="date[]"), options={"dateformat": "%d.%m.%Y"})
    files = landed(tmp_path, declared, {"a.json": '{"days": ["31.12.2025"]}\n{"days": ["2025-12-31"]}\n'})
    rows, outcomes = read('select days::varchar from "landing/a.json"', files)
    assert rows == [("[2025-12-31]",)]
    assert outcomes["landing/a.json"].rejects.num_rows == 1


def test_documents_have_nested_values_in_rows_and_sections(tmp_path: Path) -> None:
    sections = (
        Section(
            "header",
            (
                FileColumn("tags", "varchar[]", path="header.tags"),
                FileColumn("day", "date", path="header.day"),
            ),
        ),
    )
    declared = source("a.json", Format.JSON, of(address=ADDRESS, x="bigint"), rows="body", sections=sections)
    document = {"header": {"day": "2026-01-01", "tags": ["a"]}, "body": [{"x": 1, "address": {"city": "Ulm"}}]}
    files = landed(tmp_path, declared, {"a.json": json.dumps(document)})
    query = 'select x, address.city, "$doc".header.tags, "$doc".header.day::varchar from "landing/a.json"'
    assert read(query, files)[0] == [(1, "Ulm", ["a"], "2026-01-01")]


def test_csv_has_them_as_duckdb_writes_them(tmp_path: Path) -> None:
    declared = source(
        "a.csv",
        Format.CSV,
        of(id="bigint", tags="varchar[]", s='struct("City" varchar, n varchar)', m="map(varchar, varchar)"),
        options={"delim": ";", "header": True},
    )
    content = "id;tags;s;m\n1;[a, b];{City: x, n: 1};{a=1}\n2;;{City: x};\n3;nope;;\n4;;{town: x};\n5;;;{a=x,a=y}\n"
    files = landed(tmp_path, declared, {"a.csv": content})
    rows, outcomes = read('from "landing/a.csv"', files)
    assert rows == [(1, ["a", "b"], {"City": "x", "n": "1"}, [("a", "1")]), (2, None, {"City": "x", "n": None}, None)]
    assert [(line, column) for _, line, column, *_ in told(outcomes["landing/a.csv"])] == [
        (4, "tags"),
        (5, "s"),
        (6, "m"),
    ]


def test_kinds_of_record_have_them_too(tmp_path: Path) -> None:
    records = (Record("d", "D", (FileColumn("tags", "varchar[]"),)),)
    declared = FileSource(
        "landing/a.csv", source("a", Format.CSV, {}).location, Format.CSV, options={"delim": ";"}, records=records
    )
    files = landed(tmp_path, declared, {"a.csv": "D;[1, 2]\nD;x\n"})
    rows, outcomes = read('select tags from "landing/a.csv#d"', files)
    assert rows == [(["1", "2"],)]
    assert outcomes["landing/a.csv"].rejects["column"].to_pylist() == ["tags"]


def parquet(tmp_path: Path, name: str, select: str) -> Path:
    duckdb.execute(f"copy ({select}) to {literal(str(tmp_path / name))} (format parquet)")
    return tmp_path / name


STORED = (
    "select {'zip': 1::smallint, 'city': 'Ulm', 'at': [{'n': 1::integer}]} as s, [1::integer] as l, map {'a': 1} as m"
)


def test_parquet_goes_by_name_and_widens(tmp_path: Path) -> None:
    path = parquet(tmp_path, "a.parquet", STORED)
    wide = of(s="struct(city varchar, zip bigint, at struct(n bigint)[])", l="bigint[]", m="map(varchar, bigint)")
    files = landed(tmp_path, source("a.parquet", Format.PARQUET, wide), {"a.parquet": path.read_bytes()})
    check_shape(duckdb.connect(), files)
    rows, _ = read('from "landing/a.parquet"', files)
    assert rows == [({"city": "Ulm", "zip": 1, "at": [{"n": 1}]}, [1], [("a", 1)])]


def test_parquet_of_other_members_or_types_is_another_shape(tmp_path: Path) -> None:
    path = parquet(tmp_path, "a.parquet", STORED)
    other = of(s="struct(city varchar, zip boolean, at struct(m bigint)[])", l="bigint", m="map(varchar, date)")
    files = landed(tmp_path, source("a.parquet", Format.PARQUET, other), {"a.parquet": path.read_bytes()})
    with pytest.raises(ShapeChanged) as raised:
        check_shape(duckdb.connect(), files)
    assert raised.value.problem == (
        "landing/a.parquet: column s.zip is smallint, and boolean is declared; column s.at.m is missing; "
        "column s.at.n is not declared; column l is integer[], and bigint is declared; "
        "column m is map(varchar, integer), and map(varchar, date) is declared"
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            '{"id": 1, "a": {"city": "x", "b": {"c": 1}}}',
            "columns a.zip, a.b.d are missing; column a.b.c is not declared",
        ),
        ('{"id": 1, "a": {"city": "x", "zip": 1, "b": null}}', ""),
        ('{"id": 1, "a": null}', ""),
    ],
)
def test_members_of_json_are_compared_before_anything_is_read(tmp_path: Path, content: str, problem: str) -> None:
    columns = of(id="bigint", a="struct(city varchar, zip integer, b struct(d bigint))")
    files = landed(tmp_path, source("a.json", Format.JSON, columns), {"a.json": content})
    found = ""
    try:
        check_shape(duckdb.connect(), files)
    except ShapeChanged as error:
        found = error.problem.removeprefix("landing/a.json: ")
    assert sorted(found.split("; ")) == sorted(problem.split("; "))


def test_members_are_those_of_structs_wherever_they_stand() -> None:
    kind = sql_type("map(varchar, struct(x integer, y struct(z date)[])[])") or ""
    assert members_of(FileColumn("m", kind)) == ("m.x", "m.y", "m.y.z")
