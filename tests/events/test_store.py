"""Appends are durable, whole and exclusive; a run ends once; settings that silence events are named."""

import errno
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from governance.errors import EventStoreError
from governance.events.run import Attempt, Naming, RunFacts, abort_event, fail_event, start_event
from governance.events.store import EventStore
from governance.events.transport import ship
from tests.events.night import DAGSTER_RUN, NIGHT, written

NAMING = Naming("iceberg://platform", "headwater")
ROOT = Path(__file__).parents[2]


def run(number: int, job: str = "a.b") -> RunFacts:
    return RunFacts(Attempt(job, NIGHT, DAGSTER_RUN, number), NAMING)


def append_many(folder: Path, first: int, count: int) -> None:
    store = EventStore(folder)
    for number in range(first, first + count):
        store.append(start_event(run(number), NIGHT, [f"s.input_{n}" for n in range(50)], ["a.b"]))


def test_eight_processes_lose_and_tear_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=append_many, args=(tmp_path / "events", worker * 50, 50)) for worker in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    reading = EventStore(tmp_path / "events").read()
    assert reading.problems == ()
    assert {event.run.run_id for event in reading.events} == {run(number).attempt.run_id for number in range(400)}
    assert len(reading.events) == 400


def end_with(folder: Path, word: str, results: "multiprocessing.Queue[bool]") -> None:
    results.put(EventStore(folder).end(fail_event(run(0), NIGHT, word)))


def test_of_many_that_end_a_run_at_once_one_succeeds(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    results: multiprocessing.Queue[bool] = context.Queue()
    workers = [context.Process(target=end_with, args=(tmp_path / "events", f"w{n}", results)) for n in range(8)]
    for worker in workers:
        worker.start()
    outcomes = [results.get(timeout=600) for _ in workers]
    for worker in workers:
        worker.join()
    assert sorted(outcomes) == [False] * 7 + [True]
    assert len(EventStore(tmp_path / "events").read().events) == 1


def test_an_orphans_second_end_changes_nothing(store: EventStore) -> None:
    store.append(start_event(run(0), NIGHT, [], []))
    assert store.terminal(run(0).attempt.run_id) is None
    assert store.end(abort_event(run(0), NIGHT, "terminated")) is True
    assert store.end(fail_event(run(0), NIGHT + timedelta(seconds=9), "orphan")) is False
    ended = store.terminal(run(0).attempt.run_id)
    assert ended is not None
    assert ended.event_type == "ABORT"
    assert len(store.read().events) == 2


def test_a_run_begins_once(store: EventStore) -> None:
    assert store.begin(start_event(run(0), NIGHT, [], [])) is True
    assert store.begin(start_event(run(0), NIGHT, [], [])) is False
    assert store.begin(start_event(run(1), NIGHT, [], [])) is True
    assert len(store.read().events) == 2


def test_an_end_is_found_in_an_earlier_days_file(tmp_path: Path) -> None:
    early = EventStore(tmp_path, clock=lambda: NIGHT)
    late = EventStore(tmp_path, clock=lambda: NIGHT + timedelta(days=40))
    early.end(abort_event(run(0), NIGHT, "terminated"))
    assert late.end(abort_event(run(0), NIGHT, "again")) is False
    assert late.end(abort_event(run(1), NIGHT, "another run")) is True
    assert [file.name for file in late.files()] == ["events-2026-10-01.ndjson", "events-2026-11-10.ndjson"]


def test_a_run_dated_ahead_of_the_stores_clock_still_ends_once(tmp_path: Path) -> None:
    store = EventStore(tmp_path, clock=lambda: NIGHT - timedelta(days=400))
    assert store.end(abort_event(run(0), NIGHT, "x")) is True
    assert store.end(abort_event(run(0), NIGHT, "x")) is False


def test_n06_an_append_after_a_torn_tail_begins_a_new_line(store: EventStore) -> None:
    store.append(start_event(run(0), NIGHT, [], []))
    (file,) = store.files()
    with file.open("ab") as torn:
        torn.write(b'{"eventTime": "2026-10-0')
    store.append(start_event(run(1), NIGHT, [], []))
    reading = store.read()
    assert [event.run.run_id for event in reading.events] == [run(0).attempt.run_id, run(1).attempt.run_id]
    (problem,) = reading.problems
    assert (problem.file, problem.line) == ("events-2026-10-01.ndjson", 2)
    assert "2026-10-0" not in problem.reason


def test_a_file_in_place_of_the_folder_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "events").write_text("")
    with pytest.raises(EventStoreError, match="events is a file, not a folder; move that file away"):
        EventStore(tmp_path / "events").append(start_event(run(0), NIGHT, [], []))
    with pytest.raises(EventStoreError, match="is a file"):
        EventStore(tmp_path / "events").read()
    with pytest.raises(EventStoreError, match="is a file"):
        ship(EventStore(tmp_path / "events"))


def test_only_plain_files_are_written(store: EventStore, tmp_path: Path) -> None:
    store.folder.mkdir()
    (store.folder / "events-2026-10-01.ndjson").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EventStoreError, match="not a regular file"):
        store.append(start_event(run(0), NIGHT, [], []))
    assert not (tmp_path / "elsewhere").exists()


def test_a_full_disk_is_an_error_and_leaves_nothing_of_the_event(store: EventStore) -> None:
    store.append(start_event(run(0), NIGHT, [], []))
    (file,) = store.files()
    size = file.stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, limits[1]))
    try:
        with pytest.raises(EventStoreError, match=os.strerror(errno.EFBIG)):
            store.append(start_event(run(1), NIGHT, [], []))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.stat().st_size == size
    assert len(store.read().events) == 1
    store.append(start_event(run(1), NIGHT, [], []))
    assert store.read().problems == ()


APPENDER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])

from tests.events.test_store import append_many
for first in range(0, 1_000_000, 10):
    append_many(Path(sys.argv[1]), first, 10)
    print(first + 10, flush=True)
"""


def test_a_killed_writer_leaves_every_event_that_append_returned_for(tmp_path: Path) -> None:
    command = [sys.executable, "-c", APPENDER, str(tmp_path / "events"), str(ROOT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        confirmed = int(writer.stdout.readline())
        time.sleep(0.1)
        writer.send_signal(signal.SIGKILL)
        confirmed = int(([confirmed, *writer.stdout.read().split()])[-1])
    store = EventStore(tmp_path / "events")
    store.append(start_event(run(10**6), NIGHT, [], []))
    found = {event.run.run_id for event in store.read().events}
    assert {run(number).attempt.run_id for number in range(confirmed)} <= found
    assert run(10**6).attempt.run_id in found


def test_events_switched_off_are_no_error_and_the_reason_is_named(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.silenced("a.b") is None
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    assert store.append(start_event(run(0), NIGHT, [], [])) is False
    assert store.end(abort_event(run(0), NIGHT, "x")) is False
    assert store.silenced("a.b") == "OPENLINEAGE_DISABLED=true is set"
    assert not store.folder.exists()


def test_disabled_by_any_other_word_is_not_disabled(store: EventStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "1")
    assert store.append(start_event(run(0), NIGHT, [], [])) is True


def test_a_filter_of_openlineage_yml_silences_its_jobs_and_no_others(store: EventStore) -> None:
    Path("openlineage.yml").write_text(
        "filters:\n  - {type: exact, match: a.b}\n  - {type: regex, regex: 'tmp[.].*'}\n"
    )
    assert store.append(start_event(run(0, "a.b"), NIGHT, [], [])) is False
    assert store.append(start_event(run(0, "a.c"), NIGHT, [], [])) is True
    assert store.silenced("a.b") == "the exact filter 'a.b' of openlineage.yml drops events of a.b"
    assert store.silenced("tmp.x") == "the regex filter 'tmp[.].*' of openlineage.yml drops events of tmp.x"
    assert store.silenced("a.c") is None


def test_settings_that_cannot_be_read_are_an_error_that_says_so(store: EventStore) -> None:
    Path("openlineage.yml").write_text("filters:\n  - {kind: exact}\n")
    with pytest.raises(EventStoreError, match=r"openlineage\.yml"):
        store.append(start_event(run(0), NIGHT, [], []))


def test_a_settings_file_that_is_no_yaml_is_an_error_with_its_place(store: EventStore) -> None:
    Path("openlineage.yml").write_text("transport: [\n")
    with pytest.raises(EventStoreError, match=r"openlineage\.yml:2:1: the OpenLineage settings cannot be read"):
        store.append(start_event(run(0), NIGHT, [], []))
    with pytest.raises(EventStoreError, match=r"openlineage\.yml:2:1"):
        ship(store)
    assert store.files() == ()


@pytest.mark.parametrize("text", ["- a\n", "word\n", "transport: 5\n"])
def test_settings_of_another_shape_are_an_error(store: EventStore, text: str) -> None:
    Path("openlineage.yml").write_text(text)
    with pytest.raises(EventStoreError, match=r"openlineage\.yml"):
        ship(store)


def test_tags_of_openlineage_yml_reach_the_events(store: EventStore) -> None:
    Path("openlineage.yml").write_text("tags:\n  job: {team: data}\n")
    store.append(start_event(run(0), NIGHT, [], []))
    assert written(store)[0]["job"]["facets"]["tags"]["tags"][0]["value"] == "data"
