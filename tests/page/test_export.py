"""What is seen can be kept: as SVG, as PNG, and as JSON that says what the command line says."""

import json
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Browser, Page

from governance.dataset import Dataset, Field
from governance.impact import impact
from governance.page.document import document
from tests.page.made import NAMESPACE, night, shown
from tests.page.platforms import FLAT, KINDS_OF_RECORD, made_up, seeded
from tests.page.whole_page import opened, platform, ready, small

pytestmark = pytest.mark.browser

SVG = "{http://www.w3.org/2000/svg}"


def exported(page: Page, kind: str) -> tuple[str, bytes]:
    page.locator(".menu summary", has_text="Export").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=kind).click()
    page.keyboard.press("Escape")
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def test_the_picture_needs_nothing_beside_itself(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, small(), "crm.learners.email", color_scheme="dark") as page:
        name, data = exported(page, "Picture (SVG)")
        assert name == "lineage-crm.learners.email.svg"
        root = ET.fromstring(data)  # noqa: S314  written by our own page
        text = data.decode()
        style = "".join(it.text or "" for it in root.iter(f"{SVG}style"))
        assert ".field" in style
        assert "var(" not in style
        assert "http" not in text.replace("http://www.w3.org/", "")
        classes = [it.get("class", "").split() for it in root.iter(f"{SVG}g")]
        assert sum("value" in it and "field" in it for it in classes) == 3


def test_the_picture_as_pixels_is_twice_as_sharp(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, small()) as page:
        _, drawn = exported(page, "Picture (SVG)")
        name, data = exported(page, "Picture (PNG)")
        assert name == "lineage-made-up.png"
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        root = ET.fromstring(drawn)  # noqa: S314  written by our own page
        width, height = struct.unpack(">II", data[16:24])
        assert abs(width - 2 * float(root.get("width", 0))) <= 2
        assert abs(height - 2 * float(root.get("height", 0))) <= 2
        page.evaluate("(data) => { globalThis.picture = data; }", list(data))
        colours = page.evaluate(
            """async () => {
              const image = await createImageBitmap(new Blob([new Uint8Array(globalThis.picture)]));
              const canvas = new OffscreenCanvas(image.width, image.height);
              const context = canvas.getContext('2d');
              context.drawImage(image, 0, 0);
              const seen = new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer));
              return seen.size;
            }"""
        )
        assert colours > 20, "the styles are lost: it is one colour"


def test_the_data_is_the_document_and_what_is_selected(browser: Browser, tmp_path: Path) -> None:
    made = small()
    with opened(browser, tmp_path, made) as page:
        name, data = exported(page, "Data (JSON)")
        assert name == "lineage-made-up.json"
        assert json.loads(data) == {"impact": None, "document": made}


def said(answer: Mapping[str, Any]) -> dict[str, Any]:
    """What both must say alike: of equally short paths each may tell another."""
    lists = ("values", "population", "tables", "unknown")
    plain = {key: sorted(map(entry, answer[key])) for key in lists}
    rest = {key: answer[key] for key in ("start", "downstream", "kinds", "change", "statement")}
    return plain | rest


def entry(it: Mapping[str, Any]) -> tuple[Any, ...]:
    assert len(it["path"]) == it["distance"]
    how = tuple(it["edges"]), tuple(it["learned"])
    return it.get("field", ""), it["dataset"], it["namespace"], it["distance"], *how, it["stale"]


def starts(made: Mapping[str, Any]) -> Iterable[tuple[str, Dataset | Field]]:
    for table in made["datasets"]:
        dataset = Dataset(table["namespace"], table["name"])
        yield table["name"], dataset
        for field in table["fields"]:
            if not field.get("gone"):
                yield f"{table['name']}.{field['name']}", Field(dataset, field["name"])


@pytest.mark.parametrize("events", [platform(), night(1, 20), night(2, 20), made_up(seeded(3), FLAT, KINDS_OF_RECORD)])
def test_the_data_says_what_the_command_says(browser: Browser, tmp_path: Path, events: list[dict[str, Any]]) -> None:
    told = shown(events)
    made = document(told)
    assert all(table["namespace"] == NAMESPACE for table in made["datasets"])
    chosen = list(starts(made))
    with opened(browser, tmp_path, made) as page:
        for name, start in chosen[:: max(1, len(chosen) // 12)]:
            page.evaluate("(hash) => { location.hash = hash; }", quote(name, safe=""))
            ready(page)
            _, data = exported(page, "Data (JSON)")
            mine = json.loads(data)["impact"]
            assert said(mine) == said(impact(told.graph, start).as_dict()), name
