"""A store whose day is over: what it is filled with, how it is torn, and when it is compacted."""

from datetime import datetime, timedelta

from governance.events.compact import RETENTION
from governance.events.run import Attempt, Naming, RunFacts, start_event
from governance.events.store import EventStore
from tests.events.night import DAGSTER_RUN, NIGHT

NAMING = Naming("iceberg://platform", "headwater")
DAY = "events-2026-10-01.ndjson"
SEGMENT = "events-2026-10-01.000000000000.parquet"
TOMORROW = NIGHT + timedelta(days=1)
LATER = NIGHT + RETENTION + timedelta(days=2)


def run(number: int, job: str = "a.b") -> RunFacts:
    return RunFacts(Attempt(job, NIGHT, DAGSTER_RUN, number), NAMING)


def at(store: EventStore, now: datetime) -> EventStore:
    return EventStore(store.folder, clock=lambda: now)


def fill(store: EventStore, count: int = 5) -> None:
    for number in range(count):
        store.append(start_event(run(number), NIGHT, ["s.a"], ["a.b"]))


def tear(store: EventStore) -> None:
    """A torn line between two events, and two events glued into one line."""
    lines = (store.folder / DAY).read_bytes().splitlines(keepends=True)
    glued = lines[2][:-1] + lines[3]
    (store.folder / DAY).write_bytes(b"".join([lines[0], lines[1][:70] + b"\n", glued, *lines[4:]]))
