"""Exports of query logs as each warehouse writes them, and what becomes of their lines."""

import json
from datetime import UTC, datetime
from typing import Any

from governance.queries.formats import format_of, logged
from governance.queries.read import Outcome, Reader, read_queries

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
