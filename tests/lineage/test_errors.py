"""What cannot be read correctly is refused by name, with its place and what to do."""

import pytest

from governance import errors
from governance.lineage import column_lineage

SCHEMA = {
    "crm.learners": {"learner_id": "BIGINT", "full_name": "VARCHAR", "email": "VARCHAR", "profile": "STRUCT(age INT)"},
    "learning.reviews": {"review_id": "BIGINT", "learner_id": "BIGINT", "body": "VARCHAR"},
    "marketing.audience": {"learner_id": "BIGINT", "email": "VARCHAR"},
    "archive.reviews": {"review_id": "BIGINT"},
}

REFUSED = [
    ("SELECT emial FROM crm.learners", errors.UnknownColumn, (1, 8), "crm.learners has no column emial"),
    ("SELECT l.emial FROM crm.learners l", errors.UnknownColumn, (1, 10), "crm.learners has no column emial"),
    ("SELECT l.email\nFROM crm.learners AS l\nWHERE l.nope", errors.UnknownColumn, (3, 9), "no column nope"),
    ("SELECT l.profile.height FROM crm.learners l", errors.UnknownColumn, (1, 18), "profile has no member height"),
    ("SELECT nope FROM crm.learners, learning.reviews", errors.UnknownColumn, (1, 8), "no column nope in"),
    ("SELECT * EXCLUDE (nope) FROM crm.learners", errors.UnknownColumn, (1, 19), "* has no column nope"),
    ("SELECT email FROM crm.learners ORDER BY 2", errors.UnknownColumn, (None, None), "position 2 is outside"),
    ("SELECT sum(review_id) OVER w FROM learning.reviews", errors.UnknownColumn, (1, 28), "no window is named w"),
    ("SELECT a FROM crm.learners t(a, b, c, d, e, f)", errors.UnknownColumn, (1, 15), "6 column aliases for 4"),
    ("SELECT learner_id FROM crm.learners, learning.reviews", errors.AmbiguousColumn, (1, 8), "is in"),
    ("SELECT x.email FROM crm.learners l", errors.UnknownTable, (1, 8), "no table or alias x"),
    ("SELECT email FROM crm.leaners", errors.UnknownTable, (1, 19), "no table crm.leaners"),
    ("SELECT review_id FROM reviews", errors.UnknownTable, (1, 23), "may be"),
    ("SELECT *", errors.UnknownTable, (None, None), "* without FROM"),
    ("INSERT INTO crm.nothing SELECT 1", errors.UnknownTable, (1, 13), "no table crm.nothing"),
    ("INSERT INTO marketing.audience SELECT 1", errors.ColumnCountMismatch, (1, 13), "writes 2 columns"),
    ("INSERT INTO marketing.audience (email, nope) SELECT 1, 2", errors.UnknownColumn, (1, 40), "no column nope"),
    ("INSERT INTO marketing.audience BY NAME SELECT 1 AS nope", errors.UnknownColumn, (1, 13), "no column nope"),
    ("SELECT 1 UNION SELECT 1, 2", errors.ColumnCountMismatch, (None, None), "UNION of 1 and 2 columns"),
    ("WITH q(a, b) AS (SELECT 1) SELECT * FROM q", errors.ColumnCountMismatch, (1, 8), "2 column names for 1"),
    ("CREATE VIEW v (a) AS SELECT 1, 2", errors.ColumnCountMismatch, (1, 13), "1 column names for the 2"),
    ("SELECT (SELECT 1, 2) AS x", errors.ColumnCountMismatch, (None, None), "2 columns stands for one value"),
    ("SELECT FROM WHERE", errors.UnparsableSql, (None, None), "not DuckDB SQL"),
    ("SELECT 'open", errors.UnparsableSql, (None, None), "not DuckDB SQL"),
    ("PIVOT learning.reviews ON body USING count(*)", errors.UnreadConstruct, (1, 27), "depend on the data"),
    ("SELECT * FROM 'landing/orders.csv'", errors.UnreadConstruct, (None, None), "not declared"),
    ("SELECT * FROM read_csv(getenv('X'))", errors.DynamicSql, (1, 24), "not a literal"),
    ("DESCRIBE crm.learners", errors.UnreadStatement, (1, 10), "DESCRIBE"),
    ("VACUUM", errors.UnreadStatement, (None, None), "VACUUM"),
    ("SET x = 1", errors.UnreadStatement, (1, 5), "SET"),
    ("CREATE TABLE a.b (c INT)", errors.NoLineage, (None, None), "no statement here"),
    ("", errors.NoLineage, (None, None), "no statement here"),
]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("sql", "kind", "place", "problem"), REFUSED, ids=[sql[:60] for sql, *_ in REFUSED])
def test_refusal_names_what_where_and_what_to_do(
    sql: str, kind: type[errors.LineageError], place: tuple[int | None, int | None], problem: str
) -> None:
    with pytest.raises(kind) as caught:
        column_lineage(sql, SCHEMA)
    error = caught.value
    assert type(error) is kind
    assert problem in error.problem
    assert error.fix
    if place != (None, None):
        assert (error.line, error.column) == place


DIALECT_REFUSED = [
    ("tsql", "EXEC sp_executesql N'SELECT 1'", errors.DynamicSql),
    ("snowflake", "EXECUTE IMMEDIATE 'SELECT 1'", errors.DynamicSql),
    ("snowflake", "SELECT * FROM learning.reviews PIVOT(max(body) FOR review_id IN (ANY))", errors.UnreadConstruct),
    ("oracle", "SELECT nope FROM crm.learners", errors.UnknownColumn),
    ("postgres", 'SELECT "Email" FROM crm.learners', errors.UnknownColumn),
    ("nosuch", "SELECT 1", errors.UnparsableSql),
]


@pytest.mark.parametrize(("dialect", "sql", "kind"), DIALECT_REFUSED, ids=[sql[:50] for _, sql, _ in DIALECT_REFUSED])
def test_refusal_in_other_dialects(dialect: str, sql: str, kind: type[errors.LineageError]) -> None:
    with pytest.raises(kind):
        column_lineage(sql, SCHEMA, dialect=dialect)


def test_a_near_name_is_suggested() -> None:
    with pytest.raises(errors.UnknownColumn, match="did you mean email") as caught:
        column_lineage("SELECT emial FROM crm.learners", SCHEMA)
    assert str(caught.value) == "1:8: crm.learners has no column emial; did you mean email?"


def test_the_place_is_that_of_the_text_after_other_lines() -> None:
    sql = "-- a header\n\ncreate table x.y as\nselect l.learner_id,\n       l.emial\nfrom crm.learners l"
    with pytest.raises(errors.UnknownColumn) as caught:
        column_lineage(sql, SCHEMA)
    assert (caught.value.line, caught.value.column) == (5, 10)


def test_a_cte_that_nothing_reads_is_not_looked_into() -> None:
    (lineage,) = column_lineage("WITH q AS (SELECT nope FROM nowhere) SELECT email FROM crm.learners", SCHEMA)
    assert lineage.inputs == ("crm.learners",)


def test_a_cte_that_cannot_be_read_fails_where_it_is_used() -> None:
    with pytest.raises(errors.UnknownTable, match="no table nowhere"):
        column_lineage("WITH q AS (SELECT nope FROM nowhere) SELECT * FROM q", SCHEMA)


def test_a_tree_that_no_rule_foresees_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("this")

    monkeypatch.setattr("governance.lineage.trace.read_script", broken)
    with pytest.raises(errors.UnreadConstruct, match="a form that is not read"):
        column_lineage("SELECT 1", {})
