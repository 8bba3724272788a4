"""Files of query logs, of every kind: each line is read, or told by its number."""

import csv
import gzip
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from governance.errors import HeadwaterError
from governance.queries.files import lines_of
from governance.queries.formats import CSVLOG
from governance.queries.model import Fate, QueryRead
from governance.queries.parquet import parquet_lines
from tests.coverage.exports import COLUMNS, EMAILS, EXPORTS, NOON, outcomes

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
    assert abs((kept[0].at - datetime.now(UTC)).total_seconds()) < 1800  # it is UTC, and no zone's


def test_a_record_of_a_csv_stands_where_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text('time,user,sql\n1,ann,"select\n1"\n2,bob\n3,cid,x\n')

    assert [(number, row and row["user"]) for number, row in lines_of(path)] == [(2, "ann"), (4, None), (5, "cid")]
