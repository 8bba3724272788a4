"""The same events give the same answers from a folder and from a shared store, whatever was compacted when."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from obstore.store import MemoryStore

from governance.events.compact import compact
from governance.events.reading import read_events
from governance.events.shared import mirror
from governance.events.shared.bucket import Bucket
from governance.events.shared.compaction import compact_objects
from governance.events.shared.store import SharedEventStore
from governance.events.store import EventStore
from governance.stored import read_stored
from governance.telling import read_graph
from tests.knowledge.test_part import SPELLINGS, World, names, of_part, of_whole
from tests.shared_store.killed import killed_at
from tests.shared_store.test_mirror import LATER


def chores(bucket: Bucket, hosts: list[SharedEventStore], random: Random) -> list[Callable[[], object]]:
    """What may happen between two events, some of it."""
    sync = [it.refresh for it in hosts]
    own = [lambda it=it: compact(EventStore(it.refresh(), lambda: LATER), stretch=3000) for it in hosts]
    shared = [lambda: compact_objects(bucket, LATER), lambda: compact_objects(bucket, LATER, timedelta())]
    return random.sample([*sync, *own, *shared], random.choice([0, 0, 0, 1, 2]))


@pytest.mark.parametrize("seed", range(3))
def test_the_answers_are_those_of_a_folder(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror, "_MOST", 7)
    random, world = Random(seed), World(seed)  # noqa: S311  # the same each time
    bucket = Bucket("memory://lake", MemoryStore())
    hosts = [SharedEventStore(tmp_path / name, bucket=bucket) for name in "abc"]
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(40):
        line = json.dumps(world.event(number)).encode() + b"\n"
        with (folder / "events-2026-10-01.ndjson").open("ab") as file:
            file.write(line)
        bucket.put(f"events/{random.randrange(9)}-{number}.json", line)
        for chore in chores(bucket, hosts, random):
            with killed_at(random.choice([5, 20, 1000]), monkeypatch):
                chore()
    graph = read_graph(read_events(folder).events, SPELLINGS)
    asked = names(graph, random)
    expected = {name: of_whole(graph, name) for name in asked}
    for store in (*hosts, SharedEventStore(tmp_path / "new", bucket=bucket)):
        reading = read_events(store.refresh())
        whole = read_graph(reading.events, SPELLINGS)
        assert {name: of_whole(whole, name) for name in asked} == expected
        stored = read_stored(store.refresh(), SPELLINGS, {})
        assert {name: of_part(stored, name, None) for name in asked} == expected
