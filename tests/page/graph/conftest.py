"""A page with nothing but the graph, loaded once for each module of tests."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.page.graph.drawn import Document, Shows, change, platform
from tests.page.graph_page import write_page


@pytest.fixture(scope="module")
def loaded(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1400, "height": 900})
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(write_page(tmp_path_factory.mktemp("graph"), platform()))
    opened.wait_for_selector("body[data-ready]")
    yield opened
    opened.close()
    assert complaints == []


@pytest.fixture
def shows(loaded: Page) -> Shows:
    """Show a document as it opens, or as a changed state has it."""

    def show(made: Document, **state: Any) -> Page:
        loaded.evaluate("raw => lab.open(raw)", made)
        if state:
            change(loaded, **state)
        return loaded

    return show


@pytest.fixture
def page(shows: Shows) -> Page:
    return shows(platform())
