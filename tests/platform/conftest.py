from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from governance.project import Project, project_at
from platform_assets.catalog import Catalog, open_catalog
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Engine


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return project_at(tmp_path)


@pytest.fixture
def catalog(project: Project) -> Iterator[Catalog]:
    with open_catalog(project) as opened:
        yield opened


@pytest.fixture
def engine() -> Engine:
    return DuckDb(lambda: closing(duckdb.connect()))
