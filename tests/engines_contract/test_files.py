"""Tables as they are stored, read by either engine; and what either engine stores, read by pyiceberg."""

from collections.abc import Iterator
from dataclasses import replace as replace_
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog import Catalog
from pyiceberg.types import LongType

from governance.project import project_at
from platform_assets.engines.engine import Column, Empty, Engine, Files, Query, QueryError, Rows
from platform_assets.iceberg.catalog import open_catalog, plan
from platform_assets.iceberg.publish import Commit, append, replace, target
from tests.engines_contract.asking import GIVEN, TABLES, ask, columns_of, shown


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalog]:
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))
    with open_catalog(project_at(tmp_path)) as opened:
        yield opened


def put(catalog: Catalog, engine: Engine, sql: str) -> Commit:
    at = catalog.load_table("mart.t") if catalog.table_exists("mart.t") else None
    with engine.open(Query(sql, "q.sql"), TABLES) as result:
        return replace(catalog, target("mart.t", at), result, {}, {})


def test_pyiceberg_reads_what_an_engine_wrote(engine: Engine, catalog: Catalog) -> None:
    commit = put(catalog, engine, "select * from s.t")
    table = catalog.load_table("mart.t")
    assert commit.rows == 6
    assert shown(table.scan().to_arrow()) == shown(GIVEN)
    assert isinstance(plan("mart.t", table).relation, Files)


def test_files_bear_the_field_ids_of_their_table_nested_ones_too(engine: Engine) -> None:
    with engine.open(Query("select id, moment, seen, many, one, pairs from s.t", "q.sql"), TABLES) as result:
        files = result.write(columns_of(result.schema))
        found = [pq.ParquetFile(file) for file in files]
    ids = [str(file.schema) for file in found]
    for text in ids:
        assert (
            "field_id=-1"
            not in text.replace("group field_id=-1 list", "")
            .replace("group field_id=-1 key_value", "")
            .split("\n", 2)[2]
        )
        assert "int96" not in text.lower()
        assert text.count("timeUnit=microseconds") == 2


def test_a_result_without_rows_is_a_table_without_rows(engine: Engine, catalog: Catalog) -> None:
    commit = put(catalog, engine, "select id, word from s.t where false")
    assert (commit.rows, commit.files) == (0, 0)
    assert [it.name for it in commit.columns] == ["id", "word"]


def test_a_table_without_rows_is_read(engine: Engine) -> None:
    tables = {"s.e": Empty((("a", "bigint"), ("b", "decimal(10, 2)"), ("c", "varchar[]")))}
    assert ask(engine, "select a, b, c from s.e", tables).num_rows == 0
    assert ask(engine, "select count(*) as n from s.e", tables).to_pylist() == [{"n": 0}]


def test_an_insert_casts_by_position(engine: Engine) -> None:
    into = (("a", "bigint"), ("b", "double"))
    found = ask(engine, "select id, amount from s.t where id = 1", TABLES, into)
    assert found.to_pylist() == [{"a": 1, "b": 1.25}]


def test_an_insert_that_would_round_is_refused_on_spark(spark: Engine) -> None:
    with pytest.raises(QueryError, match="column a"):
        ask(spark, "select rate from s.t", TABLES, (("a", "bigint"),))


def test_many_files_with_a_renamed_and_an_added_column(engine: Engine, catalog: Catalog) -> None:
    first = pa.table({"id": pa.array([1, 2], pa.int32()), "old": ["a", "b"]})
    replace(catalog, target("mart.t", None), first.to_reader(), {}, {})
    table = catalog.load_table("mart.t")
    with table.update_schema() as update:
        update.rename_column("old", "new")
    with catalog.load_table("mart.t").update_schema() as update:
        update.add_column("old", table.schema().find_field("id").field_type)
        update.update_column("id", field_type=LongType())
    for number in range(3, 8):
        rows = pa.table({"id": pa.array([number], pa.int64()), "new": ["c"], "old": pa.array([7], pa.int32())})
        table = catalog.load_table("mart.t")
        append(catalog, target("mart.t", table), rows.to_reader(), {}, rows.schema)
    relation = plan("mart.t", catalog.load_table("mart.t")).relation
    assert isinstance(relation, Files)
    assert len(relation.paths) == 6
    expected = [(1, "a", None), (2, "b", None), *((number, "c", 7) for number in range(3, 8))]
    found = ask(engine, "select id, new, old from m.t", {"m.t": relation})
    assert shown(found) == sorted(map(repr, expected))


def test_deleted_rows_stay_away(engine: Engine, catalog: Catalog) -> None:
    rows = pa.table({"id": pa.array(range(10), pa.int64())})
    replace(catalog, target("mart.t", None), rows.to_reader(), {}, {})
    table = catalog.load_table("mart.t")
    table.delete("id >= 4")
    relation = plan("mart.t", catalog.load_table("mart.t")).relation
    assert ask(engine, "select count(*) as n, max(id) as m from m.t", {"m.t": relation}).to_pylist() == [
        {"n": 4, "m": 3}
    ]


def test_rows_as_a_scan_gives_them(engine: Engine, catalog: Catalog) -> None:
    put(catalog, engine, "select * from s.t")
    scanned = Rows(catalog.load_table("mart.t").scan().to_arrow())
    assert shown(ask(engine, "select * from m.t", {"m.t": scanned})) == shown(GIVEN)


def test_batches_have_the_schema_that_was_told(engine: Engine) -> None:
    with engine.open(Query("select id, amount, many from s.t", "q.sql"), TABLES) as result, result.batches() as reader:
        found = reader.read_all()
        assert found.schema.equals(result.schema)
    assert shown(found) == shown(GIVEN.select(["id", "amount", "many"]))


@pytest.mark.parametrize("sql", ["select id + 2147483647 as a from s.t", "select cast(big as integer) as a from s.t"])
def test_an_overflow_is_an_error_and_leaves_nothing(engine: Engine, catalog: Catalog, tmp_path: Path, sql: str) -> None:
    with pytest.raises(QueryError) as caught:
        put(catalog, engine, sql)
    assert "9000000000" not in str(caught.value) or engine.name == "duckdb"
    assert str(tmp_path) not in str(caught.value)
    assert not catalog.table_exists("mart.t")
    assert not list(tmp_path.glob("*/run-*"))
    assert not list(tmp_path.glob(".headwater/warehouse/**/*.parquet"))


@pytest.mark.parametrize("folder", ["day=2024-02-01", "a b", "word=it%27s", "é", "a[1]b", "{x}", "a+b,c"])
def test_files_are_read_whatever_their_folder_is_called(engine: Engine, tmp_path: Path, folder: str) -> None:
    path = tmp_path / folder / "rows.parquet"
    path.parent.mkdir()
    field = pa.field("id", pa.int64(), metadata={"PARQUET:field_id": "1"})
    pq.write_table(pa.table([pa.array([1, 2])], pa.schema([field])), path)
    relation = Files((str(path),), (Column(1, "id", "bigint"),))
    assert ask(engine, "select id from s.f", {"s.f": relation}).to_pydict() == {"id": [1, 2]}


def test_a_project_in_a_folder_with_a_blank(engine: Engine, tmp_path: Path) -> None:
    if engine.name == "spark":
        engine = replace_(engine, folder=tmp_path / "my project" / "état=1")
    assert ask(engine, "select id from s.t where id = 1", TABLES).to_pydict() == {"id": [1]}
