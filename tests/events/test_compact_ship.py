"""What was not yet sent when its day was compacted is sent later, from Parquet, each event once."""

import json
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from governance.events.compact import RETENTION, compact
from governance.events.days import days, lines_behind
from governance.events.run import Attempt, Naming, RunFacts, start_event
from governance.events.store import EventStore
from governance.events.transport import ship
from tests.events.night import DAGSTER_RUN, NIGHT

DAY = "events-2026-10-01.ndjson"


def append(store: EventStore, *numbers: int) -> None:
    for number in numbers:
        facts = RunFacts(Attempt("a.b", NIGHT, DAGSTER_RUN, number), Naming("iceberg://platform", "headwater"))
        store.append(start_event(facts, NIGHT, [f"s.t{number}"], ["a.b"]))


def compacted(store: EventStore, stretch: int = 1000) -> None:
    late = EventStore(store.folder, clock=lambda: NIGHT + RETENTION + timedelta(days=2))
    assert compact(late, stretch=stretch) is not None
    assert store.files() == ()


def sent(file: Path) -> list[int]:
    return [int(json.loads(line)["inputs"][0]["name"][3:]) for line in file.read_text().splitlines()]


def ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Name a file as destination; its folder, without which nothing can be sent, is there from now on."""
    settings = {"type": "file", "log_file_path": str(tmp_path / "server" / "got.ndjson"), "append": True}
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT", json.dumps(settings))
    return tmp_path / "server" / "got.ndjson"


def test_a_server_that_was_down_while_days_were_compacted_gets_all_events_once(
    store: EventStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    got = ready(tmp_path, monkeypatch)
    append(store, 0, 1, 2, 3)
    (down,) = ship(store, 5)
    assert (down.sent, down.left) == (0, 4)
    compacted(store)
    append(store, 4)
    got.parent.mkdir()
    (up,) = ship(store, 5)
    assert (up.sent, up.left, up.error) == (5, 0, "")
    assert sent(got) == [0, 1, 2, 3, 4]
    compacted(store)
    append(store, 5)
    assert [one.sent for one in ship(store, 5)] == [1]
    assert sent(got) == [0, 1, 2, 3, 4, 5]


def test_what_was_sent_before_the_compaction_is_not_sent_again(
    store: EventStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    got = ready(tmp_path, monkeypatch)
    got.parent.mkdir()
    append(store, 0, 1)
    assert [one.sent for one in ship(store, 5)] == [2]
    append(store, 2)
    compacted(store)
    append(store, 3)
    assert [one.sent for one in ship(store, 5)] == [2]
    assert sent(got) == [0, 1, 2, 3]


@pytest.mark.parametrize("stretch", [1, 1000, 10**9])
def test_a_cursor_means_the_same_before_and_after(store: EventStore, stretch: int) -> None:
    append(store, *range(6))
    before = list(lines_behind(store.folder, DAY, 0))
    cursors = [0, *(end for end, _ in before)]
    assert len(before) == 6
    compacted(store, stretch)
    append(store, 6)
    for sent_already, cursor in enumerate(cursors):
        rest = list(lines_behind(store.folder, DAY, cursor))
        assert [line.strip() for _, line in rest[:-1]] == [line.strip() for _, line in before[sent_already:]]
        assert len(rest) == 7 - sent_already
        for (end, _), (_, line) in pairwise(rest):
            # from wherever sending stops it goes on with the next one
            assert next(lines_behind(store.folder, DAY, end))[1] == line


def test_a_cursor_beyond_the_days_end_begins_again(store: EventStore) -> None:
    append(store, 0, 1)
    assert days(store.folder) == (DAY,)
    assert len(list(lines_behind(store.folder, DAY, 10**9))) == 2
    compacted(store)
    assert len(list(lines_behind(store.folder, DAY, 10**9))) == 2
