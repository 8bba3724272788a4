"""Each event reaches a lineage server at least once, whichever host wrote it, and not once for each host."""

import json
import os
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from obstore.store import MemoryStore

from governance.events.destination import destinations
from governance.events.shared import lease, shipping
from governance.events.shared.bucket import Bucket
from governance.events.shared.compaction import compact_objects
from governance.events.shared.lease import Lease
from governance.events.shared.shipping import tidy_marks
from governance.events.shared.store import SharedEventStore
from governance.events.transport import Shipped, forward, ship
from tests.shared_store.runs import complete, fail, start
from tests.shared_store.test_mirror import LATER, fill

Host = Callable[[str], SharedEventStore]


@pytest.fixture
def bucket() -> Bucket:
    return Bucket("memory://lake", MemoryStore())


@pytest.fixture
def host(tmp_path: Path, bucket: Bucket) -> Host:
    return lambda name: SharedEventStore(tmp_path / name, bucket=bucket)


class Server:
    """A destination that takes events once its folder is there: the client's own file transport."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        settings = {"type": "file", "log_file_path": str(folder / "received.ndjson"), "append": True}
        os.environ["OPENLINEAGE__TRANSPORT"] = json.dumps(settings)

    def up(self) -> None:
        self.folder.mkdir()

    def received(self) -> list[dict[str, Any]]:
        file = self.folder / "received.ndjson"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def states(self) -> Counter[tuple[str, str]]:
        return Counter((it["run"]["runId"], it["eventType"]) for it in self.received())


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(tmp_path / "server")


def run(store: SharedEventStore, number: int) -> tuple[Shipped, ...]:
    """What a pipeline does."""
    store.begin(start(number))
    forward(store)
    store.end(complete(number))
    return forward(store)


def marks(bucket: Bucket) -> list[str]:
    return [it.name for page in bucket.pages("shipped") for it in page]


def test_a_pipeline_sends_what_it_wrote_and_nobody_sends_it_again(host: Host, server: Server) -> None:
    server.up()
    for number in range(3):
        assert [it.error for it in run(host(f"{number}"), number)] == [""]
    assert len(server.states()) == 6
    assert [it["eventType"] for it in server.received()] == ["START", "COMPLETE"] * 3
    for name in "0", "1", "new":
        assert ship(host(name))[0] == Shipped(ship(host(name))[0].destination, sent=0, left=0)
    assert set(server.states().values()) == {1}


def test_what_a_server_missed_is_sent_by_any_host_once(host: Host, server: Server, bucket: Bucket) -> None:
    for number in range(3):
        assert run(host(f"{number}"), number)[0].error
    (shipped,) = ship(host("0"))
    assert (shipped.sent, shipped.left) == (0, 6)
    server.up()
    (shipped,) = ship(host("other"))
    assert (shipped.sent, shipped.left, shipped.error) == (6, 0, "")
    assert (ship(host("0"))[0].sent, len(marks(bucket))) == (0, 6)
    assert set(server.states().values()) == {1}
    runs = [it["run"]["runId"] for it in server.received() if it["eventType"] == "COMPLETE"]
    begun = [it["run"]["runId"] for it in server.received() if it["eventType"] == "START"]
    assert sorted(runs) == sorted(begun)


def test_what_was_compacted_is_sent_to_a_server_that_is_new(
    host: Host, server: Server, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipping, "_OFTEN", 0.0)
    server.up()
    run(host("a"), 0)
    fill(host("b"), 1, 2)
    compact_objects(bucket, LATER, timedelta())
    fill(host("b"), 3, 1)
    (shipped,) = ship(host("c"))
    assert (shipped.sent, shipped.left) == (6, 0)
    assert len(server.states()) == 8
    assert set(server.states().values()) == {1}
    assert ship(host("a"))[0].sent == 0
    # what stands in a segment is marked by one mark
    compact_objects(bucket, LATER, timedelta())
    tidy_marks(bucket)
    assert ship(host("a"))[0].left == 0
    assert len(marks(bucket)) <= 4
    tidy_marks(bucket)
    assert ship(host("new"))[0].sent == 0
    assert set(server.states().values()) == {1}


def test_marks_of_events_that_were_compacted_become_one(host: Host, server: Server, bucket: Bucket) -> None:
    server.up()
    for number in range(3):
        run(host("a"), number)
    compact_objects(bucket, LATER)
    tidy_marks(bucket)
    assert len(marks(bucket)) == 6
    compact_objects(bucket, LATER, timedelta())
    tidy_marks(bucket)
    (mark,) = marks(bucket)
    assert "/segments/" in mark
    assert mark.endswith(".parquet/6")
    assert ship(host("b"))[0] == Shipped(ship(host("b"))[0].destination, sent=0, left=0)


def test_one_host_ships_at_a_time(host: Host, server: Server, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    server.up()
    fill(host("a"), 0, 1)
    key = destinations()[0].key
    held = Lease(bucket, f"shipped/{key}.lease")
    assert held.taken(0.0)
    assert not Lease(bucket, held.name).taken(0.0)
    (shipped,) = ship(host("b"), 0.5)
    assert (shipped.sent, shipped.left) == (0, 2)
    # whoever was killed is not waited for
    monkeypatch.setattr(lease, "AGE", timedelta(seconds=-1))
    assert ship(host("b"))[0].sent == 2
    held.end()
    assert bucket.get(held.name) is None


def test_sensors_of_several_hosts_end_a_run_once(host: Host, server: Server) -> None:
    server.up()
    host("a").begin(start(1))
    ended = [host(name).end(fail(1, name)) for name in ("b", "c", "d")]
    assert ended == [True, False, False]
    assert ship(host("a"))[0].sent == 2
    assert [it["eventType"] for it in server.received()] == ["START", "FAIL"]
