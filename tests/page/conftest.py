"""A real Chromium, one for each module of tests that drive it.

One for all would stay while tests run that begin loops of their own, as Dagster does, and the driver's is in their way.
"""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from platform_assets.pages import server

expect.set_options(timeout=300_000)  # what does not come, on however busy a machine


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None and not os.environ.get("CI"):
        pytest.skip("no chromium on this machine: apt-get install chromium")
    assert chromium, "CI needs Debian's chromium"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        yield started
        started.close()


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine takes its time over a small store, too, and who asks is not told to wait."""
    monkeypatch.setattr(server, "PATIENCE", 120.0)
