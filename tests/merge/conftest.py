import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from governance.project import project_at
from platform_assets.engines.duckdb import DuckDb
from platform_assets.iceberg.catalog import open_catalog
from tests.platform.running import Landing, landing_project


@pytest.fixture
def landing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Landing]:
    """A project of its own, without the developer's settings."""
    for name in [name for name in os.environ if name.startswith(("PYICEBERG_", "OPENLINEAGE"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    project = project_at(tmp_path)
    with open_catalog(project) as catalog:
        yield landing_project(project, catalog, DuckDb(lambda: closing(duckdb.connect())))
