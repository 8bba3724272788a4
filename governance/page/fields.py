"""The columns of the page: types, descriptions, classes and what decided them, and how each came about."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from governance.classification import Proposal, declared
from governance.dataset import Dataset, Field
from governance.events.model import SchemaFieldPart
from governance.events.redact import redact_url
from governance.graph import RANK, Edge, Graph
from governance.lineage.model import Transformation
from governance.policy import Policy
from governance.runs import Run, ended

DECIDING = 5
"""Edges that are named for each column whose class they decide; ``headwater propose --format json`` has all."""


@dataclass(frozen=True, slots=True)
class Described:
    """What events say of datasets, and by dotted path of their columns: (type, description). The latest word counts.

    ``datasets`` are descriptions, ``formats`` those of datasets of files.
    """

    datasets: Mapping[Dataset, str]
    fields: Mapping[Dataset, Mapping[str, tuple[str | None, str | None]]]
    formats: Mapping[Dataset, str]


def described(runs: Iterable[Run]) -> Described:
    """Return what ``runs`` say of datasets and columns; what writes a table knows it better than what reads it."""
    latest = sorted(runs, key=lambda run: (ended(run), run.run_id), reverse=True)
    parts = [part for run in latest for part in run.outputs] + [part for run in latest for part in run.inputs]
    datasets: dict[Dataset, str] = {}
    formats: dict[Dataset, str] = {}
    fields: dict[Dataset, dict[str, tuple[str | None, str | None]]] = defaultdict(dict)
    read: set[tuple[Dataset, int]] = set()
    for part in parts:
        if part.description:
            datasets.setdefault(part.dataset, part.description)
        if part.format:
            formats.setdefault(part.dataset, part.format)
        # a facet that a job sends again is the same value again
        if part.schema and (part.dataset, id(part.schema)) not in read:
            read.add((part.dataset, id(part.schema)))
            for path, said in _paths(part.schema, ""):
                fields[part.dataset].setdefault(path, (said.type, said.description))
    return Described(datasets, fields, formats)


def _paths(schema: Iterable[SchemaFieldPart], outer: str) -> Iterator[tuple[str, SchemaFieldPart]]:
    for it in schema:
        yield f"{outer}{it.name}", it
        yield from _paths(it.fields, f"{outer}{it.name}.")


@dataclass(frozen=True, slots=True)
class Columns:
    """What makes the entries of a dataset's columns; ``standing`` are the columns that each has now."""

    policy: Policy
    proposals: Mapping[Field, Proposal]
    told: Described
    words: "_Words"
    standing: Mapping[Dataset, frozenset[str]]

    @classmethod
    def of(cls, graph: Graph, policy: Policy, proposals: Mapping[Field, Proposal], told: Described) -> "Columns":
        """Return what is known of all columns of ``graph``."""
        standing = {dataset: frozenset(it.name for it in fields) for dataset, fields in graph.fields.items()}
        return cls(policy, proposals, told, _Words.of(graph), standing)

    def entries(self, dataset: Dataset, names: Iterable[str], written: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return ``fields`` of a dataset; ``written`` are the types that the project's files give its columns."""
        now = self.standing.get(dataset, frozenset()) | written.keys()
        return [
            self._entry(Field(dataset, name), written.get(name)) | ({} if name in now else {"gone": True})
            for name in names
        ]

    def _entry(self, field: Field, written: str | None) -> dict[str, Any]:
        kind, text = self.told.fields.get(field.dataset, {}).get(field.name, (None, None))
        own = self.policy.lineage.owns(field.dataset)
        said = self.policy.column(field.dataset.name, field.name).description if own else None
        return {
            "name": field.name,
            "type": kind or written,
            "description": said or text,
            "declared": declared(self.policy, field),
            **_proposed(self.proposals.get(field)),
            "word": self.words.of_field(field),
        }


def _proposed(proposal: Proposal | None) -> dict[str, Any]:
    if proposal is None:
        return {"proposed": None, "decided": []}
    tagged = [str(it) for it in proposal.tagged_by]
    decided = [_decided(it) for it in proposal.decided_by[:DECIDING]]
    return {"proposed": proposal.classification, "decided": decided} | ({"tagged": tagged} if tagged else {})


def _decided(edge: Edge) -> dict[str, Any]:
    return {"source": redact_url(str(edge.source)), "kind": RANK[edge.transformation], "masking": edge.masking}


@dataclass(frozen=True, slots=True)
class _Words:
    """What says, in a word of lineage semantics section 8, how a column came about."""

    into: Mapping[Field, frozenset[tuple[Field, Transformation]]]
    told: frozenset[Field]
    written: frozenset[Dataset]

    @classmethod
    def of(cls, graph: Graph) -> "_Words":
        into: dict[Field, set[tuple[Field, Transformation]]] = defaultdict(set)
        for edge in graph.edges:
            if isinstance(edge.target, Field):
                into[edge.target].add((edge.source, edge.transformation))
        told = (Field(write.dataset, name) for write in graph.writes for name in write.told)
        return cls({field: frozenset(found) for field, found in into.items()}, frozenset(told), graph.written)

    def of_field(self, field: Field) -> str:
        if field.dataset not in self.written:
            return "source"
        inputs = self.into.get(field, frozenset())
        if not inputs:
            return "source" if field in self.told else "unknown"
        (source, transformation), *others = inputs
        if others or transformation is not Transformation.IDENTITY:
            return "derived"
        return "pass-through" if source.name == field.name else "renamed"
