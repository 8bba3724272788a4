"""What is remembered between calls: threads that share it answer as one alone does, and a changed schema is seen."""

from concurrent.futures import ThreadPoolExecutor

from governance.lineage import column_lineage

SCHEMA = {"s.t": {"a": "int", "b": "int"}, "s.u": {"a": "int", "c": "int"}}
TEXTS = [
    (f"SELECT t.a + {number} AS x, u.{column} FROM s.t JOIN s.u ON t.a = u.a", dialect)  # noqa: S608  read, never run
    for number in range(40)
    for column in ("a", "c")
    for dialect in ("duckdb", "snowflake", "bigquery")
]


def read(text: tuple[str, str]) -> object:
    sql, dialect = text
    return column_lineage(sql, SCHEMA, dialect=dialect)


def test_threads_answer_as_one_alone() -> None:
    alone = [read(text) for text in TEXTS]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(read, TEXTS)) == alone


def test_a_schema_that_changes_in_place_is_seen() -> None:
    schema = {"s.t": {"a": "int", "b": "int"}}
    names = [[out.name for out in column_lineage("SELECT * FROM t", schema)[0].fields]]
    schema["s.t"] = {"b": "int", "a": "int"}
    names.append([out.name for out in column_lineage("SELECT * FROM t", schema)[0].fields])
    schema["s.t"]["c"] = "int"
    schema["s.other"] = {"d": "int"}
    names.append([out.name for out in column_lineage("SELECT t.*, d FROM t, other", schema)[0].fields])
    assert names == [["a", "b"], ["b", "a"], ["b", "a", "c", "d"]]


def test_one_field_named_in_two_places_is_one_input() -> None:
    (both,) = column_lineage("SELECT l.x + r.x AS y FROM 'a.csv' AS l, 'a.csv' AS r", {})
    assert both.as_dict()["fields"] == {"y": [["file:a.csv", "x", "DIRECT", "TRANSFORMATION", False]]}
    script = """
        CREATE TABLE s.o AS SELECT a FROM s.t;
        CREATE OR REPLACE TABLE s.t AS SELECT a, c AS b FROM s.u;
        INSERT INTO s.o SELECT a FROM s.t;
    """
    first, _ = column_lineage(script, SCHEMA)
    assert first.as_dict()["fields"] == {"a": [["s.t", "a", "DIRECT", "IDENTITY", False]]}
