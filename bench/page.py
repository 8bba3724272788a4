"""The lineage page at size: 1,000 tables of 50 columns in 40 schemas, as one file, in headless Chromium.

Goals: the graph is painted within 2 s of opening the file, a click has lit what it reaches and is painted within 0.1 s.
Opening a schema or a table lays the page out anew, which has no goal. Times are of the wall, the best of some rounds.
"""

import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.page_document import COLUMNS, SCHEMAS, TABLES, platform
from governance.page.document import document
from governance.page.html import report_html

ROUNDS = 3
CLICKS = 12
WATCH = """new MutationObserver((_, it) => {
  if (!document.querySelector('#graph .boxes')?.firstChild) return;
  it.disconnect();
  requestAnimationFrame(() => requestAnimationFrame(() => performance.mark('graph')));
}).observe(document, {childList: true, subtree: true});"""
"""Marks the second frame after the first boxes are there: by then they are on the screen."""

PAINTED = """async () => {
  while (!performance.getEntriesByName('graph').length) await new Promise((done) => requestAnimationFrame(done));
  return performance.getEntriesByName('graph')[0].startTime;
}"""
CLICK = """async ([selector, place]) => {
  const it = document.querySelectorAll(selector)[place];
  const begun = performance.now();
  it.dispatchEvent(new MouseEvent('click', {bubbles: true}));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  return performance.now() - begun;
}"""
"""Milliseconds from a click to after the frame that shows it."""


def main() -> None:
    """Print what opening, a click, and opening a schema and a table take."""
    chromium = shutil.which("chromium")
    if chromium is None or find_spec("playwright") is None:
        print("chromium or playwright is not installed: not measured")
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lineage.html"
        file.write_text(report_html(document(platform())).text, "utf-8")
        print(
            f"{TABLES:,} tables of {COLUMNS} columns in {SCHEMAS} schemas, {file.stat().st_size / 1e6:.1f} MB of HTML"
        )
        _measure(file, chromium)


def _measure(file: Path, chromium: str) -> None:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  # may not be installed

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        opened = []
        for _ in range(ROUNDS):
            page = browser.new_page(viewport={"width": 1500, "height": 950})
            page.add_init_script(WATCH)
            page.goto(file.as_uri())
            opened.append(page.evaluate(PAINTED))
        print(f"opening the file to a painted graph  {min(opened) / 1000:6.2f} s   goal 2 s")
        schema = _timed(page, "#graph .group .head", "#graph .dataset.folded")
        print(f"opening a schema of {TABLES // SCHEMAS} tables         {schema:6.2f} s")
        table = _timed(page, "#graph .dataset.folded .head", "#graph .field")
        print(f"opening a table                      {table:6.2f} s")
        columns = page.locator("#graph .field").count()
        clicks = sorted(page.evaluate(CLICK, ["#graph .field", place % columns]) for place in range(CLICKS))
        median = clicks[CLICKS // 2]
        print(f"a click on a column, to its paint    {median:6.0f} ms  worst {clicks[-1]:.0f} ms, goal 100 ms")
        browser.close()


def _timed(page: Any, selector: str, until: str) -> float:
    """Seconds from a click on the first of ``selector`` until ``until`` is drawn."""
    return float(
        page.evaluate(
            """async ([selector, until]) => {
              const begun = performance.now();
              document.querySelector(selector).dispatchEvent(new MouseEvent('click', {bubbles: true}));
              while (!document.querySelector(until)) await new Promise((done) => requestAnimationFrame(done));
              await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
              return (performance.now() - begun) / 1000;
            }""",
            [selector, until],
        )
    )
