"""How each edge was learned: by whose event, and from a run or from a declaration."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from governance.events.model import Event
from governance.graph import build_graph, resolve
from governance.impact import impact

Say = Callable[..., Event]
Shape = Callable[..., dict[str, Any]]

AT = "2026-10-01T02:00:00Z"


def design(**said: Any) -> Event:
    return msgspec.json.decode(json.dumps({"eventTime": AT, **said}), type=Event)


def source(table: str, field: str | None = None, **rest: Any) -> dict[str, Any]:
    named = {"type": "DATASET", "namespace": "iceberg://platform", "name": table, **rest}
    return named | ({"field": field} if field else {})


JOB = {"namespace": "headwater", "name": "j"}


@pytest.mark.parametrize(
    ("producer", "learned"),
    [
        ("urn:headwater:0.1.0", "parsed"),
        ("https://github.com/OpenLineage/OpenLineage/tree/1.30.0/integration/dbt", "parsed"),
        ("https://github.com/OpenLineage/OpenLineage/tree/1.30.0/integration/spark", "emitted"),
        ("https://github.com/trinodb/trino", "emitted"),
        ("", "emitted"),
    ],
)
def test_a_run_is_parsed_or_emitted_as_its_producer_does(
    event: Say, output: Shape, producer: str, learned: str
) -> None:
    told = output("b.b", "x: a.a.x IDENTITY")
    told["facets"]["columnLineage"]["_producer"] = producer
    graph = build_graph([event("COMPLETE", reads=["a.a"], writes=[told])])

    assert {edge.learned.value for edge in graph.edges} == {learned}
    assert {flow.learned.value for flow in graph.flows} == {learned}


def test_a_job_event_declares_beside_what_its_runs_show(event: Say, output: Shape) -> None:
    run = event("COMPLETE", at=AT, run="1", writes=[output("b.b", "x: a.a.x IDENTITY")])
    entry = source("b.b") | {
        "inputs": [source("a.a", "keep", transformations=[{"type": "INDIRECT", "subtype": "FILTER"}]), source("a.c")],
        "fields": {"x": {"inputs": [source("a.other", "x")]}},
    }
    declared = design(job=JOB | {"facets": {"lineage": {"entries": [entry]}}})

    graph = build_graph([run, declared])

    assert [(str(it), it.learned.value, it.run_id) for it in graph.edges] == [
        ("a.a.keep (INDIRECT FILTER)", "declared", ""),
        ("a.a.x (DIRECT IDENTITY)", "emitted", "1"),
        ("a.other.x (DIRECT TRANSFORMATION)", "declared", ""),
    ]
    assert {str(it.source) for it in graph.flows} == {"a.a", "a.c", "a.other"}


def test_a_job_event_that_names_tables_only_takes_nothing_from_what_a_run_told(event: Say, output: Shape) -> None:
    run = event("COMPLETE", run="1", reads=["a.a"], writes=[output("b.b", "x: a.a.x IDENTITY")])
    tables = [{"namespace": "iceberg://platform", "name": name} for name in ("a.a", "b.b")]
    declared = design(job=JOB, inputs=tables[:1], outputs=tables[1:])

    assert build_graph([run, declared]) == build_graph([run])
    alone = build_graph([declared])
    assert [(str(it.target), it.traced, it.learned.value) for it in alone.flows] == [("b.b", False, "declared")]


def test_the_latest_declaration_of_a_job_stands() -> None:
    def says(at: str, table: str) -> Event:
        entry = source("b.b") | {"fields": {"x": {"inputs": [source(table, "x")]}}}
        return design(eventTime=at, job=JOB | {"facets": {"lineage": {"entries": [entry]}}})

    early, late = says("2026-10-01T00:00:00Z", "a.old"), says("2026-10-02T00:00:00Z", "a.new")

    assert [str(it.source) for it in build_graph([late, early]).edges] == ["a.new.x"]


def test_a_dataset_event_declares_its_sources_or_is_a_scan_of_its_columns() -> None:
    sheet = {"namespace": "file://share", "name": "plan.xlsx"}
    feeds = sheet | {"facets": {"lineage": {"fields": {"sum": {"inputs": [source("b.b", "x")]}}}}}
    columns = {"namespace": "iceberg://platform", "name": "b.b", "facets": {"schema": {"fields": [{"name": "x"}]}}}
    graph = build_graph([design(dataset=feeds), design(dataset=columns)])

    assert [(str(it.target), it.job, it.learned.value) for it in graph.edges] == [
        ("plan.xlsx.sum", "plan.xlsx", "declared")
    ]
    assert [str(it.what) for it in impact(graph, resolve(graph, "b.b.x")).values] == ["plan.xlsx.sum"]
    assert {write.dataset.name for write in graph.writes} == {"plan.xlsx"}


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"run": {"runId": "1"}},
        {"eventType": "COMPLETE", "job": JOB},
        {"inputs": [{"namespace": "n", "name": "a"}]},
    ],
)
def test_what_is_neither_run_nor_job_nor_dataset_is_no_event(said: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        design(**said)
