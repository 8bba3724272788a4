"""The event store's compaction by itself: a sensor looks whether it is due, and a run of its own does it.

No pipeline waits for it: it is another run in another process, and appends go on beside it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from dagster import (
    DefaultSensorStatus,
    JobDefinition,
    OpExecutionContext,
    RunRequest,
    SensorDefinition,
    SkipReason,
    in_process_executor,
    job,
    op,
    sensor,
)

from governance_checks.scheduler import CHECKS_ONLY

if TYPE_CHECKING:
    from governance.events.store import EventStore

EVERY = 900
"""Seconds between two looks at the sizes of the store's files."""


def build_compaction(store: "Callable[[], EventStore]") -> tuple[JobDefinition, SensorDefinition]:
    """Return the job ``compact_events`` and the sensor that starts it, which runs by default.

    ``store`` is opened when they run.

    It is due when a day has been over for an hour, when a day that goes on has grown by 32 MB, and when NDJSON has been
    kept for a week (:mod:`governance.events.compact`); of a store that hosts share also when its objects are many
    (:mod:`governance.events.shared.compaction`).
    """

    @op(description="Write finished days of events to Parquet; what is killed here loses nothing.")
    def compact_days(context: OpExecutionContext) -> None:
        from governance.events.upkeep import keep  # noqa: PLC0415  # loading definitions does not wait for it

        done = keep(store())
        context.log.info("another process is compacting this store" if done is None else str(done))

    @job(
        description="Keep the event store small: finished days become Parquet, their NDJSON goes after a week.",
        executor_def=in_process_executor,
        tags=CHECKS_ONLY,
    )
    def compact_events() -> None:
        compact_days()

    @sensor(job=compact_events, minimum_interval_seconds=EVERY, default_status=DefaultSensorStatus.RUNNING)
    def compaction() -> RunRequest | SkipReason:
        """Start ``compact_events`` when something is due."""
        from governance.events.upkeep import due_now  # noqa: PLC0415  # as above

        found = due_now(opened := store())
        if not found:
            return SkipReason("nothing of the event store is due for compaction")
        # a file that cannot be compacted is tried once a day, not every time
        return RunRequest(run_key=f"{opened.clock().date()} {found}")

    return compact_events, compaction
