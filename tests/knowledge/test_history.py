"""What stood when."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from governance.dataset import Dataset
from governance.errors import HeadwaterError, UnknownField
from governance.events.model import Event
from governance.history import attempts, history, moment_of, parse_moment, readings
from governance.report.history import (
    history_dict,
    history_markdown,
    history_text,
    readings_dict,
    readings_markdown,
    readings_text,
)
from governance.runs import read_runs
from governance.telling import read_graph

Say = Callable[..., Event]
Shape = Callable[..., dict[str, Any]]

TABLE = Dataset("iceberg://platform", "b.b")


@pytest.fixture
def nights(event: Say, output: Shape) -> list[Event]:
    def night(day: int, source: str, state: str = "COMPLETE") -> list[Event]:
        told = output("b.b", f"x: {source}.x IDENTITY", "*: a.keep.k FILTER")
        told["facets"]["version"] = {"datasetVersion": f"s{day}"}
        run = f"night {day}"
        return [
            event("START", "j", f"2026-10-0{day}T02:00:00Z", run=run),
            event(state, "j", f"2026-10-0{day}T03:00:00Z", run=run, writes=[told]),
        ]

    return [*night(1, "a.old"), *night(2, "a.new"), *night(3, "a.failed", "FAIL"), *night(4, "a.new")]


@pytest.mark.parametrize(
    ("moment", "sources"),
    [
        ("2026-10-01T02:30:00", []),
        ("2026-10-01T03:00:00Z", ["a.keep.k", "a.old.x"]),
        ("2026-10-02T02:59:59+00:00", ["a.keep.k", "a.old.x"]),
        ("2026-10-02T05:00:00+02:00", ["a.keep.k", "a.new.x"]),
        ("2026-10-09", ["a.keep.k", "a.new.x"]),
    ],
)
def test_a_graph_as_of_a_moment_is_what_stood_then(nights: list[Event], moment: str, sources: list[str]) -> None:
    graph = read_graph(nights[::-1], as_of=parse_moment(moment))

    assert sorted(str(edge.source) for edge in graph.edges) == sources


def test_a_snapshot_names_the_moment_of_its_run(nights: list[Event]) -> None:
    assert moment_of(read_runs(nights), TABLE, "s1") == datetime(2026, 10, 1, 3, tzinfo=UTC)
    with pytest.raises(UnknownField, match=r"no completed run wrote snapshot s3 of b\.b; known are s1, s2, s4"):
        moment_of(read_runs(nights), TABLE, "s3")
    with pytest.raises(UnknownField, match="no run's event names a snapshot"):
        moment_of(read_runs(nights), Dataset("iceberg://platform", "a.a"), "s1")


def test_the_history_of_a_table_is_its_completed_writes_and_what_changed(nights: list[Event]) -> None:
    past = history(read_runs(nights), TABLE)

    assert [(it.write.run_id, it.write.snapshot, it.added, it.removed) for it in past] == [
        ("night 1", "s1", ("every row from a.keep.k (INDIRECT FILTER)", "x from a.old.x (DIRECT IDENTITY)"), ()),
        ("night 2", "s2", ("x from a.new.x (DIRECT IDENTITY)",), ("x from a.old.x (DIRECT IDENTITY)",)),
        ("night 4", "s4", (), ()),
    ]


def test_an_instant_is_read_with_its_zone_and_as_utc_without() -> None:
    assert parse_moment("2026-10-01") == datetime(2026, 10, 1, tzinfo=UTC)
    assert parse_moment("2026-10-01T02:00:00+02:00") == datetime(2026, 10, 1, tzinfo=UTC)
    with pytest.raises(HeadwaterError, match=r"'last week' is no instant; write 2026-10-01"):
        parse_moment("last week")


def test_runs_that_did_not_complete_are_shown_with_their_state(nights: list[Event], event: Say) -> None:
    started = event("START", "j", "2026-10-05T02:00:00Z", run="night 5", writes=["b.b"])
    runs = read_runs([*nights, started])
    now = datetime(2026, 10, 5, 3, tzinfo=UTC)

    tried = attempts(runs, TABLE, now)
    later = attempts(runs, TABLE, datetime(2026, 10, 7, tzinfo=UTC))

    assert [(it.run.run_id, it.state) for it in tried] == [("night 3", "FAIL"), ("night 5", "START")]
    assert [it.state for it in later] == ["FAIL", "ABANDONED"]
    past = history(runs, TABLE)
    entries = history_dict(past, later)
    assert [it["state"] for it in entries] == ["COMPLETE", "COMPLETE", "FAIL", "COMPLETE", "ABANDONED"]
    assert entries[-1]["ended"] is None
    for text in (history_text(past, later), history_markdown(past, later)):
        assert "ABANDONED" in text
        assert "began 2026-10-05 02:00:00; unknown what it wrote" in text
    assert history_text((), ()) == "no run among the events that were read wrote it"


def test_the_history_of_a_file_is_the_runs_that_read_it(event: Say) -> None:
    base, detail = Dataset("file", "landing/payments/*.txt"), Dataset("file", "landing/payments/*.txt#detail")

    def run(day: int, state: str, *names: str) -> Event:
        files = {"fileCount": len(names), "files": [{"name": name} for name in names]}
        told = {"namespace": base.namespace, "name": base.name, "inputFacets": {"headwater_files": files}}
        kind = {"namespace": detail.namespace, "name": detail.name}
        at = f"2026-10-0{day}T03:00:00Z"
        return event(state, "b.b", at, run=f"night {day}", reads=[told, kind], writes=["b.b"])

    runs = read_runs([run(2, "FAIL", "landing/payments/2.txt"), run(1, "COMPLETE", *"abcde")])
    found = readings(runs, base, datetime(2026, 10, 5, tzinfo=UTC))

    assert [(it.run.run_id, it.state, it.files.file_count) for it in found] == [
        ("night 1", "COMPLETE", 5),
        ("night 2", "FAIL", 1),
    ]
    assert readings(runs, detail, datetime(2026, 10, 5, tzinfo=UTC)) == found
    assert readings(runs, TABLE, datetime(2026, 10, 5, tzinfo=UTC)) == ()
    first, second = readings_dict(found)
    assert first == {
        "state": "COMPLETE",
        "ended": "2026-10-01T03:00:00+00:00",
        "job": "b.b",
        "run": "night 1",
        "wrote": ["b.b"],
        "files": {"count": 5, "names": [*"abcde"]},
        "error": None,
    }
    assert (second["state"], second["wrote"]) == ("FAIL", [])
    for text in (readings_text(found), readings_markdown(found)):
        assert "5: a, b, c and 2 more" in text
        assert "landing/payments/2.txt" in text
    assert readings_text(found).startswith("no run among the events that were read wrote it; these read it\n")
