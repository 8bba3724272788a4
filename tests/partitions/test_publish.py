"""Partitioned tables as they are written: every row in the file of its partition, whatever it holds."""

import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.expressions import EqualTo
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
    YearTransform,
)
from pyiceberg.typedef import Record
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
)

from governance.errors import CatalogError
from governance.partition import parse_terms
from governance.windows import Window
from platform_assets import parted
from platform_assets.catalog import Catalog, load, plan, published
from platform_assets.engines.engine import Engine, Files, Query, Rows
from platform_assets.publish import Commit, Conflict, append, replace, target
from platform_assets.publish_window import replace_window
from platform_assets.transforms import transformed
from tests.partitions.conftest import files, payments

DAY = parse_terms("day(paid_at)")


def put(catalog: Catalog, data: pa.Table, terms: str = "", name: str = "s.t") -> Commit:
    known = catalog.load_table(name) if catalog.table_exists(name) else None
    return replace(catalog, target(name, known, parse_terms(terms) if terms else ()), data.to_reader(), {}, {})


def window(first: int, last: int) -> Window:
    return Window("paid_at", datetime(2026, 1, first, tzinfo=UTC), datetime(2026, 1, last, tzinfo=UTC))


def put_window(catalog: Catalog, data: pa.Table, first: int, last: int, run: str = "run") -> Commit:
    known = catalog.load_table("s.t") if catalog.table_exists("s.t") else None
    data = data.filter(pa.compute.is_valid(data["paid_at"]))
    reader = data.to_reader()
    return replace_window(
        catalog, target("s.t", known, DAY), reader, {"openlineage.runId": run}, {}, window=window(first, last)
    )


def held(catalog: Catalog, snapshot: int | None = None) -> list[Any]:
    return sorted(catalog.load_table("s.t").scan(snapshot_id=snapshot).to_arrow()["id"].to_pylist())


MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1))  # noqa: DTZ001
OF_TIME: list[Transform[Any, Any]] = [YearTransform(), MonthTransform(), DayTransform()]
KINDS: list[tuple[IcebergType, pa.DataType, st.SearchStrategy[Any], list[Transform[Any, Any]]]] = [
    (LongType(), pa.int64(), st.integers(-(2**62), 2**62), [BucketTransform(7), TruncateTransform(10)]),
    (IntegerType(), pa.int32(), st.integers(-(2**30), 2**30), [BucketTransform(16), TruncateTransform(3)]),
    (StringType(), pa.string(), st.text(), [BucketTransform(5), TruncateTransform(2), IdentityTransform()]),
    (BinaryType(), pa.large_binary(), st.binary(), [BucketTransform(5), TruncateTransform(2)]),
    (TimestampType(), pa.timestamp("us"), MOMENTS, [*OF_TIME, HourTransform(), BucketTransform(9)]),
    (DateType(), pa.date32(), st.dates(date(1900, 1, 1), date(2200, 1, 1)), [*OF_TIME, BucketTransform(9)]),
    (
        DecimalType(12, 3),
        pa.decimal128(12, 3),
        st.decimals(-(10**8), 10**8, places=3),
        [BucketTransform(11), TruncateTransform(50), IdentityTransform()],
    ),
]


@pytest.mark.parametrize(
    ("kind", "arrow", "values", "transforms"), KINDS, ids=lambda it: str(it) if isinstance(it, IcebergType) else ""
)
@given(data=st.data())
@settings(max_examples=12, deadline=None, database=None)
def test_a_transform_of_many_values_is_pyicebergs_of_each(
    data: st.DataObject,
    kind: IcebergType,
    arrow: pa.DataType,
    values: st.SearchStrategy[Any],
    transforms: list[Transform[Any, Any]],
) -> None:
    given_ = data.draw(st.lists(st.none() | values, max_size=12))
    for transform in transforms:
        one = transform.transform(kind)
        assert transformed(transform, kind, pa.array(given_, arrow)).to_pylist() == [one(it) for it in given_]


ODD = [
    "a b",
    "a/b",
    "../up",
    "100%",
    "x=y",
    "#",
    "ünï",
    "日本",
    "",
    " ",
    "'",
    '"',
    "\\",
    "\n",
    "a" * 5000,
    "null",
    None,
]


@pytest.mark.parametrize("terms", ["truncate(3, word)", "bucket(3, word)", "word, day(paid_at)"])
def test_odd_values_come_back_and_lie_in_their_partitions(catalog: Catalog, engine: Engine, terms: str) -> None:
    data = pa.table({"id": range(len(ODD)), "word": ODD, "paid_at": pa.array([datetime(2026, 1, 1)] * len(ODD))})  # noqa: DTZ001
    put(catalog, data, terms)
    put(catalog, data, terms)
    table = load(catalog, "s.t")
    relation = plan("s.t", table).relation
    assert isinstance(relation, Files)
    with engine.open(Query("from s.t order by id", "q.sql"), {"s.t": relation}) as result, result.batches() as reader:
        assert reader.read_all().to_pylist() == data.to_pylist()
    for place, word in enumerate(ODD):
        if word is not None:
            found = table.scan(row_filter=EqualTo("word", word)).to_arrow()  # type: ignore[arg-type, call-arg]
            assert found["id"].to_pylist() == [place]


def test_every_row_is_in_a_file_of_its_partition_and_null_has_its_own(catalog: Catalog) -> None:
    put(catalog, payments(1, 2, 3, each=20), "day(paid_at), country")
    seen = 0
    for task in load(catalog, "s.t").scan().plan_files():
        day, country = task.file.partition[0], task.file.partition[1]
        for row in pq.read_table(task.file.file_path, partitioning=None).to_pylist():
            seen += 1
            at = row["paid_at"]
            assert (at and (at.date() - date(1970, 1, 1)).days, row["country"]) == (day, country)
    assert seen == 61


def test_a_partition_is_one_file_however_its_rows_are_spread_and_memory_is_bounded(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parted, "HELD_BYTES", 20_000)
    monkeypatch.setattr(parted, "MOST_OPEN", 5)
    most = 0

    def batches() -> Iterator[pa.RecordBatch]:
        nonlocal most
        for number in range(20):
            ids = pa.array(range(number * 500, number * 500 + 500), pa.int64())
            yield pa.record_batch([ids, pa.array([it % 60 for it in range(500)], pa.int32())], names=["id", "part"])

    schema = pa.schema([("id", pa.int64()), ("part", pa.int32())])
    commit = replace(
        catalog, target("s.t", None, parse_terms("part")), pa.RecordBatchReader.from_batches(schema, batches()), {}, {}
    )
    assert (commit.rows, commit.files) == (10_000, 60)
    assert held(catalog) == list(range(10_000))
    for task in load(catalog, "s.t").scan().plan_files():
        assert set(pq.read_table(task.file.file_path, partitioning=None)["part"].to_pylist()) == {
            task.file.partition[0]
        }


def test_a_large_partition_is_several_files(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parted, "HELD_BYTES", 10_000)
    monkeypatch.setattr(parted, "FILE_BYTES", 50_000)
    data = pa.table({"id": range(20_000), "part": [1] * 20_000})
    reader = pa.RecordBatchReader.from_batches(data.schema, data.to_batches(max_chunksize=500))
    commit = replace(catalog, target("s.t", None, parse_terms("part")), reader, {}, {})
    assert commit.files > 2
    assert held(catalog) == list(range(20_000))


def test_the_header_changes_and_goes_and_old_snapshots_stay_readable(catalog: Catalog) -> None:
    sizes: list[tuple[Snapshot | None, int]] = []
    for terms in ("day(paid_at)", "month(paid_at), bucket(2, id)", "country", "", "day(paid_at)"):
        put(catalog, payments(*range(1, len(sizes) + 2)), terms)
        table = catalog.load_table("s.t")
        assert (
            ", ".join(str(it.transform) for it in table.spec().fields)
            == {
                "day(paid_at)": "day",
                "month(paid_at), bucket(2, id)": "month, bucket[2]",
                "country": "identity",
                "": "",
            }[terms]
        )
        sizes.append((table.current_snapshot(), table.scan().to_arrow().num_rows))
    for snapshot, rows in sizes:
        assert snapshot is not None
        assert len(held(catalog, snapshot.snapshot_id)) == rows


def test_the_spec_changes_in_the_transaction_that_writes(catalog: Catalog) -> None:
    put(catalog, payments(1), "day(paid_at)")
    before = catalog.load_table("s.t")
    put(catalog, payments(1), "country")
    after = catalog.load_table("s.t")
    assert len(after.metadata.metadata_log) == len(before.metadata.metadata_log) + 1


def test_what_somebody_else_parted_stays_so_where_no_header_speaks(catalog: Catalog) -> None:
    put(catalog, payments(1))
    with catalog.load_table("s.t").update_spec() as update:
        update.add_field("paid_at", DayTransform())
    put(catalog, payments(1, 2))
    assert len(catalog.load_table("s.t").spec().fields) == 1
    assert len(files(catalog, "s.t")) == 3


def test_a_column_that_parts_the_table_may_change_its_type(catalog: Catalog) -> None:
    put(catalog, payments(1, 2), "day(paid_at)")
    old = catalog.load_table("s.t").current_snapshot()
    data = payments(3)
    whole = data.set_column(2, "paid_at", data["paid_at"].cast(pa.date32()))
    put(catalog, whole, "day(paid_at)")
    put(catalog, whole, "day(paid_at)")
    assert held(catalog) == sorted(data["id"].to_pylist())
    assert old is not None
    assert len(held(catalog, old.snapshot_id)) == 7


D = pa.table({"id": [1, 2], "d": pa.array([date(2026, 1, 1), date(2026, 1, 2)])})
STAMPED = D.set_column(1, "d", D["d"].cast(pa.timestamp("us")))


@pytest.mark.parametrize("terms", ["d", "", "day(d)", "id, d"])
@pytest.mark.parametrize("between", [None, D.select(["id"])], ids=["retyped", "gone"])
def test_a_column_whose_values_part_the_table_may_come_back_with_another_type(
    catalog: Catalog, terms: str, between: pa.Table | None
) -> None:
    put(catalog, D, "d")
    old = catalog.load_table("s.t").current_snapshot()
    if between is not None:
        put(catalog, between)
    for _ in range(2):
        put(catalog, STAMPED, terms)
    table = catalog.load_table("s.t")
    assert table.scan().to_arrow().sort_by("id").to_pylist() == STAMPED.to_pylist()
    assert len(table.spec().fields) == len(terms.split(", ") if terms else [])
    assert old is not None
    assert table.scan(snapshot_id=old.snapshot_id).to_arrow().sort_by("id").to_pylist() == D.to_pylist()


@pytest.mark.parametrize("terms", ["day(at)", "", "id"])
def test_a_new_column_with_the_name_of_a_partition_field_is_told_and_the_fix_works(
    catalog: Catalog, terms: str
) -> None:
    data = pa.table({"at": pa.array([datetime(2026, 1, 1)]), "id": [1]})  # noqa: DTZ001
    put(catalog, data, "day(at)")
    with pytest.raises(CatalogError) as told:
        put(catalog, data.append_column("at_day", [["x"]]), terms)
    assert told.value.problem.startswith("s.t parts its files by a field at_day, or did so once")
    assert told.value.fix.startswith("call the column otherwise than at_day; or drop the table")
    put(catalog, data.append_column("day_at", [["x"]]), terms)
    catalog.drop_table("s.t")
    put(catalog, data.append_column("at_day", [["x"]]), terms)


def test_a_table_whose_partition_field_has_its_columns_name_is_written_as_ever(catalog: Catalog) -> None:
    """So did earlier versions name it, and so do other programs."""
    put(catalog, D)
    with catalog.load_table("s.t").update_spec() as update:
        update.add_identity("d")
    put(catalog, D, "d")
    assert [it.name for it in catalog.load_table("s.t").spec().fields] == ["d"]
    with pytest.raises(CatalogError, match="call the column otherwise than d; or drop the table"):
        put(catalog, STAMPED, "d")
    put(catalog, STAMPED.rename_columns(["id", "at"]), "at")


def test_a_partition_fields_name_gives_way_to_a_columns(catalog: Catalog) -> None:
    data = pa.table({"at": pa.array([datetime(2026, 1, 1)]), "at_day": ["x"], "id": [1]})  # noqa: DTZ001
    put(catalog, data, "day(at)")
    assert [it.name for it in catalog.load_table("s.t").spec().fields] == ["at_day_"]
    assert catalog.load_table("s.t").scan().to_arrow().to_pylist() == data.to_pylist()


def test_a_term_that_does_not_fit_what_the_query_gave_is_told(catalog: Catalog) -> None:
    with pytest.raises(CatalogError, match=r"s.t is not parted by day\(id\): id is a bigint"):
        put(catalog, payments(1), "day(id)")
    assert not catalog.table_exists("s.t")


def test_rows_that_are_added_are_parted_too_though_the_column_is_not_among_them(catalog: Catalog) -> None:
    put(catalog, payments(1), "day(paid_at)")
    rows = pa.table({"id": pa.array([7], pa.int64())})
    at = target("s.t", catalog.load_table("s.t"), DAY)
    append(catalog, at, rows.to_reader(), {}, payments(1).schema)
    assert len(files(catalog, "s.t")["None"]) == 2
    assert isinstance(plan("s.t", catalog.load_table("s.t")).relation, Files)


def test_a_time_that_has_no_partition_stops_the_commit_and_leaves_no_file(catalog: Catalog) -> None:
    far = pa.array([2**63 - 1], pa.int64()).cast(pa.timestamp("us"))
    with pytest.raises(CatalogError, match="a time is too far off"):
        put(catalog, pa.table({"at": far, "id": [1]}), "hour(at)")
    assert not catalog.table_exists("s.t")
    assert not list((Path(catalog.properties["warehouse"]) / "s").rglob("*.parquet"))


def test_a_file_without_the_column_of_its_partition_is_read_right(catalog: Catalog, tmp_path: Path) -> None:
    """Hive's writers leave the column out: the partition tells its value."""
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "country", StringType()))
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "country"))
    catalog.create_namespace("s")
    table = catalog.create_table("s.t", schema, partition_spec=spec)
    path = tmp_path / "country=FR" / "f.parquet"
    path.parent.mkdir()
    pq.write_table(
        pa.table({"id": [1, 2]}, schema=pa.schema([pa.field("id", pa.int64(), metadata={"PARQUET:field_id": "1"})])),
        path,
    )
    file = DataFile.from_args(
        content=DataFileContent.DATA, file_path=str(path), file_format=FileFormat.PARQUET, partition=Record("DE"),
        record_count=2, file_size_in_bytes=path.stat().st_size, spec_id=0,
    )  # fmt: skip
    with table.transaction() as transaction, transaction.update_snapshot().fast_append() as added:
        added.append_data_file(file)
    relation = plan("s.t", load(catalog, "s.t")).relation
    assert isinstance(relation, Rows)
    assert relation.data.to_pylist() == [{"id": 1, "country": "DE"}, {"id": 2, "country": "DE"}]


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


def test_a_day_ends_before_the_next_begins(catalog: Catalog) -> None:
    last = datetime(2026, 1, 2) - timedelta(microseconds=1)  # noqa: DTZ001
    data = pa.table({"id": [1, 2], "paid_at": pa.array([last, last + timedelta(microseconds=1)])})
    put(catalog, data.append_column("d", pa.array([Decimal(1)] * 2)), "day(paid_at)")
    assert sorted(files(catalog, "s.t")) == ["20454", "20455"]


FAR = (
    "timestamp 'infinity'",
    "timestamptz '-infinity'",
    "timestamp '0044-03-15 (BC) 00:00:00'",
    "timestamp '10000-01-01'",
    "date 'infinity'",
    "date '0001-12-31 (BC)'",
)


@pytest.mark.parametrize(
    ("far", "terms"), [*((far, "day(born)") for far in FAR), (FAR[0], "hour(paid), born"), (FAR[2], "")]
)
def test_a_time_out_of_pythons_years_is_told_with_its_column_and_the_fix_works(
    catalog: Catalog, engine: Engine, far: str, terms: str
) -> None:
    text = f"select born, 1 as id, timestamp '9999-12-31' as paid from (values ({far}), (date '0001-01-01')) as t(born)"  # noqa: S608
    at = target("s.t", None, parse_terms(terms) if terms else ())
    with engine.open(Query(text, "q.sql"), {}) as result, pytest.raises(CatalogError) as told:
        replace(catalog, at, result, {}, {})
    said = "s.t does not take these rows: a time is too far off in born: it is infinity, or no year from 1 to 9999"
    assert told.value.problem == said
    fixed = text + told.value.fix.partition("leave such rows out:")[2].replace("column", "born")
    with engine.open(Query(fixed, "q.sql"), {}) as result:
        assert replace(catalog, at, result, {}, {}).rows == 1
    with (
        engine.open(Query(text, "q.sql"), {}) as result,
        result.batches() as reader,
        pytest.raises(CatalogError, match="a time is too far off in born"),
    ):
        replace(catalog, target("s.u", None), reader, {}, {})
