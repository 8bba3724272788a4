"""What a change reaches, with the figures of the learning platform and of the payments example."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from governance.events.model import Event
from governance.graph import Graph, build_graph, resolve
from governance.impact import Impact, Reached, impact, ranked
from governance.impact.model import LONGEST
from governance.report.impact import impact_text

Told = Callable[..., tuple[Event, ...]]
Say = Callable[..., Event]
Shape = Callable[..., dict[str, Any]]


def reach(graph: Graph, name: str) -> Impact:
    return impact(graph, resolve(graph, name))


def names(reached: Iterable[Reached]) -> set[str]:
    return {str(it.what) for it in reached}


@pytest.mark.parametrize(
    ("start", "by_value", "in_all", "tables"),
    [
        ("crm.learners.email", {"marketing.audience.email"}, 1, set()),
        ("crm.learners.marketing_consent", set(), 5, {"marketing.audience"}),
        (
            "learning.courses.category",
            {"analytics.course_performance.category", "marketing.audience.favourite_category"},
            12,
            {"analytics.course_performance", "marketing.audience"},
        ),
    ],
)
def test_the_platforms_three_examples(
    platform: Graph, start: str, by_value: set[str], in_all: int, tables: set[str]
) -> None:
    found = reach(platform, start)

    assert names(found.values) == by_value
    assert len(found.values) + len(found.population) == in_all
    assert names(found.tables) == tables
    assert found.unknown == ()


def test_an_instrumented_copy_is_reached_by_value_and_by_rows(whole_platform: Graph) -> None:
    assert names(reach(whole_platform, "crm.learners.email").values) == {
        "marketing.audience.email",
        "marketing.campaign_list.email",
    }
    assert names(reach(whole_platform, "crm.learners.status").tables) == {
        "marketing.audience",
        "marketing.campaign_list",
    }


def test_the_payments_example_is_labelled_as_printed(payments: Graph) -> None:
    found = reach(payments, "src.payments.status")

    assert names(found.values) == {"stg.payments.status", "fct.payments.is_captured", "feat.customer_risk.capture_rate"}
    assert names(found.population) == {
        "fct.payments.amount_minor",
        "mart.revenue_daily.revenue",
        "bi.exec_dashboard.revenue_tile",
    }
    assert len(found.assets) == 5
    assert len(found.downstream) == 6
    assert {str(it) for it in found.downstream} - {str(it) for it in found.assets} == {"mart.card_mix"}


def test_rows_flow_through_a_count_that_names_no_column(told: Told) -> None:
    graph = build_graph(told("job b.b: a.a\nx: a.a.x IDENTITY\n*: a.a.keep FILTER\njob c.c: b.b\nn:\n"))

    found = reach(graph, "a.a.keep")

    assert names(found.tables) == {"b.b", "c.c"}
    assert names(found.population) == {"b.b.x", "c.c.n"}
    assert names(reach(graph, "a.a.x").population) == set()


def test_a_column_first_seen_as_population_is_walked_again_by_value(told: Told) -> None:
    graph = build_graph(
        told(
            "job b.b: a.a\nx: a.a.x CONDITIONAL\nlong: a.a.x IDENTITY\n"
            "job b.c: b.b\nlong: b.b.long IDENTITY\n"
            "job c.c: b.b b.c\nx: b.b.x IDENTITY, b.c.long TRANSFORMATION\n"
            "job d.d: c.c\nx: c.c.x IDENTITY\n"
        )
    )

    found = reach(graph, "a.a.x")

    assert names(found.values) == {"b.b.long", "b.c.long", "c.c.x", "d.d.x"}
    assert names(found.population) == {"b.b.x"}


def test_a_table_as_start_means_its_rows_and_all_its_columns(told: Told) -> None:
    graph = build_graph(told("job b.b: a.a\nx: a.a.x IDENTITY\nn:\n"))

    found = reach(graph, "a.a")

    assert names(found.values) == {"b.b.x"}
    assert names(found.population) == {"b.b.n"}
    assert names(found.tables) == {"b.b"}


def test_self_edges_and_diamonds_end_and_the_start_is_in_neither_list(told: Told) -> None:
    graph = build_graph(
        told(
            "job b.b: a.a b.b\nx: a.a.x IDENTITY, b.b.x TRANSFORMATION\n*: b.b.x FILTER\n"
            "job a.a: b.b\nx: b.b.x IDENTITY\n*: b.b.x JOIN\n"
        )
    )

    found = reach(graph, "a.a.x")

    assert names(found.values) == {"b.b.x"}
    assert names(found.population) == set()
    assert names(found.tables) == {"a.a", "b.b"}


def test_a_table_without_column_lineage_is_unknown_and_the_walk_goes_on(event: Say, told: Told) -> None:
    opaque = event("COMPLETE", "script", reads=["b.b"], writes=["x.export"])
    graph = build_graph([*told("job b.b: a.a\nx: a.a.x IDENTITY\njob y.y: x.export\nz: x.export.z IDENTITY\n"), opaque])

    found = reach(graph, "a.a.x")

    assert names(found.values) == {"b.b.x"}
    assert names(found.unknown) == {"x.export", "y.y"}
    assert [hop.how for hop in found.unknown[0].path] == ["DIRECT IDENTITY", "NO COLUMN LINEAGE"]


def test_a_column_that_lineage_leaves_out_is_unknown(event: Say, output: Shape) -> None:
    told = output("b.b", "x: a.a.x IDENTITY")
    told["facets"]["schema"]["fields"].append({"name": "lost"})
    next_ = output("c.c", "y: b.b.lost IDENTITY", "w: b.b.x IDENTITY", "*: b.b.lost FILTER")
    graph = build_graph(
        [
            event("COMPLETE", "one", reads=["a.a"], writes=[told]),
            event("COMPLETE", "two", reads=["b.b"], writes=[next_]),
        ]
    )

    found = reach(graph, "a.a.x")

    assert names(found.values) == {"b.b.x", "c.c.w"}
    assert names(found.unknown) == {"b.b.lost", "c.c.y", "c.c"}
    assert found.tables == ()


def test_the_path_is_the_shortest_and_all_arriving_edges_are_told(platform: Graph) -> None:
    (table,) = reach(platform, "crm.learners.learner_id").tables[1:]

    assert str(table.what) == "marketing.audience"
    category = reach(platform, "learning.courses.category").tables[1]
    assert [hop.how for hop in category.by] == ["INDIRECT JOIN", "INDIRECT GROUP_BY"]


def test_the_json_form(whole_platform: Graph) -> None:
    found = json.loads(json.dumps(reach(whole_platform, "crm.learners.email").as_dict()))

    assert list(found) == [
        *("start", "values", "population", "tables", "unknown"),
        *("downstream", "kinds", "change", "statement"),
    ]
    assert found["change"] is None
    assert found["start"] == "crm.learners.email"
    assert found["values"][1] == {
        "field": "marketing.campaign_list.email",
        "dataset": "marketing.campaign_list",
        "namespace": "iceberg://platform",
        "distance": 2,
        "edges": ["DIRECT IDENTITY"],
        "learned": ["emitted"],
        "stale": False,
        "path": [
            {
                "from": "crm.learners.email",
                "to": "marketing.audience.email",
                "how": "DIRECT IDENTITY",
                "job": "marketing.audience",
                "run": "run of marketing.audience",
                "learned": "emitted",
                "confirmed": "2026-10-01T02:00:00+00:00",
            },
            {
                "from": "marketing.audience.email",
                "to": "marketing.campaign_list.email",
                "how": "DIRECT IDENTITY",
                "job": "marketing.campaign_list",
                "run": "run of marketing.campaign_list",
                "learned": "emitted",
                "confirmed": "2026-10-01T02:00:00+00:00",
            },
        ],
    }


def test_what_is_told_of_a_long_chain_grows_with_its_length_and_not_its_square(told: Told) -> None:
    hops = 4 * LONGEST
    text = "".join(f"job t.n{n + 1}: t.n{n}\nx: t.n{n}.x IDENTITY\n" for n in range(hops))
    found = reach(build_graph(told(text)), "t.n0.x")

    last = found.as_dict()["values"][-1]
    assert (last["distance"], len(last["path"])) == (hops, LONGEST)
    assert (last["path"][0]["from"], last["path"][-1]["to"]) == ("t.n0.x", f"t.n{hops}.x")
    assert len(ranked(found)[-1].as_dict()["path"]) == LONGEST + 1
    assert f" → … {hops - LONGEST} hops … → t.n" in impact_text(found)
