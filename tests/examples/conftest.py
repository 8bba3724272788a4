"""The example, built once for all tests of a file."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from tests.examples.example import Example, copied

OTHERS = ("OPENLINEAGE", "HEADWATER", "DAGSTER_HOME", "PYICEBERG")


@pytest.fixture(scope="module", autouse=True)
def bare() -> Iterator[None]:
    """No setting of whoever runs the tests reaches the example."""
    with pytest.MonkeyPatch.context() as patch:
        for name in tuple(os.environ):
            if name.startswith(OTHERS):
                patch.delenv(name)
        yield


@pytest.fixture(scope="module", autouse=True)
def hasty() -> Iterator[None]:
    """SQLite waits for no disk: what Dagster logs of some hundred steps here need not outlive a power cut."""

    def connected(connection: Any, _: object) -> None:
        connection.execute("pragma synchronous = off")

    event.listen(Engine, "connect", connected)
    yield
    event.remove(Engine, "connect", connected)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Example:
    """The example after its first run, called ``shop``. What a test runs again there, no other looks at."""
    example = copied(tmp_path_factory.mktemp("examples") / "shop")
    result = example.headwater("run")
    assert result.exit_code == 0, result.output
    return example._replace(said_first=result.output)


@pytest.fixture
def fresh(tmp_path: Path) -> Example:
    """A copy of the example as it lies in the checkout, not built."""
    return copied(tmp_path / "orders")
