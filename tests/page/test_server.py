"""The page over HTTP: read-only, closed to foreign names, made anew when something changed, errors as pages."""

import asyncio
import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from starlette.applications import Starlette

from governance.errors import HeadwaterError
from governance.page import html
from governance.page.reports import keep_report
from governance.project import Project, project_at
from platform_assets.pages.pages import Pages
from platform_assets.pages.server import application, serve
from tests.page.made import NOW, event, static, table

CHECKOUT = Path(__file__).parents[2]
POLICY = """
order = ["public", "internal", "personal"]
propagate_through = ["DIRECT", "INDIRECT"]
masking_functions = []
namespace = "iceberg://platform"
job_namespace = "headwater"

[ui]
page = "https://lineage.example.com"
"""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


def ask(
    app: Starlette, path: str, method: str = "GET", host: str = "127.0.0.1:3001", query: str = "", **headers: str
) -> Answer:
    """Ask the application as a server would, without one."""
    sent: list[dict] = []
    named = {"host": host, **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in named.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 3001),
    }

    async def receive() -> dict:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict) -> None:
        sent.append(message)

    # in a thread of its own: that of a test which drives a browser has a loop already
    with ThreadPoolExecutor(1) as own:
        own.submit(lambda: asyncio.run(app(scope, receive, send))).result()
    start, *bodies = sent
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], headers, b"".join(it.get("body", b"") for it in bodies))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(html, "STATIC", static(tmp_path / "static"))
    made = project_at(tmp_path / "project")
    for file, text in {
        "governance/lineage.toml": POLICY,
        "governance/metadata.toml": "",
        "platform_assets/sources.toml": "",
        ".headwater/events/events-2026-11-01.ndjson": json.dumps(COPY) + "\n",
    }.items():
        path = made.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (made.root / "platform_assets" / "pipelines").mkdir()
    return made


COPY = event("a.a", writes=[table("a.a", {"x": ["b.b.x IDENTITY"]})])


@pytest.fixture
def pages(project: Project) -> Pages:
    return Pages(project, None, print)


@pytest.fixture
def app(pages: Pages) -> Starlette:
    return application(pages, ("Lineage.example.com",))


def test_the_page_and_its_document_are_of_the_store(app: Starlette) -> None:
    page, data = ask(app, "/"), ask(app, "/document.json")
    assert (page.status, data.status) == (200, 200)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert 'name="headwater-served"' in page.body.decode()
    found = json.loads(data.body)
    assert [it["name"] for it in found["datasets"]] == ["a.a", "b.b"]
    assert found["state"] == json.loads(ask(app, "/version").body)["state"]


def test_it_is_made_anew_when_the_store_grew_and_not_before(app: Starlette, project: Project) -> None:
    first = ask(app, "/version").body
    assert ask(app, "/version").body == first
    more = event("c.c", "2026-11-02T02:00:00Z", writes=[table("c.c", {"x": ["a.a.x IDENTITY"]})])
    (project.events / "events-2026-11-02.ndjson").write_text(json.dumps(more) + "\n")
    assert ask(app, "/version").body != first
    assert len(json.loads(ask(app, "/document.json").body)["runs"]) == 2


def test_a_page_that_the_browser_has_is_not_sent_again(app: Starlette) -> None:
    first = ask(app, "/")
    again = ask(app, "/", if_none_match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert ask(app, "/document.json").headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize("path", ["/", "/document.json", "/version", "/reports/"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_it_only_reads(app: Starlette, path: str, method: str) -> None:
    answer = ask(app, path, method)
    assert answer.status == 405
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD"}


def test_head_is_get_without_the_body(app: Starlette) -> None:
    assert ask(app, "/", "HEAD").status == 200


@pytest.mark.parametrize("path", ["/", "/document.json", "/version", "/reports/", "/nothing", "/reports/nothing"])
def test_every_answer_says_what_a_browser_may_do_with_it(app: Starlette, path: str) -> None:
    headers = ask(app, path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


def test_the_pages_policy_is_a_header_too_and_no_site_may_frame_it(app: Starlette) -> None:
    page = ask(app, "/")
    in_page = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page.body.decode())
    assert page.headers["content-security-policy"] == f"{in_page[0]}; frame-ancestors 'none'"


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:3001",
        "[::1]:3001",
        "localhost:3001",
        "page.localhost",
        "10.1.2.3",
        "lineage.example.com",
    ],
)
def test_it_answers_to_addresses_and_its_own_names(app: Starlette, host: str) -> None:
    assert ask(app, "/version", host=host).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example.com", "localhost.evil.example.com", "127.0.0.1.evil.com", "", "[", "a@b@c"]
)
def test_a_foreign_name_that_was_made_to_resolve_here_is_refused(app: Starlette, host: str) -> None:
    answer = ask(app, "/", host=host)
    assert answer.status == 421
    assert b"a.a" not in answer.body


def test_it_is_compressed_for_who_can_read_that(app: Starlette) -> None:
    answer = ask(app, "/", accept_encoding="gzip")
    assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(answer.body) == ask(app, "/").body


def test_kept_reports_are_listed_and_shown_and_nothing_else_of_the_disk(app: Starlette, project: Project) -> None:
    kept = keep_report(project.state, "<p>kept</p>", NOW, 50)
    (kept.parent / "secret.html").write_text("no")
    assert f'<a href="{kept.name}">' in ask(app, "/reports/").body.decode()
    assert "secret" not in ask(app, "/reports/").body.decode()
    assert ask(app, f"/reports/{kept.name}").body == b"<p>kept</p>"
    for path in ("/reports/secret.html", "/reports/..", "/reports/../catalog.json", "/reports/%2e%2e%2fcatalog.json"):
        assert ask(app, path).status == 404


def test_a_broken_policy_is_a_page_that_says_what_where_and_what_to_do(app: Starlette, project: Project) -> None:
    (project.root / "governance/lineage.toml").write_text(f"{POLICY}\nreports = '<script>alert(1)</script>'\n")
    answer = ask(app, "/")
    text = answer.body.decode()
    assert answer.status == 500
    assert "governance/lineage.toml: ui.reports" in text
    assert "write reports = 50" in text
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    (project.root / "governance/lineage.toml").write_text(POLICY)
    assert ask(app, "/").status == 200


def test_a_store_that_is_a_file_is_a_page_too(project: Project) -> None:
    for file in project.events.iterdir():
        file.unlink()
    project.events.rmdir()
    project.events.write_text("")
    assert "is a file, not a folder" in ask(application(Pages(project, None, print)), "/").body.decode()


def test_events_of_another_place_are_shown_alone(project: Project, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.ndjson"
    elsewhere.write_text(json.dumps(event("z.z", writes=[table("z.z", {"x": []})])) + "\n")
    found = json.loads(ask(application(Pages(project, elsewhere, print)), "/document.json").body)
    assert [it["name"] for it in found["datasets"]] == ["z.z"]


def test_what_cannot_be_read_is_said_once(project: Project) -> None:
    broken = project.events / "events-2026-11-03.ndjson"
    broken.write_text("not an event\n")
    said: list[str] = []
    pages = Pages(project, None, said.append)
    pages.made()
    broken.write_text("not an event\n\n")
    pages.made()
    assert len(said) == 1
    assert said[0].startswith("warning: events-2026-11-03.ndjson")


def test_a_taken_port_and_a_foreign_address_are_said_in_words(project: Project) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(HeadwaterError, match=f"port {port} of 127.0.0.1 is in use"):
            serve(project, None, "127.0.0.1", port, str)
    with pytest.raises(HeadwaterError, match="choose another with --port"):
        serve(project, None, "192.0.2.1", 3001, str)


def test_the_command_serves_and_ends_at_once_when_told_to(project: Project) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    env = os.environ | {"HEADWATER_ROOT": str(project.root), "HEADWATER_STATE": str(project.state)}
    command = [Path(sys.executable).with_name("headwater"), "ui", "--port", str(port)]
    started = subprocess.Popen(command, env=env, cwd=CHECKOUT, stderr=subprocess.PIPE, text=True)
    try:
        assert until_it_answers(f"http://127.0.0.1:{port}/version")
        told = time.monotonic()
        started.send_signal(signal.SIGTERM)
        _, said = started.communicate(timeout=600)
        assert time.monotonic() - told < 60  # not until whoever looks at it goes away
        assert said == f"The lineage page is at http://127.0.0.1:{port}\n"
    finally:
        started.kill()
        started.wait()


def until_it_answers(url: str) -> bool:
    for _ in range(3000):
        try:
            with urlopen(url, timeout=5) as answer:  # noqa: S310  our own server
                return bool(answer.status == 200)
        except URLError:
            time.sleep(0.1)
    return False
