"""Compaction among changed files, full disks, damage and others at work: no event is lost, or missing in silence."""

import errno
import os
import resource
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

import pyarrow.parquet as pq
import pytest

import governance.events.compact
import governance.events.days
from governance.errors import EventStoreError
from governance.events.compact import Compacted, compact
from governance.events.manifest import Day, read_manifest
from governance.events.run import start_event
from governance.events.store import EventStore
from tests.events.compacting import DAY, LATER, SEGMENT, TOMORROW, at, fill, run
from tests.events.night import NIGHT


def test_parquet_that_does_not_read_back_is_an_error_before_anything_counts_on_it(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    before, wrote = store.read(), pq.write_table
    monkeypatch.setattr(pq, "write_table", lambda table, *given, **named: wrote(table.slice(1), *given, **named))
    with pytest.raises(EventStoreError, match="do not read back as they were"):
        compact(at(store, LATER))
    assert store.read() == before
    assert read_manifest(store.folder).days == {}


def test_ndjson_that_was_changed_after_it_was_compacted_is_not_removed(store: EventStore) -> None:
    fill(store)
    compact(at(store, TOMORROW))
    text = (store.folder / DAY).read_bytes()
    (store.folder / DAY).write_bytes(text.replace(b"s.a", b"s.b", 1))
    done = compact(at(store, LATER))
    assert done == Compacted(kept=(f"{DAY} was changed after it was compacted",))
    assert (store.folder / DAY).exists()


@pytest.mark.parametrize("left", [0, 700])
def test_what_is_appended_after_ndjson_was_cut_by_hand_is_read(store: EventStore, left: int) -> None:
    fill(store)
    compact(at(store, TOMORROW))
    os.truncate(store.folder / DAY, left)
    assert len(store.read().events) == 5
    store.append(start_event(run(7), NIGHT, [], []))
    assert [event.run.run_id for event in store.read().events][5:] == [run(7).attempt.run_id]


def test_a_full_disk_stops_compaction_and_nothing_else(store: EventStore) -> None:
    fill(store, 30)
    before = store.read()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for room in (0, 100, 2000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
        try:
            with pytest.raises(EventStoreError, match=os.strerror(errno.EFBIG)):
                compact(at(store, LATER))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert store.read() == before
        assert (store.folder / DAY).exists()
        assert not list(store.folder.glob("compacted/*.new"))
    assert compact(at(store, LATER)) == Compacted(events=30, removed=(DAY,))
    assert store.read() == before


def test_a_missing_segment_is_an_error_and_never_fewer_events(store: EventStore) -> None:
    fill(store)
    compact(at(store, LATER))
    (store.folder / "compacted" / SEGMENT).unlink()
    with pytest.raises(EventStoreError, match=SEGMENT):
        store.read()


@pytest.mark.parametrize(
    ("text", "said"), [("{", "is damaged"), ('{"version": 2, "days": {}}', "is of version 2"), ("[]", "is damaged")]
)
def test_a_manifest_that_cannot_be_read_is_an_error_and_never_an_empty_one(
    store: EventStore, text: str, said: str
) -> None:
    fill(store)
    compact(at(store, LATER))
    (store.folder / "compacted" / "manifest.json").write_text(text)
    for action in (
        store.read,
        lambda: compact(at(store, LATER)),
        lambda: store.append(start_event(run(8), NIGHT, [], [])),
    ):
        with pytest.raises(EventStoreError, match=said):
            action()


def test_a_day_that_is_compacted_while_it_is_opened_is_read_whole(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    before = store.read()
    calls = [lambda: compact(at(store, TOMORROW)), lambda: compact(at(store, LATER)), lambda: fill(store, 7)]
    opened = governance.events.days._open

    def slowly(file: Path) -> AbstractContextManager[BinaryIO | None]:
        if calls:
            calls.pop(0)()
        return opened(file)

    monkeypatch.setattr(governance.events.days, "_open", slowly)
    found = store.read()
    assert calls == []
    assert found.events[:5] == before.events
    assert len(found.events) == 12


def test_ndjson_that_is_appended_to_while_it_is_compared_is_not_removed(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    compared = governance.events.compact._is_as_compacted

    def slowly(file: Path, day: Day) -> bool:
        same = compared(file, day)
        store.append(start_event(run(7), NIGHT, [], []))
        return same

    monkeypatch.setattr(governance.events.compact, "_is_as_compacted", slowly)
    assert compact(at(store, LATER)) == Compacted(events=5, kept=(f"{DAY} was appended to",))
    assert len(store.read().events) == 6
