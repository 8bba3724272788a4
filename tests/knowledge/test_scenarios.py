"""Situations from public reports, by their numbers; each is a test whose name begins with its number.

Those about graphs and runs stand here. Those about the store, Dagster, the catalog and redaction are real processes and
files, and stand with the tests of those rooms; the last test here finds each of them.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from governance.dataset import Dataset
from governance.events.model import Event
from governance.events.reading import read_events
from governance.graph import Graph, build_graph, resolve
from governance.impact import impact
from governance.names import Spelling
from governance.runs import Run, read_runs
from governance.telling import read_graph

SPARK = "https://github.com/OpenLineage/OpenLineage/tree/1.30.1/integration/spark"
NAMESPACE = "warehouse"
T = "2026-10-01T02:0{}:00Z"


def raw(state: str, minute: int | str, run: str = "r1", job: str = "load", **sides: Any) -> dict[str, Any]:
    return {
        "eventType": state,
        "eventTime": T.format(minute) if isinstance(minute, int) else minute,
        "producer": SPARK,
        "run": {"runId": run},
        "job": {"namespace": "spark", "name": job},
        **sides,
    }


def table(name: str, lineage: dict[str, list[str]] | None = None, namespace: str = NAMESPACE) -> dict[str, Any]:
    """A dataset; ``lineage`` is ``{"x": ["raw.a.x IDENTITY"]}``."""
    if lineage is None:
        return {"namespace": namespace, "name": name}
    fields = {
        field: {"inputFields": [source(text, namespace) for text in of_field]} for field, of_field in lineage.items()
    }
    return {"namespace": namespace, "name": name, "facets": {"columnLineage": {"fields": fields}}}


def source(text: str, namespace: str) -> dict[str, Any]:
    path, subtype = text.split()
    name, _, field = path.rpartition(".")
    kind = "DIRECT" if subtype in ("IDENTITY", "TRANSFORMATION", "AGGREGATION") else "INDIRECT"
    how = {"type": kind, "subtype": subtype, "masking": False}
    return {"namespace": namespace, "name": name, "field": field, "transformations": [how]}


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def events(*said: dict[str, Any]) -> tuple[Event, ...]:
        file = tmp_path / "events.ndjson"
        file.write_text("".join(f"{json.dumps(it)}\n" for it in said))
        return read_events(file).events

    return events


def sources(graph: Graph) -> list[str]:
    return [str(edge.source) for edge in graph.edges]


def only(runs: Iterable[Run]) -> Run:
    (run,) = runs
    return run


COPY = {"x": ["raw.a.x IDENTITY"]}


def test_n01_a_run_that_never_ends(read: Any) -> None:
    started = raw("START", 0, inputs=[table("raw.a")], outputs=[table("mart.b", COPY)])
    events = read(started)
    run = only(read_runs(events))
    began = datetime(2026, 10, 1, 2, tzinfo=UTC)

    assert [run.state_at(began + timedelta(hours=hours)) for hours in (1, 25)] == ["START", "ABANDONED"]
    assert build_graph(events).edges == ()
    late = read(started, raw("COMPLETE", "2026-10-03T02:00:00Z"))
    assert only(read_runs(late)).state_at(began + timedelta(days=9)) == "COMPLETE"
    assert sources(build_graph(late)) == ["raw.a.x"]


def test_n02_a_failure_inside_a_batch(read: Any) -> None:
    error = {"facets": {"errorMessage": {"message": "no such column", "programmingLanguage": "SQL"}}}
    failed = raw("FAIL", 2, "r2", "second", outputs=[table("mart.two", COPY)])
    failed["run"] |= error
    events = read(
        raw("START", 0, "r1", "first"),
        raw("COMPLETE", 1, "r1", "first", outputs=[table("mart.one", COPY)]),
        raw("START", 1, "r2", "second"),
        failed,
        raw("ABORT", 2, "r3", "third", outputs=[table("mart.three", COPY)]),
    )

    assert {run.job.name: (run.state, run.error) for run in read_runs(events)} == {
        "first": ("COMPLETE", None),
        "second": ("FAIL", "no such column"),
        "third": ("ABORT", None),
    }
    assert {str(edge.target) for edge in build_graph(events).edges} == {"mart.one.x"}


@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize("told_by", ["START", "COMPLETE"])
def test_n03_lineage_in_one_event_of_two(read: Any, told_by: str, turn: int) -> None:
    full = {"inputs": [table("raw.a")], "outputs": [table("mart.b", COPY)]}
    empty: dict[str, Any] = {"inputs": [], "outputs": []}
    pair = [
        raw("START", 0, **(full if told_by == "START" else empty)),
        raw("COMPLETE", 1, **(full if told_by == "COMPLETE" else empty)),
    ]

    graph = build_graph(read(*pair[::turn]))

    assert sources(graph) == ["raw.a.x"]
    assert [str(flow.source) for flow in graph.flows] == ["raw.a"]


def test_n04_running_with_nothing_to_say(read: Any) -> None:
    start = raw("START", 0, inputs=[table("raw.a")], outputs=[table("mart.b", COPY)])
    running, end = raw("RUNNING", 1), raw("COMPLETE", 2)

    assert only(read_runs(read(start, running))).state == "RUNNING"
    assert build_graph(read(start, running, end)) == build_graph(read(start, end))


def test_n08_a_time_without_zone_is_utc_and_said_so(tmp_path: Path) -> None:
    said = [
        raw("START", "2026-10-01T02:00:00+05:00"),
        raw("RUNNING", "2026-10-01T02:30:00+05:00"),
        raw("FAIL", "2026-09-30T22:00:00"),
    ]
    file = tmp_path / "events.ndjson"
    file.write_text("".join(f"{json.dumps(it)}\n" for it in said))
    reading = read_events(file)
    run = only(read_runs(reading.events))

    assert run.ended is not None
    assert run.ended - run.began == timedelta(hours=1)
    assert ["no time zone" in str(it) for it in reading.problems] == [True]


def test_n09_one_table_under_two_names(read: Any) -> None:
    events = read(
        raw("COMPLETE", 1, "r1", "write", outputs=[table("shop.Orders", {"ID": ["raw.a.id IDENTITY"]})]),
        raw(
            "COMPLETE",
            2,
            "r2",
            "engine",
            inputs=[table("SHOP.ORDERS")],
            outputs=[table("x.one", {"i": ["shop.orders.Id IDENTITY"]})],
        ),
        raw("COMPLETE", 3, "r3", "quoted", outputs=[table('shop."ORDERS"', {"id": ["raw.z.id IDENTITY"]})]),
    )

    graph = read_graph(events, {NAMESPACE: Spelling.LOWER})

    written = {str(it) for it in graph.written}
    assert written == {"shop.orders", "x.one", 'shop."ORDERS"'}
    reached = impact(graph, resolve(graph, "raw.a.id"))
    assert [str(it.what) for it in reached.values] == ["shop.orders.id", "x.one.i"]
    # the name of an input is the one that its fields have
    assert {edge.source.dataset for edge in graph.edges} <= {flow.source for flow in graph.flows}


def test_n23_impact_that_would_stop_early(read: Any) -> None:
    events = read(
        raw("COMPLETE", 1, "r1", "a", outputs=[table("m.b", {"x": ["raw.a.x IDENTITY", "m.b.x TRANSFORMATION"]})]),
        raw("COMPLETE", 2, "r2", "l", outputs=[table("m.l", {"x": ["m.b.x IDENTITY"]})]),
        raw("COMPLETE", 3, "r3", "r", outputs=[table("m.r", {"x": ["m.b.x IDENTITY"]})]),
        raw("COMPLETE", 4, "r4", "j", outputs=[table("m.j", {"x": ["m.l.x IDENTITY", "m.r.x AGGREGATION"]})]),
        raw("COMPLETE", 5, "r5", "export", inputs=[table("m.j")], outputs=[table("sheet", None, "file://share")]),
        raw("COMPLETE", 6, "r6", "on", inputs=[table("sheet", None, "file://share")], outputs=[table("m.z")]),
    )
    graph = build_graph(events)

    found = impact(graph, resolve(graph, "raw.a.x"))

    assert [str(it.what) for it in found.values] == ["m.b.x", "m.l.x", "m.r.x", "m.j.x"]
    assert [str(it.what) for it in found.unknown] == ["sheet", "m.z"]
    assert Dataset("file://share", "sheet") in found.downstream


SCRIPT = """
import sys
from pathlib import Path
from governance.events.reading import read_events
from governance.graph import build_graph, resolve
from governance.impact import impact
graph = build_graph(read_events(Path(sys.argv[1])).events)
print(impact(graph, resolve(graph, "raw.a.x")).as_dict())
"""


def test_n23_the_same_order_for_every_hash_seed(tmp_path: Path) -> None:
    fan = [
        raw(
            "COMPLETE",
            1,
            f"r{it}",
            f"j{it}",
            outputs=[table(f"m.t{it}", {"x": ["raw.a.x IDENTITY"], "y": ["raw.a.x JOIN"]})],
        )
        for it in range(20)
    ]
    file = tmp_path / "events.ndjson"
    file.write_text("".join(f"{json.dumps(it)}\n" for it in fan))
    root = str(Path(__file__).parents[2])

    def answer(seed: str) -> bytes:
        env = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": root}
        return subprocess.run(
            [sys.executable, "-c", SCRIPT, str(file)], env=env, check=True, capture_output=True
        ).stdout

    assert len({answer(seed) for seed in ("1", "2")}) == 1


SCENARIOS = {
    "n01": "a run that never ends",
    "n02": "a failure reported as success",
    "n03": "lineage in one event of two",
    "n04": "a RUNNING event with nothing to say",
    "n06": "torn or joined lines in the event file",
    "n08": "a time without zone",
    "n09": "one table under two names",
    "n11": "success with no lineage",
    "n12": "a check failed and downstream ran",
    "n13": "a check silently skipped",
    "n14": "lineage to assets that do not exist",
    "n16": "two writers",
    "n17": "rename, drop and add again",
    "n19": "removal of a class is not symmetric",
    "n21": "aggregation is not masking",
    "n23": "impact that would stop early",
    "n24": "secrets and personal data in SQL",
}


@pytest.mark.parametrize("number", SCENARIOS, ids=lambda it: f"{it.upper()} {SCENARIOS[it]}")
def test_each_scenario_is_a_test_by_its_number(number: str) -> None:
    texts = (file.read_text() for file in Path(__file__).parents[1].rglob("test_*.py"))

    assert any(f"def test_{number}_" in text for text in texts)
