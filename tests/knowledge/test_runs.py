"""What the events of one run say together."""

from collections.abc import Callable
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest

from governance.events.model import Event
from governance.graph import build_graph
from governance.runs import read_runs

Say = Callable[..., Event]
Shape = Callable[..., dict[str, Any]]

T0, T1, T2 = "2026-10-01T02:00:00Z", "2026-10-01T02:01:00Z", "2026-10-01T02:02:00Z"


def test_a_run_without_end_is_running_and_adds_no_edges(event: Say, output: Shape) -> None:
    events = [event("START", at=T0, reads=["a.a"], writes=[output("b.b", "x: a.a.x IDENTITY")])]

    (run,) = read_runs(events)

    assert (run.state, run.ended) == ("START", None)
    assert build_graph(events).edges == ()


def test_a_run_without_end_is_abandoned_after_a_day_until_an_end_arrives(event: Say) -> None:
    start = event("START", at=T0)
    (open_,), (closed,) = read_runs([start]), read_runs([start, event("COMPLETE", at=T1)])

    assert open_.state_at(open_.began + timedelta(hours=24)) == "START"
    assert open_.state_at(open_.began + timedelta(hours=25)) == "ABANDONED"
    assert closed.state_at(open_.began + timedelta(days=9)) == "COMPLETE"


def test_a_late_complete_still_closes_it(event: Say, output: Shape) -> None:
    start = event("START", at=T0, reads=["a.a"], writes=[output("b.b", "x: a.a.x IDENTITY")])
    late = event("COMPLETE", at="2026-10-09T00:00:00Z")

    assert len(build_graph([late, start]).edges) == 1


def test_running_changes_the_state_and_removes_nothing(event: Say) -> None:
    start = event("START", at=T0, reads=["a.a"], writes=["b.b"])
    running = event("RUNNING", at=T1)

    (run,) = read_runs([start, running])

    assert run.state == "RUNNING"
    assert [str(it.dataset) for it in run.inputs] == ["a.a"]


@pytest.mark.parametrize("told_by", ["START", "COMPLETE"])
def test_lineage_may_stand_in_either_event_and_arrive_in_either_order(event: Say, output: Shape, told_by: str) -> None:
    said = {"reads": ["a.a"], "writes": [output("b.b", "x: a.a.x IDENTITY", "*: a.a.k JOIN")]}
    empty = {"reads": [], "writes": []}
    events = [
        event(state, at=at, **(said if state == told_by else empty)) for state, at in (("START", T0), ("COMPLETE", T1))
    ]

    forward, backward = build_graph(events), build_graph(reversed(events))

    assert forward == backward
    assert len(forward.edges) == 2


def test_lineage_spread_over_events_adds_up_and_an_empty_list_removes_nothing(event: Say, output: Shape) -> None:
    events = [
        event("START", at=T0, reads=["a.a"], writes=[output("b.b", "x: a.a.x IDENTITY", "*: a.a.k JOIN")]),
        event("RUNNING", at=T1, reads=["a.c"], writes=[output("b.b", "x:", "y: a.c.y IDENTITY")]),
        event("COMPLETE", at=T2, writes=["b.b"]),
    ]

    graph = build_graph(events)

    assert [str(edge) for edge in graph.edges] == [
        "a.a.k (INDIRECT JOIN)",
        "a.a.x (DIRECT IDENTITY)",
        "a.c.y (DIRECT IDENTITY)",
    ]
    assert [str(it) for it in graph.writes[0].inputs] == ["a.a", "a.c"]
    assert all(build_graph(order) == graph for order in permutations(events))


def test_a_later_event_replaces_what_an_earlier_one_said_of_a_field(event: Say, output: Shape) -> None:
    events = [
        event("START", at=T0, writes=[output("b.b", "x: a.a.planned IDENTITY")]),
        event("COMPLETE", at=T1, writes=[output("b.b", "x: a.a.actual IDENTITY")]),
    ]

    assert [str(edge.source) for edge in build_graph(events).edges] == ["a.a.actual"]


@pytest.mark.parametrize(("first", "second"), [("COMPLETE", "FAIL"), ("ABORT", "COMPLETE"), ("FAIL", "COMPLETE")])
def test_a_second_terminal_event_changes_nothing(event: Say, output: Shape, first: str, second: str) -> None:
    one = event(first, at=T1, reads=["a.a"], writes=[output("b.b", "x: a.a.x IDENTITY")])
    two = event(second, at=T2, reads=["z.z"], writes=[output("b.b", "x: z.z.z IDENTITY")])

    assert read_runs([one, two]) == read_runs([two, one]) == read_runs([one])


def test_a_failed_run_keeps_its_error_and_adds_nothing(event: Say, output: Shape) -> None:
    fail = event("FAIL", at=T1, writes=[output("b.b", "x: a.a.x IDENTITY")], errorMessage={"message": "no such column"})

    (run,) = read_runs([fail])

    assert (run.state, run.error) == ("FAIL", "no such column")
    assert build_graph([fail]).writes == ()


def test_a_naive_time_is_utc(event: Say) -> None:
    aware = event("START", at="2026-10-01T07:00:00+05:00")
    naive = event("FAIL", at="2026-10-01T02:01:00")

    (run,) = read_runs([naive, aware])

    assert run.ended is not None
    assert (run.ended - run.began).total_seconds() == 60


def test_one_run_id_of_two_jobs_is_two_runs(event: Say, output: Shape) -> None:
    events = [
        event("COMPLETE", "one", at=T0, run="shared", writes=[output("b.b", "x: a.a.x IDENTITY")]),
        event("COMPLETE", "two", at=T1, run="shared", writes=[output("b.c", "x: a.a.x IDENTITY")]),
    ]

    assert [run.job.name for run in read_runs(events)] == ["one", "two"]
    assert len(build_graph(events).edges) == 2


def test_schema_version_and_owner_are_read(event: Say) -> None:
    facets = {
        "schema": {"fields": [{"name": "x"}, {"name": "y", "fields": [{"name": "z"}]}]},
        "version": {"datasetVersion": "7"},
        "ownership": {"owners": [{"name": "team:a"}]},
    }
    (run,) = read_runs([event("COMPLETE", writes=[{"name": "b.b", "facets": facets}])])

    (out,) = run.outputs
    assert (out.fields, out.snapshot, out.owners, out.lineage) == (("x", "y"), "7", ("team:a",), None)
