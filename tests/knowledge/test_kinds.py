"""A change of a file of several kinds of record is one of all its kinds; a change of one kind is that kind's alone."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from governance.consumers.declared import Declarations, Declared
from governance.consumers.find import consumers_of
from governance.consumers.records import Records
from governance.dataset import Dataset, Field
from governance.events.model import Event
from governance.graph import Graph, build_graph
from governance.impact import impact
from governance.landing.kinds import base_of, kinds_of
from governance.policy import Policy
from governance.queries.model import QueryLog
from governance.report.impact import impact_markdown, impact_text
from governance.report.tree import impact_lines

PAYMENTS = Dataset("file", "landing/payments.txt")
HEADER, DETAIL = (Dataset("file", f"landing/payments.txt#{kind}") for kind in ("header", "detail"))

Say = Callable[..., Event]


def used(dataset: Dataset, field: str, subtype: str = "IDENTITY") -> dict[str, Any]:
    kind = {"type": "DIRECT" if subtype == "IDENTITY" else "INDIRECT", "subtype": subtype, "masking": False}
    return {"namespace": dataset.namespace, "name": dataset.name, "field": field, "transformations": [kind]}


def run(event: Say, table: str, kind: Dataset, column: str) -> Event:
    lineage = {
        "fields": {column: {"inputFields": [used(kind, column)]}},
        "dataset": [used(PAYMENTS, "record_type", "FILTER")],
    }
    reads = [{"namespace": it.namespace, "name": it.name} for it in (PAYMENTS, kind)]
    return event("COMPLETE", table, reads=reads, writes=[{"name": table, "facets": {"columnLineage": lineage}}])


@pytest.fixture
def graph(event: Say) -> Graph:
    return build_graph([run(event, "bronze.payments", DETAIL, "cents"), run(event, "bronze.batches", HEADER, "day")])


def test_kinds_are_told_by_their_names_in_their_namespace() -> None:
    other = Dataset("s3://other", "landing/payments.txt#detail")
    alone = Dataset("file", "#detail")

    assert base_of(DETAIL) == PAYMENTS
    assert base_of(PAYMENTS) is base_of(alone) is None
    assert kinds_of(PAYMENTS, [HEADER, PAYMENTS, other, DETAIL, alone]) == (DETAIL, HEADER)


def test_a_change_of_the_file_reaches_what_its_kinds_give(graph: Graph) -> None:
    found = impact(graph, PAYMENTS)

    assert found.kinds == (DETAIL, HEADER)
    assert {str(it.what): str(it.path[0].source) for it in found.values} == {
        "bronze.batches.day": "landing/payments.txt#header.day",
        "bronze.payments.cents": "landing/payments.txt#detail.cents",
    }
    assert {str(it.what) for it in found.tables} == {"bronze.batches", "bronze.payments"}
    assert found.population == ()
    assert [it.name for it in found.downstream] == ["bronze.batches", "bronze.payments"]


def test_a_change_of_one_kind_is_its_own(graph: Graph) -> None:
    found = impact(graph, DETAIL)

    assert {str(it.what) for it in found.values} == {"bronze.payments.cents"}
    assert {str(it.what) for it in found.tables} == {"bronze.payments"}
    assert found.kinds == impact(graph, Field(PAYMENTS, "record_type")).kinds == ()


def test_the_answer_names_the_kinds_in_every_form(graph: Graph) -> None:
    found = impact(graph, PAYMENTS)
    said = "A change of landing/payments.txt, and with it of landing/payments.txt#detail, landing/payments.txt#header,"

    assert impact_text(found).startswith(f"{said} can reach")
    assert "bronze.payments.cents" in impact_markdown(found)
    assert found.as_dict()["kinds"] == ["landing/payments.txt#detail", "landing/payments.txt#header"]
    lines = [it.name for it in impact_lines(found)]
    assert lines[0] == "landing/payments.txt"
    assert {"bronze.payments.cents", "bronze.batches.day"} < {*lines}


def test_who_reads_a_kind_reads_the_file(graph: Graph, policy_of: Callable[..., Policy]) -> None:
    trailer = "landing/payments.txt#trailer"
    declared = Declared("Ledger", "report", (trailer,), files=frozenset({trailer}))
    policy = policy_of({})
    policy = replace(policy, lineage=replace(policy.lineage, files={trailer: "file"}))
    records = Records(graph, QueryLog(), Declarations((declared,)), policy)
    at = datetime(2026, 10, 2, tzinfo=UTC)

    by_name = {it.name: it for it in consumers_of(PAYMENTS, records, at).consumers}
    (job,) = by_name["bronze.payments"].evidence

    assert by_name.keys() == {"Ledger", "bronze.payments", "bronze.batches"}
    assert job.columns == ("landing/payments.txt#detail.cents", "landing/payments.txt.record_type")
    assert [it.name for it in consumers_of(DETAIL, records, at).consumers] == ["bronze.payments"]
