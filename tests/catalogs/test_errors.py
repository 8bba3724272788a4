"""Catalogs and stores that fail: what is said of it, how soon, and that no password is."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pytest

from governance.errors import CatalogError
from governance.project import Project
from platform_assets.iceberg import connect
from platform_assets.iceberg import rest as rest_module
from platform_assets.iceberg.catalog import Catalog, inventory, load, load_known, open_catalog
from platform_assets.iceberg.publish import Conflict, landed, replace, target
from tests.catalogs.conftest import SECRET, configure, s3_settings
from tests.catalogs.rest import TOKEN, Rest
from tests.postgres import Postgres, free_port

PASSWORD = "lovelace-1815"  # noqa: S105  # it opens nothing


def refused(project: Project, ask: Callable[[Catalog], object] = inventory) -> str:
    """Return what is said where the catalog is opened and asked; within seconds, and with what to do."""
    begun = time.monotonic()
    with pytest.raises(CatalogError) as caught, open_catalog(project) as catalog:
        ask(catalog)
    assert time.monotonic() - begun < 20
    assert caught.value.fix
    for secret in (PASSWORD, SECRET, TOKEN):
        assert secret not in str(caught.value)
    return str(caught.value)


def put(catalog: Catalog, run: str = "run", name: str = "s.t") -> None:
    at = target(name, load_known(catalog, [name]).get(name))
    replace(catalog, at, pa.table({"a": [1]}).to_reader(), {"openlineage.runId": run}, {})


@contextmanager
def silent() -> Iterator[int]:
    """A server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield int(listening.getsockname()[1])


@contextmanager
def answering(status: int, body: str) -> Iterator[str]:
    """An HTTP server that has one answer to everything."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body.encode())

        do_HEAD = do_PUT = do_POST = do_DELETE = do_GET  # noqa: N815  # as http.server names them

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_wrong_password_is_said_without_it(
    postgres: Postgres, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(monkeypatch, uri=postgres.uri("postgres").replace(postgres.password, PASSWORD))
    said = refused(project)
    assert "password authentication failed" in said
    assert f"postgresql+psycopg2://***@127.0.0.1:{postgres.port}/postgres" in said
    assert "PYICEBERG_CATALOG__DEFAULT" in said


def test_a_database_that_is_not_there_is_named(
    postgres: Postgres, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(monkeypatch, uri=postgres.uri("nowhere"))
    assert 'database "nowhere" does not exist' in refused(project)


def test_a_server_that_is_down_is_said(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch, uri=f"postgresql+psycopg2://ada:{PASSWORD}@127.0.0.1:{free_port()}/lake")
    assert "Connection refused" in refused(project)


def test_a_server_that_says_nothing_is_given_up(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connect.LIBPQ, "connect_timeout", "2")
    with silent() as port:
        configure(monkeypatch, uri=f"postgresql+psycopg2://ada:{PASSWORD}@127.0.0.1:{port}/lake")
        assert "timeout expired" in refused(project)


def test_a_uri_without_its_driver_is_said(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch, type="sql", uri=f"postgresql://ada:{PASSWORD}@db.example/lake")
    said = refused(project)
    assert "No module named 'psycopg'" in said
    assert "begin its URI with postgresql+psycopg2://" in said


@pytest.mark.parametrize(
    ("given", "has"),
    [
        ("", {"connect_timeout": "10", "keepalives_idle": "30", "tcp_user_timeout": "60000"}),
        ("?connect_timeout=3&sslmode=require&tcp_user_timeout=9", {"connect_timeout": "3", "tcp_user_timeout": "9"}),
    ],
)
def test_limits_of_time_are_added_to_what_is_set(given: str, has: dict[str, str]) -> None:
    settings = connect.bounded({"uri": f"postgresql+psycopg2://ada:p%40ss@db/lake{given}", "s3.connect-timeout": 1}, {})
    uri = str(settings["uri"])
    assert uri.startswith("postgresql+psycopg2://ada:p%40ss@db/lake?")
    assert all(f"{name}={value}" in uri for name, value in has.items())
    assert (settings["s3.connect-timeout"], settings["pool_pre_ping"]) == ("1", "true")


def test_libpqs_own_limit_is_left_alone() -> None:
    settings = connect.bounded({"uri": "postgresql+psycopg2://db/lake"}, {"PGCONNECT_TIMEOUT": "60"})
    assert "connect_timeout" not in str(settings["uri"])
    assert connect.bounded({"uri": "postgresql+pg8000://db/lake"}, {})["uri"] == "postgresql+pg8000://db/lake"


END = "select pg_terminate_backend(pid) from pg_stat_activity where datname = '{}'"


def test_a_connection_that_the_server_closed_meanwhile_is_made_anew(
    postgres: Postgres, project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = uuid4().hex
    configure(monkeypatch, uri=postgres.make(name), warehouse=f"file://{tmp_path}/house")
    with open_catalog(project) as catalog:
        put(catalog)
        postgres.ask("postgres", END.format(name))
        put(catalog, "again")
        postgres.ask("postgres", f'alter database "{name}" allow_connections false')
        postgres.ask("postgres", END.format(name))
        with pytest.raises(CatalogError, match="not currently accepting connections"):
            put(catalog, "third")


def test_a_token_that_is_not_valid_is_said(rest: Rest, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch, uri=rest.url, token=PASSWORD)
    assert "NotAuthorizedException: no valid token" in refused(project)


BASIC = """
catalog:
  default:
    uri: http://127.0.0.1:{port}
    auth:
      type: basic
      basic:
        username: ada
        password: {password}
"""


def test_auth_and_ssl_are_given_on_as_they_are(project: Project, tmp_path: Path) -> None:
    (tmp_path / ".pyiceberg.yaml").write_text(BASIC.format(port=free_port(), password=PASSWORD), "utf-8")
    assert "Connection refused" in refused(project)


def test_a_rest_catalog_that_says_nothing_is_given_up(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest_module, "SECONDS", (1.0, 1.0))
    with silent() as port:
        configure(monkeypatch, uri=f"http://127.0.0.1:{port}")
        assert "no answer in time" in refused(project)


@pytest.mark.parametrize(
    ("status", "said"), [(502, "it answers 502 Bad Gateway,"), (404, "it answers 404 Not Found,"), (200, "it answers,")]
)
def test_a_page_in_place_of_an_answer_is_not_repeated(
    status: int, said: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with answering(status, "<html>hush</html>") as url:
        configure(monkeypatch, uri=url)
        told = refused(project)
    assert f"cannot be used: {said} and not as an Iceberg REST catalog does" in told
    assert "html" not in told


@pytest.mark.parametrize("answer", [500, 504, None])
def test_a_commit_that_a_server_did_not_answer_is_found(
    rest: Rest, project: Project, monkeypatch: pytest.MonkeyPatch, answer: int | None
) -> None:
    configure(monkeypatch, uri=rest.url, token=TOKEN)
    monkeypatch.setattr(rest_module, "SECONDS", (2.0, 2.0))
    with open_catalog(project) as catalog:
        put(catalog, "one")
        rest.lost.append(answer)
        with pytest.raises(CatalogError) as caught:
            put(catalog, "two")
        assert not isinstance(caught.value, Conflict)
        found = landed(catalog, "s.t", "two", "OVERWRITE")
        assert found is not None
        assert load(catalog, "s.t").scan().to_arrow().num_rows == 1


DENIED = "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
ASKED: tuple[Callable[[Catalog], object], ...] = (
    lambda catalog: load(catalog, "s.t"),
    lambda catalog: put(catalog, name="s.u"),
)


@pytest.fixture
def lake(s3: str, bucket: Any, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalog whose warehouse is on S3, with one table."""
    configure(monkeypatch, uri=f"sqlite:///{tmp_path}/lake.db", **s3_settings(s3, bucket))
    with open_catalog(project) as catalog:
        put(catalog)


@pytest.mark.usefixtures("lake")
@pytest.mark.parametrize("ask", ASKED, ids=["reading", "writing"])
def test_a_store_that_denies_or_does_not_answer_is_said(
    project: Project, monkeypatch: pytest.MonkeyPatch, ask: Callable[[Catalog], object]
) -> None:
    said = "the storage of the catalog 'default' cannot be used: "
    with answering(403, DENIED) as url:
        configure(monkeypatch, s3__endpoint=url)
        assert f"{said}ACCESS_DENIED" in refused(project, ask)
    with answering(503, "<Error><Code>SlowDown</Code></Error>") as url:
        configure(monkeypatch, s3__endpoint=url)
        told = refused(project, ask)
        assert told.startswith((f"{said}it answers 503 Service Unavailable;", f"{said}SLOW_DOWN;"))
        assert "it is too busy or down: run it again later" in told
    configure(monkeypatch, s3__endpoint=f"http://127.0.0.1:{free_port()}")
    assert f"{said}NETWORK_CONNECTION" in refused(project, ask)


@pytest.mark.usefixtures("lake")
def test_a_store_that_says_nothing_is_given_up(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 3 * float(connect.STORE["s3.request-timeout"]) <= 30
    monkeypatch.setattr(connect, "STORE", {"s3.connect-timeout": "1", "s3.request-timeout": "1"})
    with silent() as port:
        configure(monkeypatch, s3__endpoint=f"http://127.0.0.1:{port}")
        assert "NETWORK_CONNECTION" in refused(project, ASKED[0])


@pytest.mark.usefixtures("lake")
def test_what_is_no_store_is_said_and_not_the_catalog(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(404, "<html>nothing here</html>") as url:
        configure(monkeypatch, s3__endpoint=url)
        read, written = (refused(project, ask) for ask in ASKED)
    assert "the storage of the catalog 'default' does not have lake-" in read
    assert "s3.endpoint" in read
    assert "the storage of the catalog 'default' cannot be used: RESOURCE_NOT_FOUND" in written
