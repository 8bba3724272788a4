"""Several at once on one PostgreSQL: who makes the catalog's tables, who commits, and what an interrupt leaves."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pytest

from governance.project import Project
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Query
from platform_assets.iceberg import connect
from platform_assets.iceberg.catalog import Catalog, inventory, load, open_catalog
from platform_assets.iceberg.publish import Conflict, append, replace, target
from platform_assets.iceberg.sql import SqlCatalog
from tests.catalogs.conftest import configure, s3_settings
from tests.postgres import Postgres

WRITERS, TIMES = 4, 3


@pytest.fixture
def new(postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database without a table, which the settings name."""
    name = uuid4().hex
    configure(monkeypatch, uri=postgres.make(name), warehouse=f"file://{tmp_path}/house")
    return name


def at_once(work: Callable[[int], object]) -> list[object]:
    """Return what ``work`` returns in each of several threads that begin together."""
    gate = threading.Barrier(WRITERS)

    def begin(number: int) -> object:
        gate.wait(20)
        return work(number)

    with ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(begin, range(WRITERS)))


def opened(project: Project) -> list[str]:
    with open_catalog(project) as catalog:
        return sorted(inventory(catalog))


def test_several_that_find_no_tables_make_them_once(
    new: str, postgres: Postgres, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = threading.Barrier(WRITERS)
    once = threading.local()

    def late(name: str, **settings: Any) -> Catalog:
        # all of them have found nothing by the time that the first makes something
        if not hasattr(once, "waited"):
            once.waited = True
            looked.wait(20)
        return SqlCatalog(name, **settings)

    monkeypatch.setattr(connect, "SqlCatalog", late)
    assert at_once(lambda _: opened(project)) == [[]] * WRITERS
    made = postgres.ask(
        new, "select table_name from information_schema.tables where table_schema = 'public' order by 1"
    )
    assert made == [("iceberg_namespace_properties",), ("iceberg_tables",)]


@pytest.mark.usefixtures("new")
def test_no_commit_of_several_writers_is_lost(project: Project) -> None:
    data = pa.table({"a": pa.array([0], pa.int64())})
    with open_catalog(project) as catalog:
        replace(catalog, target("s.t", None), data.to_reader(), {}, {})

    def write(number: int) -> int:
        conflicts = 0
        with open_catalog(project) as catalog:
            for time in range(TIMES):
                row = pa.table({"a": pa.array([number * 10 + time + 1], pa.int64())})
                while True:
                    try:
                        append(catalog, target("s.t", load(catalog, "s.t")), row.to_reader(), {}, row.schema)
                        break
                    except Conflict:
                        conflicts += 1
        return conflicts

    at_once(write)
    with open_catalog(project) as catalog:
        found = load(catalog, "s.t").scan().to_arrow()["a"].to_pylist()
    assert sorted(found) == sorted([0, *(n * 10 + t + 1 for n in range(WRITERS) for t in range(TIMES))])


@pytest.mark.usefixtures("new")
def test_tables_of_one_new_schema_are_made_at_once(project: Project) -> None:
    data = pa.table({"a": pa.array([0], pa.int64())})

    def make(number: int) -> None:
        with open_catalog(project) as catalog:
            replace(catalog, target(f"s.t{number}", None), data.to_reader(), {}, {})

    at_once(make)
    assert opened(project) == [f"s.t{number}" for number in range(WRITERS)]


class Stop(BaseException):
    pass


@pytest.mark.usefixtures("new")
def test_an_upload_that_is_stopped_leaves_nothing_in_the_bucket(
    s3: str, bucket: Any, project: Project, engine: DuckDb, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(monkeypatch, **s3_settings(s3, bucket))

    def stopped(_: Any, sink: Any, size: int) -> None:
        # a part is sent when the next begins
        sink.write(b"x" * size)
        sink.write(b"x" * size)
        assert sent(bucket)
        raise Stop

    monkeypatch.setattr("platform_assets.iceberg.data_files.PART_BYTES", 6 * 2**20)
    monkeypatch.setattr("platform_assets.iceberg.data_files.shutil.copyfileobj", stopped)
    with (
        open_catalog(project) as catalog,
        engine.open(Query("select 1 as a", "q.sql"), {}) as result,
        pytest.raises(Stop),
    ):
        replace(catalog, target("s.t", None), result, {}, {})
    assert sent(bucket) == []
    assert [it.key for it in bucket.objects.all() if not it.key.endswith("/")] == []


def sent(bucket: Any) -> list[str]:
    return [it.object_key for it in bucket.multipart_uploads.all()]
