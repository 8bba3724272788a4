"""A lineage server that is well, down, hanging, failing or refusing, and what it costs the pipeline."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from governance.events.run import RunFacts, complete_event, start_event
from governance.events.store import EventStore
from governance.events.transport import MOMENT, forward, ship
from tests.events.night import NIGHT, READ, WRITTEN, written

SOON = 5.0
"""Seconds on however busy a machine: the client's own retries last nine, and a server that hangs, hangs longer."""


@dataclass
class Server:
    """What a lineage server was sent, and how it answers."""

    url: str = ""
    status: int = 200
    delay: float = 0.0
    refuse_job: str = ""
    received: list[dict[str, Any]] = field(default_factory=list)
    requests: int = 0
    authorization: str | None = None


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    state = Server()

    class Lineage(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            state.requests += 1
            state.authorization = self.headers["Authorization"]
            event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            released.wait(state.delay)
            status = 422 if event["job"]["name"] == state.refuse_job else state.status
            if status == 200:
                state.received.append(event)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base class names it
            """Say nothing on stderr."""

    released = threading.Event()
    listening = ThreadingHTTPServer(("127.0.0.1", 0), Lineage)
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.url = f"http://127.0.0.1:{listening.server_address[1]}"
    point_at(state.url, monkeypatch)
    yield state
    released.set()
    listening.shutdown()
    listening.server_close()
    thread.join()


def point_at(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of a user who wants no retries, so that no thread of one test lives on in another."""
    settings = {"type": "http", "url": url, "retry": {"total": 0}}
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT", json.dumps(settings))


def settle() -> None:
    """Wait for threads that a pipeline would not wait for."""
    for thread in threading.enumerate():
        if thread.name == "lineage":
            thread.join(15)


def one_run(store: EventStore, facts: RunFacts) -> float:
    """Emit a run as a pipeline does; return the seconds that forwarding cost it."""
    store.append(start_event(facts, NIGHT, ["crm.learners"], ["marketing.audience"]))
    began = time.monotonic()
    forward(store)
    cost = time.monotonic() - began
    store.end(complete_event(facts, NIGHT, [READ], [WRITTEN]))
    began = time.monotonic()
    forward(store)
    return cost + time.monotonic() - began


def test_without_settings_nothing_is_sent(store: EventStore, facts: RunFacts) -> None:
    assert one_run(store, facts) < SOON
    assert ship(store) == ()


def test_a_server_gets_every_event_as_it_stands_in_the_store(
    store: EventStore, facts: RunFacts, server: Server
) -> None:
    one_run(store, facts)
    settle()
    assert server.received == written(store)
    (shipped,) = ship(store)
    assert (shipped.sent, shipped.left, shipped.error) == (0, 0, "")
    assert shipped.destination == f"http {server.url}"


def test_a_dead_server_costs_less_than_a_second_and_gets_what_it_missed_later(
    store: EventStore, facts: RunFacts, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{unused.getsockname()[1]}"
    point_at(dead, monkeypatch)
    assert one_run(store, facts) < SOON
    assert len(store.read().events) == 2
    (shipped,) = ship(store, 5)
    assert (shipped.sent, shipped.left) == (0, 2)
    point_at(server.url, monkeypatch)
    (shipped,) = ship(store)
    assert (shipped.sent, shipped.left, shipped.error) == (2, 0, "")
    assert server.received == written(store)


def test_a_dead_server_costs_no_more_with_the_clients_own_retries(
    store: EventStore, facts: RunFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"type": "http", "url": "http://127.0.0.1:9", "retry": {"total": 2, "backoff_factor": 0.4}}
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT", json.dumps(settings))
    assert one_run(store, facts) < SOON
    settle()


def test_a_hanging_server_costs_less_than_a_second_and_is_then_left_alone(
    store: EventStore, facts: RunFacts, server: Server
) -> None:
    assert 2 * MOMENT < 1
    server.delay = 60
    assert one_run(store, facts) < SOON
    assert one_run(store, facts) < SOON
    assert server.requests == 1


def test_a_failing_server_keeps_its_events_waiting_in_order(store: EventStore, facts: RunFacts, server: Server) -> None:
    server.status = 500
    assert one_run(store, facts) < SOON
    (shipped,) = ship(store, 5)
    assert (shipped.sent, shipped.left) == (0, 2)
    assert "500" in shipped.error
    server.status = 200
    (shipped,) = ship(store, 5)
    assert (shipped.sent, shipped.left) == (2, 0)
    assert server.received == written(store)


def test_a_slow_server_gets_its_events_in_the_background(store: EventStore, facts: RunFacts, server: Server) -> None:
    server.delay = MOMENT + 0.2
    assert one_run(store, facts) < SOON
    settle()
    ship(store)
    assert [event["eventType"] for event in server.received] == ["START", "COMPLETE"]


def test_an_event_that_a_server_will_never_take_does_not_block_the_others(
    store: EventStore, facts: RunFacts, server: Server
) -> None:
    server.refuse_job = "marketing.audience"
    one_run(store, facts)
    store.append(start_event(RunFacts(facts.attempt.__class__("a.b", NIGHT, "r"), facts.naming), NIGHT, [], []))
    settle()
    ship(store)
    assert [event["job"]["name"] for event in server.received] == ["a.b"]


def test_the_simple_variables_name_a_server_too(
    store: EventStore, facts: RunFacts, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENLINEAGE__TRANSPORT")
    monkeypatch.setenv("OPENLINEAGE_URL", server.url)
    monkeypatch.setenv("OPENLINEAGE_API_KEY", "key-of-ada")
    one_run(store, facts)
    settle()
    assert server.received == written(store)
    assert server.authorization == "Bearer key-of-ada"


def test_each_child_of_a_composite_gets_every_event(
    store: EventStore, facts: RunFacts, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENLINEAGE__TRANSPORT")
    children = {
        "down": {"type": "http", "url": "http://127.0.0.1:9", "retry": {"total": 0}},
        "server": {"type": "async_http", "url": server.url},
        "copy": {"type": "file", "log_file_path": str(tmp_path / "copy.ndjson"), "append": True},
    }
    Path("openlineage.yml").write_text(json.dumps({"transport": {"type": "composite", "transports": children}}))
    one_run(store, facts)
    settle()
    shipped = {one.destination.partition(" ")[2]: one for one in ship(store, 5)}
    assert server.received == written(store)
    assert (tmp_path / "copy.ndjson").read_text() == store.files()[0].read_text()
    assert (shipped["http://127.0.0.1:9"].left, shipped[server.url].left) == (2, 0)


def test_passwords_of_a_destination_are_in_no_report(
    store: EventStore, facts: RunFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    point_at("http://ada:lovelace1@127.0.0.1:9", monkeypatch)
    store.append(start_event(facts, NIGHT, [], []))
    (shipped,) = ship(store, 5)
    assert shipped.error
    assert "lovelace1" not in str(shipped)


def test_a_torn_line_is_passed_over(store: EventStore, facts: RunFacts, server: Server) -> None:
    store.append(start_event(facts, NIGHT, [], []))
    with store.files()[0].open("ab") as torn:
        torn.write(b'{"eventTime')
    store.append(start_event(facts, NIGHT, [], []))
    (shipped,) = ship(store)
    assert (shipped.sent, shipped.left) == (2, 0)
    assert len(server.received) == 2


def test_a_transport_that_cannot_be_made_is_reported_and_stops_nothing(store: EventStore, facts: RunFacts) -> None:
    Path("openlineage.yml").write_text("transport: {type: kafka, topic: lineage, config: {}}\n")
    assert one_run(store, facts) < SOON
    (shipped,) = ship(store, 5)
    assert shipped.left == 2
    assert "confluent_kafka" in shipped.error


def test_a_dead_server_is_told_in_words_and_at_once(
    store: EventStore, facts: RunFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENLINEAGE_URL", "http://127.0.0.1:9")
    store.append(start_event(facts, NIGHT, [], []))
    began = time.monotonic()
    (shipped,) = ship(store)
    assert time.monotonic() - began < SOON
    assert shipped.error.startswith("Connection refused; start the server or correct its address in openlineage.yml")
    assert (shipped.destination, shipped.left) == ("http http://127.0.0.1:9", 1)


def test_an_address_that_is_none_says_what_to_correct(
    store: EventStore, facts: RunFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENLINEAGE_URL", "notaurl")
    store.append(start_event(facts, NIGHT, [], []))
    (shipped,) = ship(store)
    assert "notaurl" in shipped.error
    assert "OPENLINEAGE_URL" in shipped.error


def test_a_server_that_wants_a_key_says_so(store: EventStore, facts: RunFacts, server: Server) -> None:
    server.status = 401
    store.append(start_event(facts, NIGHT, [], []))
    (shipped,) = ship(store, 5)
    assert shipped.error.startswith("it answered 401 Unauthorized; give it a valid key in openlineage.yml")


def test_a_destination_that_is_left_alone_still_says_why(
    store: EventStore, facts: RunFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    point_at("http://127.0.0.1:9", monkeypatch)
    store.append(start_event(facts, NIGHT, [], []))
    forward(store)
    settle()
    (again,) = forward(store)
    assert again.error.startswith("Connection refused")


def test_a_server_that_hangs_is_reported_when_the_time_is_over(
    store: EventStore, facts: RunFacts, server: Server
) -> None:
    server.delay = 60
    store.append(start_event(facts, NIGHT, [], []))
    (shipped,) = ship(store, 0.2)
    assert shipped.error.startswith("no answer within 0.2 s")
