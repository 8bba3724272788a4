"""What a MERGE may not say is refused by name, at its line, before anything runs."""

import duckdb
import pytest

from governance.block import Block
from governance.errors import LineageError, UnreadConstruct
from governance.pipeline import Pipeline
from governance.sources import Source
from governance.statement import Kind, parse, read_program
from governance.statement.blocks import blocks_in
from governance.statement.mergeable import VOLATILE
from governance.statement.merged import merged
from tests.merge.drawn import COLUMNS

SCHEMAS = {"m.t": COLUMNS, "s.u": COLUMNS, "s.w": {"id": "integer", "x": "double"}}
BEGIN = "merge into m.t as t using s.u as s on t.id = s.id\n"

REFUSED = {
    "when matched then update by name": ("UPDATE BY NAME is not read", "2:26"),
    "when matched then error": ("WHEN MATCHED THEN ERROR is not read", "2:19"),
    "when matched then insert values (1)": ("WHEN MATCHED THEN INSERT is not read", "2:19"),
    "when not matched then delete": ("WHEN NOT MATCHED THEN DELETE is not read", "2:23"),
    "when not matched by source then update": ("lists its columns", "2:39"),
    "when not matched by nobody then delete": ("no WHEN of a MERGE that is read: by", "2:18"),
    "when matched then update set id = default": ("DEFAULT is not read", "2:35"),
    "when not matched then insert (id) values (default)": ("DEFAULT is not read", "2:43"),
    "when not matched then insert default values": ("DEFAULT is not read", "2:30"),
    "when matched then update set t.id = 1": ("SET of t is not read", "2:30"),
    "when matched then update set (id, x) = (1, 2)": ("SET of \\( is not read", "2:30"),
    "when matched then update set id = 1, ID = 2": ("ID is written twice", "2:26"),
    "when not matched then insert (id, id) values (1, 2)": ("id is written twice", "2:30"),
    "when not matched then insert (id) values (1), (2)": ("WHEN or the end is expected", "2:45"),
    "when matched then delete\nreturning *": ("RETURNING is not read", "3:1"),
    "when matched then delete from": ("WHEN or the end is expected", "2:26"),
    "when matched then update set id = 1\nwhen matched then delete": ("so that this never does", "3:1"),
    "when matched and random() > 0.5 then delete": ("another value each time", "2:18"),
    "when matched and exists (from s.w using sample 1) then delete": ("a sample gives another value", "2:"),
    "when matched and max(s.id) > 1 then delete": ("is of many rows", "2:"),
    "when not matched then insert (id) values (count(*))": ("is of many rows", "2:"),
    "when matched then update set id = row_number() over ()": ("is of many rows", "2:"),
    "when not matched then insert (id) values (unnest([1, 2]))": ("more than one value", "2:"),
    "when matched then update set id = m.t.id + 1": ("names schema and table", "2:"),
}


def select_of(sql: str, table: str = "m.t") -> str:
    statement = parse(Pipeline(table, f"{table.replace('.', '/')}.sql", sql))
    return merged(statement, statement.query, SCHEMAS).text


@pytest.mark.parametrize("when", REFUSED)
def test_it_is_refused_by_name_at_its_place(when: str) -> None:
    problem, place = REFUSED[when]
    with pytest.raises(LineageError, match=problem) as caught:
        select_of(BEGIN + when)
    assert caught.value.where().startswith(f"m/t.sql:{place}")
    assert caught.value.fix


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("merge into m.other using s.u s on true when matched then delete", "the file's path says m.t"),
        ("merge into m.t on true when matched then delete", "USING is expected"),
        ("merge into m.t using s.u s when matched then delete", "ON and a WHEN are expected"),
        (
            "merge into m.t as t using s.u s on t.id = (select any_value(w.id) from s.w as w) when matched then delete",
            "any_value may give another value each time it is asked, and ON is asked three times",
        ),
        ("merge into m.t using s.u s on true", "ON and a WHEN are expected"),
        ("merge into m.t using on true when matched then delete", "an expression is expected here, not on"),
        ("merge into m.t as t using s.u s on t = s when matched then delete", "t is a whole row of m.t"),
        (f"{BEGIN}when matched then delete; {BEGIN}when matched then delete", "another statement"),
    ],
)
def test_its_head_is_read_strictly(sql: str, problem: str) -> None:
    with pytest.raises(LineageError, match=problem):
        select_of(sql)


def test_a_star_that_the_two_engines_would_read_otherwise_is_refused() -> None:
    source = '(select "order", id, "a b", x from s.u) s on t.id = s.id'
    with pytest.raises(UnreadConstruct, match=r"order stands where m\.t has id; Spark") as caught:
        select_of(f"merge into m.t as t using {source}\nwhen matched then update set *")
    assert caught.value.where() == "m/t.sql:2:1"
    assert "cast((" in select_of(f"merge into m.t as t using {source} when not matched then insert by name")


def test_text_that_looks_like_a_clause_is_none() -> None:
    sql = BEGIN + "when matched and s.\"a b\" = 'when matched then' and case when s.id = 1 then true end then delete"
    assert parse(Pipeline("m.t", "m/t.sql", sql)).kind is Kind.MERGE
    select_of(sql)


def test_its_own_table_is_no_table_to_wait_for() -> None:
    pipelines = [
        Pipeline("m.t", "m/t.sql", f"create table if not exists m.t (id integer);\n{BEGIN}when matched then delete"),
        Pipeline("m.after", "m/after.sql", "create table m.after as select id from m.t"),
    ]
    program = read_program(pipelines, [Source("s.u", tuple(COLUMNS.items()))])
    assert not program.unreadable
    assert [it.pipeline.table for it in program.statements] == ["m.t", "m.after"]
    assert program.statements[0].reads == ("m.t", "s.u")
    assert program.statements[0].upstream == {"s.u"}
    assert dict(program.schemas["m.t"]) == {"id": "integer"}


@pytest.mark.parametrize("kind", ["update m.t set id = 1", "delete from m.t where id = 1"])
def test_what_changes_a_table_without_a_source_stays_refused(kind: str) -> None:
    with pytest.raises(LineageError, match=f"not {kind[:6].upper()}") as caught:
        parse(Pipeline("m.t", "m/t.sql", kind))
    assert "create table" in caught.value.fix.lower()


BLOCKS = """create macro coin() as random() < 0.5;
create macro toss(x) as x > 1 and coin();
create view s.drawn as select id from s.w where coin();
create view s.few as select id from s.w using sample 3 rows;
create macro steady(x) as x > 1;
create macro stamp() as uuid();
"""


def with_blocks(when: str) -> Pipeline:
    blocks = tuple(it for it in blocks_in("blocks/b.sql", BLOCKS) if isinstance(it, Block))
    return Pipeline("m.t", "m/t.sql", BEGIN + when, blocks=blocks)


@pytest.mark.parametrize(
    ("when", "problem"),
    [
        ("when matched and coin() then delete", r"coin \(blocks/b\.sql:1\) asks random"),
        ("when not matched and toss(s.id) then insert *", r"coin \(blocks/b\.sql:1\) asks random"),
        ("when matched and exists (from s.drawn d where d.id = s.id) then delete", r"coin \(blocks/b\.sql:1\) asks"),
        ("when matched and s.id in (select id from s.few) then delete", r"s\.few \(blocks/b\.sql:4\) asks a sample"),
        ("when matched and stamp() is null then delete", r"stamp \(blocks/b\.sql:6\) asks uuid"),
    ],
)
def test_a_condition_that_changes_under_way_is_refused_behind_macros_and_views(when: str, problem: str) -> None:
    with pytest.raises(UnreadConstruct, match=problem) as caught:
        parse(with_blocks(when))
    assert caught.value.where().startswith("m/t.sql:2:")
    assert "compute it in the source" in caught.value.fix


def test_a_macro_that_changes_under_way_may_write_values_and_a_steady_one_may_decide() -> None:
    parse(with_blocks('when matched and steady(s.id) then update set "a b" = cast(stamp() as varchar)'))


def test_every_function_that_duckdb_calls_volatile_is_known() -> None:
    with duckdb.connect() as connection:
        listed = "select function_name from duckdb_functions() where stability = 'VOLATILE'"
        found = {name for (name,) in connection.execute(listed).fetchall()}
    # what is one value for the whole statement, and what gives none
    steady = {"current_connection_id", "current_query", "current_query_id", "current_transaction_id", "error"}
    assert found - steady <= VOLATILE
