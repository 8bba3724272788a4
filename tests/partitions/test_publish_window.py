"""Windows of a partitioned table as they are replaced: what lies outside stays."""

import threading
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from governance.errors import CatalogError
from governance.windows import Window
from platform_assets.iceberg.catalog import Catalog, published
from platform_assets.iceberg.publish import Commit, Conflict, target
from platform_assets.iceberg.publish_window import replace_window
from tests.partitions.conftest import files, payments
from tests.partitions.tables import DAY, held, put


def window(first: int, last: int) -> Window:
    return Window("paid_at", datetime(2026, 1, first, tzinfo=UTC), datetime(2026, 1, last, tzinfo=UTC))


def put_window(catalog: Catalog, data: pa.Table, first: int, last: int, run: str = "run") -> Commit:
    known = catalog.load_table("s.t") if catalog.table_exists("s.t") else None
    data = data.filter(pa.compute.is_valid(data["paid_at"]))
    reader = data.to_reader()
    return replace_window(
        catalog, target("s.t", known, DAY), reader, {"openlineage.runId": run}, {}, window=window(first, last)
    )


def test_a_window_is_replaced_and_every_other_file_stays(catalog: Catalog) -> None:
    assert put_window(catalog, payments(1), 1, 2).lifecycle == "CREATE"
    put_window(catalog, payments(2, 3), 2, 4)
    before = files(catalog, "s.t")
    commit = put_window(catalog, payments(2, each=1), 2, 3)
    after = files(catalog, "s.t")
    assert (commit.lifecycle, commit.rows, commit.total_rows) == (None, 1, 7)
    assert {day for day in before if before[day] == after[day]} == {"20454", "20456"}
    assert commit.begins == ((datetime(2026, 1, 2, tzinfo=UTC), 1),)
    emptied = put_window(catalog, payments(), 2, 3)
    assert (emptied.rows, emptied.total_rows, set(files(catalog, "s.t"))) == (0, 6, {"20454", "20456"})
    assert len({it.snapshot_id for it in catalog.load_table("s.t").snapshots()}) == 4


def test_of_a_table_that_was_not_parted_rows_of_other_times_are_kept_and_not_counted(catalog: Catalog) -> None:
    put(catalog, payments(1, 2, 3))
    commit = put_window(catalog, payments(2, each=1), 2, 3)
    assert held(catalog) == [1, 100, 101, 102, 200, 300, 301, 302]
    assert (commit.rows, commit.files) == (1, 1)
    assert [it.rows for it in published(catalog, "s.t")] == [1]
    before = files(catalog, "s.t")
    put_window(catalog, payments(3, each=1), 3, 4)
    assert files(catalog, "s.t")["20455"] == before["20455"]


def test_a_window_may_bring_a_column_and_not_change_one(catalog: Catalog) -> None:
    put_window(catalog, payments(1, 2), 1, 3)
    more = payments(2).append_column("note", [["x"] * 4])
    put_window(catalog, more, 2, 3)
    assert catalog.load_table("s.t").scan().to_arrow()["note"].to_pylist().count(None) == 3
    retyped = payments(2)
    retyped = retyped.set_column(0, "id", retyped["id"].cast(pa.string()))
    with pytest.raises(CatalogError, match=r"s.t.id was bigint and is varchar: the other partitions would lose it"):
        put_window(catalog, retyped, 2, 3)
    known = catalog.load_table("s.t")
    rows = payments(2).drop_columns(["paid_at"]).to_reader()
    with pytest.raises(CatalogError, match=r"s.t.paid_at was timestamp and is gone, and it parts files"):
        replace_window(catalog, target("s.t", known), rows, {}, {}, window=window(2, 3))


def test_of_two_windows_at_once_the_second_is_told_to_compute_again(catalog: Catalog) -> None:
    put_window(catalog, payments(1), 1, 2)
    known = catalog.load_table("s.t")
    put_window(catalog, payments(2), 2, 3)
    late = payments(3).filter(pa.compute.is_valid(payments(3)["paid_at"]))
    paths = set(Path(catalog.properties["warehouse"]).rglob("*.parquet"))
    with pytest.raises(Conflict):
        replace_window(catalog, target("s.t", known, DAY), late.to_reader(), {}, {}, window=window(3, 4))
    assert set(Path(catalog.properties["warehouse"]).rglob("*.parquet")) == paths


def test_windows_that_several_threads_replace_all_land(catalog: Catalog) -> None:
    put_window(catalog, payments(1), 1, 2)
    lost: list[int] = []

    def make(day: int) -> None:
        for _ in range(50):
            try:
                put_window(catalog, payments(day), day, day + 1)
            except Conflict:
                continue
            return
        lost.append(day)

    threads = [threading.Thread(target=make, args=(day,)) for day in (2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not lost
    assert held(catalog) == sorted(day * 100 + n for day in (1, 2, 3, 4) for n in range(3))
