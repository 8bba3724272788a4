"""A real Chromium, one for all tests here: to start it takes as long as a file of them.

It ends where tests of another folder begin, for the loop of its driver would be in their way.
"""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

expect.set_options(timeout=300_000)  # what does not come, on however busy a machine


@pytest.fixture(scope="package")
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
