"""What the Dagster instance knows of attempts to build a table that have ended.

An attempt is one start of one step of one Dagster run, for each asset the step builds. The event log tells all of it:
ASSET_MATERIALIZATION_PLANNED maps a step to its assets, each start is an attempt, and the step's own end counts before
the run's: a step that succeeded inside a failed run is a success.
"""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from dagster import AssetKey, DagsterEvent, DagsterEventType, DagsterInstance, DagsterRunStatus, RunRecord, RunsFilter

from governance.events.attempt import Attempt
from governance.events.instant import run_instant
from governance.rules.known import EndedAttempt

CHECKS_ONLY = {"headwater/materializes": "nothing"}
"""Run tags of jobs that only check, so that a year of hourly runs is not read event by event."""

REPORT = AssetKey(["governance", "lineage_report"])
"""The one asset that is no table: it sends no events, so none are missing."""

WINDOW = timedelta(days=30)
"""How far back runs are looked at, by their last update."""

STARTS = frozenset({DagsterEventType.STEP_START, DagsterEventType.STEP_RESTARTED})
ENDS = {
    DagsterEventType.STEP_SUCCESS: "SUCCESS",
    DagsterEventType.STEP_FAILURE: "FAILURE",
    DagsterEventType.STEP_UP_FOR_RETRY: "FAILURE",
}
RUN_ENDS = {
    DagsterRunStatus.SUCCESS: "SUCCESS",
    DagsterRunStatus.FAILURE: "FAILURE",
    DagsterRunStatus.CANCELED: "CANCELED",
}
BEGUN = (DagsterRunStatus.STARTED, DagsterRunStatus.CANCELING, *RUN_ENDS)
READ = {DagsterEventType.ASSET_MATERIALIZATION_PLANNED, *STARTS, *ENDS}

NO_END = {
    "FAILURE": "the step's process died without reporting its end, and Dagster ended the run as failed",
    "CANCELED": "the run was terminated before the step reported its end",
}


@dataclass(frozen=True, slots=True)
class Ended:
    """An ended attempt with what Dagster's log says of it.

    dagster_job: the Dagster job that the run is of
    started:     when Dagster logged the start of the step
    reason:      the step's error, or why none is known; empty for a success
    error:       the class of the step's error, empty where it reported none
    """

    known: EndedAttempt
    dagster_job: str
    started: datetime
    reason: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Start:
    """One start of a step, in the making: ``status`` is None until its end is seen."""

    at: datetime
    status: str | None = None
    reason: str = ""
    error: str = ""


def table_of(key: AssetKey) -> str:
    """Return the table, and so the job, of an asset: its key joined by dots."""
    return ".".join(key.path)


def ended_attempts(
    instance: DagsterInstance, since: datetime, finished: MutableMapping[str, tuple[Ended, ...]] | None = None
) -> tuple[Ended, ...]:
    """Return the attempts known to have ended, of runs updated after ``since`` (UTC), newest run first.

    Runs that are still going count too: in an asset's own check its step has ended and its run has not. ``finished``
    remembers, by Dagster run id, what finished runs said: a process with many check steps reads each log once.
    """
    memory = {} if finished is None else finished
    records = instance.get_run_records(RunsFilter(statuses=BEGUN, updated_after=since))
    building = [record for record in records if not CHECKS_ONLY.items() <= record.dagster_run.tags.items()]
    return tuple(ended for record in building for ended in _remembered(instance, record, memory))


def _remembered(
    instance: DagsterInstance, record: RunRecord, finished: MutableMapping[str, tuple[Ended, ...]]
) -> tuple[Ended, ...]:
    run_id = record.dagster_run.run_id
    if run_id in finished:
        return finished[run_id]
    attempts = attempts_of(instance, record)
    if record.dagster_run.status in RUN_ENDS:
        finished[run_id] = attempts
    return attempts


def attempts_of(instance: DagsterInstance, record: RunRecord) -> tuple[Ended, ...]:
    """Return the ended attempts of one Dagster run, by step and number."""
    log = instance.get_records_for_run(record.dagster_run.run_id, of_type=READ, ascending=True).records
    entries = [(entry.event_log_entry.dagster_event, entry.event_log_entry.timestamp) for entry in log]
    events = [(event, datetime.fromtimestamp(at, UTC)) for event, at in entries if event is not None]
    tables = planned(event for event, _ in events)
    run_end = RUN_ENDS.get(record.dagster_run.status)
    return tuple(
        _ended(record, table, number, start)
        for step, starts in starts_by_step(events).items()
        for number, start in enumerate(closed(starts, run_end))
        for table in tables.get(step, ())
    )


def planned(events: Iterable[DagsterEvent]) -> Mapping[str, tuple[str, ...]]:
    """Return the tables that each step builds."""
    tables: dict[str, tuple[str, ...]] = {}
    for event in events:
        key = event.asset_key if event.event_type is DagsterEventType.ASSET_MATERIALIZATION_PLANNED else None
        if key and key != REPORT and event.step_key:
            known = tables.get(event.step_key, ())
            # planned once for each partition: it is one attempt all the same
            tables[event.step_key] = known if table_of(key) in known else (*known, table_of(key))
    return tables


def starts_by_step(events: Iterable[tuple[DagsterEvent, datetime]]) -> Mapping[str, tuple[Start, ...]]:
    """Return each step's starts in order, with the ends that the step itself logged."""
    starts: dict[str, tuple[Start, ...]] = {}
    for event, at in events:
        step = event.step_key or ""
        if event.event_type in STARTS:
            starts[step] = (*starts.get(step, ()), Start(at))
        elif event.event_type in ENDS and step in starts:
            *earlier, last = starts[step]
            error, reason = _error(event)
            starts[step] = (*earlier, replace(last, status=_status(event), reason=reason, error=error))
    return starts


def closed(starts: Iterable[Start], run_end: str | None) -> Iterator[Start]:
    """Yield the starts that have ended; a finished run ends the last one, a later start the earlier ones."""
    *earlier, last = starts
    died = NO_END["FAILURE"]
    yield from (start if start.status else replace(start, status="FAILURE", reason=died) for start in earlier)
    if last.status:
        yield last
    elif run_end:
        yield replace(last, status=run_end, reason=NO_END.get(run_end, ""))


def _status(event: DagsterEvent) -> str:
    return "CANCELED" if _error(event)[0] == "DagsterExecutionInterruptedError" else ENDS[event.event_type]


def _error(event: DagsterEvent) -> tuple[str, str]:
    """Return the class and message of the error that ended a step, without Dagster's wrapper; empty where none did."""
    if event.event_type is DagsterEventType.STEP_FAILURE:
        error = event.step_failure_data.error
    elif event.event_type is DagsterEventType.STEP_UP_FOR_RETRY:
        error = event.step_retry_data.error
    else:
        error = None
    if error is None:
        return "", ""
    inner = error.cause or error
    return inner.cls_name or "", inner.message.strip()


def _ended(record: RunRecord, table: str, number: int, start: Start) -> Ended:
    dagster_run = record.dagster_run
    instant = run_instant(dagster_run.tags, record.start_time, record.create_timestamp)
    attempt = Attempt(table, instant, dagster_run.run_id, number)
    known = EndedAttempt(attempt, table, start.status or "FAILURE")
    return Ended(known, record.dagster_run.job_name, start.at, start.reason, start.error)
