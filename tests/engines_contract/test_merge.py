"""MERGE on either engine: the rows that DuckDB's own MERGE leaves in a real table."""

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from governance.errors import LineageError
from governance.pipeline import Pipeline
from governance.statement import parse
from governance.statement.merged import Merged, merged
from governance.statement.spark import require_spark
from platform_assets.engines.engine import Engine, Query, QueryError, Relation, Rows
from platform_assets.engines.sql_types import sql_types
from tests.engines_contract.asking import ask, shown

TABLE = pa.table(
    {
        "id": pa.array([1, 2, 2, 3, 4, None], pa.int32()),
        "order": pa.array([10, 20, 21, 30, None, 50], pa.int64()),
        "a b": ["x", "y", "y", None, "it's", "n"],
        "x": pa.array([0.5, -0.0, float("nan"), None, 2.0, 1.0], pa.float64()),
    }
)
SOURCE = pa.table(
    {
        "id": pa.array([1, 3, 7, 7, None], pa.int32()),
        "order": pa.array([11, None, 70, 71, 0], pa.int64()),
        "a b": ["X", "Z", "new", "new", "N"],
        "x": pa.array([1.5, 2.5, float("nan"), None, 0.0], pa.float64()),
    }
)
KINDS = pa.schema([
    ("id", pa.int32()), ("many", pa.list_(pa.int64())), ("one", pa.struct([("x", pa.int32()), ("y", pa.string())])),
    ("pairs", pa.map_(pa.string(), pa.int64())),
])  # fmt: skip
NESTED = pa.Table.from_pylist([
    {"id": 1, "many": [1, None], "one": {"x": 1, "y": "a"}, "pairs": [("k", 1)]},
    {"id": 2, "many": [], "one": {"x": None, "y": None}, "pairs": []},
    {"id": 3, "many": None, "one": None, "pairs": None},
    {"id": 4, "many": [4], "one": {"x": 4, "y": ""}, "pairs": [("a", None), ("b", 2)]},
], KINDS)  # fmt: skip
HEARD = pa.Table.from_pylist([
    {"id": 1, "many": [7, 8], "one": {"x": 7, "y": "é"}, "pairs": [("z", 9)]},
    {"id": 2, "many": None, "one": None, "pairs": None},
    {"id": 8, "many": [None], "one": {"x": 8, "y": None}, "pairs": [("q", None)]},
], KINDS)  # fmt: skip
GIVEN: Mapping[str, pa.Table] = {"m.t": TABLE, "s.u": SOURCE, "m.n": NESTED, "s.n": HEARD}
RELATIONS: Mapping[str, Relation] = {name: Rows(rows) for name, rows in GIVEN.items()}
SCHEMAS = {name: dict(sql_types(rows.schema)) for name, rows in GIVEN.items()}
MERGES = [it.strip() for it in Path(__file__).with_name("merges.sql").read_text("utf-8").split(";") if it.strip()]


def made(sql: str, table: str = "m.t") -> tuple[Merged, Query]:
    statement = parse(Pipeline(table, "m/t.sql", sql))
    require_spark(statement, SCHEMAS)
    merge = merged(statement, statement.query, SCHEMAS)
    return merge, Query(merge.text, "m/t.sql", tuple(SCHEMAS[table].items()))


def own(sql: str, table: str = "m.t") -> pa.Table:
    """Return what DuckDB's own MERGE leaves of the table."""
    with duckdb.connect() as connection:
        for name, rows in GIVEN.items():
            connection.execute(f"create schema if not exists {name[0]}")
            connection.register("given", rows)
            connection.execute(f"create table {name} as from given")
        connection.execute(sql)
        return connection.sql(f"from {table}").to_arrow_table()


@pytest.mark.parametrize("sql", MERGES)
def test_a_merge_gives_the_rows_of_duckdbs_own(engine: Engine, sql: str) -> None:
    _, query = made(sql)
    assert shown(ask(engine, query.text, RELATIONS, query.into)) == shown(own(sql))


OF_NESTED = {
    "whole": "when matched then update set * when not matched then insert *",
    "partly": """when matched and s.many is not null then update set one = s.one, pairs = s.pairs
        when matched then delete when not matched by source and t.one is null then update set many = null
        when not matched then insert (id, one) values (s.id, s.one)""",
    "chosen": """when matched and t.id = 2
        then update set many = case when s.id = 2 then t.many else s.many end, one = null
        when matched then do nothing when not matched by source then update set pairs = null""",
}


@pytest.mark.parametrize("whens", OF_NESTED.values(), ids=OF_NESTED)
def test_nested_columns_are_merged_as_by_duckdb(engine: Engine, whens: str) -> None:
    sql = f"merge into m.n as t using s.n as s on t.id = s.id {whens}"
    _, query = made(sql, "m.n")
    assert shown(ask(engine, query.text, RELATIONS, query.into)) == shown(own(sql, "m.n"))


def test_a_condition_stands_once_however_many_columns_it_steers() -> None:
    steered = 's."order" > (select max(k.x) from s.u k where k.id = t.id)'
    merge, _ = made(f"merge into m.t as t using s.u as s on t.id = s.id when matched and {steered} then update set *")
    assert merge.text.count("max(k.x)") == 1


def test_two_rows_of_the_source_for_one_of_the_table_are_an_error(engine: Engine) -> None:
    merge, query = made('merge into m.t as t using s.u as s on t."order" < s."order" when matched then delete')
    with pytest.raises(QueryError) as caught:
        ask(engine, query.text, RELATIONS, query.into)
    assert merge.twice in caught.value.problem


def test_an_empty_source_leaves_the_table(engine: Engine) -> None:
    sql = "merge into m.t as t using (select * from s.u where false) s on t.id = s.id when matched then delete"
    _, query = made(sql)
    assert shown(ask(engine, query.text, RELATIONS, query.into)) == shown(TABLE)


def test_a_materialized_query_is_read_twice_and_computed_once(engine: Engine) -> None:
    sql = """with c as (select id, x from s.u), k as materialized (select * from c limit 2)
    select count(*) as n from k a join k b on a.id is not distinct from b.id where a.x >= b.x"""
    assert ask(engine, sql, RELATIONS).to_pylist() == [{"n": 2}]


REFUSED = {
    'when matched then update set "a b" = upper(s."a b")': ("upper", "2:"),
    'when not matched then insert (id) values (s."a b")': ("cast of varchar to int", "2:"),
    "when matched and s.id % 2 = 0 then delete": ("MOD", "2:"),
    "when matched and [s.id] = [t.id] then delete": ("array", "2:"),
}


@pytest.mark.parametrize("when", REFUSED)
def test_what_spark_may_mean_otherwise_is_refused_at_its_line(when: str) -> None:
    with pytest.raises(LineageError, match=REFUSED[when][0]) as caught:
        made(f"merge into m.t as t using s.u as s on t.id = s.id\n{when}")
    assert caught.value.where().startswith(f"m/t.sql:{REFUSED[when][1]}")
    assert "-- engine: duckdb" in caught.value.fix


def test_a_query_in_on_is_refused_on_spark() -> None:
    with pytest.raises(LineageError, match="a query in ON"):
        made("merge into m.t as t using s.u as s on t.id = (select max(k.id) from s.u k) when matched then delete")


REFUSED_OF_NESTED = {
    "t.many = s.many": "a comparison of nested values",
    "t.one in (s.one, null)": "nested together",
    "coalesce(t.pairs, s.pairs) is null": "nested and nested together",
}


@pytest.mark.parametrize("condition", REFUSED_OF_NESTED)
def test_nested_values_are_not_compared_on_spark(condition: str) -> None:
    with pytest.raises(LineageError, match="nested"):
        made(f"merge into m.n as t using s.n as s on t.id = s.id when matched and {condition} then delete", "m.n")
