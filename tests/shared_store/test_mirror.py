"""The mirror: all that is in the store, each event once, whatever happens to a sync or to the mirror."""

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from pathlib import Path
from random import Random

import pytest
from obstore.store import MemoryStore

from governance.errors import EventStoreError
from governance.events.shared import mirror as mirror_module
from governance.events.shared.bucket import Bucket
from governance.events.shared.compaction import compact_objects
from governance.events.shared.store import SharedEventStore
from governance.events.upkeep import keep
from tests.shared_store.killed import killed_at
from tests.shared_store.runs import NOW, TABLE, complete, facts, start

LATER = NOW + timedelta(days=2)


@pytest.fixture
def bucket() -> Bucket:
    return Bucket("memory://lake", MemoryStore())


@pytest.fixture
def host(tmp_path: Path, bucket: Bucket) -> Callable[[str], SharedEventStore]:
    return lambda name: SharedEventStore(tmp_path / name, bucket=bucket)


Host = Callable[[str], SharedEventStore]


def fill(store: SharedEventStore, first: int, number: int) -> None:
    for place in range(first, first + number):
        store.begin(start(place))
        store.end(complete(place))


def seen(store: SharedEventStore) -> Counter[tuple[str, str]]:
    """How often each state of each run is there."""
    return Counter((it.run.run_id, it.event_type) for it in store.read().events)


def expected(number: int) -> Counter[tuple[str, str]]:
    runs = [facts(place).attempt.run_id for place in range(number)]
    return Counter((run, state) for run in runs for state in ("START", "COMPLETE"))


def test_only_what_is_new_is_read(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    store = host("a")
    fill(store, 0, 2)
    store.refresh()
    asked: list[str] = []
    get = Bucket.get
    monkeypatch.setattr(Bucket, "get", lambda bucket, name: asked.append(name) or get(bucket, name))
    store.refresh()
    assert asked == []
    store.begin(start(2))
    store.refresh()
    assert asked == [f"events/{facts(2).attempt.run_id}.START.json"]


def test_more_than_a_page_of_objects_is_read(host: Host, bucket: Bucket) -> None:
    event = {
        "eventType": "OTHER",
        "eventTime": NOW.isoformat(),
        "producer": "p",
        "job": {"namespace": "n", "name": "j"},
    }
    for number in range(2300):
        run = {"runId": f"{number:032d}"}
        bucket.put(f"events/other-{number}.json", json.dumps(event | {"run": run}).encode())
    assert len(seen(host("a"))) == 2300


def test_an_object_that_is_no_event_is_reported_by_its_name_until_it_goes(host: Host, bucket: Bucket) -> None:
    store = host("a")
    fill(store, 0, 1)
    for name, data in (("note.txt", b"hello"), ("spark/part-1.json", b'{"eventType": 1}'), ("events-x.ndjson", b"{}")):
        bucket.put(f"events/{name}", data)
    problems = {it.file for it in store.read().problems}
    assert problems == {"note.txt.json", "spark%2Fpart-1.json", "object-events-x.ndjson"}
    assert seen(store) == expected(1)
    keep(store)
    bucket.delete(["events/note.txt", "events/spark/part-1.json"])
    assert {it.file for it in store.read().problems} == {"object-events-x.ndjson"}
    bucket.put("events/events-x.ndjson", bucket_event(1))
    assert not store.read().problems
    assert len(store.read().events) == 3


def bucket_event(number: int, *, indent: int | None = None) -> bytes:
    event = {
        "eventType": "OTHER",
        "eventTime": NOW.isoformat(),
        "producer": "https://example.com/spark",
        "run": {"runId": f"{number:032d}"},
        "job": {"namespace": "spark", "name": TABLE},
    }
    return json.dumps(event, indent=indent).encode()


def test_other_programs_events_are_read_however_they_are_laid_out(host: Host, bucket: Bucket) -> None:
    store = host("a")
    bucket.put("events/spark/one.json", bucket_event(1))
    bucket.put("events/spark/spread.json", bucket_event(2, indent=2) + b"\n\n")
    bucket.put("events/spark/several.json", bucket_event(3) + b"\n" + bucket_event(4) + b"\n")
    bucket.put("events/spark/list.json", b"[" + bucket_event(5) + b"]")
    read = store.read()
    assert sorted(it.run.run_id[-1] for it in read.events) == ["1", "2", "3", "4", "5"]
    assert not read.problems
    keep(SharedEventStore(store.folder, lambda: LATER, bucket=store.bucket))
    assert Counter(store.read().events) == Counter(read.events)
    assert Counter(host("b").read().events) == Counter(read.events)


def test_a_mirror_that_is_lost_is_made_anew(host: Host) -> None:
    store = host("a")
    fill(store, 0, 3)
    assert seen(store) == expected(3)
    shutil.rmtree(store.folder)
    assert seen(store) == expected(3)


@pytest.mark.parametrize("harm", ["day", "cut", "records", "segment", "events"])
def test_a_mirror_that_was_harmed_is_made_anew(host: Host, harm: str) -> None:
    store = host("a")
    fill(store, 0, 3)
    late = SharedEventStore(store.folder, lambda: LATER, bucket=store.bucket)
    if harm == "segment":
        keep(late)
    folder = store.refresh()
    if harm == "day":
        store.files()[0].unlink()
    elif harm == "cut":
        os.truncate(store.files()[0], 100)
    elif harm == "records":
        (folder.parent / "records.sqlite").write_bytes(b"no database" * 1000)
    elif harm == "segment":
        next((folder / "compacted").glob("*.parquet")).unlink()
    else:
        shutil.rmtree(folder)
    assert seen(store) == expected(3)
    assert not store.read().problems
    assert store.refresh() != folder


def test_a_mirror_that_cannot_be_written_says_so(host: Host, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("in the way")
    with pytest.raises(EventStoreError, match=r"the mirror of the event store, .*, cannot be written") as caught:
        host("a").read()
    assert caught.value.fix


def test_a_sync_that_is_killed_anywhere_is_made_up_for(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = host("writer")
    fill(writer, 0, 3)
    writer.bucket.put("events/note.txt", b"hello")
    for step in count():
        store = host(f"killed-{step}")
        with killed_at(step, monkeypatch) as reached:
            store.refresh()
        if not reached:
            break
        day = [file.read_bytes() for file in store.folder.glob("*/events/events-*.ndjson")]
        assert seen(store) == expected(3)
        assert [it.file for it in store.read().problems] == ["note.txt.json"]
        # whoever read whole lines of it finds them where they were
        (text,) = [file.read_bytes() for file in store.folder.glob("*/events/events-*.ndjson")]
        assert all(text.startswith(before[: before.rfind(b"\n") + 1]) for before in day)
    assert step > 20


def test_syncs_that_are_killed_again_and_again_end(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror_module, "_MOST", 2)
    random, store, writer = Random(8), host("a"), host("writer")  # noqa: S311  # the same each time
    for number in range(12):
        fill(writer, number, 1)
        with killed_at(random.randrange(40), monkeypatch):
            store.refresh()
        if number == 6:
            compact_objects(writer.bucket, LATER, timedelta())
    assert seen(store) == expected(12)


def test_what_is_compacted_and_deleted_during_a_sync_is_not_missed(
    host: Host, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(host("writer"), 0, 4)
    pages = Bucket.pages

    def listed(asked: Bucket, folder: str) -> object:
        found = list(pages(asked, folder))
        monkeypatch.undo()
        assert compact_objects(bucket, LATER, timedelta())
        fill(host("writer"), 4, 1)
        return iter(found)

    monkeypatch.setattr(Bucket, "pages", listed)
    assert seen(host("a")) == expected(5)
    assert seen(host("a")) == expected(5)
