"""Data files: they lie where the table lies, and those of a run that committed nothing are gone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pyarrow as pa
import pytest
from moto.server import ThreadedMotoServer
from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

from governance.errors import CatalogError
from governance.project import Project
from platform_assets.engines.engine import Engine, Files, Query, QueryError
from platform_assets.iceberg.catalog import RUN_ID, load, load_known, open_catalog, plan
from platform_assets.iceberg.publish import Commit, Conflict, Target, append, replace, target


def now(catalog: Catalog, name: str) -> Target:
    return target(name, load_known(catalog, [name]).get(name))


def put(catalog: Catalog, engine: Engine, sql: str, at: Target | None = None, **kept: str) -> Commit:
    with engine.open(Query(sql, "q.sql"), {}) as result:
        return replace(catalog, at or now(catalog, "s.t"), result, {RUN_ID: "run"}, {}, kept=kept)


def data(project: Project) -> list[Path]:
    return sorted(project.state.rglob("data/**/*.parquet"))


def rows(catalog: Catalog) -> list[dict[str, Any]]:
    return sorted(load(catalog, "s.t").scan().to_arrow().to_pylist(), key=str)


def test_files_are_moved_to_the_table_and_read_in_place(project: Project, catalog: Catalog, engine: Engine) -> None:
    commit = put(catalog, engine, "select 1 as a")
    (file,) = data(project)
    assert (commit.files, commit.bytes) == (1, file.stat().st_size)
    table = load(catalog, "s.t")
    assert table.name_mapping() is None
    assert plan("s.t", table).relation == Files((str(file),), commit.columns)


def test_a_result_without_rows_is_a_snapshot_without_files(project: Project, catalog: Catalog, engine: Engine) -> None:
    for sql, files in (("select 1 as a where false", 0), ("select 1 as a", 1), ("select 1 as a where false", 0)):
        commit = put(catalog, engine, sql)
        assert (commit.files, commit.rows, len([*load(catalog, "s.t").scan().plan_files()])) == (files, files, files)
    assert len(data(project)) == 1


def test_properties_of_the_table_are_kept_in_the_same_commit(catalog: Catalog, engine: Engine) -> None:
    put(catalog, engine, "select 1 as a", taken="one", other="kept")
    commit = put(catalog, engine, "select 2 as a", taken="two")
    table = load(catalog, "s.t")
    assert (table.properties["taken"], table.properties["other"]) == ("two", "kept")
    assert len(table.metadata.metadata_log) == 1
    assert table.current_snapshot().snapshot_id == commit.snapshot_id


@pytest.mark.parametrize("there", [False, True])
def test_a_query_that_fails_leaves_no_file(project: Project, catalog: Catalog, engine: Engine, *, there: bool) -> None:
    if there:
        put(catalog, engine, "select 1 as a")
    before = sorted(project.state.rglob("warehouse/**/*.*"))
    with pytest.raises(QueryError, match="late"):
        put(
            catalog,
            engine,
            "select case when range = 900000 then error('late') else range end as b from range(1000000)",
        )
    assert sorted(project.state.rglob("warehouse/**/*.*")) == before


def test_the_files_of_a_refused_commit_are_removed(project: Project, catalog: Catalog, engine: Engine) -> None:
    put(catalog, engine, "select 1 as a")
    at = now(catalog, "s.t")
    put(catalog, engine, "select 2 as a")
    for write in (replace, append):
        before = data(project)
        with engine.open(Query("select 3 as a", "q.sql"), {}) as result, pytest.raises(Conflict):
            write(catalog, at, result, {}, result.schema if write is append else {})
        assert data(project) == before
    assert rows(catalog) == [{"a": 2}]


class Stop(BaseException):
    pass


@pytest.mark.parametrize(
    ("raised", "stays"), [(Stop(), True), (ConnectionError("no answer"), True), (CommitFailedException("no"), False)]
)
def test_files_stay_where_the_commit_may_have_landed(
    project: Project,
    catalog: Catalog,
    engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
    *,
    raised: BaseException,
    stays: bool,
) -> None:
    real = type(catalog).commit_table

    def lost(*args: Any) -> Any:
        if stays:
            real(*args)
        raise raised

    put(catalog, engine, "select 1 as a")
    before = len(data(project))
    monkeypatch.setattr(type(catalog), "commit_table", lost)
    with pytest.raises((Stop, CatalogError)):
        put(catalog, engine, "select 2 as a")
    assert len(data(project)) == before + stays
    assert rows(catalog) == [{"a": 1 + stays}]


def test_a_run_that_is_stopped_between_its_files_and_its_commit_leaves_none(
    project: Project, catalog: Catalog, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise Stop

    monkeypatch.setattr("platform_assets.iceberg.publish._add", stop)
    with pytest.raises(Stop):
        put(catalog, engine, "select 1 as a")
    with pytest.raises(Stop):
        replace(catalog, now(catalog, "s.t"), pa.table({"a": [1]}).to_reader(), {}, {})
    assert data(project) == []


def test_columns_change_with_the_rows_and_statistics_bear_the_new_ids(catalog: Catalog, engine: Engine) -> None:
    put(catalog, engine, "select 1::bigint as a, 'x' as b")
    commit = put(catalog, engine, "select 'y' as b, 7::double as a, 'new' as c")
    ids = {column.name: column.field_id for column in commit.columns}
    (task,) = load(catalog, "s.t").scan().plan_files()
    assert {*task.file.lower_bounds} == {*ids.values()}
    assert task.file.upper_bounds[ids["b"]] == b"y"
    assert rows(catalog) == [{"b": "y", "a": 7.0, "c": "new"}]


def partitioned(catalog: Catalog) -> None:
    schema = Schema(NestedField(1, "land", StringType()), NestedField(2, "n", LongType()))
    catalog.create_namespace("s")
    spec = PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "land"))
    catalog.create_table("s.t", schema, partition_spec=spec)


def test_a_partitioned_table_gets_a_file_for_each_part(catalog: Catalog, engine: Engine) -> None:
    partitioned(catalog)
    into = (("land", "varchar"), ("n", "bigint"))
    with engine.open(Query("select ['x', 'y'][1 + range % 2], range from range(10)", "q.sql", into), {}) as result:
        commit = append(catalog, now(catalog, "s.t"), result, {RUN_ID: "run"}, result.schema)
    assert (commit.rows, commit.files) == (10, 2)
    assert load(catalog, "s.t").scan("land = 'y'").to_arrow()["n"].to_pylist() == [1, 3, 5, 7, 9]
    with engine.open(Query("select 'z' as land, 1::bigint as n", "q.sql"), {}) as result:
        commit = replace(catalog, now(catalog, "s.t"), result, {RUN_ID: "next"}, {})
    assert (commit.rows, commit.files, commit.total_rows) == (1, 1, 1)


def test_rows_that_the_table_does_not_take_are_refused_before_they_are_made(
    project: Project, catalog: Catalog, engine: Engine
) -> None:
    schema = Schema(NestedField(1, "a", LongType(), required=True))
    catalog.create_namespace("s")
    catalog.create_table("s.t", schema)
    query = Query("select error('it ran')", "q.sql", (("a", "bigint"),))
    with engine.open(query, {}) as result, pytest.raises(CatalogError, match=r"s\.t does not take these rows"):
        append(catalog, now(catalog, "s.t"), result, {}, result.schema)
    assert data(project) == []


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A warehouse on an object store of this machine, as pyiceberg's own configuration names it."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    endpoint = f"http://127.0.0.1:{server.get_host_and_port()[1]}"
    key = {"ACCESS_KEY_ID": "key", "SECRET_ACCESS_KEY": "it opens nothing"}
    s3 = {"ENDPOINT": endpoint, "REGION": "us-east-1", **key}
    settings = {"TYPE": "sql", "URI": "sqlite:///:memory:", "WAREHOUSE": "s3://lake"}
    for name, value in (settings | {f"S3__{name}": value for name, value in s3.items()}).items():
        monkeypatch.setenv(f"PYICEBERG_CATALOG__DEFAULT__{name}", value)
    for name, value in key.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    client: Any = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
    client.create_bucket(Bucket="lake")
    yield client
    server.stop()


def test_files_are_uploaded_where_the_warehouse_is_elsewhere(bucket: Any, project: Project, engine: Engine) -> None:
    with open_catalog(project) as catalog:
        commit = put(catalog, engine, "select range as a from range(3)")
        assert (commit.rows, commit.files) == (3, 1)
        (task,) = load(catalog, "s.t").scan().plan_files()
        assert task.file.file_path.startswith("s3://lake/")
        assert task.file.file_size_in_bytes == commit.bytes
        assert rows(catalog) == [{"a": 0}, {"a": 1}, {"a": 2}]
        at = now(catalog, "s.t")
        put(catalog, engine, "select 4 as a")
        with pytest.raises(Conflict):
            put(catalog, engine, "select 5 as a", at)
    keys = [it["Key"] for it in bucket.list_objects_v2(Bucket="lake")["Contents"]]
    assert len([key for key in keys if key.endswith(".parquet")]) == 2
