"""A store that cannot be reached, refuses, or is slow: said in bounded time, and never fewer events."""

import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from governance.errors import EventStoreError
from governance.events.shared import bucket as bucket_module
from governance.events.shared.bucket import Bucket, open_bucket
from governance.events.shared.store import SharedEventStore
from tests.shared_store.runs import SECRET, fail, start

Host = Callable[[str], SharedEventStore]


def at(tmp_path: Path, address: str) -> SharedEventStore:
    return SharedEventStore(tmp_path / "mirror", bucket=open_bucket(address))


@pytest.fixture
def hanging() -> Iterator[str]:
    """A server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def refused(store: SharedEventStore) -> tuple[str, ...]:
    said = []
    for ask in (store.read, store.refresh, lambda: store.append(start(1)), lambda: store.end(fail(1))):
        with pytest.raises(EventStoreError) as caught:
            ask()
        assert caught.value.fix
        assert SECRET not in str(caught.value)
        said.append(str(caught.value))
    return tuple(said)


def test_a_store_that_is_down_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        dead = f"http://127.0.0.1:{listening.getsockname()[1]}"
    monkeypatch.setenv("AWS_ENDPOINT_URL", dead)
    began = time.monotonic()
    said = refused(at(tmp_path, "s3://lake/x"))
    assert time.monotonic() - began < 20
    assert all("the event store s3://lake/x cannot be" in it for it in said)
    page = (Path(__file__).parents[2] / "docs/events.md").read_text()
    assert f"Error: {said[0]}".replace("lake/x", "acme-lineage/platform") in page.splitlines()


def test_a_store_that_hangs_is_given_up(tmp_path: Path, hanging: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", hanging)
    monkeypatch.setattr(bucket_module, "_PATIENCE", bucket_module._PATIENCE | {"timeout": timedelta(seconds=0.5)})
    monkeypatch.setattr(bucket_module, "_AGAIN", bucket_module._AGAIN | {"max_retries": 1})
    bucket_module._opened.cache_clear()
    began = time.monotonic()
    refused(at(tmp_path, "s3://lake/x"))
    assert time.monotonic() - began < 30
    bucket_module._opened.cache_clear()


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:
    """A server that has one answer to everything."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_PUT = do_POST = do_DELETE = do_GET  # noqa: N815  # as http.server names them

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


DENIED = b"<Error><Code>AccessDenied</Code></Error>"


@pytest.mark.parametrize("ask", [lambda it: list(it.pages("events")), lambda it: it.put("a", b"")], ids=["list", "put"])
@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (403, DENIED, "access is refused; see that the credentials are right"),
        (401, b"", "access is refused; see that the credentials are right"),
        (404, b"<html>hush</html>", "it answers 404 Not Found, as what is no store does; correct AWS_ENDPOINT_URL"),
    ],
)
def test_a_store_that_denies_everything_or_is_none_is_told(
    status: int, body: bytes, said: str, ask: Callable[[Bucket], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    with answering(status, body) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        with pytest.raises(EventStoreError) as caught:
            ask(open_bucket("s3://lake/x"))
    assert said in str(caught.value)
    assert "hush" not in str(caught.value)


def test_a_bucket_that_is_not_there_says_so(tmp_path: Path) -> None:
    said = refused(at(tmp_path, "s3://nowhere/x"))
    assert all("the bucket is not there; create it, or correct the address" in it for it in said)


def test_without_credentials_it_says_what_to_set(tmp_path: Path) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        del os.environ[name]
    with socket.create_server(("127.0.0.1", 0)) as listening:
        os.environ["AWS_METADATA_ENDPOINT"] = f"http://127.0.0.1:{listening.getsockname()[1]}"
    said = refused(at(tmp_path, "s3://lake/x"))
    assert "AWS_ACCESS_KEY_ID" in said[0]


@pytest.mark.parametrize("ignored", ["create", "replace"])
def test_a_server_that_ignores_conditions_is_refused(host: Host, ignored: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def put(bucket: Bucket, name: str, data: bytes, *_: object) -> bool:
        bucket.put(name, data)
        return True

    monkeypatch.setattr(Bucket, ignored, put)
    with pytest.raises(EventStoreError, match="does not keep the conditions of a put") as caught:
        host("a").begin(start(1))
    assert "If-None-Match" in caught.value.fix
    assert not list(host("a").bucket.pages("events"))


def test_the_library_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    bucket_module._opened.cache_clear()
    with pytest.raises(EventStoreError, match=r"pip install 'headwater\[shared\]'"):
        open_bucket("s3://lake/without-library")


def test_a_store_that_goes_away_gives_no_partial_answer(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    store = host("a")
    for number in range(3):
        store.begin(start(number))
    get, asked = Bucket.get, iter(range(2))

    def goes(bucket: Bucket, name: str) -> object:
        if next(asked, None) is None:
            raise EventStoreError("no answer")
        return get(bucket, name)

    monkeypatch.setattr(Bucket, "get", goes)
    with pytest.raises(EventStoreError, match="no answer"):
        store.read()
    monkeypatch.undo()
    assert len(store.read().events) == 3


def test_a_slow_store_is_waited_for(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    store = host("a")
    for number in range(40):
        store.begin(start(number))
    get, most, now, lock = Bucket.get, [0], [0], threading.Lock()

    def slow(bucket: Bucket, name: str) -> object:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.05)
        with lock:
            now[0] -= 1
        return get(bucket, name)

    monkeypatch.setattr(Bucket, "get", slow)
    assert len(store.read().events) == 40
    # many are asked for at a time, and not all
    assert 4 < most[0] <= 16
