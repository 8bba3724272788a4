import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from dagster import DagsterInstance

from tests.dagster.shop import Shop, make_shop


@pytest.fixture(autouse=True)
def without_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("OPENLINEAGE")]:
        monkeypatch.delenv(name)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return make_shop(tmp_path / "shop")


@pytest.fixture
def instance() -> Iterator[DagsterInstance]:
    with DagsterInstance.ephemeral() as fresh:
        yield fresh
