"""Rejected rows on a real catalog: kept by run, replaced by a further try of the same run, told with their lineage."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pyarrow as pa

from governance.landing.model import FileColumn, FileSource, Format, Location, Record
from governance.landing.names import quarantine_of
from governance.lineage.model import Transformation
from governance.project import Project
from platform_assets.iceberg.catalog import Catalog, load, open_catalog, published
from platform_assets.iceberg.publish import Commit
from platform_assets.iceberg.quarantine import COLUMNS, keep, lineage_of, rejected_by

AT = datetime(2026, 10, 3, 2, tzinfo=UTC)


def rejected(lines: Iterable[int]) -> pa.Table:
    told = [
        {
            "dataset": "landing/orders.csv",
            "file": "landing/orders.csv",
            "line": line,
            "column": "amount",
            "reason": "no decimal(10, 2)",
            "row": f"{line};abc",
        }
        for line in lines
    ]
    return pa.Table.from_pylist(
        told, pa.schema([COLUMNS.field(name) for name in COLUMNS.names if name not in {"run_id", "at"}])
    )


def kept(catalog: Catalog) -> list[tuple[str, int]]:
    rows = load(catalog, quarantine_of("bronze.orders")).scan().to_arrow().to_pylist()
    return sorted((row["run_id"], row["line"]) for row in rows)


def put(catalog: Catalog, run_id: str, *lines: int) -> Commit | None:
    return keep(catalog, "bronze.orders", run_id, AT, rejected(lines))


def test_rejected_rows_are_kept_under_their_run(catalog: Catalog) -> None:
    assert put(catalog, "none") is None
    first, second = put(catalog, "a", 2, 5), put(catalog, "b", 3)
    assert first is not None
    assert (first.table, first.rows, first.lifecycle) == ("quarantine.bronze_orders", 2, "CREATE")
    assert second is not None
    assert (second.rows, second.lifecycle) == (1, None)
    assert kept(catalog) == [("a", 2), ("a", 5), ("b", 3)]
    (row,) = [it for it in load(catalog, first.table).scan().to_arrow().to_pylist() if it["line"] == 3]
    assert row == {
        "run_id": "b",
        "dataset": "landing/orders.csv",
        "file": "landing/orders.csv",
        "line": 3,
        "column": "amount",
        "reason": "no decimal(10, 2)",
        "row": "3;abc",
        "at": AT,
    }


def test_a_further_try_of_a_run_replaces_what_its_earlier_one_kept(catalog: Catalog) -> None:
    put(catalog, "other", 1)
    put(catalog, "a", 2, 5)
    put(catalog, "a", 2)
    assert kept(catalog) == [("a", 2), ("other", 1)]
    # another run took the file meanwhile: there is nothing left to be rejected, however often it is tried
    assert [put(catalog, "a"), put(catalog, "a")] == [None, None]
    assert kept(catalog) == [("other", 1)]


def test_a_snapshot_of_rejected_rows_is_no_sign_that_the_run_was_complete(catalog: Catalog) -> None:
    put(catalog, "a", 2)
    assert published(catalog, "quarantine.bronze_orders") == ()
    snapshot = load(catalog, "quarantine.bronze_orders").current_snapshot()
    assert snapshot is not None
    assert rejected_by(snapshot) == "a"


def test_runs_that_reject_at_once_lose_nothing(project: Project, catalog: Catalog) -> None:
    put(catalog, "first", 0)

    def one(number: int) -> None:
        with open_catalog(project) as own:
            put(own, f"run{number}", number)

    with ThreadPoolExecutor(3) as runs:
        list(runs.map(one, range(1, 4)))
    assert kept(catalog) == [("first", 0), ("run1", 1), ("run2", 2), ("run3", 3)]


def test_a_rejected_row_comes_from_every_column_of_its_files() -> None:
    landing = Location("landing", "landing")
    people = FileSource("landing/b.csv", landing, Format.CSV, (FileColumn("mail", "varchar"),))
    kinds = (
        Record("header", "H", (FileColumn("day", "date", (2, 9)),)),
        Record("detail", "D", (FileColumn("id", "bigint", (2, 9)), FileColumn("amount", "double", (10, 19)))),
    )
    pay = FileSource("landing/a.txt", landing, Format.FIXED, record_type=(1, 1), records=kinds)
    lineage = lineage_of("bronze.orders", [people, pay])
    assert lineage.output == "quarantine.bronze_orders"
    assert lineage.inputs == ("landing/a.txt", "landing/a.txt#detail", "landing/a.txt#header", "landing/b.csv")
    by_name = {field.name: field.inputs for field in lineage.fields}
    assert [*by_name] == COLUMNS.names
    assert {it.transformation for it in by_name["row"]} == {Transformation.TRANSFORMATION}
    assert [(it.dataset, it.field) for it in by_name["row"]] == [
        ("landing/a.txt", "record_type"),
        ("landing/a.txt#detail", "amount"),
        ("landing/a.txt#detail", "id"),
        ("landing/a.txt#header", "day"),
        ("landing/b.csv", "mail"),
    ]
    assert by_name["reason"] == by_name["row"]
    assert by_name["line"] == by_name["run_id"] == ()
