"""Processes that write to one store over HTTP, at once and killed in between."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from governance.events.shared.bucket import Bucket
from governance.events.shared.store import SharedEventStore
from tests.shared_store.runs import NOW, facts, fail, start
from tests.shared_store.test_mirror import bucket_event

Host = Callable[[str], SharedEventStore]
ROOT = Path(__file__).parents[2]
RUNS = 12

WRITER = """
import json, sys
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from governance.events.shared.bucket import open_bucket
from governance.events.shared.store import SharedEventStore
from tests.shared_store import runs

address, folder, number, now, count = sys.argv[1:]
runs.NOW = datetime.fromisoformat(now)
store = SharedEventStore(Path(folder), bucket=open_bucket(address))
sys.stdin.readline()
wrote = []
places = list(range(int(count)))
Random(int(number)).shuffle(places)
for place in places:
    begun = store.begin(runs.start(place, timedelta(seconds=int(number))))
    end = store.end(runs.fail(place, f"by {number}"))
    wrote.append([place, begun, end])
    print(json.dumps(wrote[-1]), flush=True)
"""


def writer(address: str, folder: Path, number: int, count: int = RUNS) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, address, str(folder), str(number), NOW.isoformat(), str(count)]
    return subprocess.Popen(
        command, cwd=ROOT, env=dict(os.environ), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def go(process: "subprocess.Popen[str]") -> None:
    assert process.stdin
    process.stdin.write("\n")
    process.stdin.flush()


def states(store: SharedEventStore) -> Counter[tuple[str, str]]:
    return Counter((it.run.run_id, it.event_type) for it in store.read().events)


def test_of_processes_at_once_one_begins_and_one_ends_each_run(tmp_path: Path, address: str, host: Host) -> None:
    processes = [writer(address, tmp_path / f"p{number}", number) for number in range(3)]
    for process in processes:
        go(process)
    told = [[json.loads(line) for line in process.communicate(timeout=100)[0].splitlines()] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    for what in (1, 2):
        claimed = Counter(said[0] for of_process in told for said in of_process if said[what])
        assert claimed == dict.fromkeys(range(RUNS), 1)
    runs = [facts(place).attempt.run_id for place in range(RUNS)]
    assert states(host("reader")) == Counter((run, state) for run in runs for state in ("START", "FAIL"))
    by = {it.run.run_id: it.run.facets.error_message for it in host("reader").read().events if it.event_type == "FAIL"}
    for number, of_process in enumerate(told):
        assert all(f"by {number}" in str(by[facts(place).attempt.run_id]) for place, _, end in of_process if end)


def test_a_process_killed_while_it_writes_leaves_whole_events_that_another_completes(
    tmp_path: Path, address: str, host: Host
) -> None:
    killed = writer(address, tmp_path / "killed", 1, 500)
    go(killed)
    assert killed.stdout
    acknowledged = [json.loads(killed.stdout.readline()) for _ in range(3)]
    time.sleep(0.05)
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=30)
    read = host("reader").read()
    assert not read.problems
    seen = {(it.run.run_id, it.event_type) for it in read.events}
    assert {(facts(place).attempt.run_id, "FAIL") for place, _, _ in acknowledged} <= seen
    again = host("again")
    for place in range(20):
        again.begin(start(place, timedelta(seconds=2)))
        again.end(fail(place, "by another"))
    found = states(host("reader"))
    assert set(found.values()) == {1}
    assert {(facts(place).attempt.run_id, state) for place in range(20) for state in ("START", "FAIL")} <= set(found)


SYNCER = """
import sys
from itertools import count
from pathlib import Path
from governance.events.shared import mirror
from governance.events.shared.bucket import open_bucket
from governance.events.shared.store import SharedEventStore

address, folder = sys.argv[1:]
mirror._MOST = 4
for number in count():
    print(number, flush=True)
    SharedEventStore(Path(folder) / f"{number}", bucket=open_bucket(address)).refresh()
"""


def test_a_process_killed_while_it_syncs_leaves_a_mirror_that_goes_on(
    tmp_path: Path, host: Host, bucket: Bucket, address: str
) -> None:
    for place in range(60):
        bucket.put(f"events/other-{place}.json", bucket_event(place))
    command = [sys.executable, "-c", SYNCER, address, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, env=dict(os.environ), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        while process.stdout.readline() != "1\n":
            assert process.poll() is None
        mirrored = tmp_path / "1" / "0" / "events"
        while not list(mirrored.glob("events-*.ndjson")):
            assert process.poll() is None
        process.kill()
    read = host("1").read()
    assert not read.problems
    assert sorted(int(it.run.run_id) for it in read.events) == list(range(60))
