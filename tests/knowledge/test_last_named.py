"""The latest run that names what nothing that stands speaks of, in a store as written and compacted."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from governance.events.compact import RETENTION, compact
from governance.events.model import Event
from governance.events.store import EventStore
from governance.last_named import last_named
from governance.stored import read_stored

Say = Callable[..., Event]
Shape = Callable[..., dict[str, Any]]

DAY = datetime(2026, 10, 1, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path, event: Say, output: Shape) -> Path:
    """Five nights of one job, which read another column in the first three."""
    store = tmp_path / "events"
    store.mkdir()
    for number in range(5):
        at = DAY + timedelta(days=number, hours=2)
        read = "a.a.Old" if number < 3 else "a.a.x"
        wrote = output("b.b", f"x: {read} IDENTITY", "n: a.a.id IDENTITY")
        said = event("COMPLETE", "b.b", at.isoformat(), run=str(number), reads=["a.a"], writes=[wrote])
        (store / f"events-{at.date()}.ndjson").write_bytes(msgspec.json.encode(said) + b"\n")
    return store


@pytest.mark.parametrize("compacted", [False, True])
@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("a.a.old", "2"),
        ("iceberg://platform/a.a.Old", "2"),
        ("a.a.x", "4"),
        ("B.B.N", "4"),
        ("a.a", "4"),
        ("a.a.never", None),
        ("z.z", None),
    ],
)
def test_the_latest_run_that_names_it_is_found(folder: Path, *, compacted: bool, name: str, run: str | None) -> None:
    if compacted:
        compact(EventStore(folder, clock=lambda: DAY + timedelta(days=9) + RETENTION))
    stored = read_stored(folder, {}, {})
    assert bool(stored.light) is compacted

    named = last_named(stored.runs(), name, stored.light)

    assert (named[0].run_id if named else None) == run
