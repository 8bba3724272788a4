"""Exports of query logs read line by line: who read which tables and columns, and what became of every line."""

import csv
import gzip
import json
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from governance.errors import HeadwaterError
from governance.queries.files import lines_of
from governance.queries.formats import CSVLOG, FORMATS, NAMES, format_of, logged
from governance.queries.model import Fate, QueryLog, QueryRead, Window, merged
from governance.queries.names import TableNames
from governance.queries.parquet import parquet_lines
from governance.queries.read import Outcome, Reader, read_queries
from governance.queries.store import QueryStore

SCHEMA = {
    "crm.learners": {"learner_id": "bigint", "email": "varchar", "status": "varchar"},
    "billing.payments": {"amount": "decimal(10, 2)", "learner_id": "bigint"},
}
NOON = datetime(2026, 9, 1, 12, tzinfo=UTC)
EMAILS = "select email from crm.learners where status = 'active'"
COLUMNS = ("crm.learners.email", "crm.learners.status")


def outcomes(lines: Any, name: str = "log.ndjson", dialect: str | None = None) -> list[Outcome]:
    found = list(lines)
    form = format_of(next(row for _, row in found if row), name)
    queries = [number if row is None else logged(row, form, number) for number, row in found]
    return list(read_queries(queries, Reader(SCHEMA, dialect or form.dialect)))


def of(sql: str, dialect: str = "duckdb") -> Outcome:
    (outcome,) = outcomes([(1, {"time": NOON.isoformat(), "user": "ann", "sql": sql})], dialect=dialect)
    return outcome


EXPORTS: dict[str, dict[str, Any]] = {
    "plain": {"time": "2026-09-01T12:00:00Z", "user": "ann", "tag": "weekly", "sql": EMAILS},
    "snowflake": {
        "QUERY_ID": "01b",
        "QUERY_TEXT": "select EMAIL from PROD.CRM.LEARNERS where STATUS = 'active'",
        "USER_NAME": "ann",
        "QUERY_TAG": "weekly",
        "EXECUTION_STATUS": "SUCCESS",
        "START_TIME": "2026-09-01 05:00:00.000 -0700",
    },
    "snowflake-access": {
        "QUERY_ID": "01b",
        "QUERY_START_TIME": "2026-09-01 12:00:00.000 +0000",
        "USER_NAME": "ann",
        "QUERY_TAG": "weekly",
        "BASE_OBJECTS_ACCESSED": json.dumps(
            [
                {"objectDomain": "FUNCTION", "objectName": "PROD.F.G"},
                {
                    "objectDomain": "Table",
                    "objectName": "PROD.CRM.LEARNERS",
                    "columns": [{"columnName": "EMAIL"}, {"columnName": "STATUS"}],
                },
            ]
        ),
    },
    "trino": {
        "query_id": "20260901_1",
        "state": "FINISHED",
        "user": "ann",
        "source": "weekly",
        "query": "select email from iceberg.crm.learners where status = 'active'",
        "created": "2026-09-01 12:00:00.000 UTC",
    },
    "trino-events": {
        "metadata": {"queryId": "20260901_1", "query": EMAILS, "queryState": "FINISHED"},
        "context": {"user": "ann", "source": "jdbc", "clientTags": ["weekly"]},
        "ioMetadata": {
            "inputs": [
                {
                    "catalogName": "iceberg",
                    "schema": "crm",
                    "table": "learners",
                    "columns": [{"name": "email"}, "status"],
                }
            ]
        },
        "createTime": 1788264000.0,
    },
    "postgres": {
        "timestamp": "2026-09-01 12:00:00.000 UTC",
        "user": "ann",
        "error_severity": "LOG",
        "message": f"duration: 1.234 ms  execute <unnamed>: {EMAILS}",
        "application_name": "weekly",
    },
    "duckdb": {"timestamp": "2026-09-01 12:00:00", "type": "QueryLog", "connection_id": 2, "message": EMAILS},
}


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


WRITERS: dict[str, Callable[[Path, list[dict[str, Any]]], object]] = {
    ".ndjson": lambda path, rows: path.write_text("\n".join(json.dumps(row) for row in rows) + "\n"),
    ".json": lambda path, rows: path.write_text(json.dumps(rows, indent=1)),
    ".csv": lambda path, rows: _csv(path, [list(rows[0]), *(list(row.values()) for row in rows)]),
    ".parquet": lambda path, rows: pq.write_table(pa.Table.from_pylist(rows), path),
}


def _csv(path: Path, rows: list[list[Any]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


@pytest.mark.parametrize("suffix", WRITERS)
def test_files_of_each_kind_say_the_same(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"log{suffix}"
    long = f"select email\nfrom crm.learners where status in ({', '.join(['1'] * 60_000)})"
    WRITERS[suffix](
        path, [EXPORTS["plain"], EXPORTS["plain"] | {"sql": "select 'a,\"b' as x, email from crm.learners"}]
    )

    lines = list(parquet_lines(path) if suffix == ".parquet" else lines_of(path))

    assert [row and row["user"] for _, row in lines] == ["ann", "ann"]
    assert [outcome.fate for outcome in outcomes(lines)] == [Fate.COLUMNS] * 2
    WRITERS[suffix](path, [EXPORTS["plain"] | {"sql": long}])
    assert len(list(parquet_lines(path) if suffix == ".parquet" else lines_of(path))) == 1


def test_a_bad_line_is_told_by_its_number_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log.ndjson"
    path.write_bytes(json.dumps(EXPORTS["plain"]).encode() + b'\n{"time": \n\n[1]\n' + b'{"user": "\xff"}\n')

    assert [(number, row is None) for number, row in lines_of(path)] == [(1, False), (2, True), (4, True), (5, False)]


def test_a_csvlog_without_header_is_recognised(tmp_path: Path) -> None:
    entry = dict.fromkeys(CSVLOG, "") | {
        "log_time": "2026-09-01 12:00:00.000 UTC",
        "user_name": "ann",
        "error_severity": "LOG",
        "message": f"statement: {EMAILS}",
    }
    path = tmp_path / "postgresql.csv"
    _csv(path, [list(entry.values()), [*list(entry.values())[:-1]]])

    assert [row is None for _, row in lines_of(path)] == [False, True]
    assert outcomes(lines_of(path))[0].read == QueryRead(
        outcomes(lines_of(path))[0].read.id, NOON, "ann", "", "", ("crm.learners",), COLUMNS
    )


def test_exports_in_the_encodings_and_with_the_separators_of_spreadsheets_are_read(tmp_path: Path) -> None:
    text = "time;user;sql\n2026-09-01 12:00:00;änn;select 1\n2026-09-01 12:00:00;ünn;select 1\n"
    for name, data in {
        "a.csv": text.encode("utf-8-sig"),
        "b.csv": text.encode("utf-16"),
        "c.csv": text.encode("latin-1"),
        "d.csv.gz": gzip.compress(text.encode()),
        "e.csv": text.replace(";", ",").encode("latin-1"),
    }.items():
        (tmp_path / name).write_bytes(data)
        assert [row and row["user"] for _, row in lines_of(tmp_path / name)] == ["änn", "ünn"]
    (tmp_path / "f.csv.gz").write_text(text)
    with pytest.raises(HeadwaterError, match=r"f\.csv\.gz cannot be read"):
        list(lines_of(tmp_path / "f.csv.gz"))


def test_other_files_and_missing_ones_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(HeadwaterError, match=r"log\.xlsx: a query log is NDJSON, CSV or Parquet"):
        list(lines_of(tmp_path / "log.xlsx"))
    with pytest.raises(HeadwaterError, match=r"log\.csv cannot be read"):
        list(lines_of(tmp_path / "log.csv"))
    (tmp_path / "log.parquet").write_text("no")
    with pytest.raises(HeadwaterError, match="cannot be read as Parquet"):
        list(parquet_lines(tmp_path / "log.parquet"))


def read(name: str, at: datetime = NOON) -> QueryRead:
    return QueryRead(name, at, "ann", tables=("crm.learners",))


def test_what_is_kept_twice_counts_once(tmp_path: Path) -> None:
    store = QueryStore(tmp_path / "queries")
    window = Window(NOON, NOON + timedelta(days=1))

    assert store.add([read("a"), read("b", NOON + timedelta(days=1))], window, "log.csv") == 2
    assert store.add([read("b", NOON + timedelta(days=1)), read("c")], None, "log.csv") == 1

    log = store.read()
    assert [it.id for it in log.reads] == ["a", "c", "b"]
    assert log.windows == (window,)
    assert sorted(file.name for file in store.folder.glob("queries*")) == [
        "queries-2026-09-01.ndjson",
        "queries-2026-09-02.ndjson",
    ]


def test_equal_lines_are_several_reads_and_an_overlapping_export_adds_none_of_them() -> None:
    export = [(number, EXPORTS["plain"]) for number in (1, 2, 3)]

    first = {outcome.read.id for outcome in outcomes(export) if outcome.read}
    overlapping = {outcome.read.id for outcome in outcomes(export[1:]) if outcome.read}

    assert len(first) == 3
    assert overlapping < first


def test_a_torn_line_is_told_and_the_next_write_does_not_glue_to_it(tmp_path: Path) -> None:
    store = QueryStore(tmp_path)
    store.add([read("a")], Window(NOON, NOON), "log.csv")
    with (tmp_path / "queries-2026-09-01.ndjson").open("a") as file:
        file.write('{"id": "b", "at"')

    store.add([read("c")], None, "log.csv")

    log = store.read()
    assert [it.id for it in log.reads] == ["a", "c"]
    assert log.problems == ("queries-2026-09-01.ndjson:2: no whole record",)


def test_reads_whose_window_was_lost_speak_for_their_own_time(tmp_path: Path) -> None:
    store = QueryStore(tmp_path)
    store.add([read("a"), read("b", NOON + timedelta(hours=2))], None, "log")

    assert store.read().window == Window(NOON, NOON + timedelta(hours=2))


def test_an_empty_store_has_no_window(tmp_path: Path) -> None:
    log = QueryStore(tmp_path / "queries").read()

    assert (log.reads, log.window, log.unreadable) == ((), None, 0)


def test_windows_less_than_a_day_apart_are_one() -> None:
    day = timedelta(days=1)
    spans = [
        Window(NOON + 5 * day, NOON + 6 * day),
        Window(NOON, NOON + day),
        Window(NOON + 1.5 * day, NOON + 2 * day),
    ]

    assert merged(spans) == (Window(NOON, NOON + 2 * day), Window(NOON + 5 * day, NOON + 6 * day))
    apart = (Window(NOON, NOON + day, "a"), Window(NOON, NOON + day, "b"))
    assert merged(apart) == apart


def test_silence_is_judged_by_the_shortest_of_the_latest_windows() -> None:
    day = timedelta(days=1)
    early, late = Window(NOON, NOON + 2 * day, "a"), Window(NOON + 5 * day, NOON + 95 * day, "a")
    other = Window(NOON + 60 * day, NOON + 90 * day, "b")

    log = QueryLog(windows=(early, late, other))

    assert log.window == other
    assert QueryLog(windows=(early, late)).window == late
    assert log.span == Window(NOON, NOON + 95 * day)


def test_a_log_since_some_time_is_cut_with_its_window(tmp_path: Path) -> None:
    store = QueryStore(tmp_path)
    store.add([read("a"), read("b", NOON + timedelta(hours=2))], Window(NOON, NOON + timedelta(hours=3)), "log")

    cut = store.read().since(NOON + timedelta(hours=1))

    assert [it.id for it in cut.reads] == ["b"]
    assert cut.window == Window(NOON + timedelta(hours=1), NOON + timedelta(hours=3))


def test_unreadable_queries_are_kept_and_counted(tmp_path: Path) -> None:
    store = QueryStore(tmp_path)
    found = [of("select frm where ("), of(EMAILS)]
    store.add([outcome.read for outcome in found if outcome.read], None, "log")

    log = store.read()
    assert (len(log.reads), log.unreadable) == (2, 1)
    assert Counter(outcome.fate for outcome in found)[Fate.UNREADABLE] == 1


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".ndjson"])
def test_what_duckdb_itself_logs_and_exports_is_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"log{suffix}"
    kind = {".parquet": "parquet", ".csv": "csv, header", ".ndjson": "json"}[suffix]
    with duckdb.connect() as connection:
        connection.execute("create schema crm; create table crm.learners (learner_id bigint, email text, status text)")
        connection.execute("call enable_logging('QueryLog')")
        connection.execute(EMAILS)
        connection.execute("call disable_logging()")
        connection.execute(f"copy (select * from duckdb_logs) to '{path}' (format {kind})")  # noqa: S608  our own path

    found = outcomes(parquet_lines(path) if suffix == ".parquet" else lines_of(path))

    kept = [outcome.read for outcome in found if outcome.read and outcome.fate is Fate.COLUMNS]
    assert [(read.tables, read.columns, read.user) for read in kept] == [(("crm.learners",), COLUMNS, "")]
    assert abs((kept[0].at - datetime.now(UTC)).total_seconds()) < 60


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


def test_a_record_of_a_csv_stands_where_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text('time,user,sql\n1,ann,"select\n1"\n2,bob\n3,cid,x\n')

    assert [(number, row and row["user"]) for number, row in lines_of(path)] == [(2, "ann"), (4, None), (5, "cid")]
