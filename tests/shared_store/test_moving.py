"""Events of a folder that go into a shared store: all of them, each once, however often it is tried."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from governance.events.compact import compact
from governance.events.shared import moving
from governance.events.shared.moving import Moved, move_in
from governance.events.shared.store import SharedEventStore
from governance.events.store import EventStore
from platform_assets.cli import main
from tests.shared_store.runs import complete, fail, start
from tests.shared_store.test_mirror import LATER, bucket_event, expected, seen

Host = Callable[[str], SharedEventStore]


def past(folder: Path) -> EventStore:
    """Two runs, one compacted, and what another program and a crash left there."""
    store = EventStore(folder)
    store.begin(start(0))
    store.end(complete(0))
    compact(EventStore(folder, lambda: LATER))
    store.begin(start(1))
    store.end(complete(1))
    with store.files()[0].open("ab") as file:
        file.write(bucket_event(7) + b"\n" + bucket_event(8) + b'\n{"torn\n')
    return store


def test_all_events_go_and_a_second_time_changes_nothing(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "_MOST", 2)
    folder = past(tmp_path / "folder")
    before = folder.read()
    assert move_in(folder.folder, host("a")) == Moved(put=6, there=0, left=1)
    assert sorted(map(repr, host("b").read().events)) == sorted(map(repr, before.events))
    assert move_in(folder.folder, host("b")) == Moved(put=0, there=6, left=1)
    assert folder.read() == before
    assert not host("b").end(fail(0))
    assert not host("b").end(fail(1))
    found = seen(host("a"))
    assert {run: number for run, number in found.items() if run in expected(2)} == expected(2)


def test_the_command_says_what_it_did(tmp_path: Path, address: str) -> None:
    (tmp_path / "platform_assets").mkdir()
    state = tmp_path / "state"
    past(state / "events")
    os.environ["HEADWATER_STATE"] = str(state)
    asked = ["--project", str(tmp_path), "events", "share"]
    refused = CliRunner().invoke(main, asked)
    assert refused.exit_code == 1
    assert "no store is named that hosts share; write [events] store in lineage.toml" in refused.output
    os.environ["HEADWATER_EVENTS"] = address
    said = CliRunner().invoke(main, asked)
    assert said.stdout == "6 events put into the shared store, 0 were there, 1 torn pieces left where they are\n"
