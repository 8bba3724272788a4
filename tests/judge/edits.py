"""Random pipelines over random rows, and random edits of them: what the law of the judge is tried on."""

# ruff: noqa: S608  # SQL is what is made here, of our own words

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import duckdb
import pyarrow as pa

from governance.diff import Side
from governance.pipeline import parse_pipeline
from governance.policy import LineagePolicy, Policy, Source
from governance.statement import read_program
from platform_assets.engines.engine import Rows
from tests.lineage.law.queries import sample
from tests.lineage.law.relations import TABLES
from tests.lineage.law.values import literal

LINEAGE = LineagePolicy(("public",), frozenset({"DIRECT", "INDIRECT"}), frozenset(), "ns", "jobs")
SOURCES = tuple(Source(table, tuple(columns.items())) for table, columns in TABLES.items())
FIRST, SECOND = "m.first", "m.second"

Texts = Mapping[str, str]
"""SQL by table."""


@dataclass(frozen=True, slots=True)
class Edited:
    """Two revisions of two pipelines, the second over the first; ``how`` says what the edit was."""

    base: Texts
    head: Texts
    how: str


def side(texts: Texts) -> Side:
    """What a revision of these texts says."""
    read = tuple(
        parse_pipeline(table, f"{table}.sql", f"create table {table} as {sql}") for table, sql in texts.items()
    )
    return Side(read, SOURCES, Policy({}, LINEAGE, (), ()), read_program(read, SOURCES))


def rows(seed: int, *, count: int = 12) -> Mapping[str, Rows]:
    """Random rows of the sources."""
    rng = random.Random(seed)  # noqa: S311  # test data
    with duckdb.connect(":memory:") as connection:
        return {table: Rows(_table(connection, rng, columns, count)) for table, columns in TABLES.items()}


def _table(
    connection: duckdb.DuckDBPyConnection, rng: random.Random, columns: Mapping[str, str], count: int
) -> pa.Table:
    def value(kind: str) -> str:
        drawn = "NULL" if rng.random() < 0.08 else literal(rng, kind, "near")
        return f"cast({drawn} as {kind})"

    lines = ", ".join(f"({', '.join(map(value, columns.values()))})" for _ in range(count))
    return connection.sql(f"select * from (values {lines}) as it({', '.join(columns)})").to_arrow_table()


def edited(seed: int) -> Edited | None:
    """Random pipelines and a random edit; None where the draw gives nothing that can be read, or no edit."""
    rng = random.Random(seed)  # noqa: S311  # test data
    one = sample(seed=seed)
    names = [name for name, _ in one.expected.fields]
    base = {FIRST: one.sql, SECOND: _above(rng, names)}
    how = rng.choice(tuple(EDITS))
    head = EDITS[how](rng, base, one.tape, names)
    return None if head == base else Edited(base, head, how)


def _above(rng: random.Random, names: list[str]) -> str:
    column, other = rng.choice(names), rng.choice(names)
    return rng.choice(ABOVE).format(c=column, o=other)


ABOVE = (
    "select * from m.first",
    "select f.{c} as kept, f.{o} as other from m.first f where f.{c} is not null",
    "select f.{c} as key, count(*) as n, min(f.{o}) as least from m.first f group by f.{c}",
    "select count(*) as n, count(distinct f.{c}) as different from m.first f",
    "select f.{c} as kept, u.e from m.first f left join s.u u on cast(f.{o} as varchar) = u.e",
    "select t.a, t.c from s.t t where exists (select 1 from m.first f where cast(f.{c} as varchar) = t.c)",
    "with q as (select {c} as x from m.first union select {c} from m.first) select x from q",
    "select distinct f.{c} as kept from m.first f",
    "select t.a, (select min(f.{c}) from m.first f) as least from s.t t",
    "select f.{c} as kept, max(f.{o}) over (partition by f.{c}) as top from m.first f",
)


def _redrawn(rng: random.Random, base: Texts, tape: tuple[int, ...], _names: list[str]) -> Texts:
    """Some of the choices that made the first pipeline made otherwise."""
    choices = list(tape)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        choices[rng.randrange(len(choices))] = rng.randrange(100)
    return {**base, FIRST: sample(choices, seed=rng.randrange(1_000_000)).sql}


def _other_above(rng: random.Random, base: Texts, _tape: tuple[int, ...], names: list[str]) -> Texts:
    return {**base, SECOND: _above(rng, names)}


def _one_number(rng: random.Random, base: Texts, _tape: tuple[int, ...], _names: list[str]) -> Texts:
    places = [it.span() for it in re.finditer(r"(?<![\w'-])\d+(?![\w'-])", base[FIRST])]
    if not places:
        return base
    start, end = rng.choice(places)
    sql = base[FIRST]
    return {**base, FIRST: f"{sql[:start]}{int(sql[start:end]) + 1}{sql[end:]}"}


def _wrapped(rng: random.Random, base: Texts, _tape: tuple[int, ...], names: list[str]) -> Texts:
    """The first pipeline read by a SELECT around it that filters, drops, renames, orders or computes."""
    column = rng.choice(names)
    return {**base, FIRST: rng.choice(WRAPPED).format(sql=base[FIRST], c=column)}


WRAPPED = (
    "select * from ({sql}) w where w.{c} is not null",
    "select * exclude ({c}) from ({sql}) w",
    "select * rename ({c} as renamed) from ({sql}) w",
    "select * replace (cast(w.{c} as varchar) as {c}) from ({sql}) w",
    "select *, w.{c} as more from ({sql}) w",
    "select distinct * from ({sql}) w",
    "select * from ({sql}) w",
)

Edit = Callable[[random.Random, Texts, tuple[int, ...], list[str]], Texts]
EDITS: Mapping[str, Edit] = {
    "redrawn": _redrawn,
    "above": _other_above,
    "number": _one_number,
    "wrapped": _wrapped,
}
