"""The sensors that end, in the event store, what has ended in Dagster without saying so.

A step that is killed sends nothing more. When its Dagster run ends, these sensors send FAIL or ABORT in its place,
through the store's own rule: the first end of a run stands, so an orphaned step that outlives its run worker changes
nothing.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from dagster import (
    DagsterInstance,
    DagsterRunStatus,
    DefaultSensorStatus,
    RunFailureSensorContext,
    RunStatusSensorContext,
    SensorDefinition,
    run_failure_sensor,
    run_status_sensor,
)

from governance.events.model import TERMINAL
from governance.events.redact import secrets_of
from governance.events.run import DAGSTER_RUN_ID, Naming, RunFacts, abort_event, fail_event, start_event, started_by
from governance.events.store import EventStore
from governance.runs import read_runs
from governance_checks.scheduler import WINDOW, Ended, ended_attempts

ENDING = {"FAILURE": fail_event, "CANCELED": abort_event}
"""How an attempt ends in OpenLineage. A success is not among them: its COMPLETE is rebuilt from its snapshot."""

INTERVAL = 15
"""Seconds between two looks, each one query for runs that ended since the last."""


@dataclass(frozen=True, slots=True)
class Closer:
    """What is needed to speak for a run that died.

    reads: the tables each job of this platform reads, by job; runs of other jobs are closed only where they sent START
    mend:  gives runs that died after their commit the COMPLETE that they are owed, before any is ended as failed
    clock: the time now, in UTC
    """

    store: EventStore
    naming: Naming
    reads: Mapping[str, Collection[str]]
    mend: Callable[[], object]
    clock: Callable[[], datetime]

    def close(self, instance: DagsterInstance) -> tuple[Ended, ...]:
        """End every attempt that ended in Dagster and is open in the store; return those that were ended here.

        All of the window is looked at, not one run: an end that could not be written (a full disk) is made up for
        when the next run fails.

        Raises:
            EventStoreError: the store cannot be read or written.
        """
        attempts = ended_attempts(instance, self.clock() - WINDOW)
        if self._open(attempts):
            self.mend()
        open_ones = self._open(attempts)
        return tuple(ended for ended, started in open_ones if self._end(ended, started=started))

    def _open(self, attempts: Collection[Ended]) -> list[tuple[Ended, bool]]:
        runs = {run.run_id: run.state for run in read_runs(self.store.read().events)}
        return [
            (ended, ended.known.attempt.run_id in runs)
            for ended in attempts
            if ended.known.status in ENDING and runs.get(ended.known.attempt.run_id) not in TERMINAL
        ]

    def _end(self, ended: Ended, *, started: bool) -> bool:
        attempt, now = ended.known.attempt, self.clock()
        if not started and attempt.job not in self.reads:
            return False
        parent = started_by(attempt.instant, attempt.dagster_run_id, ended.dagster_job)
        tags = ((DAGSTER_RUN_ID, attempt.dagster_run_id),)
        facts = RunFacts(attempt, self.naming, parent=parent, secrets=secrets_of(), tags=tags)
        if not started:
            # killed before its first event, or the store was full: the run did begin, and an end needs its beginning
            self.store.begin(start_event(facts, ended.started, self.reads[attempt.job], (ended.known.table,)))
        return self.store.end(ENDING[ended.known.status](facts, now, ended.reason))


def build_sensors(closer: Closer) -> tuple[SensorDefinition, ...]:
    """Return one sensor for runs that failed and one for runs that were terminated, both running by default.

    They watch runs of every origin: one started on the command line has no code location to be matched by.
    """

    @run_failure_sensor(
        name="end_failed_runs",
        description="Send FAIL for pipelines that died without sending it.",
        minimum_interval_seconds=INTERVAL,
        monitor_all_code_locations=True,
        default_status=DefaultSensorStatus.RUNNING,
    )
    def end_failed_runs(context: RunFailureSensorContext) -> None:
        _close(closer, context)

    @run_status_sensor(
        DagsterRunStatus.CANCELED,
        name="end_terminated_runs",
        description="Send ABORT for pipelines that were terminated without sending it.",
        minimum_interval_seconds=INTERVAL,
        monitor_all_code_locations=True,
        default_status=DefaultSensorStatus.RUNNING,
    )
    def end_terminated_runs(context: RunStatusSensorContext) -> None:
        _close(closer, context)

    return end_failed_runs, end_terminated_runs


def _close(closer: Closer, context: RunStatusSensorContext) -> None:
    for ended in closer.close(context.instance):
        context.log.info("%s %s: %s", ended.known.status, ended.known.attempt.run_id, ended.known.table)
