"""A result on DuckDB: what is written as Parquet is what its batches say, and whatever ends a query leaves nothing."""

import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog import Catalog
from pyiceberg.schema import Schema, assign_fresh_schema_ids

from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Column, Engine, Files, Query, QueryError, Result, Rows
from platform_assets.engines.folder import own_folder
from platform_assets.iceberg.catalog import load, plan
from platform_assets.iceberg.columns import columns_of
from platform_assets.iceberg.publish import replace, target
from platform_assets.iceberg.schema import iceberg_schema
from tests.terminated import Terminated, terminated_after


@pytest.fixture
def spill(tmp_path: Path) -> Path:
    return tmp_path / "spill"


@pytest.fixture
def spilling(spill: Path) -> Engine:
    return DuckDb(lambda: closing(duckdb.connect(config={"temp_directory": str(spill)})))


def stored(result: Result) -> tuple[Column, ...]:
    schema: Schema = assign_fresh_schema_ids(iceberg_schema("s.t", result.schema, {}))
    return columns_of(schema.fields)


def written(engine: Engine, query: Query) -> pa.Table:
    with engine.open(query, {}) as result:
        return pa.concat_tables(pq.read_table(file) for file in result.write(stored(result)))


TYPES = {
    "hugeint": "12::hugeint",
    "a sum": "(select sum(n) from range(9) t(n))",
    "unsigned": "struct_pack(a := 200::utinyint, b := 60000::usmallint, c := 7::uinteger, d := 7::ubigint)",
    "small": "struct_pack(a := -3::tinyint, b := -300::smallint)",
    "boolean": "true",
    "real": "1.5::real",
    "not a number": "'nan'::double",
    "decimals": "struct_pack(a := 1.23::decimal(4, 2), b := 1.23::decimal(18, 2), c := 1.23::decimal(38, 20))",
    "enum": "'a'::enum('a', 'b')",
    "uuid": "'0a0f9a6e-0000-7000-8000-000000000000'::uuid",
    "timestamptz": "'2026-01-01 00:00:00+02'::timestamptz",
    "timestamps": "struct_pack(a := timestamp '2026-01-01 01:02:03.456789', b := '2026-01-01'::timestamp_s)",
    "milliseconds": "'2026-01-01 00:00:00.123'::timestamp_ms",
    "time": "time '01:02:03.456'",
    "date": "date '0001-01-01'",
    "blob": "'\\xAA'::blob",
    "json": "'{}'::json",
    "text": "'x' || chr(0) || 'ünï'",
    "list": "[1, null]",
    "array": "[1, 2]::integer[2]",
    "nested": "[[{'a': 1, 'l': [{'b': 2::hugeint}]}], []]",
    "map": "map {'k': {'x': [time '01:02:03']}}",
    "map of structs": "map {{'a': 1}: [map {'x.y': 1::hugeint}]}",
}


def test_each_type_is_written_as_its_batches_are(catalog: Catalog, engine: Engine) -> None:
    query = Query("select " + ", ".join(f'{value} as "{name}"' for name, value in TYPES.items()), "q.sql")
    with engine.open(query, {}) as result:
        replace(catalog, target("s.files", None), result, {}, {})
    with engine.open(query, {}) as result, result.batches() as reader:
        replace(catalog, target("s.batches", None), reader, {}, {})
    files, batches = load(catalog, "s.files"), load(catalog, "s.batches")
    assert files.schema() == batches.schema()
    seen = files.scan().to_arrow()
    assert str(seen.to_pylist()) == str(batches.scan().to_arrow().to_pylist())
    relation = plan("s.files", files).relation
    assert isinstance(relation, Files)
    with engine.open(Query("from s.t", ""), {"s.t": relation}) as result, result.batches() as reader:
        assert str(reader.read_all().cast(seen.schema).to_pylist()) == str(seen.to_pylist())
    (one,), (other,) = ([it.file for it in table.scan().plan_files()] for table in (files, batches))
    for said in ("record_count", "lower_bounds", "upper_bounds", "nan_value_counts"):
        assert getattr(one, said) == getattr(other, said)
    for said in ("value_counts", "null_value_counts"):
        assert dict(getattr(one, said)) == dict(getattr(other, said))


def test_nulls_and_odd_names_of_members_are_kept(catalog: Catalog, engine: Engine) -> None:
    value = "{'a b': 1, 'it''s': [{'x.y': 2}], 'quo\"te': map {'k': {'ü': 3}}}"
    with engine.open(Query(f'select {value} as "c d" union all select null', "q.sql"), {}) as result:
        replace(catalog, target("s.t", None), result, {}, {})
    table = load(catalog, "s.t")
    expected = [{"a b": 1, "it's": [{"x.y": 2}], 'quo"te': [("k", {"ü": 3})]}, None]
    assert table.scan().to_arrow()["c d"].to_pylist() == expected
    tables = {"s.t": plan("s.t", table).relation}
    with engine.open(Query("from s.t", ""), tables) as result, result.batches() as reader:
        assert reader.read_all()["c d"].to_pylist() == expected


def test_what_is_too_large_for_its_type_says_its_column(catalog: Catalog, engine: Engine) -> None:
    query = Query("\n\nselect 1 as a, 18446744073709551615::ubigint as big", "q.sql")
    with engine.open(query, {}) as result, pytest.raises(QueryError, match="source column big") as caught:
        replace(catalog, target("s.t", None), result, {}, {})
    assert caught.value.where() == "q.sql"
    assert "LINE" not in str(caught.value)


def test_a_row_that_fails_says_its_line_and_quotes_the_query_alone(engine: Engine) -> None:
    text = "\n\nselect\n  case when range = 900 then cast('x' || range as int) end as a from range(1000)"
    with pytest.raises(QueryError) as caught:
        written(engine, Query(text, "q.sql"))
    assert caught.value.where() == "q.sql:4"
    assert (
        str(caught.value)
        .rstrip(" ^\n")
        .endswith("LINE 4:   case when range = 900 then cast('x' || range as int) end as a from range(1000)")
    )


def test_an_ordered_result_lies_in_that_order(engine: Engine) -> None:
    told = written(engine, Query("select range as a from range(500000) order by hash(range)", "q.sql"))
    assert told["a"].to_pylist()[:3] == [
        row[0] for row in duckdb.sql("select range from range(500000) order by hash(range) limit 3").fetchall()
    ]


def test_a_large_result_is_several_files(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform_assets.engines.result.FILE_SIZE", "1MB")
    with engine.open(Query("select uuid() as a from range(400000)", "q.sql"), {}) as result:
        files = result.write(stored(result))
        assert len(files) > 3
        assert sum(pq.read_metadata(file).num_rows for file in files) == 400_000


BUSY = "select count(*) as n from range(100000000) a, range(100000000) b where a.range % 7 = b.range % 3"
ENDLESS = "select a.range from range(100000000000) a"


@pytest.mark.parametrize("sql", [BUSY, ENDLESS], ids=["before its first row", "in its rows"])
def test_an_interrupt_ends_the_writing_at_once_and_leaves_nothing(spilling: Engine, spill: Path, sql: str) -> None:
    begun = time.process_time()  # the work, not the clock: other tests run beside this one
    with pytest.raises(Terminated), terminated_after(1.5):
        written(spilling, Query(sql, "q.sql"))
    assert time.process_time() - begun < 2 * 6
    assert not [thread for thread in threading.enumerate() if thread.name == "engine-query"]
    assert [it.name for it in spill.iterdir()] == ["lock"]


def test_each_query_has_a_folder_of_its_own_and_none_stays(spilling: Engine, spill: Path) -> None:
    with (
        spilling.open(Query("select 1 as a", "q.sql"), {}) as one,
        spilling.open(Query("select 2 as a", ""), {}) as two,
    ):
        assert len([it for it in spill.iterdir() if it.is_dir()]) == 2
        assert {file.parent for file in one.write(stored(one))} != {file.parent for file in two.write(stored(two))}
    assert [it.name for it in spill.iterdir()] == ["lock"]


KILLED = """
import os, pathlib, signal, sys
from platform_assets.engines.folder import own_folder
with own_folder(pathlib.Path(sys.argv[1])) as folder:
    (folder / "rows").mkdir()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_goes_with_the_next_query(spilling: Engine, spill: Path) -> None:
    with own_folder(spill) as used:
        root = Path(__file__).parent.parent.parent
        killed = subprocess.run([sys.executable, "-c", KILLED, str(spill)], cwd=root, check=False)
        assert killed.returncode == -signal.SIGKILL
        assert len(list(spill.glob("run-*/rows"))) == 1
        written(spilling, Query("select 1 as a", "q.sql"))
        assert list(spill.glob("run-*")) == [used]


def test_macros_and_views_stand_before_the_query(engine: Engine) -> None:
    setup = (
        "-- in cents\ncreate macro cents(amount) as cast(round(amount * 100) as bigint)",
        'create or replace macro "my tools".twice(a) as table select a union all select a',
        "create view staging.paid as select cents(a) as a from s.t",
    )
    query = Query('\nselect p.a, t.a as b from staging.paid p, "my tools".twice(p.a) t', "q.sql", setup=setup)
    with engine.open(query, {"s.t": Rows(pa.table({"a": [1.25]}))}) as result, result.batches() as reader:
        assert reader.read_all().to_pylist() == [{"a": 125, "b": 125}] * 2


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("create view v.x as select * from read_csv('/etc/hostname')", "disabled by configuration"),
        ("create macro f(a) as a + nope", "nope"),
    ],
)
def test_a_view_reads_no_file_of_its_own_choice(engine: Engine, statement: str, words: str) -> None:
    query = Query("select 1 as a", "q.sql", setup=(statement,))
    with pytest.raises(QueryError, match=words), engine.open(query, {}):
        pass
