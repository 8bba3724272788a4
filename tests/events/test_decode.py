"""Decoding with a memory gives what decoding without one does, and the same facet twice is one value."""

import json
from typing import Any

import msgspec
import pytest

from governance.events.decode import REMEMBERED, Decoder
from governance.events.model import DatasetFacetsPart, Event

LINEAGE = {
    "_producer": "p",
    "fields": {"a": {"inputFields": [{"namespace": "n", "name": "s.t", "field": "x"}]}},
    "dataset": [{"namespace": "n", "name": "s.t", "field": "y"}],
}
SCHEMA = {"fields": [{"name": "a", "type": "struct", "fields": [{"name": "b", "type": "int"}]}]}


def event(version: str, facets: dict[str, Any] | None = None, **changes: Any) -> bytes:
    facets = {"columnLineage": LINEAGE, "schema": SCHEMA} if facets is None else facets
    version_facet = {"version": {"datasetVersion": version}}
    output = {"namespace": "n", "name": "a.b", "facets": facets | version_facet}
    document = {
        "eventTime": "2026-10-01T02:00:00Z",
        "eventType": "COMPLETE",
        "run": {"runId": f"r{version}", "facets": {"parent": {"run": {"runId": "dagster"}}}},
        "job": {"namespace": "j", "name": "a.b", "facets": {"sql": {"query": "select"}}},
        "inputs": [{"namespace": "n", "name": "s.t"}, {"namespace": "n", "name": "s.u", "facets": {"schema": SCHEMA}}],
        "outputs": [output],
    }
    return json.dumps(document | changes).encode()


JOB_EVENT = {
    "eventTime": "2026-10-01T02:00:00Z",
    "job": {"namespace": "j", "name": "a.b"},
    "outputs": [{"namespace": "n", "name": "a.b", "facets": {"lineage": {"inputs": []}}}],
}


@pytest.mark.parametrize(
    "raw",
    [
        event("1"),
        event("1", facets={}),
        event("1", facets={"columnLineage": None, "schema": None}),
        event("1", facets={"columnLineage": {}, "tags": {"tags": [{"key": "k", "value": "v"}]}}),
        event("1", inputs=[], outputs=[]),
        event("1", outputs=[{"namespace": "n", "name": "no.facets"}]),
        json.dumps(JOB_EVENT).encode(),
    ],
)
def test_it_reads_what_the_model_says(raw: bytes) -> None:
    assert Decoder()(raw) == msgspec.json.decode(raw, type=Event)


def test_a_facet_that_repeats_is_the_same_value_whatever_stands_around_it() -> None:
    decode = Decoder()
    first, second = (decode(event(version)).outputs[0].facets for version in "12")
    assert first.version != second.version
    assert first.column_lineage is second.column_lineage
    assert first.schema is second.schema


def test_facets_that_differ_are_kept_apart() -> None:
    decode = Decoder()
    decode(event("1"))
    other = decode(event("2", facets={"schema": {"fields": [{"name": "z"}]}})).outputs[0].facets.schema
    assert other is not None
    assert [field.name for field in other.fields] == ["z"]
    # the same bytes as another facet's are still that other facet
    lineage = decode(event("3", facets={"columnLineage": {"fields": {}}, "lineage": {"fields": {}}})).outputs[0].facets
    assert type(lineage.column_lineage) is not type(lineage.lineage)


@pytest.mark.parametrize(
    "raw",
    [
        event("1")[:-1],
        event("1", facets={"columnLineage": {"fields": []}}),
        event("1", facets={"schema": 7}),
        event("1", job={"namespace": "j", "name": ""}),
        b"[]",
        b"",
    ],
)
def test_what_is_no_event_is_refused_as_the_model_refuses_it(raw: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(raw, type=Event)
    with pytest.raises(msgspec.DecodeError):
        Decoder()(raw)


def test_the_remembered_facets_are_facets_that_are_read() -> None:
    assert set(REMEMBERED) <= set(DatasetFacetsPart.__struct_fields__)
