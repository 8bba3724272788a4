"""headwater lineage --explain."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from platform_assets.cli import main

SQL = """with spent as (select person, sum(paid) / 100 as total from shop.orders group by person)
select total, 1 as one from spent
where total > 3"""


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps({"shop.orders": {"person": "int", "paid": "double"}}))
    return path


def run(*words: str | Path, stdin: str = SQL) -> Result:
    return CliRunner().invoke(main, ["lineage", "-", "--explain", *map(str, words)], input=stdin)


def test_the_text_of_each_edge_stands_under_it_with_carets(schema: Path) -> None:
    told = run("--schema", schema)
    assert told.exit_code == 0
    assert (
        told.stdout
        == """\
(query)
  total  derived
    shop.orders.paid DIRECT AGGREGATION
          1  sum(paid) / 100 as total
                 ^^^^
          2  total
             ^^^^^
  one  source
  rows shaped by
    shop.orders.paid INDIRECT FILTER
          1  sum(paid) / 100 as total
                 ^^^^
          3  where total > 3
                   ^^^^^
    shop.orders.person INDIRECT GROUP_BY
          1  group by person
                      ^^^^^^
  reads shop.orders
"""
    )


def test_another_format_is_refused(schema: Path) -> None:
    refused = run("--schema", schema, "--format", "json")
    assert refused.exit_code == 2
    assert "leave out --format json" in refused.stderr


def test_what_cannot_be_read_is_told_as_ever(schema: Path) -> None:
    refused = run("--schema", schema, stdin="select piad from shop.orders")
    assert refused.exit_code == 1
    assert "did you mean paid?" in refused.stderr
