"""The fixtures that run on DuckDB as plain queries: what laws and comparisons are tried on."""

from pathlib import Path

from tests.lineage.cases import Schema, read_cases

FOLDER = Path(__file__).parent.parent / "fixtures" / "lineage"
FILES = ("select", "joins", "cte", "groups", "windows", "setops", "star", "subqueries", "nested")
WRITTEN: list[tuple[str, Schema]] = [
    (case.sql.rstrip(";"), case.schema)
    for name in FILES
    for case in read_cases(FOLDER / f"{name}.sql")
    if case.raises is None and case.dialect == "duckdb" and case.duckdb is None and case.default_schema is None
]
