"""The Content-Security-Policy in a real browser: what the page needs works, and nothing else does."""

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser

from governance.page import html
from governance.page.html import report_html
from governance.project import Project
from platform_assets.pages.server import Pages, application
from tests.page.made import static
from tests.page.test_server import project

__all__ = ["project"]

pytestmark = pytest.mark.browser

APP = """
const said = {};
const tried = async (name, what) => {
  try { said[name] = await what(); } catch (error) { said[name] = 'refused'; }
};
const worker = () => new Promise((answer, refuse) => {
  const made = new Worker(URL.createObjectURL(new Blob([document.getElementById('elk').textContent])));
  made.onmessage = (message) => answer(message.data);
  made.onerror = refuse;
  made.postMessage(1);
});
const picture = () => new Promise((answer, refuse) => {
  const image = new Image();
  image.onload = () => answer('shown');
  image.onerror = refuse;
  const drawn = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';
  image.src = URL.createObjectURL(new Blob([drawn], {type: 'image/svg+xml'}));
});
const foreign = () => new Promise((answer, refuse) => {
  const image = new Image();
  image.onload = image.onerror = refuse;
  setTimeout(() => answer('loads'), 2000);
  document.addEventListener('securitypolicyviolation', () => answer('blocked'));
  image.src = 'http://127.0.0.1:9/pixel.png';
});
await_all();
async function await_all() {
  await tried('worker', worker);
  await tried('picture', picture);
  await tried('foreign', foreign);
  await tried('version', async () => (await fetch('version')).status);
  await tried('elsewhere', async () => (await fetch('http://127.0.0.1:9/')).status);
  await tried('eval', async () => new Function('return 1')());
  const main = document.querySelector('main');
  main.setAttribute('style', 'color: rgb(1, 2, 3)');
  said.attribute = getComputedStyle(main).color === 'rgb(1, 2, 3)' ? 'styled' : 'refused';
  main.style.color = 'rgb(4, 5, 6)';
  said.property = getComputedStyle(main).color === 'rgb(4, 5, 6)' ? 'styled' : 'refused';
  main.textContent = JSON.stringify(said);
  main.id = 'done';
}
"""
ALLOWED = {
    "worker": 2,
    "picture": "shown",
    "foreign": "blocked",
    "elsewhere": "refused",
    "eval": "refused",
    "attribute": "refused",
    "property": "styled",
}


@pytest.fixture(autouse=True)
def tries(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001  its own give way
    folder = static(tmp_path / "tries")
    (folder / "app/app.js").write_text(APP)
    (folder / "vendor/elk-worker.min.js").write_text("self.onmessage = (message) => postMessage(message.data + 1);\n")
    monkeypatch.setattr(html, "STATIC", folder)


def said(browser: Browser, address: str) -> dict[str, object]:
    page = browser.new_page()
    page.goto(address)
    text = page.locator("#done").text_content(timeout=300_000)
    page.close()
    found: dict[str, object] = json.loads(text or "")
    return found


def test_the_file_works_and_connects_to_nothing(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(report_html({}).text)
    assert said(browser, file.as_uri()) == ALLOWED | {"version": "refused"}


@pytest.fixture
def address(project: Project) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        app = application(Pages(project, None, print))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        server.should_exit = True
        thread.join()


def test_the_served_page_may_ask_its_server_and_nobody_else(browser: Browser, address: str) -> None:
    assert said(browser, address) == ALLOWED | {"version": 200}
