import gzip
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa

from governance.landing.model import FileColumn, Format
from platform_assets.engines.shape import check_shape
from tests.engines.landed import landed, read, source, told

ORDERS = source("orders.csv", Format.CSV, {"order_id": "bigint", "amount": "decimal(10, 2)", "customer_id": "bigint"})
CONTENT = "order_id,amount,customer_id\n1,2.5,7\n2,x,y\n4,5,6,7\n5,1.0,2\n7,1.5\n"
FIT = [(1, Decimal("2.50"), 7), (5, Decimal("1.00"), 2)]
REJECTED = [
    (3, "amount", "2,x,y"),
    (4, None, "4,5,6,7"),
    (6, "customer_id", "7,1.5"),
]


def test_rows_that_fit_are_read_and_the_others_kept(tmp_path: Path) -> None:
    rows, outcome = read("from 'landing/orders.csv'", landed(tmp_path, ORDERS, {"orders.csv": CONTENT}))
    assert rows == FIT
    rejects = told(outcome["landing/orders.csv"])
    assert [(line, column, row) for _, line, column, _, row in rejects] == REJECTED
    assert {file for file, *_ in rejects} == {"landing/orders.csv"}
    assert rejects[0][3] == (
        'Error when converting column "amount". Could not convert string "x" to \'DECIMAL\'; '
        'Error when converting column "customer_id". Could not convert string "y" to \'BIGINT\''
    )
    assert outcome["landing/orders.csv"].rows == 2


def test_what_is_rejected_depends_on_no_query(tmp_path: Path) -> None:
    landing = landed(tmp_path, ORDERS, {"orders.csv": CONTENT})
    queries = (
        "select order_id from 'landing/orders.csv'",
        "select count(*) from 'landing/orders.csv'",
        "select 1 from 'landing/orders.csv' limit 1",
        "select * from 'landing/orders.csv' where false",
        "select a.* from 'landing/orders.csv' a, 'landing/orders.csv' b",
        "select * from 'landing/orders.csv' join (select 1 as k where random() > 2) on k = order_id",
        "select 1",
    )
    for query in queries:
        _, outcome = read(query, landing)
        assert outcome["landing/orders.csv"].rows == 2, query
        assert [it[1] for it in told(outcome["landing/orders.csv"])] == [3, 4, 6], query


def test_two_reads_of_a_file_are_two_relations(tmp_path: Path) -> None:
    first = landed(tmp_path, ORDERS, {"orders.csv": CONTENT})
    second = landed(tmp_path, ORDERS, {"orders.csv": CONTENT}, options=(("skip", "3"), ("header", "false")))
    names = ("landing/orders.csv", "landing/orders.csv 1")
    rows, outcome = read("from 'landing/orders.csv' union all from 'landing/orders.csv 1'", first, second, names=names)
    assert sorted(rows) == sorted([*FIT, FIT[1]])
    assert [it[1] for it in told(outcome["landing/orders.csv 1"])] == [4, 6]


def test_columns_have_each_their_form_of_dates(tmp_path: Path) -> None:
    columns: dict[str, str | FileColumn] = {
        "id": "bigint",
        "paid": FileColumn("", "date", format="%d.%m.%Y"),
        "due": FileColumn("", "date", format="%Y%m%d"),
        "day": "date",
        "at": FileColumn("", "time", format="%H.%M"),
        "seen": FileColumn("", "timestamptz", format="%d.%m.%Y %H:%M %z"),
    }
    content = (
        "id,paid,due,day,at,seen\n"
        "1,31.12.2025,20260101,2026-01-02,10.30,31.12.2025 10:00 +0200\n"
        "2,2025-12-31,20260101,2026-01-02,10.30,\n"
        "3,31.12.2025,01.01.2026,,25.30,x\n"
        "4,31.12.2025,20260101,02.01.2026,10.30,\n"
        "x,,,,,\n"
    )
    landing = landed(tmp_path, source("a.csv", Format.CSV, columns), {"a.csv": content})
    rows, outcome = read(
        'select id, paid::varchar, due::varchar, day::varchar, "at"::varchar, epoch(seen) from "landing/a.csv"', landing
    )
    assert rows == [(1, "2025-12-31", "2026-01-01", "2026-01-02", "10:30:00", 1767168000.0)]
    assert [(it[1], it[2]) for it in told(outcome["landing/a.csv"])] == [(3, "paid"), (4, "due"), (5, "day"), (6, "id")]


def test_a_glob_is_one_relation_that_says_which_file_a_row_is_of(tmp_path: Path) -> None:
    declared = source("o/*.csv", Format.CSV, {"a": "bigint"}, filename="file")
    landing = landed(tmp_path, declared, {"o/1.csv": "a\n1\nx\n", "o/2.csv": "a\n2\n"})
    rows, outcome = read("from 'landing/o/*.csv' order by a", landing)
    assert rows == [(1, "landing/o/1.csv"), (2, "landing/o/2.csv")]
    assert [it[:2] for it in told(outcome["landing/o/*.csv"])] == [("landing/o/1.csv", 3)]


def test_no_file_is_no_row(tmp_path: Path) -> None:
    rows, outcome = read("from 'landing/orders.csv'", landed(tmp_path, ORDERS, {}))
    assert rows == []
    assert outcome["landing/orders.csv"].rows == outcome["landing/orders.csv"].rejects.num_rows == 0


def test_a_line_is_that_of_the_file_whatever_is_quoted_before_it(tmp_path: Path) -> None:
    declared = source("a.csv", Format.CSV, {"n": "bigint", "t": "varchar"}, options={"comment": "#"})
    content = 'n,t\n1,"a\nb\n"\n#x\nx,1\n2,"é\n"\ny,"\n"\n'
    for encoding, ending in (
        ("utf-8", "\n"),
        ("utf-8-sig", "\r\n"),
        ("utf-8", "\r"),
        ("latin-1", "\n"),
        ("utf-16", "\n"),
    ):
        options = {**declared.options, "encoding": encoding.removesuffix("-sig")}
        written = content.replace("\n", ending).encode(encoding)
        landing = landed(tmp_path, replace(declared, options=options), {"a.csv": written})
        rows, outcome = read("select n, length(t) from 'landing/a.csv'", landing)
        assert rows == [(1, 4 + 2 * len(ending) - 2), (2, 1 + len(ending))]
        assert [(it[1], it[4][0]) for it in told(outcome["landing/a.csv"])] == [(6, "x"), (9, "y")], (encoding, ending)


def test_what_folders_are_called_is_no_column(tmp_path: Path) -> None:
    for form, content in ((Format.CSV, "year\n1\n"), (Format.JSON, '{"year": 1}\n'), (Format.FIXED, "1\n")):
        declared = source("year=2024/*.x", form, {"year": FileColumn("", "bigint", (1, 1))})
        rows, _ = read(f'from "{declared.name}"', landed(tmp_path, declared, {"year=2024/1.x": content}))
        assert rows == [(1,)]


def test_files_however_they_are_written(tmp_path: Path) -> None:
    columns = {"a": "bigint", "b": "varchar"}
    written: dict[str, tuple[bytes, list[tuple[object, ...]]]] = {
        "header.csv": (b"a,b", []),
        "header_line.csv": (b"\xef\xbb\xbfa,b\n", []),
        "no_end.csv": (b"a,b\n1,x", [(1, "x")]),
        "windows.csv": (b"a,b\r\n1,x\r\n", [(1, "x")]),
        "quoted.csv": (b'a,b\n"1","x, ""y""\nz"\n', [(1, 'x, "y"\nz')]),
        "blank.csv": (b"a,b\n\n1,\n\n", [(1, None)]),
        "packed.csv.gz": (gzip.compress(b"a,b\n1,x\n"), [(1, "x")]),
        "packed.csv.zst": (pa.Codec("zstd").compress(b"a,b\n1,x\n", asbytes=True), [(1, "x")]),
    }
    for name, (content, expected) in written.items():
        landing = landed(tmp_path, source(name, Format.CSV, columns), {name: content})
        with duckdb.connect() as connection:
            check_shape(connection, landing)
        rows, outcome = read(f'from "landing/{name}"', landing)
        told_ = outcome[f"landing/{name}"]
        assert (rows, told_.rows, told_.rejects.num_rows) == (expected, len(expected), 0), name
