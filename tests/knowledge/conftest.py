"""Events written small: one builder for raw events, one reader for the lineage notation of the ``.txt`` files."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from click.testing import CliRunner, Result

from governance.events.model import Event
from governance.graph import Graph, build_graph, graph_of
from governance.lineage.model import Transformation
from governance.policy import ColumnPolicy, LineagePolicy, Policy, TablePolicy
from governance.rules import Known
from governance.runs import read_runs
from platform_assets.commands.knowledge import COMMANDS
from tests.knowledge.findings import MORNING, PolicyOf, Tell
from tests.knowledge.project import CONSUMERS, LINEAGE, METADATA, Run, Shape, write

HERE = Path(__file__).parent
NAMESPACE = "iceberg://platform"
ORDER = ("public", "internal", "personal", "sensitive")

Say = Callable[..., Event]


def _event(
    state: str,
    job: str = "j",
    at: str = "2026-10-01T02:00:00Z",
    *,
    run: str | None = None,
    reads: Iterable[Any] = (),
    writes: Iterable[Any] = (),
    **facets: Any,
) -> Event:
    raw = {
        "eventType": state,
        "eventTime": at,
        "run": {"runId": run or f"run of {job}", "facets": facets},
        "job": {"namespace": "headwater", "name": job},
        "inputs": [_dataset(it) for it in reads],
        "outputs": [_dataset(it) for it in writes],
    }
    return msgspec.json.decode(json.dumps(raw), type=Event)


def _dataset(it: Any) -> dict[str, Any]:
    return {"namespace": NAMESPACE, "name": it} if isinstance(it, str) else {"namespace": NAMESPACE, **it}


def _input(text: str) -> dict[str, Any]:
    """``a.b.c JOIN`` or ``a.b.c AGGREGATION masked``."""
    source, subtype, *masked = text.split()
    table, field = _split(source)
    kind = {"type": Transformation[subtype].type, "subtype": subtype, "masking": bool(masked)}
    return {"namespace": NAMESPACE, "name": table, "field": field, "transformations": [kind]}


def _split(name: str) -> tuple[str, str]:
    """``schema.table.column``, the column perhaps with dots of its own."""
    schema, table, column = name.split(".", 2)
    return f"{schema}.{table}", column


def _output(table: str, lines: Iterable[str]) -> dict[str, Any]:
    fields: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        name, _, inputs = line.partition(":")
        fields.setdefault(name, []).extend(_input(text) for text in inputs.split(",") if text.strip())
    rows = fields.pop("*", [])
    lineage = {"fields": {name: {"inputFields": inputs} for name, inputs in fields.items()}, "dataset": rows}
    return {
        "name": table,
        "facets": {"schema": {"fields": [{"name": name} for name in fields]}, "columnLineage": lineage},
    }


def _told(text: str, at: str = "2026-10-01T02:00:00Z") -> tuple[Event, ...]:
    """One START and one COMPLETE for each job of the notation."""
    events: list[Event] = []
    for block in text.split("job ")[1:]:
        head, *body = [line for line in block.splitlines() if line and not line.startswith("#")]
        table, _, reads = head.partition(":")
        events.append(_event("START", table, at, reads=reads.split(), writes=[table]))
        events.append(_event("COMPLETE", table, at, reads=reads.split(), writes=[_output(table, body)]))
    return tuple(events)


@pytest.fixture(scope="session")
def event() -> Say:
    return _event


@pytest.fixture(scope="session")
def output() -> Callable[..., dict[str, Any]]:
    return lambda table, *lines: _output(table, lines)


@pytest.fixture(scope="session")
def told() -> Callable[[str], tuple[Event, ...]]:
    return _told


@pytest.fixture(scope="session")
def file_events() -> Callable[..., tuple[Event, ...]]:
    return lambda *names: tuple(it for name in names for it in _told((HERE / f"{name}.txt").read_text()))


@pytest.fixture(scope="session")
def platform(file_events: Callable[..., tuple[Event, ...]]) -> Graph:
    return build_graph(file_events("platform"))


@pytest.fixture(scope="session")
def whole_platform(file_events: Callable[..., tuple[Event, ...]]) -> Graph:
    return build_graph(file_events("platform", "extra"))


@pytest.fixture(scope="session")
def payments(file_events: Callable[..., tuple[Event, ...]]) -> Graph:
    return build_graph(file_events("payments"))


@pytest.fixture(scope="session")
def policy_of() -> Callable[..., Policy]:
    """``policy_of({"crm.learners.email": "personal"}, through=…, waivers=…)``."""

    def make(classes: dict[str, str], through: Iterable[str] = ("DIRECT", "INDIRECT"), **rest: Any) -> Policy:
        owners = rest.pop("owners", {})
        columns: dict[str, dict[str, ColumnPolicy]] = {table: {} for table in owners}
        for name, classification in classes.items():
            table, column = _split(name)
            columns.setdefault(table, {})[column] = ColumnPolicy(classification)
        tables = {table: TablePolicy(owners.get(table), None, of_table) for table, of_table in columns.items()}
        return Policy(tables, LineagePolicy(ORDER, frozenset(through), frozenset(), NAMESPACE, "headwater"), **rest)

    return make


@pytest.fixture(scope="session")
def platform_classes(platform: Graph) -> dict[str, str]:
    """Every source column as the platform classifies it."""
    personal = {"crm.learners.full_name", "crm.learners.email", "crm.learners.date_of_birth", "learning.reviews.body"}
    sources = {str(edge.source) for edge in platform.edges} | personal
    return {
        name: "personal" if name in personal else "public" if name.startswith("learning.courses.") else "internal"
        for name in sorted(sources)
    }


@pytest.fixture
def known(policy_of: PolicyOf) -> Tell:
    def make(events: Iterable[Event] = (), classes: dict[str, str] | None = None, **rest: Any) -> Known:
        runs = read_runs(events)
        whole = {
            "policy": policy_of(classes or {}),
            "graph": graph_of(runs),
            "runs": {run.run_id: run for run in runs},
            "ended": (),
            "inventory": frozenset(),
            "sources": frozenset(),
            "pipelines": frozenset(),
            "unreadable": {},
            "silenced": None,
            "now": MORNING,
        }
        return Known(**whole | rest)

    return make


@pytest.fixture
def root(tmp_path: Path, event: Say, output: Shape, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "platform_assets").mkdir()
    (tmp_path / "governance").mkdir()
    (tmp_path / "governance" / "lineage.toml").write_text(LINEAGE)
    (tmp_path / "governance" / "metadata.toml").write_text(METADATA)
    (tmp_path / "governance" / "consumers.toml").write_text(CONSUMERS)
    first = output("b.b", "x: a.a.old IDENTITY")
    first["facets"]["version"] = {"datasetVersion": "11"}
    second = output("b.b", "x: a.a.x IDENTITY")
    second["facets"]["version"] = {"datasetVersion": "12"}
    write(
        tmp_path / ".headwater" / "events" / "events-2026-10-01.ndjson",
        event("COMPLETE", "b.b", "2026-10-01T02:00:00Z", run="1", reads=["a.a"], writes=[first]),
        event("COMPLETE", "b.b", "2026-10-02T02:00:00Z", run="2", reads=["a.a"], writes=[second]),
        event(
            "COMPLETE",
            "c.c",
            "2026-10-02T03:00:00Z",
            run="3",
            reads=["b.b"],
            writes=[output("c.c", "y: b.b.x IDENTITY")],
        ),
    )
    monkeypatch.setenv("HEADWATER_ROOT", str(tmp_path))
    monkeypatch.delenv("HEADWATER_STATE", raising=False)
    return tmp_path


@pytest.fixture
def run(root: Path) -> Run:
    group = click.Group(commands={it.name or "": it for it in COMMANDS})

    def call(*words: str) -> Result:
        assert root.is_dir()
        return CliRunner().invoke(group, words, catch_exceptions=False)

    return call
