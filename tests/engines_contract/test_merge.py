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
GIVEN: Mapping[str, pa.Table] = {"m.t": TABLE, "s.u": SOURCE}
RELATIONS: Mapping[str, Relation] = {name: Rows(rows) for name, rows in GIVEN.items()}
SCHEMAS = {name: dict(sql_types(rows.schema)) for name, rows in GIVEN.items()}
MERGES = [it.strip() for it in Path(__file__).with_name("merges.sql").read_text("utf-8").split(";") if it.strip()]


def made(sql: str) -> tuple[Merged, Query]:
    statement = parse(Pipeline("m.t", "m/t.sql", sql))
    require_spark(statement, SCHEMAS)
    merge = merged(statement, statement.query, SCHEMAS)
    return merge, Query(merge.text, "m/t.sql", tuple(SCHEMAS["m.t"].items()))


def own(sql: str) -> pa.Table:
    """Return what DuckDB's own MERGE leaves of the table."""
    with duckdb.connect() as connection:
        for name, rows in GIVEN.items():
            connection.execute(f"create schema {name[0]}")
            connection.register("given", rows)
            connection.execute(f"create table {name} as from given")
        connection.execute(sql)
        return connection.sql("from m.t").to_arrow_table()


@pytest.mark.parametrize("sql", MERGES)
def test_a_merge_gives_the_rows_of_duckdbs_own(engine: Engine, sql: str) -> None:
    _, query = made(sql)
    assert shown(ask(engine, query.text, RELATIONS, query.into)) == shown(own(sql))


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
