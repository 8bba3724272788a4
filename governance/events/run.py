"""One run of one job as OpenLineage events: START, then one of COMPLETE, FAIL and ABORT.

Pure: times, ids and facts come in as arguments, so a fixed clock gives the same bytes. What leaves here is redacted.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import RunFacet
from openlineage.client.uuid import generate_static_uuid

from governance.errors import LimitExceeded
from governance.events.attempt import Attempt
from governance.events.expressions import redacted
from governance.events.facets import (
    PRODUCER,
    Catalog,
    Column,
    Input,
    Naming,
    Output,
    column_lineage,
    input_dataset,
    named_output,
    output_dataset,
)
from governance.events.plain import to_json
from governance.events.redact import redact_error, redact_sql, redact_text
from governance.events.run_facets import (
    Engine,
    JobFacts,
    Parent,
    Statistics,
    error_message,
    instant_text,
    job_facets,
    nominal_time,
    parent_facet,
    processing_engine,
    run_tags,
    statistics_facet,
)
from governance.lineage.model import ColumnLineage

__all__ = [
    "DAGSTER_RUN_ID",
    "LARGEST_EVENT",
    "Attempt",
    "Catalog",
    "Column",
    "Engine",
    "Input",
    "JobFacts",
    "Naming",
    "Output",
    "Parent",
    "Recorded",
    "RunFacts",
    "abort_event",
    "complete_event",
    "fail_event",
    "require_size",
    "start_event",
    "started_by",
]

LARGEST_EVENT = 5_000_000
"""Bytes of one event; Dataplex refuses more than 5 MB."""

DAGSTER_RUN_ID = "dagster_run_id"
"""The tag of a run that holds the id of the Dagster run it is part of."""

_LONGEST_SQL = 500_000
_TOO_LONG = f"-- withheld: longer than {_LONGEST_SQL:,} characters"


def started_by(instant: datetime, dagster_run_id: str, job: str, root: Parent | None = None) -> Parent:
    """Return a Dagster run as the parent of the runs in it; ``instant`` is its own, as :class:`Attempt` has it.

    Its id is a UUIDv7 made from Dagster's: OpenLineage advises them, and a server that keeps runs by the time in their
    ids (data-rentgen) refuses every event whose parent has a random id. Dagster's own is in the tag
    :data:`DAGSTER_RUN_ID`.
    """
    return Parent(str(generate_static_uuid(instant.astimezone(UTC), dagster_run_id.encode())), job, root)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run that is known by its id alone: from an event, or from the snapshot that it wrote."""

    job: str
    run_id: str


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What all events of one run have in common.

    job is None where only the scheduler speaks (a sensor that closes a run that died); ``scheduled`` is the nominal
    time of a scheduled run, and of one that makes a span of time its begin, of which ``until`` is the end; ``secrets``
    are values that must not leave (:func:`governance.events.redact.secrets_of`); ``tags`` are (key, value) of this run.
    """

    attempt: Attempt | Recorded
    naming: Naming
    job: JobFacts | None = None
    parent: Parent | None = None
    engine: Engine | None = None
    scheduled: datetime | None = None
    until: datetime | None = None
    secrets: tuple[str, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()


def start_event(run: RunFacts, at: datetime, inputs: Iterable[str], outputs: Iterable[str]) -> RunEvent:
    """Return START, with the tables that the run is going to read and write by name."""
    return _event(
        run,
        RunState.START,
        at,
        inputs=[input_dataset(Input(name), run.naming) for name in run.naming.in_order(inputs)],
        outputs=[named_output(name, run.naming) for name in sorted(set(outputs))],
    )


def complete_event(
    run: RunFacts,
    at: datetime,
    inputs: Iterable[Input],
    outputs: Iterable[Output],
    statistics: Statistics | None = None,
) -> RunEvent:
    """Return COMPLETE, with all that is known of what was read and written; ``statistics`` are of a run that ran.

    Every dataset that a lineage names stands in ``inputs``, with no more than its name where ``inputs`` lacks it.

    Raises:
        LimitExceeded: the event would be larger than :data:`LARGEST_EVENT` (see :func:`require_size`).
        NoLineage: an output's lineage holds an unknown field.
    """
    written = sorted(outputs, key=lambda output: output.name)
    read = {name: Input(name) for output in written for name in output.lineage.inputs}
    read |= {it.name: it for it in inputs}
    facets = {"headwater_statistics": statistics_facet(statistics)} if statistics else {}
    plain = [replace(output, explanation=None) for output in written]
    bare = {name: replace(it, schema=()) for name, it in read.items()}
    # the text of the edges, then the columns of inputs, are left out rather than that an event is too large
    for told, known in ((_explained(written, run.secrets), read), (plain, read), (plain, bare)):
        shown = [input_dataset(known[name], run.naming) for name in run.naming.in_order(known)]
        described = [output_dataset(output, run.naming) for output in told]
        event = _event(run, RunState.COMPLETE, at, inputs=shown, outputs=described, facets=facets)
        size = len(to_json(event).encode())
        if size <= LARGEST_EVENT:
            break
    _require(size, run.attempt.job)
    return event


def _explained(outputs: Iterable[Output], secrets: tuple[str, ...]) -> Iterator[Output]:
    for it in outputs:
        yield it if it.explanation is None else replace(it, explanation=redacted(it.explanation, secrets))


def fail_event(run: RunFacts, at: datetime, error: str) -> RunEvent:
    """Return FAIL with the errorMessage facet; data and secrets in ``error`` are masked."""
    sql = run.job.sql if run.job else ""
    return _event(run, RunState.FAIL, at, facets={"errorMessage": error_message(redact_error(error, sql, run.secrets))})


def abort_event(run: RunFacts, at: datetime, reason: str) -> RunEvent:
    """Return ABORT: somebody ended the run, ``reason`` says who or how."""
    return _event(run, RunState.ABORT, at, facets={"errorMessage": error_message(redact_text(reason, run.secrets))})


def require_size(lineage: ColumnLineage, naming: Naming) -> None:
    """Check, before anything runs, that the lineage will fit into one event with room for the rest of it.

    Raises:
        LimitExceeded: the columnLineage facet alone takes more than half of :data:`LARGEST_EVENT`.
    """
    _require(2 * len(to_json(column_lineage(lineage, naming)).encode()), lineage.output or "")


def _require(size: int, job: str) -> None:
    if size > LARGEST_EVENT:
        raise LimitExceeded(
            f"its lineage makes an event of {size:,} bytes, and lineage servers take {LARGEST_EVENT:,}",
            fix="split the pipeline, so that fewer columns depend on fewer inputs each",
            pipeline=job,
        )


def _event(
    run: RunFacts,
    state: RunState,
    at: datetime,
    *,
    inputs: list[InputDataset] | None = None,
    outputs: list[OutputDataset] | None = None,
    facets: dict[str, RunFacet] | None = None,
) -> RunEvent:
    return RunEvent(
        eventTime=instant_text(at),
        eventType=state,
        producer=PRODUCER,
        run=Run(run.attempt.run_id, _run_facets(run) | (facets or {})),
        job=_job(run),
        inputs=inputs or [],
        outputs=outputs or [],
    )


def _job(run: RunFacts) -> Job:
    if run.job is None:
        return Job(run.naming.job_namespace, run.attempt.job)
    shown = redact_sql(run.job.sql, run.secrets) if len(run.job.sql) <= _LONGEST_SQL else _TOO_LONG
    return Job(run.naming.job_namespace, run.attempt.job, job_facets(run.job, shown))


def _run_facets(run: RunFacts) -> dict[str, RunFacet]:
    facets: dict[str, RunFacet] = {}
    if run.parent:
        facets["parent"] = parent_facet(run.parent, run.naming)
    if run.scheduled:
        facets["nominalTime"] = nominal_time(run.scheduled, run.until)
    if run.engine:
        facets["processing_engine"] = processing_engine(run.engine)
    if run.tags:
        facets["tags"] = run_tags(run.tags)
    return facets
