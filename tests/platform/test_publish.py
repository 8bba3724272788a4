"""Writing and reading real Iceberg tables: what is committed is what is read, whatever the columns are called."""

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyiceberg.catalog import Catalog

from governance.errors import CatalogError
from governance.project import project_at
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Files, Query, Rows
from platform_assets.iceberg.catalog import (
    RUN_ID,
    inventory,
    load,
    load_known,
    open_catalog,
    plan,
    published,
    schema_of,
)
from platform_assets.iceberg.publish import Commit, Conflict, Target, append, replace, target

ENGINE = DuckDb(lambda: closing(duckdb.connect()))


def now(catalog: Catalog, name: str) -> Target:
    return target(name, load_known(catalog, [name]).get(name))


def put(catalog: Catalog, name: str, data: pa.Table, run: str = "run") -> Commit:
    return replace(catalog, now(catalog, name), data.to_reader(), {RUN_ID: run}, {})


def read(catalog: Catalog, name: str, query: str) -> list[dict[str, object]]:
    tables = {name: plan(name, load(catalog, name)).relation}
    with ENGINE.open(Query(query, "q.sql"), tables) as result, result.batches() as reader:
        return reader.read_all().to_pylist()


def test_a_new_table_is_created_with_its_rows_in_one_commit(catalog: Catalog) -> None:
    commit = put(catalog, "s.t", pa.table({"a": [1, 2, None], "b": ["x", "y", "z"]}))
    assert (commit.rows, commit.files, commit.total_rows, commit.lifecycle) == (3, 1, 3, "CREATE")
    assert commit.bytes > 0
    assert inventory(catalog) == {"s.t"}
    assert schema_of(load(catalog, "s.t")) == {"a": "bigint", "b": "varchar"}
    assert len(catalog.load_table("s.t").metadata.metadata_log) == 0
    assert read(catalog, "s.t", "select sum(a) a, min(b) b from s.t") == [{"a": 3, "b": "x"}]


def test_replacing_changes_columns_and_rows_in_one_metadata_commit(catalog: Catalog) -> None:
    put(catalog, "s.t", pa.table({"a": [1], "b": ["x"], "c": [True]}))
    kept = {c.name: c.field_id for c in put(catalog, "s.t", pa.table({"a": [1], "b": ["x"], "c": [True]})).columns}
    commit = put(catalog, "s.t", pa.table({"c": [False], "a": ["one"], "d": [1.5]}))
    table = catalog.load_table("s.t")
    assert len(table.metadata.metadata_log) == 2
    assert commit.lifecycle == "OVERWRITE"
    assert commit.total_rows == 1
    assert schema_of(load(catalog, "s.t")) == {"c": "boolean", "a": "varchar", "d": "double"}
    ids = {c.name: c.field_id for c in commit.columns}
    assert ids["c"] == kept["c"]
    assert ids["a"] != kept["a"]
    assert read(catalog, "s.t", "from s.t") == [{"c": False, "a": "one", "d": 1.5}]


def test_replacing_an_empty_table_and_by_an_empty_result(catalog: Catalog) -> None:
    empty = pa.table({"a": pa.array([], pa.int64())})
    for data, rows in ((empty, 0), (empty, 0), (pa.table({"a": [1]}), 1), (empty, 0)):
        assert put(catalog, "s.t", data).total_rows == rows
        assert len(read(catalog, "s.t", "from s.t")) == rows


ODD = ["a b", 'quo"te', "it's", "a.b", "ünï", "日本", "select", "1st", "a/b", "semi;colon", "<b>x</b>", "100%"]


def test_odd_column_names_come_back_as_they_were(catalog: Catalog) -> None:
    data = pa.table({name: [place] for place, name in enumerate(ODD)})
    put(catalog, "s.odd", data)
    put(catalog, "s.odd", data)
    assert isinstance(plan("s.odd", load(catalog, "s.odd")).relation, Files)
    assert read(catalog, "s.odd", "from s.odd") == data.to_pylist()
    put(catalog, "s.odd", data.select(ODD[::-1]).append_column("new one", pa.array(["x"])))
    assert list(schema_of(load(catalog, "s.odd"))) == [*ODD[::-1], "new one"]


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8),
        min_size=1,
        max_size=4,
        unique_by=str.lower,
    )
)
def test_any_column_names_come_back_as_they_were(catalog: Catalog, names: list[str]) -> None:
    data = pa.table({name: [place] for place, name in enumerate(names)})
    put(catalog, "s.any", data)
    assert read(catalog, "s.any", "from s.any") == data.to_pylist()


def test_a_table_written_under_an_older_schema_reads_right_in_place(catalog: Catalog) -> None:
    put(catalog, "s.t", pa.table({"a": pa.array([1], pa.int32()), "b": ["x"]}))
    table = catalog.load_table("s.t")
    with table.update_schema() as update:
        update.rename_column("b", "renamed").add_column("c", table.schema().find_field("b").field_type)
    relation = plan("s.t", load(catalog, "s.t")).relation
    assert isinstance(relation, Files)
    assert read(catalog, "s.t", "from s.t") == [{"a": 1, "renamed": "x", "c": None}]


def test_deleted_rows_and_files_without_field_ids_are_read_by_pyiceberg(catalog: Catalog, tmp_path: Path) -> None:
    put(catalog, "s.t", pa.table({"a": [1, 2]}))
    pa.parquet.write_table(pa.table({"a": [3]}), tmp_path / "added.parquet")
    catalog.load_table("s.t").add_files([str(tmp_path / "added.parquet")])
    assert isinstance(plan("s.t", load(catalog, "s.t")).relation, Rows)
    assert read(catalog, "s.t", "select a from s.t order by a") == [{"a": 1}, {"a": 2}, {"a": 3}]


@pytest.mark.parametrize(
    ("select", "column", "fix"),
    [
        ("null as nothing", "nothing", "cast"),
        ("interval 1 day as wait", "wait", "epoch"),
        ("timestamp_ns '2026-01-01' as fine", "fine", "cast it to timestamp"),
        ("[null] as holes", "holes", "cast"),
        ("union_value(a := 1) as either", "either", "cast"),
    ],
)
def test_a_type_that_iceberg_lacks_is_refused_by_column_before_anything_is_written(
    catalog: Catalog, select: str, column: str, fix: str
) -> None:
    with ENGINE.open(Query(f"select 1 as a, {select}", "q.sql"), {}) as result, pytest.raises(CatalogError) as caught:
        replace(catalog, now(catalog, "s.bad"), result, {}, {})
    assert f"s.bad.{column}" in str(caught.value)
    assert fix in str(caught.value)
    assert inventory(catalog) == frozenset()


def test_an_append_goes_by_position_into_the_declared_columns(catalog: Catalog) -> None:
    declared = (("day", "date"), ("revenue", "double"))
    for total in (1, 2):
        at = now(catalog, "s.daily")
        into = tuple(schema_of(load(catalog, "s.daily")).items()) if at.table else declared
        query = Query("select '2026-10-01', sum(1.5::decimal(9,2))", "q.sql", into)
        with ENGINE.open(query, {}) as result:
            commit = append(catalog, at, result, {RUN_ID: f"run {total}"}, ENGINE.schema(declared))
        assert (commit.rows, commit.total_rows) == (1, total)
        assert commit.lifecycle == ("CREATE" if total == 1 else None)
    assert (
        read(catalog, "s.daily", "select day::varchar as day, revenue from s.daily")
        == [{"day": "2026-10-01", "revenue": 1.5}] * 2
    )
    assert [p.run_id for p in published(catalog, "s.daily")] == ["run 1", "run 2"]


@pytest.mark.parametrize("kind", ["replace", "append", "create"])
def test_n16_a_run_that_planned_on_an_older_table_conflicts_and_writes_nothing(catalog: Catalog, kind: str) -> None:
    data = pa.table({"a": [1]})
    if kind != "create":
        put(catalog, "s.t", data)
    at = now(catalog, "s.t")
    put(catalog, "s.t", pa.table({"a": [2]}), "the other")
    write = append if kind == "append" else replace
    with pytest.raises(Conflict, match=r"s\.t was changed by another run"):
        write(catalog, at, data.to_reader(), {}, data.schema if kind == "append" else {})
    assert read(catalog, "s.t", "from s.t") == [{"a": 2}]


def test_a_failing_reader_leaves_the_table_as_it_was(catalog: Catalog) -> None:
    class Stop(BaseException):
        pass

    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"a": [5]})
        raise Stop

    put(catalog, "s.t", pa.table({"a": [1]}))
    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), batches())
    with pytest.raises(Stop):
        replace(catalog, now(catalog, "s.t"), reader, {}, {})
    assert read(catalog, "s.t", "from s.t") == [{"a": 1}]


def test_a_large_result_is_written_in_pieces_and_counts_as_one_commit(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(catalog, "s.t", pa.table({"a": [0]}), "small")
    monkeypatch.setattr("platform_assets.iceberg.parted.HELD_BYTES", 1_000)
    monkeypatch.setattr("platform_assets.iceberg.parted.FILE_BYTES", 1_000)
    batches = pa.table({"a": range(1_000)}).to_batches(max_chunksize=100)
    reader = pa.RecordBatchReader.from_batches(batches[0].schema, iter(batches))
    commit = replace(catalog, now(catalog, "s.t"), reader, {RUN_ID: "large"}, {})
    assert (commit.rows, commit.files, commit.total_rows) == (1_000, 5, 1_000)
    table = load(catalog, "s.t")
    assert len(table.metadata.metadata_log) == 1
    assert len(table.snapshots()) == 1 + 1 + 1
    assert [(it.run_id, it.rows, it.bytes) for it in published(catalog, "s.t")][1:] == [("large", 1_000, commit.bytes)]
    assert read(catalog, "s.t", "select count(distinct a) as n from s.t") == [{"n": 1_000}]


def test_the_run_id_is_in_the_snapshot_and_each_run_counts_once(catalog: Catalog) -> None:
    put(catalog, "s.t", pa.table({"a": [1]}), "first")
    commit = put(catalog, "s.t", pa.table({"b": ["x", "y"]}), "second")
    first, second = published(catalog, "s.t")
    assert (first.run_id, [c.name for c in first.columns], first.rows) == ("first", ["a"], 1)
    assert (second.run_id, [c.name for c in second.columns], second.rows) == ("second", ["b"], 2)
    assert second.snapshot_id == commit.snapshot_id


def test_a_reader_sees_the_old_table_or_the_new_one(catalog: Catalog, tmp_path: Path) -> None:
    versions = [pa.table({"a": [n] * 100, f"c{n % 2}": [n] * 100}) for n in range(8)]
    put(catalog, "s.t", versions[0])
    seen: list[tuple[int, int, int]] = []
    done = threading.Event()

    def watch() -> None:
        with open_catalog(project_at(tmp_path)) as own:
            while not done.is_set():
                (row,) = read(own, "s.t", "select count(*) n, min(a) low, max(a) high from s.t")
                seen.append((row["n"], row["low"], row["high"]))

    watcher = threading.Thread(target=watch)
    watcher.start()
    for version in versions:
        put(catalog, "s.t", version)
    done.set()
    watcher.join()
    assert seen
    assert all(n == 100 and low == high for n, low, high in seen)
