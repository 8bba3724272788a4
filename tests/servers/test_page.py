"""``docs/servers.md``: every block of settings is read as it stands there, and sends where the server listens."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
import yaml
from openlineage.client.transport.http import HttpTransport

from governance.events.destination import Destination, destinations

PAGE = (Path(__file__).parents[2] / "docs" / "servers.md").read_text("utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
PLACES = {
    "marquez.example": "https://marquez.example/api/v1/lineage",
    "datahub.example": "https://datahub.example:8080/openapi/openlineage/api/v1/lineage",
    "openmetadata.example": "https://openmetadata.example/api/v1/openlineage/lineage",
}


@pytest.fixture(autouse=True)
def own_file(tmp_path: Path) -> Iterator[None]:
    before, here = dict(os.environ), Path.cwd()
    os.chdir(tmp_path)
    yield
    os.chdir(here)
    os.environ.clear()
    os.environ.update(before)


def named(block: str) -> tuple[Destination, ...]:
    Path("openlineage.yml").write_text(block.replace("…", "t0ken-of-nobody"))
    return destinations()


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_names_destinations_that_can_be_told_apart(block: str) -> None:
    found = named(block)
    assert found
    assert len({it.key for it in found}) == len(found)
    for one in found:
        assert "t0ken-of-nobody" not in one.name
        if one.settings["type"] == "http":
            transport = one.open()
            assert isinstance(transport, HttpTransport)
            host = transport.url.split("/")[2].partition(":")[0]
            assert urljoin(transport.url, transport.endpoint) == PLACES[host]
            transport.close()


def test_the_variables_of_the_page_say_what_its_first_blocks_say() -> None:
    variables = dict(re.findall(r"`(OPENLINEAGE__TRANSPORT__\w+)=(.+?)`", PAGE))
    assert variables.keys() == {f"OPENLINEAGE__TRANSPORT__{it}" for it in ("TYPE", "URL", "AUTH")}
    os.environ.update(variables | {"OPENLINEAGE__TRANSPORT__URL": "https://datahub.example"})
    (one,) = destinations()
    assert one.name == "http https://datahub.example"
    assert one.settings["auth"] == json.loads(variables["OPENLINEAGE__TRANSPORT__AUTH"])


def test_every_block_is_whole() -> None:
    assert len(BLOCKS) == 6
    assert all(yaml.safe_load(block).keys() == {"transport"} for block in BLOCKS)
