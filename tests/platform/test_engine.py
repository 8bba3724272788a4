"""DuckDB as an engine: it reads what it is handed, stops when it is told, and says where an error stands."""

import threading
import time
from contextlib import closing
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.errors import EngineError
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Column, Empty, Engine, Files, Query, QueryError, Relation, Rows
from tests.terminated import Terminated, terminated_after


def rows(engine: Engine, sql: str, tables: dict[str, Relation] | None = None) -> list[dict[str, object]]:
    with engine.open(Query(sql, "q.sql"), tables or {}) as result, result.batches() as reader:
        return reader.read_all().to_pylist()


BUSY = "select count(*) from range(100000000) a, range(100000000) b where a.range % 7 = b.range % 3"
ENDLESS = "select a.range from range(100000000000) a"


@pytest.mark.parametrize("sql", [BUSY, ENDLESS], ids=["before its first row", "in its rows"])
def test_an_interrupt_ends_the_query_at_once(engine: Engine, sql: str) -> None:
    begun = time.process_time()  # the work, not the clock: other tests run beside this one
    with pytest.raises(Terminated), terminated_after(0.5):
        rows(engine, sql)
    assert time.process_time() - begun < 2 * 5
    assert not [thread for thread in threading.enumerate() if thread.name == "engine-query"]


def test_leaving_early_ends_the_query(engine: Engine) -> None:
    with engine.open(Query(ENDLESS, "q.sql"), {}) as result, result.batches() as reader:
        assert next(iter(reader)).num_rows > 0
    assert not [thread for thread in threading.enumerate() if thread.name == "engine-query"]


@pytest.mark.parametrize(
    ("sql", "line", "words"),
    [
        ("select 1,\n  nope\nfrom s.t", 2, "nope"),
        ("\n\nselect * from s.missing", 3, "missing"),
        ("select\n\n foo(a) from s.t", 3, "foo"),
        ("selec 1", 1, "syntax error"),
        ("select\ncast('x' as int)", 2, "Could not convert"),
        ("\n\n  select\n  cast(a as int) from (select 'x' as a)", 4, "Could not convert"),
        ("select case when range = 900000 then error('late') end from range(1000000)", None, "late"),
    ],
)
def test_an_error_says_file_and_line(engine: Engine, sql: str, line: int | None, words: str) -> None:
    with pytest.raises(QueryError, match=words) as caught:
        rows(engine, sql, {"s.t": Empty((("a", "bigint"),))})
    assert caught.value.line == line
    assert str(caught.value).startswith("q.sql:" if line is None else f"q.sql:{line}: ")


def test_nothing_can_be_read_that_was_not_handed_in(engine: Engine, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "given.parquet")
    pq.write_table(pa.table({"a": [2]}), tmp_path / "other.parquet")
    given = Files((str(tmp_path / "given.parquet"),), (Column(1, "a", "bigint"),))
    for sql in (
        f"from read_parquet('{tmp_path}/other.parquet')",
        f"from '{tmp_path}/*.parquet'",
        "select * from read_csv('/etc/hostname')",
        "select * from glob('/*')",
        "select * from local_variable_of_the_caller",
    ):
        local_variable_of_the_caller = pa.table({"a": [3]})
        assert local_variable_of_the_caller.num_rows
        with pytest.raises(QueryError):
            rows(engine, sql, {"s.t": given})


def test_tables_of_every_kind_meet_in_one_query(engine: Engine) -> None:
    tables: dict[str, Relation] = {
        "s.rows": Rows(pa.table({"a": [1, 2]})),
        "s.empty": Empty((("a", "bigint"), ("odd name", "struct(x bigint[])"))),
        'q"s.t"t': Rows(pa.table({'"': ["x"]})),
    }
    sql = 'select r.a, e."odd name" as o, t."""" as q from s.rows r left join s.empty e using (a), "q""s"."t""t" t'
    assert rows(engine, sql, tables) == [{"a": 1, "o": None, "q": "x"}, {"a": 2, "o": None, "q": "x"}]


def test_a_result_is_cast_by_position(engine: Engine) -> None:
    query = Query("\n select '2026-10-01' as x, 7 -- the last line", "q.sql", (("day", "date"), ("n", "decimal(9, 2)")))
    with engine.open(query, {}) as result, result.batches() as reader:
        assert reader.schema == pa.schema([("day", pa.date32()), ("n", pa.decimal128(9, 2))])
        assert reader.read_all().num_rows == 1


def test_a_cast_that_fails_says_its_line(engine: Engine) -> None:
    query = Query("\n\nselect 1 + nope", "q.sql", (("n", "bigint"),))
    with pytest.raises(QueryError) as caught, engine.open(query, {}):
        pass
    assert caught.value.line == 3


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["a", "A", "a_1", "A_1", "a_1_1", "b", "ä"]), min_size=1, max_size=7))
def test_repeated_names_become_those_of_create_table_as(names: list[str]) -> None:
    engine = DuckDb(lambda: closing(duckdb.connect()))
    columns = ", ".join(f'{place} as "{name}"' for place, name in enumerate(names))
    with duckdb.connect() as connection:
        connection.execute(f"create table t as select {columns}")
        told = [row[0] for row in connection.execute("describe t").fetchall()]
    with engine.open(Query(f"select {columns}", "q.sql"), {}) as result:
        assert result.schema.names == told


def test_an_unknown_type_is_named_with_its_column(engine: Engine) -> None:
    with pytest.raises(EngineError, match="column b has type 'blub'"):
        engine.schema([("a", "bigint"), ("b", "blub")])
