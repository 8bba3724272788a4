"""Every query that Spark is given gives DuckDB's rows, in columns of DuckDB's types."""

from pathlib import Path

import pytest

from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Engine
from tests.engines_contract.asking import TABLES, ask, shown

QUERIES = Path(__file__).with_name("queries.sql").read_text("utf-8").splitlines()


@pytest.mark.parametrize("sql", [line for line in QUERIES if not line.startswith("--")])
def test_spark_gives_the_rows_of_duckdb(spark: Engine, binder: DuckDb, sql: str) -> None:
    expected, found = ask(binder, sql, TABLES), ask(spark, sql, TABLES)
    assert shown(found) == shown(expected)
    kinds = [(field.name, field.type) for field in expected.schema]
    assert [(field.name, str(field.type)) for field in found.schema] == [(name, str(kind)) for name, kind in kinds]
