"""The page of a large platform as a browser has it: ``python -m bench.page_part EVENTS STATE PIPELINES [PARTS]``.

``EVENTS`` is a store of :mod:`bench.history_store`. Printed are the processor's seconds until what stands is read, and,
for parts around tables here and there: what making one takes, what is sent, and the wall's seconds in headless Chromium
until the graph is painted, until a click has lit what it reaches, and until a search has its answer on the screen.
"""

import gzip
import json
import shutil
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from bench.history_measure import Asked, Size, project_of, table_of
from bench.page import CLICK, PAINTED, WATCH
from platform_assets.pages.pages import Pages
from platform_assets.pages.server import application

SEARCHED = """async (typed) => {
  const begun = performance.now();
  const query = document.getElementById('query');
  query.focus();
  query.value = typed;
  query.dispatchEvent(new Event('input'));
  while (!document.querySelector('#matches [data-place]')) await new Promise((done) => requestAnimationFrame(done));
  const waits = () => document.getElementById('matches').textContent.includes('Looking among all tables');
  while (waits()) await new Promise((done) => requestAnimationFrame(done));
  return (performance.now() - begun) / 1000;
}"""


def main(events: Path, state: Path, pipelines: int, parts: int = 4) -> None:
    """Print the figures."""
    pages = Pages(project_of(Asked(events, state, Size(pipelines), 0)), None, print)
    begun = time.process_time()
    pages.made()
    print(f"to what stands and the first page {time.process_time() - begun:6.2f} s of processor")
    around = [table_of(pipelines * it // (parts + 1)) for it in range(1, parts + 1)]
    for name in around:
        _made(pages, name)
    with _served(pages) as address:
        _opened(address, around)


def _made(pages: Pages, around: str) -> None:
    taken = []
    for past in (0, 7):
        begun = time.process_time()
        made = pages.made(around, past)
        taken.append(time.process_time() - begun)
        if not past:
            page, data = made.page.encode(), made.data.encode()
    tables = json.loads(data)["part"]["tables"]
    sizes = "  ".join(
        f"{len(it) / 1e6:.1f} MB, compressed {len(gzip.compress(it, 4)) / 1e6:.2f}" for it in (page, data)
    )
    print(f"{around}: {tables} tables  {taken[0]:.2f} s of processor, of 7 days {taken[1]:.2f}  page and data {sizes}")


@contextmanager
def _served(pages: Pages) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(application(pages), log_level="warning", lifespan="off", ws="none"))
        running = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        running.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        server.should_exit = True
        running.join()


def _opened(address: str, around: list[str]) -> None:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  # may not be installed

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name in around:
            page = browser.new_page(viewport={"width": 1500, "height": 950})
            page.set_default_timeout(300_000)
            page.add_init_script(WATCH)
            page.goto(f"{address}?around={name}")
            painted = page.evaluate(PAINTED) / 1000
            page.wait_for_selector("body[data-ready]")
            clicks = [page.evaluate(CLICK, ["#graph .box, #graph .dataset", it]) for it in range(5)]
            found = page.evaluate(SEARCHED, "column_03 area_01")
            print(f"{name}: painted {painted:.2f} s  a click {max(clicks):.0f} ms at worst  a search {found:.2f} s")
            page.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:]))
