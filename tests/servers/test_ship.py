"""``headwater events ship`` after a night in which the server was down: everything, in order, at least once."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from governance.events.run import Attempt, Naming, RunFacts, start_event
from governance.events.store import EventStore
from tests.servers.listening import Listening, listening

NOW = datetime(2026, 10, 1, 2, tzinfo=UTC)
MANY = 600
COMMAND = [sys.executable, "-c", "from platform_assets.cli import main; main()"]


@pytest.fixture(scope="module")
def server() -> Iterator[Listening]:
    with listening() as running:
        yield running


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose store holds :data:`MANY` events that nobody was sent."""
    for folder in ("platform_assets", "governance"):
        (tmp_path / folder).mkdir()
    store = EventStore(tmp_path / ".headwater" / "events", clock=lambda: NOW)
    event = start_event(RunFacts(Attempt("a.t", NOW, "r"), Naming("iceberg://a", "a")), NOW, ["a.s"], ["a.t"])
    store.append(event)
    (file,) = store.files()
    line = file.read_text()
    file.write_text("".join(line.replace('"a.s"', f'"a.s{number}"') for number in range(MANY)))
    return tmp_path


def started(project: Path, url: str, *more: str) -> "subprocess.Popen[str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENLINEAGE", "HEADWATER"))}
    settings = {"type": "http", "url": url, "compression": "gzip", "retry": {"total": 0}}
    environment = kept | {"OPENLINEAGE__TRANSPORT": json.dumps(settings), "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [*COMMAND, "--project", str(project), "events", "ship", *more]
    return subprocess.Popen(command, cwd=project, env=environment, stdout=subprocess.PIPE, text=True)


def said(process: "subprocess.Popen[str]") -> tuple[int, str]:
    words, _ = process.communicate(timeout=110)
    return process.returncode, words.strip()


def numbers(server: Listening) -> list[int]:
    return [int(it["inputs"][0]["name"].removeprefix("a.s")) for it in server.taken()]


def test_what_a_server_missed_arrives_whole_and_in_order_though_the_sender_is_killed(
    server: Listening, project: Path
) -> None:
    down = said(started(project, "http://127.0.0.1:9"))
    assert down[1].startswith(f"http http://127.0.0.1:9: 0 sent, 0 refused, {MANY} left: Connection refused; start the")
    assert down[0] == 1

    killed = started(project, server.url)
    deadline = time.monotonic() + 60
    while len(server.seen()) < 100:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    killed.kill()
    killed.communicate(timeout=20)
    came = len(numbers(server))
    assert came < MANY

    code, words = said(started(project, server.url, "--seconds", "90"))
    arrived = numbers(server)
    assert (code, words) == (0, f"http {server.url}: {len(arrived) - came} sent, 0 refused, 0 left")
    assert sorted(set(arrived)) == list(range(MANY))
    # what was on its way when the sender died is sent again, and nothing else
    assert [(one, two) for one, two in pairwise(arrived) if two - one not in {0, 1}] == []
    assert len(arrived) - MANY <= 1
