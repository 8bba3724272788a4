"""Compaction by itself: asked for when something is due, and done in a run of its own."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dagster import DagsterInstance, RunRequest, SkipReason, build_sensor_context

from governance.events.manifest import read_manifest
from governance.events.store import EventStore
from governance_checks.compaction import build_compaction

NOW = datetime(2026, 10, 3, 12, tzinfo=UTC)
EVENT = {
    "eventTime": "2026-10-01T02:00:00Z",
    "eventType": "START",
    "run": {"runId": "019992f7-3a00-7000-8000-000000000001"},
    "job": {"namespace": "headwater", "name": "mart.buyers"},
}


def store_of(folder: Path, day: datetime) -> EventStore:
    folder.mkdir()
    (folder / f"events-{day.date()}.ndjson").write_text(json.dumps(EVENT) + "\n")
    return EventStore(folder, clock=lambda: NOW)


def test_a_finished_day_is_compacted_by_a_run_of_its_own(tmp_path: Path) -> None:
    store = store_of(tmp_path / "events", NOW - timedelta(days=1))
    before, (day,) = store.read(), (file.name for file in store.files())
    compact_events, compaction = build_compaction(lambda: store)
    with DagsterInstance.ephemeral() as instance, build_sensor_context(instance) as context:
        asked = compaction(context)
        assert isinstance(asked, RunRequest)
        assert asked == compaction(context)
        assert compact_events.execute_in_process(instance=instance).success
        assert isinstance(compaction(context), SkipReason)
    assert [it.events for it in read_manifest(store.folder).day(day).segments] == [1]
    assert store.read() == before


def test_a_day_that_goes_on_is_left_alone(tmp_path: Path) -> None:
    _, compaction = build_compaction(lambda: store_of(tmp_path / "events", NOW))
    assert isinstance(compaction(), SkipReason)
