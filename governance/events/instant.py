"""The instant that run ids are made from, which the running step and whoever reads the scheduler's log both know."""

from collections.abc import Mapping
from datetime import UTC, datetime

SCHEDULED_TIME = ".dagster/scheduled_execution_time"
"""The run tag in which Dagster's daemon keeps the tick that a scheduled run stands for."""


def scheduled_time(tags: Mapping[str, str]) -> datetime | None:
    """Return the tick of a scheduled Dagster run in UTC, None for a run that nobody scheduled."""
    tick = tags.get(SCHEDULED_TIME)
    return datetime.fromisoformat(tick).astimezone(UTC) if tick else None


def run_instant(tags: Mapping[str, str], started: float | None, created: datetime) -> datetime:
    """Return the instant of a Dagster run in UTC: its tick, else its start (epoch seconds), else its creation.

    The tick first, so that an event sent twice lands in the same run.
    """
    begun = created if started is None else datetime.fromtimestamp(started, UTC)
    return scheduled_time(tags) or begun.astimezone(UTC)
