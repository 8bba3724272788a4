"""Compaction of a shared store: killed anywhere, by several hosts at once, each event stays there once."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

import msgspec
import pytest
from obstore.store import MemoryStore

from governance.errors import EventStoreError
from governance.events.light_store import read_light_store
from governance.events.manifest import read_manifest
from governance.events.shared import compaction
from governance.events.shared.bucket import Bucket
from governance.events.shared.compaction import Folded, compact_objects
from governance.events.shared.ledger import GRACE, read_ledger
from governance.events.shared.names import compacted
from governance.events.shared.store import SharedEventStore
from governance.events.upkeep import due_now, keep
from tests.shared_store.killed import killed_at
from tests.shared_store.runs import NOW, complete, facts, fail, objects_of, start
from tests.shared_store.test_mirror import LATER, expected, fill, seen

Host = Callable[[str], SharedEventStore]


@pytest.fixture
def bucket() -> Bucket:
    return Bucket("memory://lake", MemoryStore())


@pytest.fixture
def host(tmp_path: Path, bucket: Bucket) -> Callable[[str], SharedEventStore]:
    return lambda name: SharedEventStore(tmp_path / name, bucket=bucket)


def objects(bucket: Bucket) -> list[str]:
    return [it.name for page in bucket.pages("events") for it in page]


def later(store: SharedEventStore, when: datetime = LATER) -> SharedEventStore:
    return SharedEventStore(store.folder, lambda: when, bucket=store.bucket)


def test_a_finished_day_becomes_a_segment_and_its_objects_go_after_a_grace(host: Host, bucket: Bucket) -> None:
    old, writer = host("old"), host("writer")
    fill(writer, 0, 3)
    assert compact_objects(bucket, NOW) == Folded()
    assert seen(old) == expected(3)
    assert compact_objects(bucket, LATER) == Folded(events=6)
    assert len(objects(bucket)) == 6
    assert compact_objects(bucket, LATER) == Folded()
    assert compact_objects(bucket, LATER, timedelta()) == Folded(gone=6)
    assert objects(bucket) == []
    (entry,) = read_ledger(bucket)[0].entries
    assert entry.swept
    fill(writer, 3, 1)
    for store in (old, host("new")):
        assert seen(store) == expected(4)
        assert not store.read().problems


def test_a_new_host_takes_segments_as_they_are(host: Host, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "STRETCH", 10_000)
    fill(host("writer"), 0, 4)
    compact_objects(bucket, LATER, timedelta())
    fill(host("writer"), 4, 1)
    compact_objects(bucket, LATER, timedelta())
    fill(host("writer"), 5, 1)
    folder = host("new").refresh()
    (day,) = read_manifest(folder).days.values()
    assert len(day.segments) == len(read_ledger(bucket)[0].entries) > 2
    assert sum(it.events for it in day.segments) == 10
    assert seen(host("new")) == expected(6)
    assert len(read_light_store(folder, lambda _: ()).events) == 12
    # its own compaction goes on behind them
    assert keep(later(host("new"))) is not None
    assert seen(host("new")) == expected(6)


def test_a_day_that_goes_on_is_compacted_where_objects_are_many(
    host: Host, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(host("writer"), 0, 3)
    assert due_now(host("writer")) == {}
    monkeypatch.setattr(compaction, "MANY", 6)
    assert due_now(host("writer"))
    assert compact_objects(bucket, NOW) == Folded(events=6)
    assert due_now(host("writer")) == {}
    assert set(due_now(later(host("writer"), NOW + 2 * GRACE))) == {"manifest.json"}


def test_an_end_in_a_segment_stands(host: Host, bucket: Bucket) -> None:
    fill(host("a"), 0, 1)
    compact_objects(bucket, LATER, timedelta())
    assert not host("b").end(fail(0))
    assert not host("b").begin(complete(0))
    assert objects(bucket) == []
    # the names of segments tell, and no mirror is made for it
    assert host("b").mirror.looked() is None
    host("c").refresh()
    assert not host("c").end(fail(0))
    assert seen(host("b")) == expected(1)


def test_what_was_overwritten_is_not_deleted(host: Host, bucket: Bucket) -> None:
    fill(host("a"), 0, 1)
    compact_objects(bucket, LATER)
    name = objects(bucket)[0]
    bucket.put(name, b"something else")
    compact_objects(bucket, LATER, timedelta())
    assert objects(bucket) == [name]
    assert seen(host("b")) == expected(1)
    assert len(host("b").read().problems) == 1


def test_a_file_that_the_ledger_does_not_name_is_removed_when_it_is_old(host: Host, bucket: Bucket) -> None:
    fill(host("a"), 0, 1)
    compact_objects(bucket, LATER)
    bucket.put("compacted/events-2020-01-01.000000000000-left.parquet", b"left by a kill")
    compact_objects(bucket, LATER)
    assert bucket.get("compacted/events-2020-01-01.000000000000-left.parquet")
    compaction._remove_left(bucket, read_ledger(bucket)[0], NOW + timedelta(days=2))
    left = [it.name for page in bucket.pages("compacted") for it in page]
    (entry,) = read_ledger(bucket)[0].entries
    assert sorted(left) == sorted(compacted(file) for file in entry.files)


def test_of_two_at_once_one_wins(host: Host, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(host("a"), 0, 3)
    write = compaction.write_ledger
    won: list[Folded | None] = []

    def meanwhile(*given: object) -> bool:
        monkeypatch.undo()
        won.append(compact_objects(bucket, LATER))
        return write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(compaction, "write_ledger", meanwhile)
    assert compact_objects(bucket, LATER) is None
    assert won == [Folded(events=6)]
    (entry,) = read_ledger(bucket)[0].entries
    assert sorted(it.name for page in bucket.pages("compacted") for it in page) == sorted(map(compacted, entry.files))
    assert seen(host("b")) == expected(3)


def test_a_compaction_that_is_killed_anywhere_loses_and_doubles_nothing(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = sorted(objects_of(host("writer"), range(3)).items())
    for step in count():
        bucket = Bucket("memory://lake", MemoryStore())
        old, new = (SharedEventStore(tmp_path / f"{name}-{step}", bucket=bucket) for name in ("old", "new"))
        for name, data in sent[:2]:
            bucket.put(name, data)
        old.refresh()
        compact_objects(bucket, LATER)
        for name, data in sent[2:]:
            bucket.put(name, data)
        with killed_at(step, monkeypatch) as reached:
            compact_objects(bucket, LATER, timedelta())
        old.refresh()
        assert seen(new) == expected(3)
        while objects(bucket):
            assert compact_objects(bucket, LATER, timedelta())
        assert seen(old) == seen(new) == expected(3)
        assert not new.end(fail(step % 3))
        if not reached:
            break
    assert step > 20


def test_objects_whose_segment_is_missing_are_not_deleted(host: Host, bucket: Bucket) -> None:
    fill(host("a"), 0, 1)
    compact_objects(bucket, LATER)
    (entry,) = read_ledger(bucket)[0].entries
    bucket.delete([compacted(entry.segment.file)])
    assert compact_objects(bucket, LATER, timedelta()) == Folded()
    assert len(objects(bucket)) == 2
    assert not read_ledger(bucket)[0].entries[0].swept


@pytest.mark.parametrize("skew", [timedelta(minutes=-14), timedelta(minutes=14)])
def test_clocks_that_differ_as_far_as_a_store_lets_them_change_nothing(
    host: Host, bucket: Bucket, skew: timedelta
) -> None:
    here, there = host("a"), later(host("b"), NOW + skew)
    fill(here, 0, 1)
    assert not there.end(fail(0))
    assert there.begin(start(1))
    assert not here.begin(start(1, timedelta(seconds=1)))
    # a grace is by the store's clock, whatever that of the host that compacts
    compact_objects(bucket, LATER + skew)
    compact_objects(bucket, LATER + skew)
    assert len(objects(bucket)) == 3
    compact_objects(bucket, LATER, timedelta())
    assert objects(bucket) == []
    assert not later(host("c"), NOW + skew).end(fail(0))
    assert seen(there) == seen(here) == expected(1) + Counter({(facts(1).attempt.run_id, "START"): 1})


def test_a_missing_segment_is_an_error_and_never_fewer_events(host: Host, bucket: Bucket) -> None:
    fill(host("a"), 0, 1)
    compact_objects(bucket, LATER, timedelta())
    (entry,) = read_ledger(bucket)[0].entries
    bucket.delete([compacted(entry.segment.file)])
    with pytest.raises(EventStoreError, match="is missing") as caught:
        host("b").read()
    assert "restore" in caught.value.fix


@pytest.mark.parametrize(("data", "said"), [(b"{", "is damaged"), (b'{"version": 9}', "is of version 9")])
def test_a_ledger_that_cannot_be_read_is_an_error(host: Host, bucket: Bucket, data: bytes, said: str) -> None:
    fill(host("a"), 0, 1)
    bucket.put("manifest.json", data)
    with pytest.raises(EventStoreError, match=said):
        host("b").read()


def test_the_ledger_is_the_documented_json(host: Host, bucket: Bucket) -> None:
    fill(host("a"), 0, 1)
    compact_objects(bucket, LATER)
    found = bucket.get("manifest.json")
    assert found is not None
    read = msgspec.json.decode(found.data)
    assert set(read) == {"version", "entries"}
    (entry,) = read["entries"]
    assert set(entry) == {"day", "line", "lines", "segment", "since", "swept"}
    assert (entry["line"], entry["lines"], entry["swept"]) == (0, 2, False)
