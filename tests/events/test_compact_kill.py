"""A compaction that is killed, anywhere, beside whatever goes on: no event is lost and none is there twice."""

import functools
import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from governance.events.compact import RETENTION, Compacted, _alone, compact
from governance.events.manifest import read_manifest
from governance.events.run import Attempt, Naming, RunFacts, start_event
from governance.events.segment import parquet, tables_of
from governance.events.store import EventStore
from tests.events.night import DAGSTER_RUN, NIGHT

ROOT = Path(__file__).parents[2]
LATER = NIGHT + RETENTION + timedelta(days=2)
DAY = "events-2026-10-01.ndjson"


def begun(number: int) -> RunFacts:
    return RunFacts(Attempt("a.b", NIGHT, DAGSTER_RUN, number), Naming("iceberg://platform", "headwater"))


def store_at(folder: Path) -> EventStore:
    return EventStore(folder, clock=lambda: LATER)


def append(folder: Path, first: int, count: int) -> None:
    store = EventStore(folder, clock=lambda: NIGHT)
    for number in range(first, first + count):
        store.append(start_event(begun(number), NIGHT, [f"s.input_{n}" for n in range(20)], ["a.b"]))


def seen(folder: Path) -> Counter[int]:
    """How often each run's START is in the store, by the run's number."""
    numbers = {begun(number).attempt.run_id: number for number in range(1000)}
    return Counter(numbers[event.run.run_id] for event in EventStore(folder).read().events)


def forked(work: Callable[[], object]) -> int:
    """Start ``work`` in a process of its own; its exit code is 0 where it ends well."""
    process = os.fork()
    if process:
        return process
    try:
        work()
    except SystemExit as end:
        os._exit(int(end.code or 0))
    except BaseException:  # noqa: BLE001  # the process ends here, whatever it was
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def apart(function: str, *given: object) -> str:
    """What a function of this module prints, called in a fresh interpreter, which may fork as it likes."""
    call = f"from tests.events.test_compact_kill import {function} as f; import sys; f(*sys.argv[1:])"
    command = [sys.executable, "-c", call, *map(str, given)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, cwd=ROOT)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def killed_everywhere(template: str, copies: str) -> None:
    """Compact copies of a store, the n-th killed at its n-th step, until one comes to its end."""
    parquet(tables_of(()).events)  # so that not every process has to start pyarrow
    for step in itertools.count():
        folder = Path(copies) / f"{step:03d}"
        shutil.copytree(template, folder)
        process = forked(functools.partial(killed_at, step, folder))
        _, status = os.waitpid(process, 0)
        if os.WIFEXITED(status):
            sys.exit(os.WEXITSTATUS(status))


def killed_at(step: int, folder: Path) -> None:
    left = iter(range(step))

    def tick() -> None:
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    def deadly(call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any, **named: Any) -> Any:
            tick()
            result = call(*given, **named)
            tick()
            return result

        return called

    # every call of compaction that changes something on the disk, or takes a lock, goes through one of these
    for name in ("fsync", "replace", "unlink", "mkdir", "open"):
        setattr(os, name, deadly(getattr(os, name)))
    compact(store_at(folder), stretch=12_000)


@pytest.fixture
def torn(tmp_path: Path) -> Path:
    """A day of two segments' events with a torn line, and nothing compacted."""
    folder = tmp_path / "events"
    append(folder, 0, 6)
    with (folder / DAY).open("ab") as opened:
        opened.write(b'{"eventTime": "2026')
    append(folder, 6, 2)
    return folder


@pytest.fixture
def begun_before(torn: Path) -> Path:
    """The same, compacted and its NDJSON removed, with events that came late."""
    compact(store_at(torn), stretch=12_000)
    append(torn, 8, 3)
    return torn


@pytest.mark.parametrize("name", ["torn", "begun_before"])
def test_killed_at_every_step_it_loses_and_doubles_nothing(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    template = request.getfixturevalue(name)
    before = EventStore(template).read()
    apart("killed_everywhere", template, tmp_path / "copies")
    copies = sorted((tmp_path / "copies").iterdir())
    assert len(copies) > 30
    for copy in copies:
        assert EventStore(copy).read() == before, copy
        append(copy, 500, 1)
        after = EventStore(copy).read()
        assert after.events[:-1] == before.events, copy
        assert after.problems == before.problems, copy
        assert compact(store_at(copy)) is not None
        assert EventStore(copy).read() == after, copy
        assert not (copy / DAY).exists()
        assert left_over(copy) == set()


def left_over(folder: Path) -> set[str]:
    segments = read_manifest(folder).day(DAY).segments
    named = {"manifest.json", ".lock"} | {name for it in segments for name in it.files}
    return {file.name for file in (folder / "compacted").iterdir()} - named


APPENDERS, EACH = 3, 40


def storm(folder: str) -> None:
    """Appenders, a reader that watches them, and compactors of which most are killed, all at once."""
    store, done, random = Path(folder), Path(folder).with_name("done"), Random(4)  # noqa: S311  # a test draws moments, no secrets
    reader = forked(lambda: watch(store, done))
    appenders = {forked(functools.partial(append, store, n * EACH, EACH)) for n in range(APPENDERS)}
    killed = 0
    while appenders:
        compactors = [forked(lambda: compact(store_at(store), timedelta(), stretch=4000)) for _ in range(2)]
        time.sleep(random.random() * 0.15)
        for process in compactors:
            os.kill(process, signal.SIGKILL)
            killed += os.WIFSIGNALED(os.waitpid(process, 0)[1])
        ended = {process for process in appenders if os.waitpid(process, os.WNOHANG)[0]}
        appenders -= ended
    done.touch()
    print(killed)  # noqa: T201  # the test reads it
    sys.exit(os.waitpid(reader, 0)[1] != 0)


def watch(store: Path, done: Path) -> None:
    """Read again and again: an event that was seen stays, and is there once."""
    last: Counter[int] = Counter()
    while not done.exists():
        now = seen(store)
        assert set(now.values()) <= {1}, now
        assert last <= now, last - now
        last = now


def test_appenders_readers_and_dying_compactors_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    killed = int(apart("storm", folder))
    assert killed > 3
    assert seen(folder) == Counter(range(APPENDERS * EACH))
    assert compact(store_at(folder), timedelta()) is not None
    assert seen(folder) == Counter(range(APPENDERS * EACH))
    assert EventStore(folder).read().problems == ()
    assert EventStore(folder).files() == ()


def two_at_once(folder: str) -> None:
    """While one process compacts, another is told so."""
    store = store_at(Path(folder))
    with _alone(store.folder) as alone:
        assert alone
        process = forked(lambda: sys.exit(compact(store) is not None))
        sys.exit(os.waitpid(process, 0)[1] != 0)


def test_of_two_compactions_at_once_one_does_nothing(torn: Path) -> None:
    apart("two_at_once", torn)
    assert compact(store_at(torn)) == Compacted(events=8, quarantined=1, removed=(DAY,))
