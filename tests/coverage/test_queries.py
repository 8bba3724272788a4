"""Exports of query logs read line by line: who read which tables and columns, and what became of every line."""

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from governance.errors import HeadwaterError
from governance.queries.formats import FORMATS, NAMES, format_of, logged
from governance.queries.model import Fate
from governance.queries.names import TableNames
from tests.coverage.exports import COLUMNS, EMAILS, EXPORTS, NOON, of, outcomes


def test_every_format_has_a_case_here() -> None:
    assert set(EXPORTS) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_an_export_of_each_warehouse_tells_columns_time_and_account(name: str) -> None:
    assert format_of(EXPORTS[name], "log").name == name

    (outcome,) = outcomes([(1, EXPORTS[name])])

    assert outcome.fate is Fate.COLUMNS
    assert outcome.read is not None
    assert outcome.read.tables == ("crm.learners",)
    assert outcome.read.columns == COLUMNS
    assert outcome.read.at == NOON
    if name != "duckdb":  # which runs in one process and knows no accounts
        assert outcome.read.user == "ann"
        assert "weekly" in (outcome.read.tag, outcome.read.application)


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("snowflake", "EXECUTION_STATUS", "FAIL"),
        ("trino", "state", "FAILED"),
        ("postgres", "error_severity", "ERROR"),
    ],
)
def test_a_query_that_did_not_succeed_read_nothing(name: str, key: str, value: str) -> None:
    (outcome,) = outcomes([(1, EXPORTS[name] | {key: value})])

    assert (outcome.fate, outcome.read) == (Fate.FAILED, None)


def test_an_unknown_form_names_the_forms_there_are() -> None:
    with pytest.raises(HeadwaterError, match=r"log\.csv: no known form of query log") as error:
        format_of({"when": 1}, "log.csv")

    assert all(form.name in str(error.value) for form in FORMATS)


@pytest.mark.parametrize(
    ("sql", "fate", "tables", "columns"),
    [
        ("select count(*) from crm.learners", Fate.COLUMNS, ("crm.learners",), ()),
        ("select a from other.t join crm.learners using (a)", Fate.TABLES, ("crm.learners", "other.t"), None),
        ("select emial from crm.learners", Fate.TABLES, ("crm.learners",), None),
        ("with x as (select * from other.t) select * from x", Fate.TABLES, ("other.t",), None),
        ("insert into other.t select email from crm.learners", Fate.TABLES, ("crm.learners",), None),
        ("select frm where (", Fate.UNREADABLE, (), None),
        ("select 1", Fate.NOTHING, None, None),
        ("-- why\nSET x = 1", Fate.NOTHING, None, None),
        ("drop table crm.learners", Fate.NOTHING, None, None),
        ("explain select * from crm.learners", Fate.NOTHING, None, None),
        ("fetch 100 from c1", Fate.NOTHING, None, None),
        ("insert into crm.learners values (1, 'x', 'y')", Fate.NOTHING, None, None),
        (f'declare "c1" no scroll cursor with hold for {EMAILS}', Fate.COLUMNS, ("crm.learners",), COLUMNS),
        ("copy (select email from crm.learners) to 'x.csv'", Fate.COLUMNS, ("crm.learners",), COLUMNS[:1]),
        ("call refresh('s3cret')", Fate.UNREADABLE, (), None),
        ("", Fate.NOTHING, None, None),
    ],
)
def test_what_sql_reads(sql: str, fate: Fate, tables: tuple[str, ...] | None, columns: tuple[str, ...] | None) -> None:
    outcome = of(sql)

    assert outcome.fate is fate
    assert (outcome.read and outcome.read.tables) == tables
    assert (outcome.read and outcome.read.columns) == columns


def test_a_parameter_of_a_prepared_statement_is_read_over() -> None:
    assert of("select email from crm.learners where learner_id = $1", "postgres").fate is Fate.COLUMNS


def test_what_a_statement_writes_is_kept_beside_what_it_reads() -> None:
    read = of("create table x.copy as select email from crm.learners").read

    assert read
    assert (read.tables, read.writes) == (("crm.learners",), ("x.copy",))


def test_no_text_of_a_query_is_kept_or_logged(caplog: pytest.LogCaptureFixture) -> None:
    known, unknown = EMAILS.replace("active", "s3cret"), "select 's3cret', x from other.t"
    for sql in (known, unknown, "select s3cret frm where (", "call refresh('s3cret')"):
        assert "s3cret" not in repr(of(sql).read)
    assert "s3cret" not in caplog.text


def test_unqualified_names_live_in_the_schema_that_the_line_names() -> None:
    line = {"time": NOON.isoformat(), "user": "ann", "sql": "select email from learners, other", "schema": "CRM"}
    snowflake = EXPORTS["snowflake"] | {"QUERY_TEXT": "select email from LEARNERS", "SCHEMA_NAME": "CRM"}

    assert [outcome.read and outcome.read.tables for outcome in outcomes([(1, line)])] == [
        ("crm.learners", "crm.other")
    ]
    assert [outcome.fate for outcome in outcomes([(1, snowflake)])] == [Fate.COLUMNS]


def test_a_list_of_tables_stands_where_there_is_no_sql() -> None:
    row = {"time": NOON.isoformat(), "user": "ann", "tables": ["CRM.LEARNERS", "other.t"]}

    (outcome,) = outcomes([(1, row)])

    assert outcome.fate is Fate.TABLES
    assert outcome.read
    assert outcome.read.tables == ("crm.learners", "other.t")


def test_every_line_has_a_fate() -> None:
    rows = [
        (1, EXPORTS["plain"]),
        (2, None),
        (3, EXPORTS["plain"] | {"time": "yesterday"}),
        (4, EXPORTS["plain"] | {"sql": "select 1"}),
    ]

    assert [outcome.fate for outcome in outcomes(rows)] == [
        Fate.COLUMNS,
        Fate.MALFORMED,
        Fate.MALFORMED,
        Fate.NOTHING,
    ]


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("2026-09-01 12:00:00", NOON),
        ("2026-09-01T14:00:00+02:00", NOON),
        ("2026-09-01 05:00:00.000 -0700", NOON),
        (1788264000, NOON),
        (1788264000000, NOON),
        ("1788264000", NOON),
        (datetime(2026, 9, 1, 12), NOON),  # noqa: DTZ001  an export without zone is the case
        (datetime(2026, 9, 1, 14, tzinfo=timezone(timedelta(hours=2))), NOON),
        ("soon", None),
        (True, None),
        (1e300, None),
    ],
)
def test_times_are_read_as_utc_where_they_have_no_zone(said: Any, at: datetime | None) -> None:
    row = EXPORTS["plain"] | {"time": said}

    assert logged(row, format_of(row, "log"), 1).at == at


def test_a_name_is_the_catalogs_where_it_is_one() -> None:
    names = TableNames(["crm.learners", "eu.sales.orders", "us.sales.orders"])

    assert names.find('"PROD"."CRM"."LEARNERS"') == "crm.learners"
    assert names.find("learners") == "crm.learners"
    assert names.find("us.sales.orders") == "us.sales.orders"
    assert names.find("SALES.orders") == "sales.orders"


def test_what_the_warehouse_lists_column_by_column_stands_before_its_sql() -> None:
    listed = EXPORTS["trino-events"] | {"metadata": {"queryId": "1", "query": "selec (", "queryState": "FINISHED"}}

    (outcome,) = outcomes([(1, listed)])

    assert outcome.fate is Fate.COLUMNS
    assert outcome.read
    assert outcome.read.columns == COLUMNS


def test_sql_stands_before_a_list_without_columns() -> None:
    row = {"time": NOON.isoformat(), "user": "ann", "tables": ["crm.learners"], "sql": EMAILS}

    (outcome,) = outcomes([(1, row)])

    assert outcome.read
    assert outcome.read.columns == COLUMNS
