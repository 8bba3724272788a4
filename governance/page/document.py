"""What is known → the page's document: plain JSON values, version 1, described in ``docs/page.md``.

Datasets, fields, versions and expressions are told apart by their places in lists, so that a thousand tables stay a
few megabytes. The graph of any moment can be made from it: of each slot the latest run up to then stands.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from types import MappingProxyType
from typing import Any

from governance.classification import Proposal
from governance.dataset import Dataset, Field
from governance.events.redact import redact_sql, redact_text, redact_url
from governance.graph import RANK, Edge, Graph
from governance.impact.rank import NO_FACTS, Facts
from governance.landing.kinds import base_of
from governance.page.address import asset_path
from governance.page.expressions import Texts, texts_of
from governance.page.fields import Columns, described
from governance.page.part import Part
from governance.page.versions import Confirmed, Past, Version, past_of
from governance.policy import Policy
from governance.rules.finding import Finding
from governance.runs import Run

VERSION = 1
FILES = 20
"""Names of files that a run read; its event has more."""


@dataclass(frozen=True, slots=True)
class Own:
    """A table of the project itself.

    origin:  ``pipeline`` for one that is built here, ``source`` for one that is only read
    columns: name → SQL type, as far as the files say
    format:  of a dataset of files; empty for a table
    """

    origin: str
    description: str | None = None
    columns: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    format: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """What a page leaves out that shows a part of a large graph.

    findings: how many are of tables that are not in the part
    latest:   whether of each job's runs only the one that stands is in it
    since:    from when on all runs are in it, where before then only those are that stand; None for all or none
    proposed: whether proposed classes are in it
    """

    part: Part
    findings: int = 0
    latest: bool = False
    proposed: bool = True
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """All that the page shows, of one moment.

    own:     tables of the project by name, which have a page in Dagster
    stale:   tables that the catalog no longer has, beside those that events say were dropped
    dagster: where Dagster's UI is, None where nothing is to be linked
    as_of:   the moment of which it is, None for now
    cut:     what is left out; None where all is there
    secrets: what no piece of SQL and no description may show (:func:`governance.events.redact.secrets_of`)
    """

    title: str
    now: datetime
    policy: Policy
    graph: Graph
    runs: Sequence[Run]
    declared: Sequence[Run] = ()
    proposals: Mapping[Field, Proposal] = field(default_factory=lambda: MappingProxyType({}))
    findings: Sequence[Finding] = ()
    facts: Facts = NO_FACTS
    own: Mapping[str, Own] = field(default_factory=lambda: MappingProxyType({}))
    stale: frozenset[Dataset] = frozenset()
    dagster: str | None = None
    as_of: datetime | None = None
    secrets: tuple[str, ...] = ()
    cut: Cut | None = None

    def said(self, text: str | None) -> str | None:
        """Return a description as it may be shown."""
        return redact_text(text, self.secrets) if text else text


def document(shown: Shown) -> dict[str, Any]:
    """Return the document of ``shown``; its keys are described in ``docs/page.md``."""
    past = past_of(shown.runs, shown.declared)
    places = _Places.of(shown, past)
    clean = cache(lambda text: redact_sql(text, shown.secrets) == text)
    told = [texts_of(it.said.expressions, clean) for it in past.versions]
    return {
        "version": VERSION,
        "generated": _instant(shown.now),
        **({"as_of": _instant(shown.as_of)} if shown.as_of else {}),
        **({"part": _part(shown.cut, places)} if shown.cut else {}),
        "title": shown.title,
        "dagster": shown.dagster,
        "classes": list(shown.policy.lineage.lattice.classes),
        "kinds": [f"{kind.type} {kind.subtype}" for kind in RANK],
        "datasets": _datasets(shown, places),
        "versions": [_version(it, places, texts) for it, texts in zip(past.versions, told, strict=True)],
        "runs": [_run(it) for it in past.runs],
        "findings": [_finding(it) for it in shown.findings],
    }


@dataclass(frozen=True, slots=True)
class _Places:
    """The place of each dataset in the document, and of each field in its dataset."""

    datasets: Mapping[Dataset, int]
    fields: Mapping[Dataset, Mapping[str, int]]

    @classmethod
    def of(cls, shown: Shown, past: Past) -> "_Places":
        names: dict[Dataset, dict[str, int]] = {}

        def add(dataset: Dataset, fields: Iterable[str] = ()) -> None:
            known = names.setdefault(dataset, {})
            for name in fields:
                known.setdefault(name, len(known))

        # what stands comes first, in table order; what only an earlier version had comes after
        for dataset, fields in shown.graph.fields.items():
            add(dataset, (it.name for it in fields))
        for name, own in shown.own.items():
            add(shown.policy.lineage.dataset(name), own.columns)
        for version in past.versions:
            add(version.write.dataset, version.write.fields)
            for read in version.write.inputs:
                add(read)
            for edge in version.edges:
                add(edge.source.dataset, (edge.source.name,))
        return cls({dataset: place for place, dataset in enumerate(sorted(names))}, names)


def _part(cut: Cut, places: _Places) -> dict[str, Any]:
    part = cut.part
    return {
        "around": places.datasets[part.around],
        "tables": len(part.tables),
        "of": part.of,
        "hops": part.hops,
        "cut": part.cut,
        "findings": cut.findings,
        "latest": cut.latest,
        "proposed": cut.proposed,
        **({"since": _instant(cut.since)} if cut.since else {}),
    }


def _outside(cut: Cut | None, dataset: Dataset) -> dict[str, Any]:
    beyond = cut.part.outside.get(dataset) if cut else None
    return {"outside": list(beyond)} if beyond else {}


def _datasets(shown: Shown, places: _Places) -> list[dict[str, Any]]:
    told = described((*shown.runs, *shown.declared))
    columns = Columns.of(shown.graph, shown.policy, shown.proposals, told)
    jobs = {write.dataset: write.job.name for write in reversed(shown.graph.writes)}
    kinds: dict[Dataset, list[int]] = defaultdict(list)
    for dataset, place in places.datasets.items():
        if base := base_of(dataset):
            kinds[base].append(place)

    def entry(dataset: Dataset) -> dict[str, Any]:
        inside = shown.policy.lineage.owns(dataset)
        own = shown.own.get(dataset.name) if inside else None
        policy = shown.policy.tables.get(dataset.name) if inside else None
        job = jobs.get(dataset)
        unmade = {"word": "outside"} if job and shown.cut and dataset not in shown.cut.part.made else {}
        return {
            "namespace": redact_url(dataset.namespace),
            "name": redact_url(dataset.name),
            "group": group(dataset.name),
            "format": (own and own.format) or told.formats.get(dataset),
            "asset": list(asset_path(dataset.name)) if own else None,
            "origin": own.origin if own else "pipeline" if job else "unknown",
            "job": job,
            "owner": shown.facts.owners.get(dataset),
            "criticality": shown.facts.criticality.get(dataset),
            "description": shown.said(
                (policy and policy.description) or (own and own.description) or told.datasets.get(dataset)
            ),
            "stale": dataset in shown.stale or dataset in shown.graph.dropped,
            **({"records": kinds[dataset]} if dataset in kinds else {}),
            **_outside(shown.cut, dataset),
            "fields": [
                it | {"description": shown.said(it["description"])} | unmade
                for it in columns.entries(dataset, places.fields[dataset], own.columns if own else {})
            ],
        }

    return [entry(it) for it in places.datasets]


def group(name: str) -> str:
    """Return what a dataset's name lies in: the folder of a path, else the schema; empty for a bare name."""
    return name.rpartition("/" if "/" in name else ".")[0]


def _version(version: Version, places: _Places, texts: Texts) -> dict[str, Any]:
    write = version.write
    own = places.fields[write.dataset]
    return {
        "dataset": places.datasets[write.dataset],
        "slot": version.slot,
        "job": write.job.name,
        "learned": write.learned.value,
        "traced": write.traced,
        "inputs": [places.datasets[it] for it in write.inputs],
        "fields": [own[name] for name in write.fields],
        "gaps": [own[name] for name in write.gaps],
        "edges": [_edge(it, places, texts.place(it)) for it in version.edges],
        "expressions": texts.expressions,
        "uses": texts.uses,
    }


def _edge(edge: Edge, places: _Places, text: int) -> list[int]:
    source, target = edge.source, edge.target
    into = places.fields[target.dataset][target.name] if isinstance(target, Field) else -1
    return [
        places.datasets[source.dataset],
        places.fields[source.dataset][source.name],
        into,
        RANK[edge.transformation],
        int(edge.masking),
        text,
    ]


def _run(it: Confirmed) -> dict[str, Any]:
    shown = {"version": it.version, "run": it.run_id, "at": _instant(it.at), "snapshot": it.snapshot}
    if not it.files:
        return shown
    names = [redact_url(file.name) for read in it.files for file in read.files[:FILES]]
    return shown | {"files": {"count": sum(read.file_count for read in it.files), "names": names[:FILES]}}


def _finding(it: Finding) -> dict[str, Any]:
    return {
        "rule": it.rule,
        "severity": it.severity.value,
        "table": it.table,
        "column": it.column,
        "message": it.message,
        "fix": it.fix,
    }


def _instant(moment: datetime) -> str:
    """Return the moment as JavaScript reads it, in UTC, to the millisecond and ending in Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
