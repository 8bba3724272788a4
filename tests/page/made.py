"""Events and pages made up for the tests of the page, and the document read back as the page reads it."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from governance.classification import propose
from governance.events.model import Event
from governance.graph import graph_of
from governance.lineage.model import Transformation
from governance.page.document import Shown
from governance.policy import ColumnPolicy, LineagePolicy, Policy, TablePolicy
from governance.runs import read_declared, read_runs

NAMESPACE = "iceberg://platform"
NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)


def event(
    job: str,
    at: str = "2026-11-01T02:00:00Z",
    *,
    reads: Iterable[Any] = (),
    writes: Iterable[Any] = (),
    state: str = "COMPLETE",
    run: str | None = None,
    namespace: str = "headwater",
) -> dict[str, Any]:
    """A run's event; ``state=""`` makes it a job's own, which declares."""
    told = {
        "eventTime": at,
        "producer": "urn:headwater:0",
        "job": {"namespace": namespace, "name": job},
        "inputs": [{"namespace": NAMESPACE, "name": it} if isinstance(it, str) else it for it in reads],
        "outputs": [{"namespace": NAMESPACE, **it} for it in writes],
    }
    return told | ({"eventType": state, "run": {"runId": run or f"{job} {at}"}} if state else {})


def table(
    name: str,
    fields: Mapping[str, Iterable[str]] | None = None,
    *,
    rows: Iterable[str] = (),
    schema: Iterable[Any] | None = None,
    **facets: Any,
) -> dict[str, Any]:
    """An output: ``fields`` from column to ``schema.table.column SUBTYPE [masked]`` inputs; None: no column lineage."""
    columns = [{"name": it} if isinstance(it, str) else it for it in (schema or fields or ())]
    said: dict[str, Any] = {"schema": {"fields": columns}} if columns else {}
    if fields is not None:
        lineage = {column: {"inputFields": [_input(it) for it in inputs]} for column, inputs in fields.items()}
        said["columnLineage"] = {"fields": lineage, "dataset": [_input(it) for it in rows]}
    return {"name": name, "facets": said | facets}


def _input(text: str) -> dict[str, Any]:
    source, subtype, *masked = text.split()
    schema, name, column = source.split(".", 2)
    kind = {"type": Transformation[subtype].type, "subtype": subtype, "masking": bool(masked)}
    return {"namespace": NAMESPACE, "name": f"{schema}.{name}", "field": column, "transformations": [kind]}


def read(told: Iterable[Mapping[str, Any]]) -> tuple[Event, ...]:
    return tuple(msgspec.json.decode(json.dumps(it), type=Event) for it in told)


def policy(**classes: str) -> Policy:
    """A policy with the class of each ``schema__table__column``."""
    tables: dict[str, TablePolicy] = {}
    for name, classification in classes.items():
        schema, of_schema, column = name.split("__")
        columns = {**tables.get(f"{schema}.{of_schema}", TablePolicy()).columns, column: ColumnPolicy(classification)}
        tables[f"{schema}.{of_schema}"] = TablePolicy(owner=f"team:{schema}", columns=columns)
    lineage = LineagePolicy(
        order=("public", "internal", "personal"),
        propagate_through=frozenset({"DIRECT", "INDIRECT"}),
        masking_functions=frozenset(),
        namespace=NAMESPACE,
        job_namespace="headwater",
    )
    return Policy(tables, lineage)


def shown(told: Iterable[Mapping[str, Any]], said: Policy | None = None, **more: Any) -> Shown:
    events, said = read(told), said or policy()
    runs, declared = read_runs(events), read_declared(events)
    graph = graph_of(runs, declared)
    proposals = propose(graph, said, today=NOW.date())
    return Shown("made up", NOW, said, graph, runs, declared, proposals, **more)


Link = tuple[str, str, str | None, str, bool]
"""Source table and column, column of the target or None for its rows, kind, masking."""


def standing(document: Mapping[str, Any], at: str = "9999") -> tuple[set[tuple[str, Link]], set[tuple[str, str, str]]]:
    """The edges, by target table, and flows at a moment, as docs/page.md says that they are found."""
    latest: dict[int, Any] = {}
    for run in document["runs"]:
        if run["at"] <= at:
            latest[document["versions"][run["version"]]["slot"]] = run
    versions = [document["versions"][run["version"]] for run in latest.values()]
    tables = document["datasets"]
    edges = {
        (
            tables[it["dataset"]]["name"],
            (
                tables[source]["name"],
                tables[source]["fields"][column]["name"],
                tables[it["dataset"]]["fields"][target]["name"] if target >= 0 else None,
                document["kinds"][kind],
                bool(masking),
            ),
        )
        for it in versions
        for source, column, target, kind, masking, _ in it["edges"]
    }
    flows = {
        (tables[read]["name"], tables[it["dataset"]]["name"], it["job"]) for it in versions for read in it["inputs"]
    }
    return edges, flows


def night(seed: int, runs: int) -> list[dict[str, Any]]:
    """Events of jobs that read and write each other's tables, change what they do, fail, or tell no columns."""
    random = Random(seed)  # noqa: S311  the same events for the same seed
    names = [f"s{place % 3}.t{place}" for place in range(8)]
    kinds = list(Transformation.__members__)

    def source() -> str:
        return f"{random.choice(names)}.c{random.randrange(4)} {random.choice(kinds)}{random.choice(['', ' masked'])}"

    told: list[dict[str, Any]] = []
    for place in range(runs):
        job = random.randrange(8)
        again = next((it for it in reversed(told) if it["job"]["name"] == f"j{job}"), None)
        columns = {f"c{it}": [source() for _ in range(random.randrange(3))] for it in range(4)}
        traced = random.random() < 0.8
        fresh = table(names[job], columns if traced else None, rows=[source() for _ in range(random.randrange(3))])
        written = again["outputs"][0] if again and random.random() < 0.5 else fresh
        state = random.choice(["COMPLETE", "COMPLETE", "COMPLETE", "FAIL", "START"])
        at = f"2026-11-{place // 24 + 1:02}T{place % 24:02}:00:00Z"
        told.append(event(f"j{job}", at, reads=random.sample(names[:2], 1), writes=[written], state=state))
    return told


INDEX = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Lineage</title>
</head>
<body>
<main></main>
</body>
</html>
"""
APP = """import { readDocument } from './model.js';
const text = document.getElementById('document').textContent;
document.querySelector('main').textContent = readDocument(text).title;
"""


def static(folder: Path) -> Path:
    """A page's static files, as few as there may be: for tests of what is around them."""
    for name, text in {
        "index.html": INDEX,
        "page.css": "main { color: black }\n",
        "graph.css": "",
        "app/app.js": APP,
        "app/model.js": "export function readDocument(text) {\n  return JSON.parse(text);\n}\n",
        "vendor/elk-worker.min.js": "self.onmessage = null;\n",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder
