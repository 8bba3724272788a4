"""``headwater events`` as people call it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from dagster import AssetsDefinition, asset, materialize

from governance.errors import UnknownColumn
from governance.events.compact import compact as compact_store
from governance.events.store import EventStore
from governance.project import find_project
from platform_assets.assets.instance import project_instance
from platform_assets.cli import main
from platform_assets.commands.events import COMMANDS

EVENT = (
    '{"eventTime": "2020-10-01T02:00:00Z", "eventType": "START", "run": {"runId": "r"}, '
    '"job": {"namespace": "headwater", "name": "mart.buyers"}}\n'
)


@pytest.fixture
def events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADWATER_STATE", str(tmp_path))
    folder = tmp_path / "events"
    folder.mkdir()
    (folder / "events-2020-10-01.ndjson").write_text(EVENT + "torn\n")
    return folder


def test_compact_says_what_it_did(events: Path) -> None:
    compact, *_ = COMMANDS
    before = EventStore(events).read()
    kept = CliRunner().invoke(compact, ["--keep-days", "36500"])
    assert (kept.exit_code, kept.output) == (0, "1 events compacted, 1 torn pieces quarantined, 0 files removed\n")
    removed = CliRunner().invoke(compact, [])
    assert (removed.exit_code, removed.output) == (
        0,
        "0 events compacted, 0 torn pieces quarantined, 1 files removed\n",
    )
    assert EventStore(events).read() == before


def test_compact_says_what_it_left(events: Path) -> None:
    store = EventStore(events, clock=lambda: datetime(2020, 10, 3, tzinfo=UTC))
    compact_store(store)
    (events / "events-2020-10-01.ndjson").write_text(EVENT)
    left = CliRunner().invoke(COMMANDS[0], [])
    assert left.exit_code == 1
    assert "events-2020-10-01.ndjson was changed after it was compacted" in left.output


@pytest.mark.parametrize("command", [["impact", "crm.learners"], ["events", "ship"]])
def test_a_file_in_place_of_the_store_is_said_to_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("HEADWATER_STATE", str(tmp_path))
    (tmp_path / "events").write_text("x")
    refused = CliRunner().invoke(main, command)
    assert refused.exit_code == 1
    assert "events is a file, not a folder; move that file away" in refused.output


def failing(table: str, error: Exception) -> AssetsDefinition:
    @asset(key=table.split("."))
    def failed() -> None:
        raise error

    return failed


def test_repair_without_a_catalog_ends_what_it_can_and_says_what_it_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER_STATE", str(tmp_path))
    monkeypatch.setenv("PYICEBERG_CATALOG__DEFAULT__TYPE", "rest")
    monkeypatch.setenv("PYICEBERG_CATALOG__DEFAULT__URI", "http://127.0.0.1:1")
    refused, other = failing("marketing.audience", UnknownColumn("no column emial")), ValueError("the disk is gone")
    project = find_project()
    with project_instance(project) as instance:
        materialize([refused], instance=instance, raise_on_error=False)
        materialize([failing("analytics.daily_revenue", other)], instance=instance, raise_on_error=False)
    said = CliRunner().invoke(main, ["events", "repair"])
    assert said.exit_code == 1
    ended, left, unseen, error = said.output.splitlines()
    assert ended.startswith("marketing.audience, run ")
    assert ended.endswith(": ended, FAILURE in Dagster")
    assert left.startswith("analytics.daily_revenue, run ")
    assert left.endswith(": left open, FAILURE in Dagster: only the catalog tells whether it committed")
    assert (
        unseen == "committed runs that lack COMPLETE were not looked at, or not all of them: the catalog cannot be read"
    )
    assert error.startswith("Error: the catalog 'default' (http://127.0.0.1:1) cannot be used: ")
    told = [(it.event_type, it.job.name) for it in EventStore(project.events).read().events]
    assert told == [("START", "marketing.audience"), ("FAIL", "marketing.audience")]
