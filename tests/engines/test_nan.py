"""NaN in files of other programs, whose min and max pass over it: DuckDB answers by the values."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from governance.landing.model import FileColumn, Format
from governance.partition import Term, parse_terms
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Files, Landing, Query, Relation
from platform_assets.iceberg.catalog import Catalog, load, plan
from platform_assets.iceberg.publish import append, replace, target
from tests.engines.landed import landed, source

NAN = float("nan")
ROWS = pa.table({
    "id": pa.array(range(4), pa.int64()),
    "f": pa.array([1.0, 5.0, NAN, None], pa.float64()),
    "r": pa.array([1.0, 5.0, NAN, None], pa.float32()),
    "s": pa.array([{"x": 1.0}, {"x": 5.0}, {"x": NAN}, None], pa.struct([("x", pa.float64())])),
    "l": pa.array([[1.0], [5.0], [NAN], None], pa.list_(pa.float64())),
    "m": pa.array([[("k", 1.0)], [("k", 5.0)], [("k", NAN)], None], pa.map_(pa.string(), pa.float64())),
})  # fmt: skip
PLAIN = ROWS.slice(0, 2)

VALUES = ("f", "r", "s.x", "l[1]", "m['k']")
ASKED = [
    "max({0}) = 'nan'",
    "max({0}) filter (where id >= 0) = 'nan'",
    "count(*) filter (where {0} > 5) = 1",
    "(select count(*) from s.t where {0} > 5) = 1",
    "(select count(*) from s.t where {0} <= 5) = 2",
    "(select count(*) from s.t where {0} = 'nan') = 1",
    "(select count(*) from s.t where isnan({0})) = 1",
    "(select count(*) from s.t where {0} between 2 and 'nan') = 2",
    "(select id from s.t order by {0} desc nulls last limit 1) = 2",
    "(select count(*) from s.t join (select 'nan'::double as k) on {0} = k) = 1",
]


@pytest.fixture
def engine(tmp_path: Path) -> DuckDb:
    return DuckDb(lambda: closing(duckdb.connect(":memory:", config={"temp_directory": str(tmp_path / "spill")})))


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with closing(SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/house")) as made:
        made.create_namespace("s")
        yield made


def ask(engine: DuckDb, sql: str, tables: dict[str, Relation]) -> list[dict[str, Any]]:
    with engine.open(Query(sql, "q.sql"), tables) as result, result.batches() as reader:
        found: list[dict[str, Any]] = reader.read_all().to_pylist()
        return found


def wrong(engine: DuckDb, tables: dict[str, Relation], name: str = "s.t") -> list[str]:
    """Return what is asked that is not so."""
    claims = [claim.format(it).replace("s.t ", f"{name} ") for it in VALUES for claim in ASKED]
    sql = "select " + ", ".join(f"{claim} as c{at}" for at, claim in enumerate(claims)) + f" from {name}"  # noqa: S608  # the test's own
    (found,) = ask(engine, sql, tables)
    return [claim for claim, true in zip(claims, found.values(), strict=True) if true is not True]


def planned(catalog: Catalog) -> Files:
    relation = plan("s.t", load(catalog, "s.t")).relation
    assert isinstance(relation, Files)
    return relation


def test_a_table_that_pyiceberg_wrote_is_read_by_its_values(engine: DuckDb, catalog: Catalog) -> None:
    table = catalog.create_table("s.t", ROWS.schema)
    table.append(ROWS)
    (task,) = table.scan().plan_files()
    assert pq.read_metadata(task.file.file_path.removeprefix("file://")).row_group(0).column(1).statistics.max == 5.0
    relation = planned(catalog)
    assert len(relation.unsure) == 5
    assert wrong(engine, {"s.t": relation}) == []


def test_what_is_asked_is_what_duckdb_gets_wrong_by_statistics(engine: DuckDb, catalog: Catalog) -> None:
    catalog.create_table("s.t", ROWS.schema).append(ROWS)
    relation = planned(catalog)
    # a DuckDB that gets all of this right needs no ``unsure``
    assert len(wrong(engine, {"s.t": Files(relation.paths, relation.columns)})) > len(VALUES)


@pytest.mark.parametrize("terms", ["", "truncate(10, id)"])
def test_rows_that_are_written_here_in_batches_are_read_by_their_values(
    engine: DuckDb, catalog: Catalog, terms: str
) -> None:
    parted: tuple[Term, ...] = parse_terms(terms) if terms else ()
    replace(catalog, target("s.t", None, parted), ROWS.to_reader(), {}, {})
    assert wrong(engine, {"s.t": planned(catalog)}) == []
    # nor do others who read the file go wrong
    (path,) = planned(catalog).paths
    group = pq.read_metadata(path).row_group(0)
    assert [group.column(at).statistics is None for at in range(5)] == [False, True, True, True, True]


@pytest.mark.parametrize("terms", ["", "truncate(10, id)"])
def test_columns_that_are_known_to_be_without_nan_keep_their_statistics(
    engine: DuckDb, catalog: Catalog, terms: str
) -> None:
    parted: tuple[Term, ...] = parse_terms(terms) if terms else ()
    with engine.open(Query("select 1::bigint as id, 2.0::double as f, {'x': null::double} as s", "q.sql"), {}) as made:
        replace(catalog, target("s.t", None, parted), made, {}, {})
    assert planned(catalog).unsure == frozenset()
    schema = PLAIN.select(["id", "f", "s"])
    append(catalog, target("s.t", load(catalog, "s.t")), schema.to_reader(), {}, schema.schema)
    assert planned(catalog).unsure == frozenset()
    tables: dict[str, Relation] = {"s.t": planned(catalog)}
    assert ask(engine, "select max(f) as a, max(s.x) as b from s.t where f <= 5", tables) == [{"a": 5.0, "b": 5.0}]
    rows = ROWS.select(["id", "f", "s"])
    append(catalog, target("s.t", load(catalog, "s.t")), rows.to_reader(), {}, rows.schema)
    assert {it.name for it in planned(catalog).columns if it.field_id in planned(catalog).unsure} == {"f", "s"}


def test_a_column_that_older_files_do_not_have_is_unsure_by_the_newer_alone(catalog: Catalog) -> None:
    table = catalog.create_table("s.t", ROWS.select(["id"]).schema)
    table.append(ROWS.select(["id"]))
    with table.update_schema() as update:
        update.union_by_name(ROWS.select(["id", "f"]).schema)
    assert planned(catalog).unsure == frozenset()
    table.append(ROWS.select(["id", "f"]))
    assert planned(catalog).unsure == {2}


def test_a_parquet_file_that_landed_is_read_by_its_values(engine: DuckDb, tmp_path: Path) -> None:
    kinds: dict[str, str | FileColumn] = {
        "id": "bigint", "f": "double", "r": "real",
        "s": "struct(x double)", "l": "double[]", "m": "map(varchar, double)",
    }  # fmt: skip
    pq.write_table(ROWS, tmp_path / "rows.parquet")
    file = landed(tmp_path, source("rows.parquet", Format.PARQUET, kinds), {})
    given = Landing(file.source, (str(tmp_path / "rows.parquet"),), ("landing/rows.parquet",))
    # a landing has a name of its own, not that of a table
    assert wrong(engine, {"landing": given}, "landing") == []
