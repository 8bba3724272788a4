"""What a failed test shows: how Dagster's runs of a shop stand, what they said, and what the event store was told."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from dagster import DagsterEvent, DagsterInstance, DagsterRun

from platform_assets.assets.instance import dagster_home
from tests.dagster.shop import Shop

LINES = 60
"""Of each log the last ones."""


def situation(shop: Shop) -> str:
    """Return the runs of the shop's own Dagster instance with all that happened in them, its events and its logs."""
    with DagsterInstance.from_config(str(dagster_home(shop.project))) as opened:
        runs = [line for record in opened.get_run_records() for line in of_run(opened, record.dagster_run)]
    return "\n".join([*runs, "", *of_store(shop), *(line for log in logs(shop) for line in of_log(log))])


def of_run(instance: DagsterInstance, run: DagsterRun) -> Iterator[str]:
    yield f"run {run.run_id} of {run.job_name}: {run.status.value}"
    for entry in instance.all_logs(run.run_id):
        at = datetime.fromtimestamp(entry.timestamp, UTC).time().isoformat("milliseconds")
        happened = entry.dagster_event
        yield f"  {at} {happened.event_type_value if happened else 'log'} {entry.user_message or ''}"
        yield from (f"    {line}" for line in failure(happened).splitlines())


def failure(happened: DagsterEvent | None) -> str:
    error = getattr(happened.event_specific_data, "error", None) if happened else None
    return error.to_string() if error else ""


def of_store(shop: Shop) -> Iterator[str]:
    for event in shop.store.read().events:
        yield f"told: {event.event_time} {event.event_type} of {event.job.name}, run {event.run.run_id}"


def logs(shop: Shop) -> list[Path]:
    return sorted(shop.project.state.glob("*.log"))


def of_log(path: Path) -> Iterator[str]:
    yield f"\n{path.name}"
    yield from path.read_text("utf-8", "replace").splitlines()[-LINES:]
