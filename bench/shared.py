"""The event store on shared storage: what 10,000 events cost to write, to sync, and to take over as segments.

The store is obstore's own in memory, so the figures are of this side alone: seconds of CPU, all threads together. What
a real store adds is the way there and back: one request an event written; to sync, one for a thousand listed and one
for each that is new, sixteen under way at a time.
"""

import json
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from obstore.store import MemoryStore
from openlineage.client.event_v2 import RunEvent

from governance.events.run import Attempt, Naming, RunFacts, start_event
from governance.events.shared.bucket import Bucket
from governance.events.shared.compaction import compact_objects
from governance.events.shared.store import SharedEventStore

EVENTS = 10_000
WRITTEN = 1_000
_NOW = datetime(2026, 11, 30, tzinfo=UTC)


def main() -> None:
    """Print the seconds of each."""
    bucket = Bucket("memory://bench", MemoryStore())
    with tempfile.TemporaryDirectory() as folder:
        writer, old, new = (SharedEventStore(Path(folder) / name, bucket=bucket) for name in ("writer", "old", "new"))
        writer.refresh()
        spent = _cpu(lambda: [writer.begin(_event(number)) for number in range(WRITTEN)])
        _say(f"write: {WRITTEN / spent:,.0f} events per CPU-second")
        size = _fill(bucket)
        _say(f"sync {EVENTS:,} objects of {size / (EVENTS - WRITTEN) / 1000:.1f} KB: {_cpu(old.refresh):.1f} s of CPU")
        _say(f"sync again, nothing new among {EVENTS:,}: {_cpu(old.refresh) * 1000:.0f} ms")
        later = datetime.now(UTC) + timedelta(days=2)
        _say(f"compact: {_cpu(lambda: compact_objects(bucket, later, timedelta())):.1f} s")
        _say(f"a host that is new takes the segments over: {_cpu(new.refresh) * 1000:.0f} ms")


def _event(number: int) -> RunEvent:
    facts = RunFacts(Attempt("a.b", _NOW, f"run-{number}"), Naming("iceberg://platform", "headwater"))
    return start_event(facts, _NOW, ["s.t"], ["a.b"])


def _fill(bucket: Bucket) -> int:
    """Put the rest of the events, of the bytes of the first; return how many bytes there are."""
    (name, *_) = (it.name for page in bucket.pages("events") for it in page)
    first = bucket.get(name)
    event = json.loads(first.data) if first else {}
    size = 0
    for number in range(WRITTEN, EVENTS):
        run_id = f"0199a000-0000-7000-8000-{number:012d}"
        data = json.dumps(event | {"run": {"runId": run_id, "facets": event["run"]["facets"]}}).encode()
        bucket.put(f"events/{run_id}.START.json", data)
        size += len(data)
    return size


def _cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _say(text: str) -> None:
    print(text, flush=True)
