import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import Postgres, postgres_server

OTHERS = ("OPENLINEAGE", "HEADWATER", "DAGSTER_HOME", "PYICEBERG")


@pytest.fixture(scope="module", autouse=True)
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No setting of whoever runs the tests; the client itself writes to os.environ, so the whole of it is put back."""
    before, here = dict(os.environ), Path.cwd()
    for name in [name for name in before if name.startswith(OTHERS)]:
        del os.environ[name]
    settings = tmp_path_factory.mktemp("settings")
    (settings / ".pyiceberg.yaml").write_text("default-catalog: default\n", "utf-8")
    os.environ["PYICEBERG_HOME"] = str(settings)
    os.chdir(settings)
    yield
    os.chdir(here)
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with postgres_server() as running:
        yield running
