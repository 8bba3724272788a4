"""Partitioned tables as they are written: every row in the file of its partition, whatever it holds."""

from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.expressions import EqualTo
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record
from pyiceberg.types import LongType, NestedField, StringType

from governance.partition import parse_terms
from platform_assets.engines.engine import Engine, Files, Query, Rows
from platform_assets.iceberg import parted
from platform_assets.iceberg.catalog import Catalog, load, plan
from platform_assets.iceberg.publish import append, replace, target
from tests.partitions.conftest import files, payments
from tests.partitions.tables import DAY, held, put

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


def test_rows_that_are_added_are_parted_too_though_the_column_is_not_among_them(catalog: Catalog) -> None:
    put(catalog, payments(1), "day(paid_at)")
    rows = pa.table({"id": pa.array([7], pa.int64())})
    at = target("s.t", catalog.load_table("s.t"), DAY)
    append(catalog, at, rows.to_reader(), {}, payments(1).schema)
    assert len(files(catalog, "s.t")["None"]) == 2
    assert isinstance(plan("s.t", catalog.load_table("s.t")).relation, Files)


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
