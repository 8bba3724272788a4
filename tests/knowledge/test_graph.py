"""Which runs stand, and what they say together."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from governance.dataset import Dataset, Field
from governance.errors import UnknownField
from governance.events.model import Event
from governance.graph import Graph, build_graph, resolve
from governance.lineage.model import Transformation

Told = Callable[..., tuple[Event, ...]]
Say = Callable[..., Event]
Shape = Callable[..., dict[str, Any]]

T0, T1 = "2026-10-01T02:00:00Z", "2026-10-02T02:00:00Z"


def test_the_four_pipelines_have_51_edges(platform: Graph) -> None:
    assert len(platform.edges) == 51
    assert len(platform.writes) == 4


def test_the_latest_complete_run_of_a_job_and_output_stands(event: Say, output: Shape) -> None:
    old = event("COMPLETE", at=T0, run="1", reads=["a.a"], writes=[output("b.b", "x: a.a.x IDENTITY")])
    new = event("COMPLETE", at=T1, run="2", reads=["a.c"], writes=[output("b.b", "y: a.c.y IDENTITY")])
    failed = event("FAIL", at="2026-10-03T02:00:00Z", run="3", writes=[output("b.b", "z: a.z.z IDENTITY")])

    graph = build_graph([new, failed, old])

    assert [str(edge.source) for edge in graph.edges] == ["a.c.y"]
    assert [str(flow.source) for flow in graph.flows] == ["a.c"]
    assert graph.fields[Dataset("iceberg://platform", "b.b")] == (Field(Dataset("iceberg://platform", "b.b"), "y"),)


def test_the_latest_is_the_one_that_ended_last(event: Say, output: Shape) -> None:
    slow = [
        event("START", at="2026-10-01T01:00:00Z", run="slow"),
        event("COMPLETE", at="2026-10-01T04:00:00Z", run="slow", writes=[output("b.b", "x: a.slow.x IDENTITY")]),
    ]
    quick = event("COMPLETE", at="2026-10-01T03:00:00Z", run="quick", writes=[output("b.b", "x: a.quick.x IDENTITY")])

    assert [str(edge.source) for edge in build_graph([*slow, quick]).edges] == ["a.slow.x"]


def test_what_a_reader_saw_does_not_bring_back_a_column_that_its_writer_dropped(event: Say, output: Shape) -> None:
    seen = {"name": "b.b", "facets": {"schema": {"fields": [{"name": "x"}, {"name": "dropped"}]}}}
    reader = event("COMPLETE", "reader", at=T0, reads=[seen], writes=[output("c.c", "x: b.b.x IDENTITY")])
    writer = event("COMPLETE", "writer", at=T1, writes=[output("b.b", "x: a.a.x IDENTITY")])

    fields = build_graph([reader, writer]).fields[Dataset("iceberg://platform", "b.b")]

    assert [field.name for field in fields] == ["x"]


def test_an_output_that_the_latest_run_does_not_name_stands(event: Say, output: Shape) -> None:
    both = event(
        "COMPLETE", at=T0, run="1", writes=[output("b.b", "x: a.a.x IDENTITY"), output("b.c", "x: a.a.x IDENTITY")]
    )
    one = event("COMPLETE", at=T1, run="2", writes=[output("b.b", "x: a.a.x IDENTITY")])

    assert [(str(write.dataset), write.run_id) for write in build_graph([both, one]).writes] == [
        ("b.b", "2"),
        ("b.c", "1"),
    ]


def test_several_jobs_that_write_one_table_add_up(event: Say, output: Shape) -> None:
    history = event("COMPLETE", "history", at=T0, writes=[output("b.b", "x: a.old.x IDENTITY")])
    daily = event("COMPLETE", "daily", at=T1, writes=[output("b.b", "x: a.new.x IDENTITY")])

    assert [(str(edge.source), edge.job) for edge in build_graph([history, daily]).edges] == [
        ("a.new.x", "daily"),
        ("a.old.x", "history"),
    ]


def test_rows_flow_from_every_input_also_where_no_column_says_so(told: Told) -> None:
    (flow,) = build_graph(told("job b.count: a.a\nn:\n")).flows

    assert (str(flow.source), str(flow.target), flow.traced, flow.gaps) == ("a.a", "b.count", True, ())


def test_an_input_that_only_column_lineage_names_is_an_input(event: Say, output: Shape) -> None:
    graph = build_graph([event("COMPLETE", writes=[output("b.b", "x: a.hidden.x IDENTITY")])])

    assert [str(flow.source) for flow in graph.flows] == ["a.hidden"]


def test_an_output_without_column_lineage_is_untraced_and_a_column_it_leaves_out_a_gap(event: Say) -> None:
    schema = {"schema": {"fields": [{"name": "x"}, {"name": "y"}]}}
    said = {"fields": {"x": {"inputFields": [{"namespace": "iceberg://platform", "name": "a.a", "field": "x"}]}}}
    opaque = event("COMPLETE", "one", reads=["a.a"], writes=[{"name": "b.b", "facets": schema}])
    partial = event(
        "COMPLETE", "two", reads=["a.a"], writes=[{"name": "b.c", "facets": schema | {"columnLineage": said}}]
    )

    assert [(str(flow.target), flow.traced, flow.gaps) for flow in build_graph([opaque, partial]).flows] == [
        ("b.b", False, ()),
        ("b.c", True, ("y",)),
    ]


def test_a_dependency_is_masked_only_where_every_way_is(event: Say, output: Shape) -> None:
    writes = [
        output(
            "b.b",
            "x: a.a.x TRANSFORMATION masked",
            "x: a.a.x TRANSFORMATION",
            "y: a.a.x TRANSFORMATION masked",
            "z: a.a.x IDENTITY",
            "z: a.a.x IDENTITY masked",
        )
    ]

    assert [(str(edge.target), edge.masking) for edge in build_graph([event("COMPLETE", writes=writes)]).edges] == [
        ("b.b.x", False),
        ("b.b.y", True),
        ("b.b.z", False),
    ]


@pytest.mark.parametrize(
    ("transformations", "expected"),
    [
        ([], Transformation.TRANSFORMATION),
        ([{"type": "DIRECT"}], Transformation.TRANSFORMATION),
        ([{"type": "direct", "subtype": "identity"}], Transformation.IDENTITY),
        ([{"type": "INDIRECT", "subtype": "LOOKUP"}], Transformation.CONDITIONAL),
        ([{"type": "INDIRECT", "subtype": "IDENTITY"}], Transformation.CONDITIONAL),
    ],
)
def test_what_a_producer_leaves_out_reads_as_the_widest_of_its_type(
    event: Say, transformations: list[dict[str, str]], expected: Transformation
) -> None:
    part = {"namespace": "n", "name": "a.a", "field": "x", "transformations": transformations}
    facets = {"columnLineage": {"fields": {"x": {"inputFields": [part]}}}}

    (edge,) = build_graph([event("COMPLETE", writes=[{"name": "b.b", "facets": facets}])]).edges

    assert edge.transformation is expected


def test_the_deprecated_type_of_a_field_is_read(event: Say) -> None:
    said = {"inputFields": [{"namespace": "n", "name": "a.a", "field": "x"}], "transformationType": "MASKED"}
    facets = {"columnLineage": {"fields": {"x": said}}}

    (edge,) = build_graph([event("COMPLETE", writes=[{"name": "b.b", "facets": facets}])]).edges

    assert edge.masking


def test_fields_of_a_source_come_from_schema_and_edges_in_that_order(event: Say, output: Shape) -> None:
    source = {"name": "a.a", "facets": {"schema": {"fields": [{"name": "z"}, {"name": "b"}]}}}
    graph = build_graph([event("COMPLETE", reads=[source], writes=[output("b.b", "x: a.a.x IDENTITY")])])

    assert [field.name for field in graph.fields[Dataset("iceberg://platform", "a.a")]] == ["z", "b", "x"]


def test_names_resolve_to_tables_and_columns(platform: Graph) -> None:
    assert isinstance(resolve(platform, "crm.learners"), Dataset)
    assert resolve(platform, "crm.learners.email") == resolve(platform, "iceberg://platform/crm.learners.email")


def test_an_unknown_name_says_what_is_close(platform: Graph) -> None:
    with pytest.raises(UnknownField, match=r"crm\.learners\.emial; did you mean crm\.learners\.email"):
        resolve(platform, "crm.learners.emial")


@pytest.mark.parametrize("name", ["crm", "CRM", "crm.", "iceberg://platform/crm"])
def test_a_schema_is_said_to_be_one_with_some_of_its_tables(platform: Graph, name: str) -> None:
    with pytest.raises(UnknownField, match=r"is a schema.*name one of its tables: .*crm\.learners"):
        resolve(platform, name)


def files() -> Graph:
    """What reads files: one, several as one dataset, kinds of record, a document."""
    names = {
        "landing/orders.csv": ["amount"],
        "landing/orders/*.csv": ["amount"],
        "landing/payments.txt": ["record_type"],
        "landing/payments.txt#detail": ["amount"],
        "landing/batch.json": ["$doc.header.batch_date"],
    }
    read = [
        {"namespace": "file", "name": name, "facets": {"schema": {"fields": [{"name": it} for it in columns]}}}
        for name, columns in names.items()
    ]
    raw = {
        "eventType": "COMPLETE",
        "eventTime": T0,
        "run": {"runId": "1"},
        "job": {"namespace": "n", "name": "j"},
        "inputs": read,
        "outputs": [{"namespace": "iceberg://shop", "name": "bronze.orders"}],
    }
    return build_graph([msgspec.json.decode(json.dumps(raw), type=Event)])


@pytest.mark.parametrize(
    ("name", "dataset", "column"),
    [
        ("landing/orders.csv.amount", "landing/orders.csv", "amount"),
        ("file/landing/orders.csv.amount", "landing/orders.csv", "amount"),
        ("landing/payments.txt#detail.amount", "landing/payments.txt#detail", "amount"),
        ("landing/payments.txt.record_type", "landing/payments.txt", "record_type"),
        ("landing/batch.json.$doc.header.batch_date", "landing/batch.json", "$doc.header.batch_date"),
        ("landing/orders/*.csv.amount", "landing/orders/*.csv", "amount"),
    ],
)
def test_columns_of_files_are_found_by_their_names(name: str, dataset: str, column: str) -> None:
    assert resolve(files(), name) == Field(Dataset("file", dataset), column)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("landing", r"landing is a location, not a file or column; name one of its files: landing/batch\.json, "),
        ("landing/orders", r"landing/orders is a location.*: landing/orders/\*\.csv"),
        (
            "landing/orders/01.csv.amount",
            r"one of the files landing/orders/\*\.csv; .* write landing/orders/\*\.csv\.amount",
        ),
        ("landing/ordres.csv.amount", r"did you mean landing/orders\.csv\.amount"),
        ("landing/payments.txt.amount", r"did you mean landing/payments\.txt#detail\.amount"),
        ("landing/batch.json.$doc.header.batch_day", r"did you mean landing/batch\.json\.\$doc\.header\.batch_date"),
    ],
)
def test_a_wrong_name_of_a_file_says_what_is_there(name: str, said: str) -> None:
    with pytest.raises(UnknownField, match=said):
        resolve(files(), name)


def test_an_empty_name_says_what_a_name_is(platform: Graph) -> None:
    with pytest.raises(UnknownField, match=r"the name is empty; write a table, crm\.learners, or a column"):
        resolve(platform, "")


def test_a_name_of_two_namespaces_is_ambiguous() -> None:
    raw = {
        "eventType": "COMPLETE",
        "eventTime": T0,
        "run": {"runId": "1"},
        "job": {"namespace": "n", "name": "j"},
        "inputs": [{"namespace": "one", "name": "a.a"}, {"namespace": "two", "name": "a.a"}],
        "outputs": [{"namespace": "one", "name": "b.b"}],
    }
    graph = build_graph([msgspec.json.decode(json.dumps(raw), type=Event)])

    with pytest.raises(UnknownField, match=r"ambiguous; write one of one/a\.a, two/a\.a"):
        resolve(graph, "a.a")
    assert resolve(graph, "two/a.a") == Dataset("two", "a.a")
