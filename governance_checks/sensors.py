"""The sensors that end, in the event store, what has ended in Dagster without saying so.

A step that is killed sends nothing more. When its Dagster run ends, these sensors send FAIL or ABORT in its place,
through the store's own rule: the first end of a run stands, so an orphaned step that outlives its run worker changes
nothing.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from dagster import (
    DagsterRunStatus,
    DefaultSensorStatus,
    RunFailureSensorContext,
    RunStatusSensorContext,
    SensorDefinition,
    run_failure_sensor,
    run_status_sensor,
)

if TYPE_CHECKING:
    from governance_checks.closer import Closer

INTERVAL = 15
"""Seconds between two looks, each one query for runs that ended since the last."""


def build_sensors(closer: "Callable[[], Closer]") -> tuple[SensorDefinition, ...]:
    """Return one sensor for runs that failed and one for runs that were terminated, both running by default.

    They watch runs of every origin: one started on the command line has no code location to be matched by. ``closer``
    is asked for when such a run has ended.
    """

    @run_failure_sensor(
        name="end_failed_runs",
        description="Send FAIL for pipelines that died without sending it.",
        minimum_interval_seconds=INTERVAL,
        monitor_all_code_locations=True,
        default_status=DefaultSensorStatus.RUNNING,
    )
    def end_failed_runs(context: RunFailureSensorContext) -> None:
        _close(closer(), context)

    @run_status_sensor(
        DagsterRunStatus.CANCELED,
        name="end_terminated_runs",
        description="Send ABORT for pipelines that were terminated without sending it.",
        minimum_interval_seconds=INTERVAL,
        monitor_all_code_locations=True,
        default_status=DefaultSensorStatus.RUNNING,
    )
    def end_terminated_runs(context: RunStatusSensorContext) -> None:
        _close(closer(), context)

    return end_failed_runs, end_terminated_runs


def _close(closer: "Closer", context: RunStatusSensorContext) -> None:
    for ended in closer.close(context.instance):
        context.log.info("%s %s: %s", ended.known.status, ended.known.attempt.run_id, ended.known.table)
