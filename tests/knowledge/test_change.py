"""Kinds of change, the order of what they reach, and the words for what is not known."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from governance.dataset import Dataset
from governance.events.model import Event
from governance.graph import Graph, build_graph, resolve
from governance.impact import ADVICE, Change, Facts, Reached, impact, ranked
from governance.impact.rank import Ranked

Told = Callable[..., tuple[Event, ...]]
Say = Callable[..., Event]


def names(reached: Iterable[Reached]) -> set[str]:
    return {str(it.what) for it in reached}


def table(name: str) -> Dataset:
    return Dataset("iceberg://platform", name)


@pytest.mark.parametrize("change", [it for it in Change if it is not Change.FILTER])
def test_most_changes_of_a_column_reach_what_its_values_reach(payments: Graph, change: Change) -> None:
    start = resolve(payments, "src.payments.status")

    found, unnamed = impact(payments, start, change), impact(payments, start)

    assert (found.values, found.population, found.tables) == (unnamed.values, unnamed.population, unnamed.tables)
    assert found.as_dict()["change"]["kind"] == change.value


def test_a_changed_filter_reaches_what_the_column_steers_and_no_value(payments: Graph) -> None:
    found = impact(payments, resolve(payments, "stg.payments.status"), Change.FILTER)

    assert found.values == ()
    assert names(found.population) == {
        "fct.payments.amount_minor",
        "mart.revenue_daily.revenue",
        "bi.exec_dashboard.revenue_tile",
    }


def test_a_changed_filter_of_a_table_reaches_rows_and_no_value(told: Told) -> None:
    graph = build_graph(told("job b.b: a.a\nx: a.a.x IDENTITY\njob c.c: b.b\nx: b.b.x IDENTITY\nn:\n"))

    found = impact(graph, resolve(graph, "b.b"), Change.FILTER)

    assert found.values == ()
    assert names(found.population) == {"c.c.x", "c.c.n"}
    assert names(found.tables) == {"c.c"}


def test_every_kind_of_change_says_what_the_graph_cannot_tell() -> None:
    assert set(ADVICE) == set(Change)
    assert all(all(advice.as_dict().values()) for advice in ADVICE.values())


def test_nothing_found_is_said_of_the_sources_and_the_window(platform: Graph) -> None:
    found = impact(platform, resolve(platform, "analytics.learner_activity.events"))

    assert found.statement == "no consumers found among these sources over this window"
    assert found.as_dict()["statement"] == found.statement
    reached = impact(platform, resolve(platform, "crm.learners.email"))
    assert reached.statement == "1 table reached, among the runs whose events were read"


def test_a_member_reaches_what_reads_its_column_and_not_its_siblings(told: Told) -> None:
    graph = build_graph(
        told(
            "job b.b: a.a\nwhole: a.a.address IDENTITY\ncity: a.a.address.city IDENTITY\n"
            "street: a.a.address.street IDENTITY\n"
        )
    )

    assert names(impact(graph, resolve(graph, "a.a.address.city")).values) == {"b.b.whole", "b.b.city"}
    assert names(impact(graph, resolve(graph, "a.a.address")).values) == {"b.b.whole", "b.b.city", "b.b.street"}


def test_a_column_that_is_reached_takes_its_members_along(told: Told) -> None:
    graph = build_graph(told("job b.b: a.a\naddress: a.a.x IDENTITY\njob c.c: b.b\ncity: b.b.address.city IDENTITY\n"))

    assert names(impact(graph, resolve(graph, "a.a.x")).values) == {"b.b.address", "b.b.address.city", "c.c.city"}


def test_a_dropped_table_stays_in_the_answer_and_is_marked(event: Say, told: Told) -> None:
    gone = {"name": "b.b", "facets": {"lifecycleStateChange": {"lifecycleStateChange": "DROP"}}}
    drop = event("COMPLETE", "ddl", "2026-10-02T02:00:00Z", writes=[gone])
    graph = build_graph(
        [
            *told(
                "job b.b: a.a\nx: a.a.x IDENTITY\njob c.c: a.a\nx: a.a.x IDENTITY\njob d.d: a.a\nx: a.a.x IDENTITY\n"
            ),
            drop,
        ]
    )

    found = impact(graph, resolve(graph, "a.a.x"), stale=[table("d.d")])

    marked = {entry["field"]: entry["stale"] for entry in found.as_dict()["values"]}
    assert marked == {"b.b.x": True, "c.c.x": False, "d.d.x": True}


RANKS = """
job b.copy: a.a
x: a.a.x IDENTITY
job b.rows: a.a
n:
*: a.a.x FILTER
job b.steered: a.a
s: a.a.x CONDITIONAL
job c.copy: b.copy
x: b.copy.x IDENTITY
job c.other: b.copy
x: b.copy.x IDENTITY
"""


def test_the_order_goes_by_criticality_then_touch_then_distance_then_reads(event: Say, told: Told) -> None:
    opaque = event("COMPLETE", "script", reads=["a.a"], writes=["x.export"])
    graph = build_graph([*told(RANKS), opaque])
    facts = Facts(
        owners={table("c.copy"): "team:mail"},
        criticality={table("b.steered"): "critical", table("b.rows"): "low"},
        reads={table("c.other"): 7, table("c.copy"): 3},
    )

    found = impact(graph, resolve(graph, "a.a.x"))
    order = ranked(found, facts)

    assert [(it.rank, str(it.dataset), it.arrives) for it in order] == [
        (1, "b.steered", "population"),
        (2, "b.copy", "value"),
        (3, "c.other", "value"),
        (4, "c.copy", "value"),
        (5, "x.export", "unknown"),
        (6, "b.rows", "rows"),
    ]
    gives_its_reasons(order)


def gives_its_reasons(order: Sequence[Ranked]) -> None:
    assert order[0].reasons == (
        "criticality critical",
        "columns are steered, or change with the rows behind them (INDIRECT CONDITIONAL)",
        "1 hop away",
        "no log of its reads",
    )
    assert order[3].reasons[2:] == ("2 hops away", "3 reads in the log")
    assert json.loads(json.dumps(order[3].as_dict())) == {
        "rank": 4,
        "dataset": "c.copy",
        "namespace": "iceberg://platform",
        "arrives": "value",
        "distance": 2,
        "edges": ["DIRECT IDENTITY"],
        "columns": 1,
        "owner": "team:mail",
        "criticality": None,
        "reads": 3,
        "consumers": [],
        "stale": False,
        "path": ["a.a.x", "b.copy.x", "c.copy.x"],
        "reasons": list(order[3].reasons),
    }


def test_ranking_leaves_nothing_out(platform: Graph) -> None:
    for name in ("learning.courses.category", "crm.learners", "learning.enrollments.learner_id"):
        found = impact(platform, resolve(platform, name))
        lists: tuple[Any, ...] = (*found.values, *found.population, *found.tables, *found.unknown)

        assert {it.dataset for it in ranked(found)} == {it.dataset for it in lists}
