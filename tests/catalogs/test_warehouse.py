"""A warehouse on an object store: what is read of it, what its failures say, what an interrupt leaves there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from governance.errors import CatalogError
from governance.project import Project
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Query, QueryError, Rows, Stored
from platform_assets.iceberg import warehouse
from platform_assets.iceberg.catalog import Catalog, load, open_catalog, plan
from platform_assets.iceberg.publish import replace, target
from tests.catalogs.conftest import SECRET, configure, s3_settings


@pytest.fixture
def catalog(
    s3: str, bucket: Any, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Catalog]:
    configure(monkeypatch, uri=f"sqlite:///{tmp_path}/lake.db", **s3_settings(s3, bucket))
    with open_catalog(project) as opened:
        yield opened


def put(catalog: Catalog, engine: DuckDb, sql: str, name: str = "s.t") -> None:
    at = target(name, load(catalog, name) if catalog.table_exists(name) else None)
    with engine.open(Query(sql, "q.sql"), {}) as result:
        replace(catalog, at, result, {}, {})


def ask(catalog: Catalog, engine: DuckDb, sql: str, name: str = "s.t") -> list[dict[str, Any]]:
    relation = plan(name, load(catalog, name)).relation
    with engine.open(Query(sql, "q.sql"), {name: relation}) as result, result.batches() as reader:
        return list(reader.read_all().to_pylist())


def test_a_query_reads_the_columns_that_it_asks_for(
    catalog: Catalog, engine: DuckDb, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(catalog, engine, "select range as a, range % 7 as b, md5(range::varchar) as wide from range(300000)")
    relation = plan("s.t", load(catalog, "s.t")).relation
    assert isinstance(relation, Stored)
    read: list[int] = []
    real = warehouse.Opened.read_at

    def counted(self: warehouse.Opened, size: int, at: int) -> bytes:
        read.append(size)
        return real(self, size, at)

    monkeypatch.setattr(warehouse.Opened, "read_at", counted)
    assert ask(catalog, engine, "select b, count(*) as n, sum(a) as a from s.t group by b having b = 3") == [
        {"b": 3, "n": 42857, "a": 6428507143}
    ]
    some = sum(read)
    read.clear()
    assert ask(catalog, engine, "select count(distinct wide) as n from s.t, (select 1)") == [{"n": 300000}]
    assert 0 < some < sum(read) / 3


def test_columns_that_changed_come_out_right(catalog: Catalog, engine: DuckDb) -> None:
    put(catalog, engine, "select 1::bigint as a, 'x' as b")
    table = load(catalog, "s.t")
    with table.update_schema() as update:
        update.rename_column("a", "c")
    put_more = pa.table({"c": pa.array([2], pa.int64()), "b": ["y"]})
    load(catalog, "s.t").append(put_more)
    assert ask(catalog, engine, "select c, b from s.t order by c") == [{"c": 1, "b": "x"}, {"c": 2, "b": "y"}]
    assert ask(catalog, engine, "select x.c, y.b from s.t x join s.t y using (c) order by 1") == [
        {"c": 1, "b": "x"},
        {"c": 2, "b": "y"},
    ]


def test_what_the_files_alone_would_get_wrong_is_read_by_the_scan(catalog: Catalog, engine: DuckDb) -> None:
    put(catalog, engine, "select {'x': 1} as s, range as n from range(3)")
    with load(catalog, "s.t").update_schema() as update:
        update.delete_column("n")
    assert isinstance(plan("s.t", load(catalog, "s.t")).relation, Rows)
    assert ask(catalog, engine, "select count(*) as n from s.t") == [{"n": 3}]


def test_nothing_else_of_the_store_can_be_read(catalog: Catalog, engine: DuckDb) -> None:
    put(catalog, engine, "select 1 as a")
    put(catalog, engine, "select 2 as a", "s.u")
    ((other, _),) = plan("s.u", load(catalog, "s.u")).relation.files
    for path in (other, "stored://x.parquet", "s3://x/y.parquet"):
        with pytest.raises(QueryError):
            ask(catalog, engine, f"select * from s.t, read_parquet('{path}')")  # noqa: S608


def test_a_store_that_fails_in_a_query_says_which_table(catalog: Catalog, engine: DuckDb, bucket: Any) -> None:
    put(catalog, engine, "select 1 as a")
    relation = plan("s.t", load(catalog, "s.t")).relation
    for it in bucket.objects.filter(Prefix="house/s/t/data"):
        it.delete()
    with (
        pytest.raises(CatalogError, match=r"a data file of s\.t cannot be read") as caught,
        engine.open(Query("select * from s.t", "q.sql"), {"s.t": relation}) as result,
        result.batches() as reader,
    ):
        reader.read_all()
    assert SECRET not in str(caught.value)
    assert caught.value.fix
