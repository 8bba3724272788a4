"""The SELECT that a MERGE becomes gives the rows that DuckDB's own MERGE leaves in a real table."""

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import given, settings

from governance.pipeline import Pipeline
from governance.statement import parse
from governance.statement.merged import Merged, merged
from tests.merge.drawn import COLUMNS, CREATE, NAMES, ROWS, Drawn, merges

Rows = list[tuple[object, ...]]
SCHEMAS = {"m.t": COLUMNS, "s.u": COLUMNS}
ORDER = "order by all nulls first"


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:") as opened:
        for name in ("m.t", "s.u"):
            opened.execute(f"create schema {name[0]}")
            opened.execute(f"create table {name} {CREATE}")
        yield opened


def select_of(sql: str) -> Merged:
    statement = parse(Pipeline("m.t", "m/t.sql", sql))
    return merged(statement, statement.query, SCHEMAS)


def fill(connection: duckdb.DuckDBPyConnection, table: Rows, source: Rows) -> None:
    for name, rows in (("m.t", table), ("s.u", source)):
        connection.execute(f"truncate {name}")
        if rows:
            connection.executemany(f"insert into {name} values (?, ?, ?, ?)", rows)  # noqa: S608


def changed_twice(connection: duckdb.DuckDBPyConnection, drawn: Drawn) -> bool:
    """Whether the first WHEN MATCHED that applies changes some row of the table for two rows of the source."""
    steps = " ".join(f"when {test or 'true'} then {changes}" for test, changes in drawn.matched)
    if not steps:
        return False
    pairs = f"from m.t as t join {drawn.source} {drawn.on} where case {steps} else false end"
    return bool(connection.execute(f"{drawn.ctes}select 1 {pairs} group by t.rowid having count(*) > 1").fetchall())


@settings(max_examples=40, deadline=None)
@given(drawn=merges(), table=ROWS, source=ROWS)
def test_it_gives_the_rows_of_duckdbs_own_merge(
    connection: duckdb.DuckDBPyConnection, drawn: Drawn, table: Rows, source: Rows
) -> None:
    require_same(connection, drawn, table, source)


@pytest.mark.prove
@settings(max_examples=3000, deadline=None)
@given(drawn=merges(), table=ROWS, source=ROWS)
def test_it_gives_the_rows_of_thousands_of_merges(
    connection: duckdb.DuckDBPyConnection, drawn: Drawn, table: Rows, source: Rows
) -> None:
    require_same(connection, drawn, table, source)


def require_same(connection: duckdb.DuckDBPyConnection, drawn: Drawn, table: Rows, source: Rows) -> None:
    fill(connection, table, source)
    made = select_of(drawn.sql)
    if changed_twice(connection, drawn):
        with pytest.raises(duckdb.InvalidInputException) as caught:
            connection.execute(made.text).fetchall()
        assert made.twice in str(caught.value)
        return
    found = connection.execute(f"from ({made.text}) {ORDER}").fetchall()
    connection.execute(drawn.sql)
    assert found == connection.execute(f"from m.t {ORDER}").fetchall()
    assert [it[0] for it in connection.execute(f"describe {made.text}").fetchall()] == [it.strip('"') for it in NAMES]
    assert len(made.lines) == made.text.count("\n") + 1
