"""Where a column comes from."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from governance.events.model import Event
from governance.graph import Graph, build_graph, resolve
from governance.report.trace import trace_markdown, trace_text
from governance.trace import Trace, trace, trace_rows

Told = Callable[..., tuple[Event, ...]]
Say = Callable[..., Event]
Shape = Callable[..., dict[str, Any]]


def lines(found: Trace) -> list[str]:
    return [
        f"{'  ' * it.depth}{it.what} {it.word}{' again' * it.repeated} {', '.join(hop.how for hop in it.by)}".rstrip()
        for it in found.steps
    ]


def test_a_figure_is_traced_to_its_source_columns(payments: Graph) -> None:
    found = trace(payments, resolve(payments, "mart.revenue_daily.revenue"))

    assert lines(found) == [
        "mart.revenue_daily.revenue derived",
        "  fct.payments.amount_minor derived DIRECT AGGREGATION",
        "    stg.payments.amount_minor derived DIRECT IDENTITY",
        "      src.payments.amount source DIRECT TRANSFORMATION",
        "    stg.payments.status pass-through INDIRECT FILTER",
        "      src.payments.status source DIRECT IDENTITY",
        "  fct.payments.is_captured derived INDIRECT FILTER",
        "    stg.payments.status pass-through again DIRECT TRANSFORMATION",
    ]
    assert [str(it) for it in found.origins] == ["src.payments.amount", "src.payments.status"]


def test_rows_are_added_on_request(whole_platform: Graph) -> None:
    start = resolve(whole_platform, "marketing.campaign_list.email")

    assert lines(trace(whole_platform, start)) == [
        "marketing.campaign_list.email pass-through",
        "  marketing.audience.email pass-through DIRECT IDENTITY",
        "    crm.learners.email source DIRECT IDENTITY",
    ]
    with_rows = lines(trace_rows(whole_platform, start))
    assert "    marketing.audience rows" in with_rows
    assert "      crm.learners.marketing_consent source INDIRECT FILTER" in with_rows
    assert "  marketing.campaign_list rows" in with_rows
    assert "    marketing.audience rows again ROWS" in with_rows


def test_a_table_is_traced_by_each_of_its_columns(told: Told) -> None:
    graph = build_graph(told("job b.b: a.a\nx: a.a.x IDENTITY\ny: a.a.x IDENTITY\nn:\n"))

    assert lines(trace(graph, resolve(graph, "b.b"))) == [
        "b.b rows",
        "  b.b.x pass-through",
        "    a.a.x source DIRECT IDENTITY",
        "  b.b.y renamed",
        "    a.a.x source DIRECT IDENTITY",
        "  b.b.n source",
    ]


def test_words_are_of_every_job_that_writes_the_column(event: Say, output: Shape) -> None:
    def complete(job: str, line: str) -> Event:
        return event("COMPLETE", job, writes=[output("b.b", line)])

    same = build_graph([complete("one", "x: a.a.x IDENTITY"), complete("two", "x: a.c.x IDENTITY")])
    other = build_graph([complete("one", "x: a.a.x IDENTITY"), complete("two", "x: a.c.y IDENTITY")])

    assert trace(same, resolve(same, "b.b.x")).steps[0].word == "pass-through"
    assert trace(other, resolve(other, "b.b.x")).steps[0].word == "derived"


def test_what_no_lineage_tells_is_unknown_and_its_inputs_are_the_tables_read(event: Say) -> None:
    schema = {"schema": {"fields": [{"name": "x"}]}}
    graph = build_graph([event("COMPLETE", "script", reads=["a.a"], writes=[{"name": "b.b", "facets": schema}])])

    found = trace(graph, resolve(graph, "b.b.x"))

    assert lines(found) == ["b.b.x unknown", "  a.a rows NO COLUMN LINEAGE"]
    assert [str(it) for it in found.origins] == ["a.a"]


def test_cycles_and_long_chains_end(told: Told) -> None:
    chain = "".join(f"job t.t{it}: t.t{it + 1}\nx: t.t{it + 1}.x IDENTITY\n" for it in range(3000))
    graph = build_graph(told(f"{chain}job t.t3000: t.t0\nx: t.t0.x IDENTITY\n"))

    found = trace(graph, resolve(graph, "t.t0.x"))

    assert len(found.steps) == 3002
    assert found.steps[-1].repeated
    assert json.dumps(found.as_dict())


def test_the_json_form(told: Told) -> None:
    graph = build_graph(told("job b.b: a.a\nx: a.a.y TRANSFORMATION masked\n"))

    assert json.loads(json.dumps(trace(graph, resolve(graph, "b.b.x")).as_dict())) == {
        "start": "b.b.x",
        "steps": [
            {
                "depth": 0,
                "field": "b.b.x",
                "dataset": "b.b",
                "namespace": "iceberg://platform",
                "word": "derived",
                "note": None,
                "repeated": False,
                "stale": False,
                "by": [],
            },
            {
                "depth": 1,
                "field": "a.a.y",
                "dataset": "a.a",
                "namespace": "iceberg://platform",
                "word": "source",
                "note": "no further lineage",
                "repeated": False,
                "stale": False,
                "by": [
                    {
                        "how": "DIRECT TRANSFORMATION",
                        "masking": True,
                        "job": "b.b",
                        "run": "run of b.b",
                        "learned": "emitted",
                        "confirmed": "2026-10-01T02:00:00+00:00",
                    }
                ],
            },
        ],
        "origins": [{"field": "a.a.y", "dataset": "a.a", "namespace": "iceberg://platform"}],
    }


def test_text_and_markdown(told: Told) -> None:
    graph = build_graph(told("job b.b: a.a\nx: a.a.y TRANSFORMATION masked\n"))
    found = trace(graph, resolve(graph, "b.b.x"))

    assert trace_text(found) == (
        "b.b.x  derived\n"
        "  a.a.y  source (no further lineage)  DIRECT TRANSFORMATION masked  [job b.b, run run of b.b, emitted]\n"
        "\n"
        "Sources, among the runs whose events were read: a.a.y"
    )
    row = "| · a.a.y | source (no further lineage) | DIRECT TRANSFORMATION masked | b.b | run of b.b | emitted |"
    assert row in trace_markdown(found)


def test_what_nothing_feeds_says_why(event: Say, output: Shape) -> None:
    written = output("b.b", "x: a.a.y IDENTITY", "n:")
    written["facets"]["schema"]["fields"].append({"name": "late"})
    bare = {"name": "c.c", "facets": {"schema": {"fields": [{"name": "z"}]}}}
    graph = build_graph([event("COMPLETE", writes=[written]), event("COMPLETE", "c", reads=["b.b"], writes=[bare])])

    def line(name: str) -> str:
        return trace_text(trace(graph, resolve(graph, name))).splitlines()[0]

    assert line("b.b.x") == "b.b.x  renamed"
    assert line("b.b.n") == "b.b.n  source (no recorded input)"
    assert line("b.b.late") == "b.b.late  unknown (its column lineage leaves it out)"
    assert line("c.c.z") == "c.c.z  unknown (no column lineage was sent)"
    assert line("a.a.y") == "a.a.y  source (no further lineage)"
    assert "No column feeds it, as its job says itself" in trace_text(trace(graph, resolve(graph, "b.b.n")))


def test_a_job_that_says_nothing_of_columns_is_not_said_to_say_that_none_feeds_it(event: Say) -> None:
    graph = build_graph([event("COMPLETE", "c", reads=["b.b"], writes=[{"name": "c.c"}])])

    for found in (trace(graph, resolve(graph, "c.c")), trace_rows(graph, resolve(graph, "c.c"))):
        assert "No column feeds it" not in trace_text(found)
    assert "No event says which columns it has" in trace_text(trace(graph, resolve(graph, "c.c")))


@pytest.mark.parametrize("name", ["a.a.y", "a.a"])
def test_a_source_comes_from_nothing_known(told: Told, name: str) -> None:
    graph = build_graph(told("job b.b: a.a\nx: a.a.y IDENTITY\n"))

    found = trace(graph, resolve(graph, name))

    assert found.steps[0].depth == 0
    assert [str(it) for it in found.origins] == sorted({name, "a.a.y"})
