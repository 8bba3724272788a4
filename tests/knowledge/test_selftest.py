"""Seeded changes: an exact collector passes, and one with a blind spot for a construct is found out by it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import pytest

from governance.block import Block, BlockKind
from governance.lineage import column_lineage
from governance.lineage.model import ColumnLineage, Transformation
from governance.pipeline import Pipeline
from governance.policy import LineagePolicy, Source
from governance.selftest import Tried, by_construct, selftest
from governance.statement import Program, read_program
from platform_assets.changes.collect import collect

SOURCES = (
    Source("s.a", (("id", "bigint"), ("x", "bigint"), ("y", "varchar"))),
    Source("s.b", (("id", "bigint"), ("z", "date"))),
)
Schemas = Mapping[str, Mapping[str, str]]

POLICY = LineagePolicy(("public",), frozenset({"DIRECT"}), frozenset(), "ns", "jobs")
QUERIES = {
    "plain": "select a.id, a.x + 1 as v from s.a a where a.y = 'k'",
    "joined": "select a.id as renamed, b.z from s.a a join s.b b on b.id = a.id",
    "grouped": "select a.y, sum(a.x) as total from s.a a group by a.y",
    "keyless": "select sum(a.x) as total from s.a a",
    "through": "with c as (select upper(y) as u from s.a where x > 1) select c.u, count(*) as n from c group by c.u",
    "hashed": "with c as (select md5(y) as h from s.a) select c.h from c",
    "windowed": "with c as (select id, row_number() over (partition by y order by x) as r from s.a) "
    "select c.id, c.r from c where c.r = 1",
    "twice": "select distinct a.y from s.a a",
    "compared": "select distinct upper(a.y) as u from s.a a",
    "first": "select distinct on (a.y) a.y, a.x from s.a a order by a.x",
    "united": "select a.id from s.a a union all select b.id from s.b b",
    "expression": "select coalesce(a.x, 0) as v from s.a a",
    "blocks": "select p.id, doubled(p.v) as w from kept.a p, named('k') n where n.id = p.id",
}
BLOCKS = (
    Block("doubled", BlockKind.MACRO, "b.sql", 1, "create macro doubled(n) as n * 2"),
    Block(
        "kept.a", BlockKind.VIEW, "b.sql", 2, "create view kept.a as select id, doubled(x) as v from s.a where x > 0"
    ),
    Block("named", BlockKind.MACRO, "b.sql", 3, "create macro named(k) as table select id, y from s.a where y = k"),
)


def program() -> Program:
    pipelines = [
        Pipeline(
            f"m.{name}",
            f"m/{name}.sql",
            f"create table m.{name} as {query}",
            blocks=BLOCKS if name == "blocks" else (),
        )
        for name, query in QUERIES.items()
    ]
    return read_program(pipelines, SOURCES)


def told(tried: tuple[Tried, ...]) -> list[str]:
    return [f"{it.pipeline} {it.construct}: {it.missing} {it.extra} {it.problem}" for it in tried if it.blind]


def test_exactly_the_new_edges_appear() -> None:
    tried = selftest(program(), partial(collect, POLICY))
    assert told(tried) == []
    assert by_construct(tried)["filter"] == (len(QUERIES), 0, 0)
    assert {it.pipeline for it in tried if it.skipped} == {"m.united"}


def without(kind: Transformation, sql: str, schemas: Schemas, blocks: tuple[Block, ...]) -> ColumnLineage:
    (found,) = column_lineage(sql, schemas, prelude=blocks)
    fields = tuple(
        replace(out, inputs=tuple(it for it in out.inputs if it.transformation is not kind)) for out in found.fields
    )
    return replace(found, fields=fields, dataset=tuple(it for it in found.dataset if it.transformation is not kind))


@pytest.mark.parametrize(
    ("kind", "construct"),
    [
        (Transformation.IDENTITY, "column"),
        (Transformation.FILTER, "filter"),
        (Transformation.JOIN, "join"),
        (Transformation.AGGREGATION, "aggregate"),
    ],
)
def test_a_collector_that_is_blind_to_a_construct_is_found_out(kind: Transformation, construct: str) -> None:
    blind = by_construct(selftest(program(), partial(without, kind)))
    assert blind[construct][1] > 0


def test_a_collector_that_tells_too_much_is_found_out() -> None:
    def generous(sql: str, schemas: Schemas, blocks: tuple[Block, ...]) -> ColumnLineage:
        (found,) = column_lineage(sql, schemas, prelude=blocks)
        every = tuple(dict.fromkeys(it for out in found.fields for it in out.inputs))
        return replace(found, fields=tuple(replace(out, inputs=every) for out in found.fields))

    assert any(it.extra for it in selftest(program(), generous))


def test_a_pipeline_that_cannot_be_read_is_said_not_to_have_been_tried() -> None:
    broken = [Pipeline("m.broken", "m/broken.sql", "create table m.broken as select nothing from s.a")]
    (tried, *_) = selftest(read_program(broken, SOURCES), partial(collect, POLICY))
    assert not tried.exact
    assert not tried.blind
    assert "has no column nothing" in tried.skipped
