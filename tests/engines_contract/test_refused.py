"""What may mean something else on Spark is refused by name, with its place, before anything runs."""

from pathlib import Path

import pytest

from governance.errors import UnreadConstruct
from governance.load import load_pipelines
from governance.policy import load_sources
from governance.project import project_at
from governance.statement import read_program
from platform_assets.engines.engine import Engine, Query, QueryError
from tests.engines_contract.asking import TABLES, ask

HERE = project_at(Path(__file__).parents[2])

REFUSED = {
    "select id // 2 from s.t": "DIV",
    "select id % 2 from s.t": "MOD",
    "select rate / rate from s.t": "division by a double",
    "select try_cast(word as integer) as a from s.t": "try_cast",
    "select cast(word as integer) as a from s.t": "cast of varchar to int",
    "select cast(rate as integer) as a from s.t": "cast of double to int",
    "select cast(amount as integer) as a from s.t": "cast of decimal",
    "select cast('2024-2-9' as date) as a": "the text '2024-2-9'",
    "select id from s.t where id = word": "integer and varchar together",
    "select id from s.t where yes = 1": "boolean and integer",
    "select id from s.t where id": "integer as a condition",
    "select regexp_matches(word, 'a') as a from s.t": "regexp",
    "select string_agg(word) as a from s.t": "group_concat",
    "select list(id) as a from s.t": "array_agg",
    "select upper(word) as a from s.t": "upper",
    "select round(rate, 2) as a from s.t": "round",
    "select substring(word, 1, 2) as a from s.t": "substring",
    "select concat(word, 'x') as a from s.t": "concat",
    "select many[1] as a from s.t": "BRACKET",
    "select one.x as a from s.t": "one.x",
    "select {'a': 1} as a": "struct",
    "select [1, 2] as a": "array",
    "select id from s.t qualify row_number() over (order by id) = 1 limit 1": "QUALIFY beside LIMIT",
    "select distinct on (yes) id from s.t": "DISTINCT ON",
    "select id from s.t using sample 10%": "SAMPLE",
    "select * exclude (id) from s.t": "EXCLUDE",
    "select columns('i.*') from s.t": "columns",
    "select unnest(many) as a from s.t": "explode",
    "select t.id from s.t asof join s.u u on t.id >= u.id": "ASOF JOIN",
    "select t.id from s.t t join s.u u on t.id = (select max(k.id) from s.u k)": "a query in ON",
    "with a as materialized (select null as n) select n from a": "always NULL",
    "select error(word) as a from s.t": "error",
    "select id from s.t natural join s.u": "NATURAL JOIN",
    "select id from s.t full join s.u using (id)": "USING of a FULL JOIN",
    "with recursive a as (select 1 as n union all select n + 1 from a where n < 3) select n from a": "RECURSIVE",
    "select id from s.t union by name select id from s.u": "BY NAME",
    "select sum(id) over (order by id rows between 1 preceding and current row) as a from s.t": "SPEC",
    "select row_number() over () as a from s.t": "without an order",
    "select count(*) from s.t group by rollup (yes)": "ROLLUP",
    "select id from s.t where word like word": "LIKE",
    "select id from s.t where word ilike 'a%'": "ILIKE",
    "select id from s.t limit 10%": "LIMIT",
    "select sum(rate order by id) as a from s.t": "ORDER",
    "select x.a from (select id as a, big as a_1, id as a from s.t) x": "two columns",
    "select day - interval 1 day as a from s.t": "INTERVAL",
    "select y from s.z where x in (select -x from s.z)": "doubles",
    "select current_timestamp as a": "current_timestamp",
    "select random() as a": "rand",
    "select list_transform(many, lambda x: x + 1) as a from s.t": "transform",
    "from s.t pivot (sum(big) for yes in (true, false))": "PIVOT",
    "select * from range(3)": "FROM",
}


@pytest.mark.parametrize("sql", REFUSED)
def test_it_is_refused_by_name_at_its_line(spark: Engine, sql: str) -> None:
    with pytest.raises(QueryError, match=REFUSED[sql]) as caught:
        ask(spark, "\n" + sql, TABLES)
    assert caught.value.line in {None, 2}
    assert "-- engine: duckdb" in caught.value.fix


def test_what_duckdb_cannot_bind_is_told_as_duckdb_tells_it(engine: Engine) -> None:
    with pytest.raises(QueryError, match="nope") as caught:
        ask(engine, "select id,\n  nope\nfrom s.t", TABLES)
    assert caught.value.line == 2


def test_macros_and_views_are_refused(spark: Engine) -> None:
    query = Query("select twice(1) as a", "q.sql", setup=("create macro twice(x) as x * 2",))
    with pytest.raises(QueryError, match="macros or views"), spark.open(query, {}):
        raise AssertionError


def test_the_project_is_told_when_it_is_loaded(tmp_path: Path) -> None:
    project = project_at(tmp_path)
    folder = project.pipelines[0] / "mart"
    folder.mkdir(parents=True)
    project.sources.write_text('["s.t"]\ncolumns.word = "varchar"\n', "utf-8")
    (folder / "a.sql").write_text(
        "-- engine: spark\ncreate table mart.a as\nselect upper(word) as w\nfrom s.t\n", "utf-8"
    )
    (folder / "b.sql").write_text("create table mart.b as select upper(word) as w from s.t", "utf-8")
    read = read_program(load_pipelines(project), load_sources(project))
    assert set(read.unreadable) == {"mart.a"}
    error = read.unreadable["mart.a"]
    assert isinstance(error, UnreadConstruct)
    assert error.where().endswith("mart/a.sql:3:8")
    assert "upper" in error.problem
    whole = read_program(load_pipelines(project), load_sources(project), engine="spark")
    assert set(whole.unreadable) == {"mart.a", "mart.b"}


def test_the_demo_can_run_on_spark() -> None:
    read = read_program(load_pipelines(HERE), load_sources(HERE), engine="spark")
    assert not read.unreadable
