"""Events drawn about a few tables, ordinary and odd ones, some long after their run; and what rules make of a store."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from governance.dataset import Dataset
from governance.events.compact import compact
from governance.events.reading import read_store
from governance.events.run import Attempt
from governance.events.store import EventStore
from governance.graph import Graph, build_graph
from governance.graph.stored_graph import StoredGraph
from governance.heard import Heard, heard_of
from governance.names import Spelling
from governance.policy import ColumnPolicy, ExternalJob, LineagePolicy, Policy, TablePolicy
from governance.project import Project, project_at
from governance.rules import RULES, EndedAttempt, Head, Known, Outcome, check
from governance.runs import read_runs
from governance.telling import told

NAMESPACE = "iceberg://plain"
BEGUN = datetime(2026, 6, 1, 2, tzinfo=UTC)
TABLES = tuple(f"s.t{it}" for it in range(6))
ORDER = ("public", "internal", "personal", "sensitive")
SPELLINGS = {"lower": Spelling.LOWER}
KINDS = [
    ("DIRECT", "IDENTITY", None),
    ("DIRECT", "AGGREGATION", True),
    ("INDIRECT", "FILTER", False),
    ("INDIRECT", "CONDITIONAL", None),
]


class World:
    """A project whose store grows by what is drawn.

    odd: whether tables are renamed, spelled in several ways and said to be one
    """

    def __init__(self, root: Path, seed: int, *, odd: bool = False) -> None:
        self.random = Random(seed)  # noqa: S311  # a test draws events
        self.odd = odd
        (root / "platform_assets").mkdir(parents=True)
        self.project: Project = project_at(root)
        self.project.events.mkdir(parents=True)
        self.day = 0
        self.number = 0
        self.ids: list[str] = []

    @property
    def now(self) -> datetime:
        return BEGUN + timedelta(days=self.day, hours=20)

    @property
    def store(self) -> EventStore:
        return EventStore(self.project.events, clock=lambda: self.now)

    def append(self, count: int) -> None:
        """Add ``count`` events to the day's file, as writers do."""
        lines = [json.dumps(self.event()) for _ in range(count)]
        if self.random.random() < 0.1:
            lines.insert(1, '{"torn')
        with (self.project.events / f"events-{self.now.date()}.ndjson").open("a") as file:
            file.writelines(f"{line}\n" for line in lines)

    def compact(self) -> None:
        late = timedelta(days=self.random.choice([0, 1, 9]))
        compact(replace(self.store, clock=lambda: self.now + late), stretch=self.random.choice([2000, 1 << 20]))

    def table(self) -> str:
        name = self.random.choice([*TABLES, "s.t1#a"])
        return name.upper() if self.odd and self.random.random() < 0.03 else name

    def column(self) -> str:
        return self.random.choice(["a", "b", "c", "c.d"])

    def _part(self) -> dict[str, Any]:
        kinds = self.random.sample(KINDS, self.random.randrange(3))
        said = [{"type": kind, "subtype": subtype, "masking": masking} for kind, subtype, masking in kinds]
        return {"namespace": NAMESPACE, "name": self.table(), "field": self.column(), "transformations": said}

    def _lineage(self) -> dict[str, Any]:
        fields = {name: {"inputFields": [self._part() for _ in range(self.random.randrange(3))]} for name in "abc"}
        return {"fields": fields, "dataset": [self._part() for _ in range(self.random.choice([0, 0, 1]))]}

    def _facets(self, state: str) -> dict[str, Any]:
        facets: dict[str, Any] = {}
        draw = self.random.random
        if draw() < (0.7 if state == "COMPLETE" else 0.1):
            facets["columnLineage"] = self._lineage()
        if draw() < 0.6:
            facets["schema"] = {"fields": [{"name": name} for name in self.random.sample("abcde", 3)]}
        if draw() < 0.5:
            facets["version"] = {"datasetVersion": str(self.random.randrange(40))}
        if draw() < 0.1:
            tag = {"key": "classification", "value": "personal", "source": "DBT", "field": self.column()}
            facets["tags"] = {"tags": [tag]}
        if draw() < 0.05:
            facets["lifecycleStateChange"] = {"lifecycleStateChange": "DROP"}
        if self.odd and draw() < 0.05:
            facets |= self.random.choice([self._link(), self._rename()])
        return facets

    def _link(self) -> dict[str, Any]:
        return {"symlinks": {"identifiers": [{"namespace": "s3://b", "name": self.table(), "type": "TABLE"}]}}

    def _rename(self) -> dict[str, Any]:
        former = {"namespace": NAMESPACE, "name": self.table()}
        return {"lifecycleStateChange": {"lifecycleStateChange": "RENAME", "previousIdentifier": former}}

    def _dataset(self, state: str) -> dict[str, Any]:
        return {"namespace": NAMESPACE, "name": self.table(), "facets": self._facets(state)}

    def event(self) -> dict[str, Any]:
        """One event, of a new run, of one that goes on, or of one that ended long ago."""
        self.number += 1
        state = self.random.choice(["START", "COMPLETE", "COMPLETE", "COMPLETE", "FAIL", "RUNNING"])
        job = self.random.randrange(6)
        back = timedelta(days=self.random.choice([0, 0, 0, 0, 0, 1, 50]))
        at = self.now - back + timedelta(seconds=self.number - (self.number % 7 == 0))
        event = {
            "eventTime": at.isoformat() if self.number % 11 else at.replace(tzinfo=None).isoformat(),
            "producer": self.random.choice(["https://spark", "urn:headwater:1"]),
            "inputs": [self._dataset("START") for _ in range(self.random.choice([0, 0, 1]))],
            "outputs": [self._dataset(state) for _ in range(self.random.choice([1, 1, 1, 2]))],
            "job": {"namespace": "j", "name": f"job{job}"},
        }
        if self.random.random() < 0.05:
            return event
        return event | {"eventType": state, "run": {"runId": self._run(job)}}

    def _run(self, job: int) -> str:
        if self.ids and self.random.random() < 0.3:
            return self.random.choice(self.ids[-12:] if self.random.random() < 0.8 else self.ids)
        self.ids.append(f"r{job}-{self.number}")
        return self.ids[-1]


def policy() -> Policy:
    classes = {"s.t0": {"a": "personal", "b": "internal"}, "s.t1": {"a": "public", "c": "internal"}, "s.t2": {}}
    classes |= {"s.t3": {"a": "public", "b": "public"}, "s.t4": {"c.d": "sensitive", "c": "internal"}}
    tables = {
        name: TablePolicy(None, None, {column: ColumnPolicy(it) for column, it in columns.items()})
        for name, columns in classes.items()
    }
    lineage = LineagePolicy(ORDER, frozenset({"DIRECT", "INDIRECT"}), frozenset(), NAMESPACE, "j")
    jobs = (ExternalJob("j", "job1", timedelta(days=1), None), ExternalJob("j", "job9", timedelta(days=1), None))
    return Policy(tables, lineage, external_jobs=jobs)


def outcomes(heard: Heard, world: World) -> list[Outcome]:
    """What every rule says of what was heard."""
    random = Random(world.day)  # noqa: S311  # a test draws what is asked
    ids = [*random.sample(world.ids, min(20, len(world.ids))), "never heard of"]
    ended = [EndedAttempt(_attempt(it), random.choice(TABLES), random.choice(["SUCCESS", "FAILURE"])) for it in ids]
    heads = {it: Head(str(random.randrange(40)), world.now, random.choice([*ids, None])) for it in TABLES}
    known = Known(
        policy=policy(),
        graph=heard.graph,
        runs=heard.runs,
        ended=tuple(ended),
        inventory=frozenset({*TABLES, "s.t9"}),
        sources=frozenset({"s.t5"}),
        pipelines=frozenset(TABLES[:2]),
        unreadable={},
        silenced=None,
        now=world.now,
        heads=heads,
        snapshots=heard.snapshots,
        rules=frozenset(rule.name for rule in RULES),
    )
    return [check(rule, known) for rule in RULES]


class _Attempt(Attempt):
    """An attempt whose run id is its Dagster run's: those of drawn events are no UUIDs."""

    @property
    def run_id(self) -> str:
        return self.dagster_run_id


def _attempt(run_id: str) -> Attempt:
    return _Attempt("job1", BEGUN, run_id, 0)


def whole(world: World) -> Heard:
    """What the store tells, read anew."""
    events = told(read_store(world.project.events).events, SPELLINGS)
    return Heard(build_graph(events), {run.run_id: run for run in read_runs(events)})


def followed(world: World) -> Heard:
    """What the store tells, as it is followed."""
    return heard_of(world.project.events, world.project.state, world.now, SPELLINGS, {})


def require_same(world: World) -> None:
    """Refuse that what is followed answers anything otherwise than what is read anew."""
    expected, found = whole(world), followed(world)
    assert isinstance(found.graph, StoredGraph | Graph)
    for part in ("writes", "flows", "fields", "tags", "dropped", "edges"):
        assert getattr(found.graph, part) == getattr(expected.graph, part), part
    for run_id in world.ids:
        one, other = found.runs.get(run_id), expected.runs.get(run_id)
        assert _told(one) == _told(other)
    for one, other in zip(outcomes(found, world), outcomes(expected, world), strict=True):
        assert one.rule.name == other.rule.name
        assert [str(it) for it in one.findings] == [str(it) for it in other.findings]
        assert one == other


def _told(run: Any) -> tuple[object, ...] | None:
    return run and (run.run_id, run.job, run.state, run.began, run.ended, run.heard)


def dataset(name: str) -> Dataset:
    return Dataset(NAMESPACE, name)
