import pytest

from governance.errors import (
    ColumnCountMismatch,
    PipelineCycle,
    PipelineError,
    UnknownColumn,
    UnknownTable,
    UnreadStatement,
)
from governance.pipeline import Pipeline, parse_pipeline
from governance.policy import Source
from governance.statement import Program, Statement, parse, read_program, trace

SOURCE = Source("s.x", (("id", "bigint"), ("email", "varchar"), ("amount", "decimal(10, 2)")))


def pipeline(table: str, body: str) -> Pipeline:
    return Pipeline(table, f"pipelines/{table.replace('.', '/')}.sql", f"-- owner: team:x\n\n{body}")


def program(**bodies: str) -> Program:
    return read_program([pipeline(f"t.{name}", body) for name, body in bodies.items()], [SOURCE])


def names(found: Program) -> list[str]:
    return [it.pipeline.name for it in found.statements]


def test_columns_flow_through_pipelines() -> None:
    found = program(
        b="create table t.b as select a.*, a.id + 1 as next from t.a a",
        a="create table t.a as select x.id, x.email as address from s.x x",
    )
    assert names(found) == ["a", "b"]
    assert found.unreadable == {}
    assert found.schemas["t.b"] == {"id": "bigint", "address": "varchar", "next": "unknown"}


@pytest.mark.parametrize(
    ("body", "error", "place"),
    [
        ("create table t.bad as\nselect emial from s.x", UnknownColumn, "4:8"),
        ("create table t.bad as\nselect x.emial from s.x x", UnknownColumn, "4:"),
        ("create table t.bad as select 1 from s.y", UnknownTable, "3:37"),
        ("update t.bad set id = 1", UnreadStatement, "3:1"),
        (
            "create table if not exists t.bad (id bigint);\ninsert into t.bad select id, email from s.x",
            ColumnCountMismatch,
            "",
        ),
    ],
)
def test_one_that_cannot_be_read_leaves_the_others_standing(body: str, error: type[Exception], place: str) -> None:
    found = program(
        bad=body,
        good="create table t.good as select id from s.x",
        reader="create table t.reader as select b.id from t.bad b",
        last="create table t.last as select r.id from t.reader r",
    )
    assert names(found) == ["good", "reader", "last"]
    assert list(found.unreadable) == ["t.bad"]
    assert isinstance(found.unreadable["t.bad"], error)
    assert found.unreadable["t.bad"].where().startswith(f"pipelines/t/bad.sql:{place}".rstrip(":"))
    assert found.unreadable["t.bad"].fix
    assert list(found.schemas) == ["s.x", "t.good"]


def test_a_circle_is_taken_out_and_the_rest_stands() -> None:
    found = program(
        a="create table t.a as select id from t.b",
        b="create table t.b as select id from t.a",
        c="create table t.c as select id from t.b",
        d="create table t.d as select id from s.x",
    )
    assert names(found) == ["c", "d"]
    assert list(found.unreadable) == ["t.a", "t.b"]
    assert isinstance(found.unreadable["t.a"], PipelineCycle)


def test_a_declared_source_is_not_written() -> None:
    found = read_program([pipeline("s.x", "create table s.x as select 1 as id")], [SOURCE])
    assert isinstance(found.unreadable["s.x"], UnreadStatement)


def insert(body: str) -> Statement:
    return parse(pipeline("t.a", body))


def test_an_insert_is_traced_by_position_against_the_catalog_or_the_declaration() -> None:
    schema = {"s.x": dict(SOURCE.columns)}
    declared = insert(
        "create table if not exists t.a (k bigint, v varchar);\ninsert into t.a select id, email from s.x"
    )
    assert [field.name for field in trace(declared, schema).fields] == ["k", "v"]
    catalog = schema | {"t.a": {"key": "bigint", "value": "varchar"}}
    assert [field.name for field in trace(declared, catalog).fields] == ["key", "value"]
    listed = insert("insert into t.a (value, key) select email, id from s.x")
    assert {field.name: field.inputs[0].field for field in trace(listed, catalog).fields} == {
        "key": "id",
        "value": "email",
    }


def test_an_insert_without_declaration_waits_for_the_catalog() -> None:
    body = "insert into t.a select id from s.x"
    found = program(a=body, reader="create table t.reader as select id from t.a")
    assert names(found) == ["a", "reader"]
    assert found.unreadable == {}
    assert list(found.schemas) == ["s.x"]
    with pytest.raises(UnknownTable, match=r"begin the file with create table if not exists t\.a ") as caught:
        trace(insert(body), {"s.x": dict(SOURCE.columns)})
    assert caught.value.pipeline == "pipelines/t/a.sql"
    assert found.undetermined == {"t.reader"}


def test_a_table_built_from_itself_is_refused_unless_declared() -> None:
    found = program(
        bad="create table t.bad as\nselect b.id from t.bad b",
        good="create table if not exists t.good (id bigint);\ncreate table t.good as select g.id from t.good g",
    )
    assert names(found) == ["good"]
    error = found.unreadable["t.bad"]
    assert error.where() == "pipelines/t/bad.sql:4:18"
    assert error.problem == "t.bad is built from itself, and its first run would find no such table"
    assert "create table if not exists t.bad (" in error.fix


@pytest.mark.parametrize(
    ("grain", "fix"), [("emale", "did you mean email?"), ("zzz", "name some of id, email"), ("ID, Email", None)]
)
def test_a_grain_names_columns_of_the_table(grain: str, fix: str | None) -> None:
    lines = ["-- owner: team:x", f"-- grain: {grain}", "create table t.a as select id, email from s.x"]
    found = read_program([parse_pipeline("t.a", "a.sql", "\n".join(lines))], [SOURCE])
    told = [(error.where(), error.problem, error.fix) for error in found.unreadable.values()]
    assert told == ([("a.sql:2", f"the grain names {grain}, and t.a has no such column", fix)] if fix else [])


def test_a_file_with_a_problem_is_unreadable_and_leaves_the_others_standing() -> None:
    problem = PipelineError("bad.sql", 1, "unknown header word 'x'", fix="say another")
    bad = Pipeline("t.bad", "bad.sql", "select 1", problem=problem)
    found = read_program([bad, pipeline("t.good", "create table t.good as select id from s.x")], [SOURCE])
    assert found.unreadable == {"t.bad": problem}
    assert names(found) == ["good"]
    assert found.undetermined == {"t.bad"}


def test_the_teams_own_masking_functions_reach_the_engine() -> None:
    statement = parse(pipeline("t.a", "create table t.a as select strip_accents(email) as who from s.x"))
    schema = {"s.x": dict(SOURCE.columns)}
    assert not trace(statement, schema).fields[0].inputs[0].masking
    masked = trace(statement, schema, masking_functions=frozenset({"strip_accents"}))
    assert masked.fields[0].inputs[0].masking


def test_a_text_over_the_same_columns_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "create table t.once as select x.id + 41 as remembered from s.x x"
    before = program(once=body)

    def parsed(*_: object, **__: object) -> None:
        raise AssertionError("it was parsed again")

    monkeypatch.setattr("governance.lineage.column_lineage", parsed)
    monkeypatch.setattr("governance.lineage.parse.parse", parsed)
    again = program(once=body)

    assert again.lineages == before.lineages
    assert again.statements == before.statements


def test_other_columns_are_another_question() -> None:
    (statement,) = program(star="create table t.star as select * from s.x").statements
    narrow, wide = ({"s.x": dict.fromkeys(names, "bigint")} for names in (("id",), ("id", "more")))
    assert [it.name for it in trace(statement, narrow).fields] == ["id"]
    assert [it.name for it in trace(statement, wide).fields] == ["id", "more"]
