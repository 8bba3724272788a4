"""What every event store promises, in a folder and on shared storage alike."""

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from governance.errors import EventStoreError
from governance.events.shared.bucket import Bucket
from governance.events.shared.compaction import compact_objects
from governance.events.shared.store import LOOK, SharedEventStore
from governance.events.store import EventStore
from tests.shared_store.runs import SECRET, complete, facts, fail, start

Host = Callable[[str], SharedEventStore]


@pytest.fixture(params=["folder", "shared"])
def store(request: pytest.FixtureRequest, tmp_path: Path, host: Host) -> EventStore:
    return EventStore(tmp_path / "events") if request.param == "folder" else host("a")


def test_what_is_appended_is_read(store: EventStore) -> None:
    assert store.read().events == ()
    assert store.begin(start(1))
    assert store.end(complete(1))
    assert {it.event_type for it in store.read().events} == {"START", "COMPLETE"}
    assert not store.read().problems


def test_a_run_begins_once_and_its_first_end_stands(store: EventStore) -> None:
    assert [store.begin(start(1)), store.begin(start(1, timedelta(seconds=1)))] == [True, False]
    assert [store.end(fail(1)), store.end(complete(1)), store.end(fail(1, "again"))] == [True, False, False]
    assert sorted(it.event_type for it in store.read().events) == ["FAIL", "START"]
    ended = store.terminal(facts(1).attempt.run_id)
    assert ended is not None
    assert ended.event_type == "FAIL"
    assert store.started(facts(1).attempt.run_id)
    assert not store.started(facts(2).attempt.run_id)
    assert store.terminal(facts(2).attempt.run_id) is None


def test_the_users_own_settings_silence_it(store: EventStore) -> None:
    os.environ["OPENLINEAGE_DISABLED"] = "true"
    assert [store.append(start(1)), store.begin(start(1)), store.end(fail(1))] == [False, False, False]
    os.environ["OPENLINEAGE_DISABLED"] = "false"
    Path("openlineage.yml").write_text("filters:\n  - type: exact\n    match: marketing.audience\n")
    assert [store.append(start(1)), store.begin(start(1)), store.end(fail(1))] == [False, False, False]
    assert "marketing.audience" in str(store.silenced("marketing.audience"))
    assert store.read().events == ()


def test_no_secret_of_the_environment_is_written(store: EventStore) -> None:
    store.end(fail(1, f"password={SECRET} was refused to {SECRET}"))
    (event,) = store.read().events
    assert SECRET not in repr(event)


def test_of_ends_at_once_one_is_written(store: EventStore) -> None:
    ends = [complete(1), *(fail(1, f"by {number}") for number in range(7))]
    with ThreadPoolExecutor(8) as threads:
        written = list(threads.map(store.end, ends))
    assert written.count(True) == 1
    (event,) = store.read().events
    assert event.event_type == ("COMPLETE" if written[0] else "FAIL")


def test_hosts_see_each_others_runs(host: Host) -> None:
    here, there = host("a"), host("b")
    assert here.begin(start(1))
    assert not there.begin(start(1, timedelta(seconds=1)))
    assert there.end(fail(1))
    assert not here.end(complete(1))
    assert here.read() == there.read()
    assert sorted(it.event_type for it in here.read().events) == ["FAIL", "START"]


def test_an_event_is_an_object_of_its_own_bytes(host: Host, bucket: Bucket) -> None:
    host("a").begin(start(1))
    (page,) = bucket.pages("events")
    run_id = facts(1).attempt.run_id
    assert [it.name for it in page] == [f"events/{run_id}.START.json"]
    found = bucket.get(page[0].name)
    assert found is not None
    assert json.loads(found.data)["run"]["runId"] == run_id


def test_an_event_whose_answer_was_lost_is_written_once(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    store, event = host("a"), complete(1)
    store.begin(start(1))
    create = Bucket.create

    def lost(bucket: Bucket, name: str, data: bytes) -> bool:
        create(bucket, name, data)
        raise EventStoreError("no answer")

    monkeypatch.setattr(Bucket, "create", lost)
    for write in (store.end, store.append):
        with pytest.raises(EventStoreError):
            write(event)
    monkeypatch.undo()
    assert store.end(event)
    assert store.append(event)
    assert not store.end(fail(1))
    # of its two names each is there once
    assert sorted(it.event_type for it in store.read().events) == ["COMPLETE", "COMPLETE", "START"]


def test_a_process_that_stood_still_does_not_end_a_run_again(
    host: Host, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = host("a"), host("b")
    here.begin(start(2))
    compact_objects(bucket, datetime.now(UTC) + timedelta(days=2), timedelta())
    create, now = Bucket.create, datetime.now(UTC)

    def stood(bucket: Bucket, name: str, data: bytes) -> bool:
        monkeypatch.undo()
        assert there.end(fail(1))
        # compacted, and deleted before this one goes on
        assert compact_objects(bucket, now + timedelta(days=2), timedelta())
        object.__setattr__(late, "clock", lambda: now + 2 * LOOK)
        return create(bucket, name, data)

    late = SharedEventStore(here.folder, lambda: now, bucket=bucket)
    monkeypatch.setattr(Bucket, "create", stood)
    assert not late.end(complete(1))
    assert sorted(it.event_type for it in there.read().events) == ["FAIL", "START"]
    assert not list(bucket.pages("events"))
