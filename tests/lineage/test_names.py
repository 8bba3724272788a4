"""Columns without an alias are called as DuckDB calls them: each expression is run there, and the names compared."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from governance.lineage import column_lineage

EXPRESSIONS = (Path(__file__).parent.parent / "fixtures" / "lineage" / "names.txt").read_text(encoding="utf-8")
COLUMNS = {
    **dict.fromkeys(("a", "b", "c", "weird col", "select"), "INTEGER"),
    "v": "VARCHAR",
    "d": "DATE",
    "ts": "TIMESTAMP",
    "f": "BOOLEAN",
    "l": "INTEGER[]",
    "m": "MAP(VARCHAR, INTEGER)",
    "j": "JSON",
    "st": "STRUCT(p INTEGER, q VARCHAR)",
}


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect()
    connection.execute("CREATE SCHEMA s; SET schema = 's'; CREATE SEQUENCE sq")
    columns = ", ".join(f'"{name}" {kind}' for name, kind in COLUMNS.items())
    connection.execute(f"CREATE TABLE t ({columns})")
    yield connection
    connection.close()


def names_in(database: duckdb.DuckDBPyConnection, query: str) -> list[str]:
    try:
        cursor = database.execute(query)
    except duckdb.BinderException:
        cursor = database.execute(f"{query} GROUP BY ALL")
    return [column[0] for column in cursor.description or ()]


def test_names_are_duckdbs(database: duckdb.DuckDBPyConnection) -> None:
    for expression in EXPRESSIONS.splitlines():
        query = f"SELECT {expression} FROM s.t"  # noqa: S608  our own words
        (lineage,) = column_lineage(query, {"s.t": COLUMNS}, default_schema="s")
        assert [field.name for field in lineage.fields] == names_in(database, query), expression
