"""Laws: what may be done to a query without changing its lineage, or with a known change."""

# ruff: noqa: S608  # SQL is what is made here, of our own words

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot.errors import ErrorLevel, SqlglotError

from governance.lineage import column_lineage
from tests.lineage.cases import Expected, Schema
from tests.lineage.forms import as_expected, told
from tests.lineage.law.queries import sample
from tests.lineage.law.relations import TABLES
from tests.lineage.law.worlds import Worlds
from tests.lineage.written import WRITTEN


def accepted() -> Iterator[tuple[str, Schema]]:
    """Random queries that DuckDB takes."""
    worlds = Worlds(TABLES, seed=1, columns=())
    for seed in range(50_000, 50_150):
        made = sample(seed=seed)
        try:
            names, _ = worlds.run(worlds.base, made.sql)
        except duckdb.Error:
            continue
        if names == [name for name, _ in made.expected.fields]:
            yield made.sql, TABLES
    worlds.close()


@cache
def samples() -> list[tuple[str, Schema]]:
    return list(accepted())


def every() -> list[tuple[str, Schema]]:
    return samples() + WRITTEN


# what sqlglot writes as another query: DISTINCT ON as a window, in which other names take precedence, unnest in a
# projection as joins; and a PIVOT's inner columns without their tables, WITHIN GROUP as MODE( ORDER BY a)
REWRITTEN = ("DISTINCT ON", "unnest(", "generate_series(", "range(")


def faithful() -> list[tuple[str, Schema]]:
    return [(sql, schema) for sql, schema in every() if "(PIVOT (" not in sql and "WITHIN GROUP" not in sql]


def lineage(sql: str, schema: Schema) -> Expected:
    return as_expected(column_lineage(sql, schema)[0])


OWN: dict[tuple[str, int], Expected] = {}


def own(sql: str, schema: Schema) -> Expected:
    """The lineage of a query of :func:`every`, which all laws ask for, once."""
    key = sql, id(schema)
    return OWN.get(key) or OWN.setdefault(key, lineage(sql, schema))


def check(change: Callable[[str], str], expect: Callable[[Expected], Expected] = lambda same: same) -> None:
    """Every query, changed, has the lineage that the change makes of its own."""
    for sql, schema in every():
        before = own(sql, schema)
        changed = change(sql)
        assert told(lineage(changed, schema)) == told(expect(before)), changed


def test_a_cte_around_it_changes_nothing() -> None:
    check(lambda sql: f"WITH around AS ({sql}) SELECT * FROM around")


def test_a_derived_table_around_it_changes_nothing() -> None:
    check(lambda sql: f"SELECT * FROM (SELECT * FROM ({sql}) AS inside) AS around")


def test_a_view_around_it_changes_nothing() -> None:
    check(lambda sql: f"CREATE TEMP VIEW around AS {sql}; SELECT * FROM around")


def test_a_temp_table_on_the_way_changes_nothing() -> None:
    check(lambda sql: f"CREATE TEMP TABLE around AS {sql}; SELECT * FROM around")


def test_other_aliases_change_nothing() -> None:
    for sql, schema in samples():
        renamed = re.sub(r"\b(r|l|e|q|rec)(\d+)\b", r"other_\1_\2", sql)
        assert told(lineage(renamed, schema)) == told(own(sql, schema)), renamed


def test_quoting_names_changes_nothing() -> None:
    for sql, schema in faithful()[: len(samples()) // 2]:
        quoted = sqlglot.parse_one(sql, read="duckdb").sql("duckdb", identify=True)
        assert told(lineage(quoted, schema)) == told(own(sql, schema)), quoted


def test_union_all_with_itself_changes_nothing() -> None:
    check(lambda sql: f"({sql}) UNION ALL ({sql})")


def test_union_with_itself_only_dedupes() -> None:
    def deduped(before: Expected) -> Expected:
        compared: dict[tuple[str, str], bool] = {}
        for _, edges in before.fields:
            for dataset, column, _, _, masked in edges:
                compared[dataset, column] = compared.get((dataset, column), True) and masked
        for dataset, column, _, subtype, masked in before.dataset:
            if subtype == "GROUP_BY" and (dataset, column) in compared:
                compared[dataset, column] = compared[dataset, column] and masked
        kept = {edge for edge in before.dataset if not (edge[3] == "GROUP_BY" and edge[:2] in compared)}
        groups = {(*column, "INDIRECT", "GROUP_BY", masked) for column, masked in compared.items()}
        return replace(before, dataset=frozenset(kept | groups))

    check(lambda sql: f"({sql}) UNION ({sql})", deduped)


def test_a_filter_only_adds_indirect_edges() -> None:
    for sql, schema in every():
        before = own(sql, schema)
        name, inputs = before.fields[-1]
        after = lineage(f'SELECT * FROM ({sql}) AS around WHERE around."{name}" IS NOT NULL', schema)
        assert after.fields == before.fields, sql
        assert {edge[:4] for edge in after.dataset} == {edge[:4] for edge in before.dataset} | {
            (*edge[:2], "INDIRECT", "FILTER") for edge in inputs
        }, sql


def test_reading_one_column_leaves_it_as_it_is() -> None:
    for sql, schema in every():
        before = own(sql, schema)
        for name, inputs in before.fields:
            one = lineage(f'SELECT "{name}" FROM ({sql}) AS around', schema)
            assert one.fields == ((name, inputs),), sql
            assert one.dataset == before.dataset, sql


def test_formatting_changes_nothing() -> None:
    for sql, schema in faithful():
        pretty = sqlglot.transpile(sql, read="duckdb", write="duckdb", pretty=True)[0]
        found, right = lineage(pretty, schema), own(sql, schema)
        # an unnamed column is named by its text, which formatting may change
        assert [edges for _, edges in found.fields] == [edges for _, edges in right.fields], pretty
        assert (found.dataset, found.inputs) == (right.dataset, right.inputs), pretty


def sources(one: Expected) -> list[set[tuple[str, str]]]:
    """What each field and the rows come from, without how."""
    return [{edge[:2] for edge in edges} for edges in (*(edges for _, edges in one.fields), one.dataset)]


@pytest.mark.parametrize("dialect", ["snowflake", "postgres", "trino"])
def test_another_dialect_and_back_changes_no_source(dialect: str) -> None:
    """Functions are rewritten on the way (GREATEST becomes a CASE), so how a source is used may change, not which."""
    tried = 0
    for sql, schema in WRITTEN:
        if any(word in sql for word in REWRITTEN):
            continue
        try:
            there = sqlglot.transpile(sql, read="duckdb", write=dialect, unsupported_level=ErrorLevel.RAISE)[0]
            back = sqlglot.transpile(there, read=dialect, write="duckdb", unsupported_level=ErrorLevel.RAISE)[0]
        except SqlglotError:
            continue
        tried += 1
        assert sources(lineage(back, schema)) == sources(own(sql, schema)), f"{sql}\n{there}\n{back}"
    assert tried > 150


PROGRAM = """
import json, sys
from governance.lineage import column_lineage
queries = json.load(sys.stdin)
print(json.dumps([[one.as_dict() for one in column_lineage(sql, schema)] for sql, schema in queries]))
"""


def test_the_hash_seed_changes_nothing() -> None:
    queries = json.dumps(every()[::6])
    answers = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=queries,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(answers) == 1
