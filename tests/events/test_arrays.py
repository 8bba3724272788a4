"""The arrays hold the edges that the graph of the same events has, wherever the events stand."""

import json
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from governance.events.arrays import HOW, standing_edges
from governance.events.compact import RETENTION, compact
from governance.events.edges import key
from governance.events.manifest import read_manifest, write_manifest
from governance.events.store import EventStore
from governance.graph import build_graph
from tests.events.night import NIGHT

DAYS = [NIGHT + timedelta(days=day) for day in range(3)]
KINDS = [
    ("DIRECT", "IDENTITY"),
    ("DIRECT", "AGGREGATION"),
    ("INDIRECT", "FILTER"),
    ("INDIRECT", "NEW"),
    ("DIRECT", None),
]


def part(random: Random) -> dict[str, Any]:
    kinds = random.sample(KINDS, random.randrange(3))
    transformations = [{"type": kind, "subtype": sub, "masking": random.random() < 0.5} for kind, sub in kinds]
    return {
        "namespace": random.choice("mn"),
        "name": f"s.t{random.randrange(3)}",
        "field": random.choice("xyz"),
        "transformations": transformations,
    }


def facets(random: Random) -> dict[str, Any]:
    if random.random() < 0.2:
        return {}
    fields = {name: {"inputFields": [part(random) for _ in range(random.randrange(3))]} for name in "ab"}
    return {"columnLineage": {"fields": fields, "dataset": [part(random) for _ in range(random.randrange(2))]}}


def event(number: int, random: Random) -> dict[str, Any]:
    job, run = random.randrange(3), random.randrange(9)
    states = ["START", "COMPLETE", "COMPLETE", "FAIL", "RUNNING"]
    state = random.choice(states)
    outputs = [
        {
            "namespace": "n",
            "name": f"out.{job}.{place}",
            "facets": {} if state in ("START", "RUNNING") else facets(random),
        }
        for place in range(random.randrange(1, 3))
    ]
    return {
        "eventTime": (NIGHT + timedelta(seconds=number)).isoformat(),
        "eventType": state,
        "run": {"runId": f"run-{job}-{run}"},
        "job": {"namespace": "j", "name": f"job.{job}"},
        "outputs": outputs,
    }


def fill(store: EventStore, seed: int) -> None:
    random = Random(seed)  # noqa: S311  # a test draws events
    store.folder.mkdir()
    for place, day in enumerate(DAYS):
        lines = [json.dumps(event(30 * place + number, random)) for number in range(30)]
        random.shuffle(lines)
        (store.folder / f"events-{day.date()}.ndjson").write_text("".join(f"{line}\n" for line in lines))


def of_graph(store: EventStore) -> set[tuple[str, str, str, bool]]:
    edges = build_graph(store.read().events).edges
    return {(key(edge.source), key(edge.target), edge.how, edge.masking) for edge in edges}


def of_arrays(folder: Path) -> set[tuple[str, str, str, bool]]:
    found = standing_edges(folder)
    hows = list(HOW)
    rows = zip(found.source, found.target, found.how, found.masking, strict=True)
    return {(found.names[s], found.names[t], hows[how], bool(masking)) for s, t, how, masking in rows}


@pytest.mark.parametrize("seed", range(8))
def test_arrays_hold_the_graphs_edges_before_during_and_after_compaction(store: EventStore, seed: int) -> None:
    fill(store, seed)
    expected = of_graph(store)
    assert expected
    assert of_arrays(store.folder) == expected
    for now in (DAYS[1] + timedelta(days=1), DAYS[2] + RETENTION + timedelta(days=2)):
        compact(EventStore(store.folder, clock=lambda now=now: now), stretch=4000)  # type: ignore[misc]  # bound at once
        assert of_arrays(store.folder) == expected
    assert store.files() == ()


def test_segments_without_an_edges_file_are_read_from_their_events(store: EventStore) -> None:
    fill(store, 1)
    expected = of_graph(store)
    compact(EventStore(store.folder, clock=lambda: DAYS[2] + RETENTION + timedelta(days=2)))
    manifest = read_manifest(store.folder)
    for name, day in manifest.days.items():
        old = tuple(msgspec.structs.replace(segment, edges=None) for segment in day.segments)
        manifest = manifest.with_day(name, msgspec.structs.replace(day, segments=old))
    write_manifest(store.folder, manifest)
    assert of_arrays(store.folder) == expected


def complete(run: str, *outputs: dict[str, Any]) -> str:
    job = {"namespace": "j", "name": "job"}
    event = {"eventTime": NIGHT.isoformat(), "eventType": "COMPLETE", "run": {"runId": run}, "job": job}
    return json.dumps(event | {"outputs": outputs}) + "\n"


def output(name: str, **fields: Any) -> dict[str, Any]:
    told = {name: {"inputFields": inputs} for name, inputs in fields.items()}
    return {"namespace": "n", "name": name, "facets": {"columnLineage": {"fields": told}}}


def test_the_same_bytes_about_two_outputs_are_edges_of_both(store: EventStore) -> None:
    store.folder.mkdir()
    read = [{"namespace": "n", "name": "s.t", "field": "x"}]
    text = complete("r", output("out.a", f=read), output("out.b", f=read))
    (store.folder / f"events-{NIGHT.date()}.ndjson").write_text(text)
    assert {target for _, target, _, _ in of_arrays(store.folder)} == {"n\x1fout.a\x1ff", "n\x1fout.b\x1ff"}


def test_columns_from_no_column_have_no_edges_and_hide_none(store: EventStore) -> None:
    store.folder.mkdir()
    read = [{"namespace": "n", "name": "s.t", "field": "x"}]
    day = store.folder / f"events-{NIGHT.date()}.ndjson"
    day.write_text(complete("r", output("out.a", f=[])))
    assert of_arrays(store.folder) == set()
    # the second run says of a, which had an edge, that it has none, and what b had stands
    day.write_text(
        complete("r1", output("out.b", f=read), output("out.a", f=read)) + complete("r2", output("out.a", f=[]))
    )
    assert {target for _, target, _, _ in of_arrays(store.folder)} == {"n\x1fout.b\x1ff"}


def test_an_empty_store_has_no_edges(store: EventStore) -> None:
    found = standing_edges(store.folder)
    assert found.names == ()
    assert len(found.source) == len(found.target) == len(found.how) == len(found.masking) == 0


def test_a_facet_that_repeats_is_stored_once(store: EventStore) -> None:
    fill(store, 1)
    (first, *_) = sorted(store.folder.iterdir())
    line = next(line for line in first.read_text().splitlines() if "inputFields" in line)
    for place in range(1, 40):
        other = line.replace('"runId": "', f'"runId": "{place}')
        first.write_text(first.read_text() + other + "\n")
    compact(EventStore(store.folder, clock=lambda: DAYS[1] + timedelta(days=1)))
    expected = of_graph(store)
    assert of_arrays(store.folder) == expected
    edges = max(file.stat().st_size for file in store.folder.glob("compacted/*.edges.parquet"))
    assert edges < 6000
