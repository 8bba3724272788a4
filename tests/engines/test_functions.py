"""The list of DuckDB's functions is that of the DuckDB that is installed; run as a module, this file writes it."""

import duckdb

from governance.statement.functions import FILE

ROWS = "function_type in ('table', 'table_macro')"
QUERY = f"""
select distinct lower(function_name) || case when {ROWS} then ' table' else '' end from duckdb_functions()
where function_type <> 'pragma' and regexp_full_match(function_name, '[A-Za-z_]\\w*')
"""  # noqa: S608  # the test's own text


def listed() -> str:
    with duckdb.connect() as connection:
        names = sorted(name for (name,) in connection.execute(QUERY).fetchall())
    head = f"# Functions of DuckDB {duckdb.__version__}: python -m tests.engines.test_functions writes this."
    return "\n".join((head, *names, ""))


def test_the_functions_that_are_known_are_those_of_the_installed_duckdb() -> None:
    said = FILE.read_text(encoding="utf-8")
    assert said.splitlines()[1:] == listed().splitlines()[1:], "run python -m tests.engines.test_functions"


if __name__ == "__main__":
    FILE.write_text(listed(), encoding="utf-8")
