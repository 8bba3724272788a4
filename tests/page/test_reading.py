"""A long store is read as the server starts; who comes before that is done is told so, and then shown the page."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from governance import followed as followed_store
from governance.events.compact import compact
from governance.events.store import EventStore
from governance.page import html
from governance.project import Project
from platform_assets.pages import pages as pages_module
from platform_assets.pages import server
from platform_assets.pages import source as page_source
from platform_assets.pages.pages import Pages
from platform_assets.pages.server import application
from platform_assets.pages.source import Source
from platform_assets.pages.waiting import POLICY
from tests.page.made import NOW
from tests.page.test_part import chain, copy, few, written
from tests.page.test_server import ask, project

__all__ = ["few", "project"]
STATIC = html.STATIC


@dataclass(slots=True)
class Held:
    """Readings that wait until they are let go, and how many there were."""

    let: threading.Event = field(default_factory=threading.Event)
    count: int = 0

    def read(self, *asked: object) -> Source:
        self.count += 1
        assert self.let.wait(60)
        return page_source.page_source(*asked)  # type: ignore[arg-type]  # handed on


@pytest.fixture
def held(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """The project's store, to be read only when it is let go; nobody waits for long."""
    found = Held()
    monkeypatch.setattr(pages_module, "page_source", found.read)
    monkeypatch.setattr(server, "PATIENCE", 0.01)
    monkeypatch.setattr(followed_store, "LONG", 0)
    assert project
    yield found
    found.let.set()


def test_a_page_that_takes_long_says_so_and_is_read_once(project: Project, held: Held) -> None:
    pages = Pages(project, None, print)
    pages.begin()
    app = application(pages)
    for _ in range(2):
        answer = ask(app, "/")
        assert (answer.status, answer.headers["retry-after"]) == (503, "2")
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["content-security-policy"].startswith(POLICY)
        assert "Reading the events" in answer.body.decode()
    assert ask(app, "/", "HEAD").status == 503
    held.let.set()
    assert b"a.a" in ask(app, "/document.json").body
    assert ask(app, "/").status == 200
    assert held.count == 1


def test_what_is_small_is_waited_for(project: Project, held: Held, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed_store, "LONG", 8_000_000)
    threading.Timer(0.2, held.let.set).start()
    assert ask(application(Pages(project, None, print)), "/").status == 200


@pytest.mark.usefixtures("held")
def test_it_is_said_how_much_there_is(project: Project) -> None:
    written(project, [*chain(), copy("s.t9", "s.t8", at="2026-11-02T02:00:00Z")])
    compact(EventStore(project.events, clock=lambda: NOW + timedelta(days=9)), retention=timedelta(0))
    answer = ask(application(Pages(project, None, print)), "/")
    assert "10 events of 2 days stand compacted here." in answer.body.decode()


def test_what_is_wrong_is_told_to_whoever_asks_and_not_to_who_starts(project: Project, held: Held) -> None:
    held.let.set()
    (project.root / "governance/lineage.toml").write_text("order = 1")
    pages = Pages(project, None, print)
    pages.begin()
    assert pages._renewing
    pages._renewing.join(60)
    assert ask(application(pages), "/document.json").status == 500


@pytest.mark.browser
@pytest.mark.parametrize("checked", [True, False])
def test_the_page_appears_by_itself_at_the_place_that_was_asked_for(
    browser: Browser, project: Project, held: Held, monkeypatch: pytest.MonkeyPatch, *, checked: bool
) -> None:
    monkeypatch.setattr(html, "STATIC", STATIC)
    app = application(Pages(project, None, print))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        running = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", ws="none"))
        serving = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        serving.start()
        context = browser.new_context(color_scheme="dark", bypass_csp=checked)
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{listening.getsockname()[1]}/#a.a.x")
        expect(page.get_by_role("heading")).to_have_text("Reading the events")
        # axe's own script is none that the page allows
        assert not checked or Axe().run(page).response["violations"] == []
        held.let.set()
        page.wait_for_selector("body[data-ready]", timeout=300_000)
        assert page.evaluate("location.hash") == "#a.a.x"
        expect(page.locator("#details h2.subject")).to_have_text("x")
        context.close()
        running.should_exit = True
        serving.join(60)
