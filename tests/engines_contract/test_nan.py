"""NaN is NaN, also where a file's statistics pass over it, as those of Arrow and of Sail do."""

from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from governance.pipeline import Pipeline
from governance.statement import parse
from governance.statement.merged import merged
from platform_assets.engines.choice import spark as spark_engine
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Column, Engine, Files, Query, Relation, Rows
from platform_assets.engines.nan import with_nan
from platform_assets.engines.parquet import has_nan
from platform_assets.engines.sql_types import sql_types
from platform_assets.iceberg.catalog import load, plan
from tests.engines_contract.asking import ask, shown

NAN = float("nan")
ONE = pa.table({
    "id": pa.array([3, 9], pa.int64()),
    "f": pa.array([5.0, NAN], pa.float64()),
    "r": pa.array([NAN, 7.0], pa.float32()),
    "s": pa.array([{"x": 5.0}, {"x": NAN}], pa.struct([("x", pa.float64())])),
    "l": pa.array([[5.0], [NAN]], pa.list_(pa.float64())),
    "m": pa.array([[("k", 5.0)], [("k", NAN)]], pa.map_(pa.string(), pa.float64())),
    "a.b": pa.array([NAN, 1.0], pa.float64()),
})  # fmt: skip
COLUMNS = (
    Column(1, "id", "bigint"),
    Column(2, "f", "double"),
    Column(3, "r", "real"),
    Column(4, "s", "struct(x double)", "", (Column(104, "x", "double"),)),
    Column(5, "l", "double[]", "", (Column(105, "_element", "double"),)),
    Column(6, "m", "map(varchar, double)", "", (Column(106, "_key", "varchar"), Column(107, "_value", "double"))),
    Column(7, "a.b", "double"),
)


def of_file(folder: Path, rows: pa.Table, columns: tuple[Column, ...] = COLUMNS, **options: object) -> Files:
    ids = [field.with_metadata({"PARQUET:field_id": str(at)}) for at, field in enumerate(rows.schema, start=1)]
    path = folder / f"{len([*folder.iterdir()])}.parquet"
    pq.write_table(rows.cast(pa.schema(ids)), path, **options)
    return Files((str(path),), columns)


def doubles(values: list[float]) -> pa.Table:
    return pa.table({"id": pa.array(range(len(values)), pa.int64()), "f": pa.array(values, pa.float64())})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (made := tmp_path / "given").mkdir()
    return made


def test_nan_beside_one_other_value_is_no_constant(engine: Engine, folder: Path) -> None:
    tables = {"s.f": of_file(folder, ONE)}
    assert shown(ask(engine, 'select id, f, r, "a.b" from s.f', tables)) == shown(ONE.select(["id", "f", "r", "a.b"]))
    assert shown(ask(engine, "select T.ID, T.F from s.f t", tables)) == shown(
        ONE.select(["id", "f"]).rename_columns(["ID", "F"])
    )


def test_nan_in_columns_that_pass_through(engine: Engine, folder: Path) -> None:
    tables = {"s.f": of_file(folder, ONE)}
    with engine.open(Query("select s, l, m from s.f", "q.sql"), tables) as result, result.batches() as reader:
        assert shown(reader.read_all()) == shown(ONE.select(["s", "l", "m"]))


def test_a_sum_over_many_rows_and_what_is_more_than_the_max(spark: Engine, folder: Path) -> None:
    files = of_file(folder, doubles([5.0] * 300_000 + [NAN]), COLUMNS[:2], row_group_size=50_000, write_page_index=True)
    asked = "select sum(f) as a, max(f) as b, count(*) filter (where f > 100) as c, count(*) as n from s.f"
    assert shown(ask(spark, asked, {"s.f": files})) == ["(nan, nan, 1, 300001)"]
    assert ask(spark, "select id from s.f where f > 100", {"s.f": files}).to_pydict() == {"id": [300_000]}


def test_a_materialized_query_keeps_nan(engine: Engine) -> None:
    sql = """with k as materialized (select id, f from s.f order by id limit 2)
    select a.id, b.f from k a join k b using (id)"""
    tables = {"s.f": Rows(doubles([5.0, NAN, 7.0]))}
    assert shown(ask(engine, sql, tables)) == shown(doubles([5.0, NAN]))


def test_a_merge_takes_nan_from_its_source_and_keeps_its_own(engine: Engine, folder: Path) -> None:
    tables: dict[str, Relation] = {"m.t": Rows(doubles([5.0, NAN, 7.0])), "s.u": Rows(doubles([NAN, 5.0]))}
    if engine.name == "spark":
        tables = {name: of_file(folder, it.data, COLUMNS[:2]) for name, it in tables.items() if isinstance(it, Rows)}
    schemas = {name: {"id": "bigint", "f": "double"} for name in tables}
    sql = """merge into m.t as t using (select * from s.u order by id limit 2) as s on t.id = s.id
    when matched then update set f = s.f"""
    made = merged(statement := parse(Pipeline("m.t", "m/t.sql", sql)), statement.query, schemas)
    found = ask(engine, made.text, tables, tuple(schemas["m.t"].items()))
    assert shown(found) == shown(doubles([NAN, 5.0, 7.0]))


def rows_in(file: Path) -> int:
    return int(pq.read_metadata(file).num_rows)


def test_what_an_engine_writes_hides_no_nan(engine: Engine) -> None:
    with engine.open(Query("select * from s.f", "q.sql"), {"s.f": Rows(ONE)}) as result:
        # a server may part what it is sent, so that a file's rows decide
        for file in result.write(COLUMNS):
            rows, groups = pq.read_table(file), pq.read_metadata(file)
            columns = [groups.row_group(0).column(at) for at in range(groups.num_columns) if rows.num_rows]
            told = {it.path_in_schema for it in columns if it.statistics is not None and it.statistics.has_min_max}
            hiding = {it for it in rows.column_names if has_nan(rows[it].combine_chunks())}
            assert {it for it in told if it in hiding or it.partition(".")[0] in hiding} <= {"m.key_value.key"}
            assert not columns or {"id", "m.key_value.key"} <= told


def test_statistics_stay_where_no_nan_is_and_such_a_file_is_not_looked_at_again(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = Rows(doubles([5.0, 6.0]))
    with engine.open(Query("select id, f as g from s.f", "q.sql"), {"s.f": rows}) as result:
        files = [it for it in result.write((Column(1, "id", "bigint"), Column(2, "g", "double"))) if rows_in(it)]
        found = [pq.read_metadata(it).row_group(0).column(1).statistics for it in files]
        assert (min(it.min for it in found), max(it.max for it in found)) == (5.0, 6.0)
        monkeypatch.setattr("platform_assets.engines.nan.has_nan", lambda _: pytest.fail("it was looked at"))
        with_nan({"s.g": Files(tuple(map(str, files)), (Column(2, "g", "double"),))}, "select `g`", tmp_path)


def test_only_files_that_hide_nan_in_what_is_read_are_copied(tmp_path: Path, folder: Path) -> None:
    tables = {
        "s.hides": of_file(folder, ONE),
        "s.plain": of_file(folder, doubles([5.0, 6.0]), COLUMNS[:2]),
        "s.open": of_file(folder, doubles([5.0, NAN]), COLUMNS[:2], write_statistics=["id"]),
    }
    assert with_nan(tables, "select `t`.`id` as `id` from `given_1` as `t`", tmp_path) == tables
    found = with_nan(tables, "select `t`.`m` as `m` from `given_0` as `t`", tmp_path)
    assert found["s.hides"] == Files((str(tmp_path / "nan-000000.parquet"),), COLUMNS)
    assert {name: it for name, it in found.items() if name != "s.hides"} == {
        name: it for name, it in tables.items() if name != "s.hides"
    }
    copy = pq.read_table(tmp_path / "nan-000000.parquet")
    assert shown(copy) == shown(ONE)
    assert sql_types(copy.schema) == sql_types(ONE.schema)


WRITTEN = """select id, f, array(f) as l from values (1L, 1.0D), (2L, 5.0D), (3L, double('NaN')) as t(id, f)"""
READ = """select max(f) as a, max(l[1]) as b, (select count(*) from s.t where f > 5) as c,
(select count(*) from s.t where l[1] > 5) as d, (select id from s.t order by f desc limit 1) as e from s.t"""


def test_a_table_that_sail_wrote_is_read_by_its_values(sail: str, binder: DuckDb, tmp_path: Path) -> None:
    spark_engine(sail, binder, tmp_path / "spark")
    # in a worker pyspark can be imported only as an engine does it
    from platform_assets.engines.spark_session import connected  # noqa: PLC0415

    with connected(sail) as spark:
        spark.session.sql(WRITTEN).coalesce(1).write.format("iceberg").save(str(tmp_path / "t"))
    (metadata,) = (tmp_path / "t/metadata").glob("*.metadata.json")
    with closing(SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}")) as catalog:
        catalog.create_namespace("s")
        catalog.register_table("s.t", str(metadata))
        given = plan("s.t", load(catalog, "s.t")).relation
    with binder.open(Query(READ, "q.sql"), {"s.t": given}) as result, result.batches() as reader:
        (found,) = reader.read_all().to_pylist()
    assert str(found) == str({"a": NAN, "b": NAN, "c": 1, "d": 1, "e": 3})
