"""The lineage of SQL that has not run: as START and COMPLETE of one run id, or as what jobs and datasets declare.

It tells of text, not of a run: nothing is read, and the inputs need not exist. Both share their facets with a live run.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from openlineage.client.event_v2 import (
    DatasetEvent,
    InputDataset,
    Job,
    JobEvent,
    OutputDataset,
    RunEvent,
    StaticDataset,
)
from openlineage.client.generated import lineage as declared

from governance.events.facets import PRODUCER, Input, Naming, Output, output_dataset
from governance.events.plain import to_json
from governance.events.redact import redact_sql, secrets_of
from governance.events.run import Attempt, RunFacts, complete_event, fail_event, start_event
from governance.events.run_facets import JobFacts, instant_text, job_facets, source_digest
from governance.lineage.model import ColumnLineage, InputField


@dataclass(frozen=True, slots=True)
class StaticJob:
    """A job as its text tells of it.

    outputs: what it writes; a bare SELECT writes nothing
    reads:   every table that it reads
    problem: why its lineage cannot be read; empty where it can
    """

    name: str
    facts: JobFacts
    outputs: tuple[Output, ...] = ()
    reads: tuple[Input, ...] = ()
    problem: str = ""


def of_text(name: str, sql: str, lineages: Iterable[ColumnLineage]) -> StaticJob:
    """Return the job of a text of which nothing is known but its lineage."""
    read = tuple(lineages)
    outputs = tuple(Output(name=it.output, schema=(), lineage=it) for it in read if it.output is not None)
    inputs = tuple(map(Input, sorted({name for it in read for name in it.inputs})))
    return StaticJob(name, JobFacts(sql=sql, digest=source_digest(sql)), outputs, inputs)


def static_events(job: StaticJob, naming: Naming, at: datetime) -> tuple[RunEvent, RunEvent]:
    """Return START and COMPLETE, or FAIL where the lineage cannot be read; one text and time, one run id.

    Raises:
        LimitExceeded: the event would be larger than servers take.
    """
    digest = job.facts.digest or source_digest(job.facts.sql)
    facts = RunFacts(Attempt(job.name, at, digest), naming, job=job.facts, secrets=secrets_of())
    start = start_event(facts, at, (it.name for it in job.reads), (it.name for it in job.outputs))
    if job.problem:
        return start, fail_event(facts, at, job.problem)
    return start, complete_event(facts, at, job.reads, job.outputs)


def declared_events(job: StaticJob, naming: Naming, at: datetime) -> Iterator[JobEvent | DatasetEvent]:
    """Yield the job's own event, and one of each dataset that it writes, with the ``lineage`` facet.

    They are design-time statements, tied to no run
    (https://openlineage.io/spec/facets/1-0-0/LineageFacet.json). A job whose lineage cannot be read declares none.
    """
    facets = job_facets(job.facts, redact_sql(job.facts.sql, secrets_of()))
    entries: list[declared.LineageEntry] = [_entry(output.lineage, naming) for output in job.outputs]
    if entries:
        facets["lineage"] = declared.LineageJobFacet(entries=entries)
    yield JobEvent(
        eventTime=instant_text(at),
        producer=PRODUCER,
        job=Job(naming.job_namespace, job.name, facets),
        inputs=[InputDataset(*_named(name, naming)) for name in naming.in_order(it.name for it in job.reads)],
        outputs=[OutputDataset(*_named(it.name, naming)) for it in job.outputs],
    )
    for output in job.outputs:
        known = output_dataset(output, naming)
        entry = _entry(output.lineage, naming)
        # the dataset's own word in the newer facet alone: two of them would say everything twice
        own = {key: facet for key, facet in (known.facets or {}).items() if key != "columnLineage"}
        own["lineage"] = declared.LineageDatasetFacet(inputs=entry.inputs, fields=entry.fields)
        dataset = StaticDataset(known.namespace, known.name, facets=own)
        yield DatasetEvent(eventTime=instant_text(at), producer=PRODUCER, dataset=dataset)


def ndjson(events: Iterable[RunEvent | JobEvent | DatasetEvent]) -> Iterator[str]:
    """Yield each event as one line of JSON."""
    return map(to_json, events)


def _entry(lineage: ColumnLineage, naming: Naming) -> declared.LineageDatasetEntry:
    dataset = naming.dataset(lineage.output or "")
    used = {it.dataset for it in lineage.dataset}
    # a table read for no column is a source as well: without a field, as the whole of it
    whole = [_source(name, naming) for name in lineage.inputs if name not in used]
    return declared.LineageDatasetEntry(
        namespace=dataset.namespace,
        name=dataset.name,
        type="DATASET",
        inputs=[*_fields(lineage.dataset, naming), *whole],
        fields={out.name: declared.LineageFieldEntry(inputs=_fields(out.inputs, naming)) for out in lineage.fields},
    )


def _fields(inputs: Iterable[InputField], naming: Naming) -> list[declared.LineageInput]:
    uses: dict[tuple[str, str], list[declared.LineageTransformation]] = {}
    for it in inputs:
        how = declared.LineageTransformation(
            type=it.transformation.type, subtype=it.transformation.subtype, masking=it.masking
        )
        uses.setdefault((it.dataset, it.field), []).append(how)
    return [_source(dataset, naming, field, told) for (dataset, field), told in uses.items()]


def _source(
    name: str, naming: Naming, field: str | None = None, told: list[declared.LineageTransformation] | None = None
) -> declared.LineageInput:
    dataset = naming.dataset(name)
    return declared.LineageDatasetInput(
        namespace=dataset.namespace, name=dataset.name, type="DATASET", field=field, transformations=told or []
    )


def _named(name: str, naming: Naming) -> tuple[str, str]:
    dataset = naming.dataset(name)
    return dataset.namespace, dataset.name
