"""Events → Runs: what each run said, its facets accumulated over all of its events.

A server treats the events of one run as accumulating (https://openlineage.io/docs/spec/run-cycle). The rules here, so
that the order in which events arrive changes nothing:

- events of a run are ordered by time; at one instant START comes first and a terminal event last
- a facet of a later event replaces that of an earlier one, column lineage field by field; an empty list removes nothing
- the first terminal event ends the run; what a later one says is ignored (an orphaned step may send a second)
- one run id shared by several jobs is one run for each job
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from governance.dataset import Dataset
from governance.events.file_parts import ReadFilesPart
from governance.events.model import (
    TERMINAL,
    ColumnLineagePart,
    DatasetFacetsPart,
    DatasetPart,
    Event,
    FieldLineagePart,
    LifecyclePart,
    SchemaFieldPart,
    SchemaPart,
    TagPart,
)
from governance.events.uses import ExpressionsPart
from governance.explicit import explicit
from governance.learned import Learned, by_producer

# COMPLETE before FAIL and ABORT: of two ends at one instant the one that carries lineage stands, since an edge that is
# missing looks like no dependency
SEQUENCE = {"START": 0, "RUNNING": 1, "OTHER": 1, "COMPLETE": 2, "FAIL": 3, "ABORT": 4}

PATIENCE = timedelta(hours=24)
"""How long a run without end counts as running."""


@dataclass(frozen=True, slots=True, order=True)
class Job:
    """The process that reads and writes, identified by namespace and name."""

    namespace: str
    name: str

    def __str__(self) -> str:
        """Return the name alone: people read within one namespace."""
        return self.name


@dataclass(frozen=True, slots=True)
class RunDataset:
    """An input or output as the events of one run describe it.

    fields:   top-level columns of the schema facet, in order; empty where no event had one
    lineage:  the column lineage of an output; None where no event carried any
    snapshot: the version facet, an Iceberg snapshot id
    owners:   names of the ownership facet
    tags:     the tags facet; None where no event carried one, empty where one took all tags away
    change:   the lifecycleStateChange facet
    schema:   the schema facet whole, with types, descriptions and nested members
    description: the documentation facet
    expressions: the text that made its edges; None where no event said so
    format:      of a dataset of files; empty for a table, and where no event said so
    files:       those that an input stood for in this run; None where no event said so
    """

    dataset: Dataset
    fields: tuple[str, ...]
    lineage: ColumnLineagePart | None
    snapshot: str | None
    owners: tuple[str, ...]
    tags: tuple[TagPart, ...] | None = None
    change: LifecyclePart | None = None
    schema: tuple[SchemaFieldPart, ...] = ()
    description: str | None = None
    expressions: ExpressionsPart | None = None
    format: str = ""
    files: ReadFilesPart | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """One occurrence of a job.

    state: START or RUNNING while no terminal event is known, else COMPLETE, FAIL or ABORT
            DECLARED for a job's or dataset's own event, which no run stands behind and whose run id is ``""``
    began: time of its first event; ``ended``: of its terminal one
    error: the errorMessage facet of a failed run
    learned: how it came to its column lineage
    heard: time of its latest event: a stream without end reports that it still runs
    """

    run_id: str
    job: Job
    state: str
    began: datetime
    ended: datetime | None
    error: str | None
    inputs: tuple[RunDataset, ...]
    outputs: tuple[RunDataset, ...]
    learned: Learned = Learned.EMITTED
    heard: datetime | None = None

    def state_at(self, now: datetime, patience: timedelta = PATIENCE) -> str:
        """Return the state as of ``now``: ABANDONED for a run that began longer than ``patience`` ago and has no end.

        A guess that a later terminal event corrects; it never reads as COMPLETE.
        """
        return "ABANDONED" if self.ended is None and now - self.began > patience else self.state


def ended(run: Run) -> datetime:
    """Return when the run ended, for one without an end when it began."""
    return run.ended or run.began


def read_runs(events: Iterable[Event]) -> tuple[Run, ...]:
    """Return the runs that ``events`` tell of, ordered by start, run id and job; the order of events is no matter."""
    grouped: dict[tuple[str, Job], list[Event]] = defaultdict(list)
    for event in map(explicit, events):
        if event.design:
            continue
        grouped[event.run.run_id, Job(event.job.namespace, event.job.name)].append(event)
    runs = (_run(run_id, job, _in_order(of_run)) for (run_id, job), of_run in grouped.items())
    return tuple(sorted(runs, key=lambda run: (run.began, run.run_id, run.job)))


def read_declared(events: Iterable[Event]) -> tuple[Run, ...]:
    """Return what the latest event of each job and each dataset declares, by job; runs are none of it.

    A dataset's own event counts as a job of that name, which reads what its lineage facet names.
    """
    latest: dict[Job, Event] = {}
    for event in _in_order([explicit(it) for it in events if it.design]):
        latest[_declarer(event)] = event
    return tuple(_declared(job, latest[job]) for job in sorted(latest))


def _declarer(event: Event) -> Job:
    named = event.dataset or event.job
    return Job(named.namespace, named.name)


def _declared(job: Job, event: Event) -> Run:
    parts = (*event.outputs, *([event.dataset] if event.dataset else []))
    inputs, outputs = _datasets(event.inputs), _datasets(parts)
    # an event about a dataset that names no source is a look at a catalog, not a statement of dependency
    learned = Learned.DECLARED if inputs or event.dataset is None else Learned.SCANNED
    return Run("", job, "DECLARED", event.at, event.at, None, inputs, outputs, learned)


def _in_order(events: list[Event]) -> list[Event]:
    places: dict[tuple[datetime, int], list[Event]] = defaultdict(list)
    for event in events:
        places[event.at, SEQUENCE.get(event.event_type, 1)].append(event)
    # events of one kind at one instant have no order of their own: their content gives one
    return [
        event
        for place in sorted(places)
        for event in (places[place] if len(places[place]) == 1 else sorted(places[place], key=msgspec.json.encode))
    ]


def _run(run_id: str, job: Job, events: list[Event]) -> Run:
    end = next((event for event in events if event.event_type in TERMINAL), None)
    counted = [event for event in events if event is end or event.event_type not in TERMINAL]
    return Run(
        run_id=run_id,
        job=job,
        state=end.event_type if end else _unfinished(counted),
        began=events[0].at,
        ended=end.at if end else None,
        error=end.run.facets.error_message.message if end and end.run.facets.error_message else None,
        inputs=_datasets(part for event in counted for part in event.inputs),
        outputs=_datasets(part for event in counted for part in event.outputs),
        learned=by_producer(_producer(counted)),
        heard=counted[-1].at,
    )


_NO_FACETS = DatasetFacetsPart()


def _producer(events: list[Event]) -> str:
    """Return who found the column lineage, as the facet says, else who sent the events."""
    facets = (part.facets.column_lineage for event in events for part in event.outputs)
    own = next((facet.producer for facet in facets if facet and facet.producer), None)
    return own or next((event.producer for event in events if event.producer), "")


def _unfinished(events: list[Event]) -> str:
    return "RUNNING" if any(event.event_type == "RUNNING" for event in events) else "START"


def _datasets(parts: Iterable[DatasetPart]) -> tuple[RunDataset, ...]:
    merged: dict[Dataset, DatasetFacetsPart] = {}
    files: dict[Dataset, ReadFilesPart] = {}
    for part in parts:
        dataset = Dataset(part.namespace, part.name)
        merged[dataset] = _accumulate(merged[dataset], part.facets) if dataset in merged else part.facets
        if part.input_facets.files:
            files[dataset] = part.input_facets.files
    return tuple(_described(dataset, merged[dataset], files.get(dataset)) for dataset in sorted(merged))


def _described(dataset: Dataset, facets: DatasetFacetsPart, files: ReadFilesPart | None) -> RunDataset:
    lineage, kind, storage = facets.column_lineage, facets.dataset_type, facets.storage
    in_files = kind is not None and kind.dataset_type.upper() == "FILE"
    return RunDataset(
        dataset=dataset,
        fields=tuple(field.name for field in facets.schema.fields) if facets.schema else (),
        lineage=lineage if lineage and (lineage.fields or lineage.dataset) else None,
        snapshot=facets.version.dataset_version if facets.version else None,
        owners=tuple(owner.name for owner in facets.ownership.owners) if facets.ownership else (),
        tags=facets.tags.tags if facets.tags else None,
        change=facets.lifecycle_state_change,
        schema=facets.schema.fields if facets.schema else (),
        description=facets.documentation.description if facets.documentation else None,
        expressions=facets.expressions,
        format=(storage and storage.file_format) or "file" if in_files else "",
        files=files,
    )


def _accumulate(earlier: DatasetFacetsPart, later: DatasetFacetsPart) -> DatasetFacetsPart:
    if earlier == _NO_FACETS:
        # as a START names what its COMPLETE describes
        return later
    kept = {name: getattr(later, name) or getattr(earlier, name) for name in later.__struct_fields__}
    return DatasetFacetsPart(
        **kept
        | {
            "schema": _schema(earlier.schema, later.schema),
            "column_lineage": _lineage(earlier.column_lineage, later.column_lineage),
        }
    )


def _schema(earlier: SchemaPart | None, later: SchemaPart | None) -> SchemaPart | None:
    return later if later and later.fields else earlier or later


def _lineage(earlier: ColumnLineagePart | None, later: ColumnLineagePart | None) -> ColumnLineagePart | None:
    if earlier is None or later is None:
        return earlier or later
    return ColumnLineagePart(
        fields=earlier.fields
        | {name: said for name, said in later.fields.items() if _adds(name, said, earlier.fields)},
        dataset=later.dataset or earlier.dataset,
    )


def _adds(name: str, said: FieldLineagePart, earlier: Mapping[str, FieldLineagePart]) -> bool:
    return bool(said.input_fields) or name not in earlier
