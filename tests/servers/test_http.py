"""Events on their way to a server that is a process of its own: compression, keys, TLS, proxies, what it answers."""

import json
import logging
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from governance.events.destination import destinations
from governance.events.run import Attempt, JobFacts, Naming, RunFacts, start_event
from governance.events.store import EventStore
from governance.events.transport import Shipped, forward, ship
from tests.servers.listening import Listening, listening

NOW = datetime(2026, 10, 1, 2, tzinfo=UTC)
SECRET = "pa55-of-nobody"  # noqa: S105


@pytest.fixture(scope="module")
def server() -> Iterator[Listening]:
    with listening() as running:
        yield running


@pytest.fixture(autouse=True)
def fresh(server: Listening) -> Iterator[None]:
    before = dict(os.environ)
    server.forget()
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def store(tmp_path: Path) -> EventStore:
    """Three events."""
    return filled(EventStore(tmp_path / "events", clock=lambda: NOW), 3)


def filled(store: EventStore, count: int, sql: str = "select 1") -> EventStore:
    for number in range(count):
        facts = RunFacts(Attempt(f"a.t{number}", NOW, "r"), Naming("iceberg://a", "a"), JobFacts(sql))
        store.append(start_event(facts, NOW, ["a.s"], [f"a.t{number}"]))
    return store


def settings(url: str, **more: Any) -> None:
    os.environ["OPENLINEAGE__TRANSPORT"] = json.dumps({"type": "http", "url": url, **more})


def sent(store: EventStore, seconds: float = 20.0) -> Shipped:
    (one,) = ship(store, seconds)
    return one


def stored(store: EventStore) -> list[dict[str, Any]]:
    return [json.loads(line) for file in store.files() for line in file.read_text().splitlines()]


@pytest.mark.parametrize("more", [{}, {"compression": "gzip"}])
def test_the_body_is_the_very_event(server: Listening, store: EventStore, more: dict[str, str]) -> None:
    settings(server.url, **more)
    assert sent(store) == Shipped(f"http {server.url}", sent=3, left=0)
    assert server.taken() == stored(store)
    for it in server.seen():
        assert it["path"] == "/api/v1/lineage"
        assert it["headers"]["content-type"] == "application/json"
        assert it["headers"].get("content-encoding") == more.get("compression")
        assert (it["size"] < len(json.dumps(it["event"])) / 2) is bool(more)


def test_nested_variables_say_all_that_a_file_says(server: Listening, store: EventStore) -> None:
    told = {
        "TYPE": "http",
        "URL": server.url,
        "ENDPOINT": "in/lineage",
        "COMPRESSION": "gzip",
        "AUTH": json.dumps({"type": "api_key", "apiKey": SECRET}),
        "CUSTOM_HEADERS": json.dumps({"X-Tenant": "acme"}),
        "RETRY__TOTAL": "0",
    }
    os.environ.update({f"OPENLINEAGE__TRANSPORT__{name}": value for name, value in told.items()})
    assert sent(store).sent == 3
    first = server.seen()[0]
    assert first["path"] == "/in/lineage"
    assert first["headers"]["authorization"] == f"Bearer {SECRET}"
    assert first["headers"]["x-tenant"] == "acme"
    assert first["headers"]["content-encoding"] == "gzip"


def test_a_busy_server_is_asked_again_when_it_says_and_gets_all_in_order(server: Listening, store: EventStore) -> None:
    settings(server.url)
    server.plan(429, 201, {"status": 429, "headers": {"Retry-After": "1"}}, 201)
    begun = time.monotonic()
    assert sent(store) == Shipped(f"http {server.url}", sent=3, left=0)
    assert time.monotonic() - begun > 2
    assert server.taken() == stored(store)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"status": 429, "headers": {"Retry-After": "1800"}}, "429 Too Many Requests; `headwater events ship` sends"),
        ({"status": 503, "headers": {"Retry-After": "1800"}}, "503 Service Unavailable; `headwater events ship` sends"),
        ({"status": 502}, "502 Bad Gateway; see the server's log"),
        ({"status": 504}, "504 Gateway Timeout; see the server's log"),
        ({"status": 201, "seconds": 1}, "no answer in time"),
    ],
)
def test_what_a_server_that_is_not_well_missed_is_sent_later(
    server: Listening, store: EventStore, answer: dict[str, Any], words: str
) -> None:
    settings(server.url, timeout=0.3)
    server.plan(201, answer, answer)
    one = sent(store)
    assert words in one.error
    assert (one.sent, one.left) == (1, 2)
    (left_alone,) = forward(store)
    assert words in left_alone.error
    server.forget()
    assert sent(store) == Shipped(f"http {server.url}", sent=2, left=0)
    assert server.taken() == stored(store)[1:]


def test_a_pipeline_leaves_a_busy_server_alone_for_as_long_as_it_says(server: Listening, store: EventStore) -> None:
    settings(server.url)
    server.plan(
        {"status": 503, "headers": {"Retry-After": "1800"}}, {"status": 503, "headers": {"Retry-After": "1800"}}
    )
    sent(store)
    (paused,) = (store.folder / ".shipped").glob("*.paused")
    until = float(paused.read_text().partition("\n")[0])
    assert 1700 < until - time.time() < 1900


def test_an_event_that_is_too_large_is_passed_over_and_told(server: Listening, store: EventStore) -> None:
    settings(server.url)
    server.plan(201, 413, 201)
    one = sent(store)
    assert (one.sent, one.refused, one.left) == (2, 1, 0)
    assert one.error.startswith("it answered 413 Request Entity Too Large; raise what a request may hold")


def test_a_server_that_never_took_an_event_is_set_up_wrongly_and_nothing_is_passed_over(
    server: Listening, store: EventStore
) -> None:
    settings(server.url)
    server.plan(400, 400, 400)
    one = sent(store)
    assert (one.sent, one.refused, one.left) == (0, 0, 3)
    assert "400 Bad Request" in one.error
    assert "it has not taken an event yet" in one.error
    assert sent(store) == Shipped(f"http {server.url}", sent=3, left=0)


@pytest.mark.parametrize("more", [{}, {"compression": "gzip"}])
def test_the_largest_event_there_is_arrives_whole(server: Listening, tmp_path: Path, more: dict[str, str]) -> None:
    store = EventStore(tmp_path / "events", clock=lambda: NOW)
    facts = RunFacts(Attempt("a.t", NOW, "r"), Naming("iceberg://a", "a"))
    store.append(start_event(facts, NOW, [f"a.{number:0300}" for number in range(13_000)], ["a.t"]))
    assert store.files()[0].stat().st_size > 4_500_000
    settings(server.url, **more)
    assert sent(store).sent == 1
    assert server.taken() == stored(store)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nobody_follows_a_server_that_sends_elsewhere(server: Listening, store: EventStore, status: int) -> None:
    settings(server.url, auth={"type": "api_key", "apiKey": SECRET})
    server.plan({"status": status, "headers": {"Location": f"/login?token={SECRET}"}})
    one = sent(store)
    assert one.error.startswith(f"it answered {status} and sends on to {server.url}/login?token=***; set the address")
    assert (one.sent, one.left) == (0, 3)
    assert len(server.seen()) == 1


def test_tls_is_verified_against_the_given_authority(store: EventStore, tmp_path: Path) -> None:
    certificate = self_signed(tmp_path)
    with listening(certificate) as secure:
        settings(secure.url)
        one = sent(store)
        assert "CERTIFICATE_VERIFY_FAILED" in one.error
        assert one.left == 3
        settings(secure.url, sslContext={"caCertPath": str(certificate)})
        assert sent(store).sent == 3
        assert secure.taken() == stored(store)


def test_a_proxy_of_the_environment_is_gone_through(server: Listening, store: EventStore) -> None:
    settings("http://lineage.example")
    os.environ["HTTP_PROXY"] = server.url.replace("//", f"//ada:{SECRET}@")
    assert sent(store).sent == 3
    assert {it["path"] for it in server.seen()} == {"http://lineage.example/api/v1/lineage"}
    assert "proxy-authorization" in server.seen()[0]["headers"]


def test_a_server_that_needs_no_proxy_is_asked_itself(server: Listening, store: EventStore) -> None:
    settings(server.url)
    os.environ.update(HTTP_PROXY="http://127.0.0.1:9", NO_PROXY="127.0.0.1")
    assert sent(store).sent == 3


@pytest.mark.parametrize(
    "more",
    [
        {"auth": {"type": "api_key", "apiKey": f"{SECRET}\n"}},
        {"custom_headers": {"X-Anything": f"{SECRET}\n"}},
        {"endpoint": f"lineage?token={SECRET}", "custom_headers": {"X-Anything": SECRET}},
    ],
)
def test_what_is_secret_in_a_file_is_in_no_report_and_no_log(
    store: EventStore, more: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    whole = {"transport": {"type": "http", "url": f"http://ada:{SECRET}@127.0.0.1:9", **more}}
    Path("openlineage.yml").write_text(json.dumps(whole))
    try:
        one = sent(store)
    finally:
        Path("openlineage.yml").unlink()
    assert one.error
    assert SECRET not in str(one)
    assert caplog.records
    assert SECRET not in caplog.text
    for file in (store.folder / ".shipped").iterdir():
        assert SECRET not in file.read_text()


def test_another_key_is_the_same_destination_another_place_is_not() -> None:
    def keys(*transports: dict[str, Any]) -> list[str]:
        children = {f"t{number}": it for number, it in enumerate(transports)}
        os.environ["OPENLINEAGE__TRANSPORT"] = json.dumps(
            {"type": "composite", "transports": {**children, "off": None}}
        )
        return [it.key for it in destinations()]

    def changed(**more: Any) -> dict[str, Any]:
        inner = {"type": "http", "url": "http://a.example", **more}
        return {"type": "transform", "transformer_class": "x.Y", "transport": inner}

    first_wins = {"type": "composite", "continue_on_success": False, "transports": [changed(), changed(url="http://b")]}
    one, other, same = keys(changed(), changed(url="http://b.example"), changed(auth={"apiKey": "k"}))
    assert one == same != other
    kafka = {"type": "kafka", "topic": "t", "config": {"bootstrap.servers": "a", "sasl.password": "x"}}
    found = keys(kafka, kafka | {"config": {"bootstrap.servers": "b"}}, first_wins)
    assert len(set(found)) == 3
    assert destinations()[2].name == "composite transform http http://a.example transform http http://b"
    assert keys(kafka | {"config": {"bootstrap.servers": "a", "sasl.password": "new"}}) == found[:1]


def self_signed(folder: Path) -> Path:
    """A certificate of localhost and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    text = made.public_bytes(serialization.Encoding.PEM) + key.private_bytes(serialization.Encoding.PEM, *form)
    file = folder / "localhost.pem"
    file.write_bytes(text)
    return file
