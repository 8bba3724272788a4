"""The part of a graph that a question is about answers it as the whole graph does, wherever the events stand."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from governance.dataset import Dataset, Field
from governance.errors import UnknownField
from governance.events.compact import RETENTION, compact
from governance.events.manifest import read_manifest, write_manifest
from governance.events.model import Event
from governance.events.reading import read_events
from governance.events.store import EventStore
from governance.graph import Graph, resolve
from governance.graph.part import downstream, upstream, upstream_rows
from governance.identity import Schemas, SchemaVersion
from governance.impact import impact
from governance.names import Spelling
from governance.stored import Stored, read_stored
from governance.telling import read_graph
from governance.trace import trace, trace_rows

BEGUN = datetime(2026, 10, 1, 2, tzinfo=UTC)
DAYS = [BEGUN + timedelta(days=day) for day in range(3)]
SPELLINGS = {"lower": Spelling.LOWER, "plain": Spelling.EXACT}
KINDS = [
    ("DIRECT", "IDENTITY", None),
    ("DIRECT", "AGGREGATION", True),
    ("INDIRECT", "FILTER", False),
    ("INDIRECT", "CONDITIONAL", None),
    ("DIRECT", None, None),
]


class World:
    """Draws events about five tables, ordinary ones and odd ones."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311  # a test draws events
        # most stores are plain, so that most of their events stay light
        self.odd = seed % 3 == 0
        self.namespace = "lower" if self.odd else "plain"

    def table(self) -> str:
        # two of them are kinds of record of a third
        name = self.random.choice(["s.t0", "s.t1", "s.t2", "s.t3", "s.t4", "s.t1#a", "s.t1#b"])
        return name.upper() if self.odd and self.random.random() < 0.05 else name

    def column(self) -> str:
        return self.random.choice(["a", "b", "c", "c.d", "A" if self.odd else "a"])

    def part(self) -> dict[str, Any]:
        kinds = self.random.sample(KINDS, self.random.randrange(3))
        said = [{"type": kind, "subtype": subtype, "masking": masking} for kind, subtype, masking in kinds]
        return {
            "namespace": self.namespace,
            "name": self.table(),
            "field": self.column(),
            "transformations": said,
        }

    def lineage(self) -> dict[str, Any]:
        fields = {name: {"inputFields": [self.part() for _ in range(self.random.randrange(3))]} for name in "abc"}
        rows = [self.part() for _ in range(self.random.choice([0, 0, 1]))]
        return {"fields": fields, "dataset": rows}

    def facets(self, state: str) -> dict[str, Any]:
        facets: dict[str, Any] = {}
        if self.random.random() < (0.7 if state == "COMPLETE" else 0.1):
            facets["columnLineage"] = self.lineage()
        if self.random.random() < 0.6:
            facets["schema"] = {"fields": [{"name": name} for name in self.random.sample("abcde", 3)]}
        if self.random.random() < 0.05:
            facets["lifecycleStateChange"] = {"lifecycleStateChange": "DROP"}
        if self.odd and self.random.random() < 0.1:
            facets |= self.random.choice(
                [
                    {"symlinks": {"identifiers": [{"namespace": "s3://b", "name": self.table(), "type": "TABLE"}]}},
                    {
                        "lifecycleStateChange": {
                            "lifecycleStateChange": "RENAME",
                            "previousIdentifier": {"namespace": self.namespace, "name": self.table()},
                        }
                    },
                ]
            )
        return facets

    def dataset(self, state: str) -> dict[str, Any]:
        return {"namespace": self.namespace, "name": self.table(), "facets": self.facets(state)}

    def event(self, number: int) -> dict[str, Any]:
        state = self.random.choice(["START", "COMPLETE", "COMPLETE", "COMPLETE", "FAIL", "RUNNING"])
        job = self.random.randrange(6)
        at = BEGUN + timedelta(seconds=number - (number % 7 == 0))
        event = {
            "eventTime": at.isoformat() if number % 11 else at.replace(tzinfo=None).isoformat(),
            "producer": self.random.choice(["https://spark", "urn:headwater:1"]),
            "inputs": [
                {"namespace": self.namespace, "name": self.table()} for _ in range(self.random.choice([0, 0, 1]))
            ],
            "outputs": [self.dataset(state) for _ in range(self.random.choice([1, 1, 1, 2]))],
            "job": {"namespace": "j", "name": f"job{job}"},
        }
        if self.random.random() < 0.05:
            return event
        return event | {"eventType": state, "run": {"runId": f"r{job}-{self.random.randrange(8)}"}}


def fill(folder: Path, seed: int) -> EventStore:
    world = World(seed)
    folder.mkdir()
    for place, day in enumerate(DAYS):
        lines = [json.dumps(world.event(20 * place + number)) for number in range(20)]
        lines.insert(5, '{"torn')
        (folder / f"events-{day.date()}.ndjson").write_text("".join(f"{line}\n" for line in lines))
    return EventStore(folder)


def stages(store: EventStore) -> Iterator[Path]:
    """The store as written, with a day compacted, and with all of them and no NDJSON left."""
    yield store.folder
    for now in (DAYS[1] + timedelta(days=1), DAYS[2] + RETENTION + timedelta(days=2)):
        compact(replace(store, clock=lambda now=now: now), stretch=3000)
        yield store.folder


def of_whole(graph: Graph, name: str) -> list[object]:
    try:
        start = resolve(graph, name)
    except UnknownField as error:
        return [str(error), error.fix]
    return [impact(graph, start), trace(graph, start), trace_rows(graph, start)]


def of_part(stored: Stored, name: str, as_of: datetime | None) -> list[object]:
    # a graph has no names but those that stand
    known = replace(stored.known(as_of), aliases={})
    try:
        return [
            impact(*downstream(known, name)),
            trace(*upstream(known, name)),
            trace_rows(*upstream_rows(known, name)),
        ]
    except UnknownField as error:
        return [str(error), error.fix]


def names(graph: Graph, random: Random) -> list[str]:
    known = sorted({str(thing) for dataset, fields in graph.fields.items() for thing in (dataset, *fields)})
    return [*random.sample(known, min(6, len(known))), "s", "s.t1", "S.T1.A"]


@pytest.mark.parametrize("seed", range(9))
@pytest.mark.parametrize("as_of", [None, BEGUN + timedelta(seconds=41)])
def test_the_part_answers_as_the_whole(tmp_path: Path, seed: int, as_of: datetime | None) -> None:
    store = fill(tmp_path / "events", seed)
    reading = read_events(store.folder)
    graph = read_graph(reading.events, SPELLINGS, as_of=as_of)
    asked = names(graph, Random(seed))  # noqa: S311  # a test draws names
    expected = {name: of_whole(graph, name) for name in asked}

    for folder in stages(store):
        stored = read_stored(folder, SPELLINGS, {})
        assert stored.problems == reading.problems
        assert {name: of_part(stored, name, as_of) for name in asked} == expected


def test_most_events_are_light(tmp_path: Path) -> None:
    store = fill(tmp_path / "events", 1)
    *_, folder = stages(store)

    stored = read_stored(folder, SPELLINGS, {})

    assert stored.light
    assert stored.light.said
    assert stored.light.steady


def test_segments_of_an_earlier_version_are_read_whole(tmp_path: Path) -> None:
    store = fill(tmp_path / "events", 1)
    graph = read_graph(read_events(store.folder).events, SPELLINGS)
    *_, folder = stages(store)
    manifest = read_manifest(folder)
    for name, day in manifest.days.items():
        old = tuple(msgspec.structs.replace(segment, edges=None) for segment in day.segments)
        manifest = manifest.with_day(name, msgspec.structs.replace(day, segments=old))
    write_manifest(folder, manifest)

    stored = read_stored(folder, SPELLINGS, {})

    assert of_part(stored, "s.t1", None) == of_whole(graph, "s.t1")


def test_a_renamed_column_is_followed(tmp_path: Path) -> None:
    store = fill(tmp_path / "events", 1)
    events = read_events(store.folder).events
    versions = (
        SchemaVersion(BEGUN, None, {1: "a", 2: "b"}),
        SchemaVersion(BEGUN + timedelta(seconds=30), None, {1: "z", 2: "b", 3: "a"}),
    )
    schemas: Schemas = {Dataset("plain", "s.t1"): versions}
    graph = read_graph(events, SPELLINGS, schemas=schemas)
    *_, folder = stages(store)

    stored = read_stored(folder, SPELLINGS, schemas)

    assert Field(Dataset("plain", "s.t1"), "z") in graph.fields[Dataset("plain", "s.t1")]
    for name in ("s.t1", "s.t1.z", "s.t1.a", "s.t2.a"):
        assert of_part(stored, name, None) == of_whole(graph, name)


@pytest.mark.parametrize(
    "name", ["crm.learners.email", "learning.courses.category", "crm.learners", "marketing.audience"]
)
def test_the_platforms_examples(tmp_path: Path, file_events: Callable[..., tuple[Event, ...]], name: str) -> None:
    events = file_events("platform", "extra")
    folder = tmp_path / "events"
    folder.mkdir()
    (folder / f"events-{BEGUN.date()}.ndjson").write_bytes(b"".join(msgspec.json.encode(it) + b"\n" for it in events))
    compact(EventStore(folder, clock=lambda: DAYS[2] + RETENTION))

    assert of_part(read_stored(folder, {}, {}), name, None) == of_whole(read_graph(events), name)
