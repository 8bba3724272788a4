"""One table under several names."""

import json
from typing import Any

import msgspec
import pytest

from governance.dataset import Field
from governance.events.model import Event
from governance.graph import build_graph, resolve
from governance.impact import impact
from governance.names import Spelling, canonical, fold


def complete(
    job: str, reads: list[Any], output: str, inputs: dict[str, list[tuple[str, str]]], namespace: str
) -> Event:
    fields = {
        name: {"inputFields": [{"namespace": namespace, "name": table, "field": field} for table, field in of_field]}
        for name, of_field in inputs.items()
    }
    raw = {
        "eventType": "COMPLETE",
        "eventTime": "2026-10-01T02:00:00Z",
        "run": {"runId": job},
        "job": {"namespace": "n", "name": job},
        "inputs": [{"namespace": namespace, **({"name": it} if isinstance(it, str) else it)} for it in reads],
        "outputs": [{"namespace": namespace, "name": output, "facets": {"columnLineage": {"fields": fields}}}],
    }
    return msgspec.json.decode(json.dumps(raw), type=Event)


@pytest.mark.parametrize(
    ("name", "spelling", "stored"),
    [
        ("shop.Orders", Spelling.EXACT, "shop.Orders"),
        ("shop.Orders", Spelling.LOWER, "shop.orders"),
        ('shop."Orders"', Spelling.LOWER, 'shop."Orders"'),
        ('shop."orders"', Spelling.LOWER, "shop.orders"),
        ("shop.Orders", Spelling.UPPER, "SHOP.ORDERS"),
        ('SHOP."ORDERS"', Spelling.UPPER, "SHOP.ORDERS"),
        ('"Shop"."Orders"', Spelling.INSENSITIVE, "shop.orders"),
        ('shop."a.B"', Spelling.INSENSITIVE, 'shop."a.B"'),
    ],
)
def test_each_namespace_folds_by_its_own_rule(name: str, spelling: Spelling, stored: str) -> None:
    assert fold(name, spelling) == stored


def test_one_table_spelled_three_ways_is_one_and_a_quoted_one_another() -> None:
    namespace = "postgres://shop:5432"
    events = [
        complete("write", ["raw.orders"], "shop.Orders", {"Mail": [("RAW.orders", "mail")]}, namespace),
        complete("copy", ["SHOP.ORDERS"], "shop.copy", {"mail": [("shop.orders", "MAIL")]}, namespace),
        complete("other", ["raw.x"], 'shop."Orders"', {"mail": [("raw.x", "mail")]}, namespace),
    ]

    graph = build_graph(canonical(events, {namespace: Spelling.LOWER}))

    assert [str(it) for it in graph.fields] == ["raw.orders", "raw.x", 'shop."Orders"', "shop.copy", "shop.orders"]
    assert [str(it.what) for it in impact(graph, resolve(graph, "raw.orders.mail")).values] == [
        "shop.orders.mail",
        "shop.copy.mail",
    ]
    assert {str(flow.source) for flow in graph.flows} >= {str(edge.source.dataset) for edge in graph.edges}


def test_a_namespace_goes_by_its_kind_of_database_and_by_policy_before_that() -> None:
    namespace = "postgres://shop:5432"
    events = [
        complete(job, [], table, {}, namespace) for job, table in (("write", "shop.Orders"), ("w", "shop.orders"))
    ]

    assert {str(it) for it in build_graph(canonical(events, {})).written} == {"shop.orders"}
    assert len(build_graph(canonical(events, {namespace: Spelling.EXACT})).written) == 2


def test_names_that_differ_in_case_only_resolve_where_one_is_meant() -> None:
    graph = build_graph([complete("write", ["raw.x"], "shop.Orders", {"Mail": [("raw.x", "m")]}, "n")])

    assert str(resolve(graph, "SHOP.orders.mail")) == "shop.Orders.Mail"


def test_a_namespace_without_a_rule_compares_exactly() -> None:
    events = [complete("write", [], "shop.Orders", {}, "n"), complete("copy", [], "shop.orders", {}, "n")]

    assert len(build_graph(canonical(events, {})).written) == 2


@pytest.mark.parametrize("turn", [1, -1])
def test_a_path_that_says_it_is_a_table_is_that_table(turn: int) -> None:
    link = {"symlinks": {"identifiers": [{"namespace": "n", "name": "crm.learners", "type": "TABLE"}]}}
    events = [
        complete("spark", [{"name": "warehouse/crm/learners", "facets": link}], "x.a", {}, "n"),
        complete("other", ["warehouse/crm/learners"], "x.b", {"m": [("warehouse/crm/learners", "email")]}, "n"),
        complete("third", ["crm.learners"], "x.c", {}, "n"),
    ]

    graph = build_graph(canonical(events[::turn], {}))

    assert {str(flow.source) for flow in graph.flows} == {"crm.learners"}
    assert [str(edge.source) for edge in graph.edges] == ["crm.learners.email"]


def test_a_name_that_all_spell_alike_stays_as_it_is() -> None:
    namespace = "snowflake://acme"
    alike = [complete("write", ["raw.x"], "shop.Orders", {"Mail": [("raw.x", "m")]}, namespace)]
    differ = [*alike, complete("copy", ["SHOP.ORDERS"], "x.copy", {"m": [("SHOP.ORDERS", "MAIL")]}, namespace)]

    assert [str(it) for it in resolve_all(alike)] == ["raw.x.m", "shop.Orders.Mail"]
    assert [str(it) for it in resolve_all(differ)] == ["SHOP.ORDERS.MAIL", "raw.x.m", "x.copy.m"]


def resolve_all(events: list[Event]) -> list[Field]:
    return sorted(field for fields in build_graph(canonical(events, {})).fields.values() for field in fields)
