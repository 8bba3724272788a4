"""HEADWATER_MEMORY bounds what the engine holds."""

from pathlib import Path

import pytest

from governance.errors import HeadwaterError
from governance.project import find_project
from platform_assets.assets.factory import duckdb_resource


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "platform_assets").mkdir()
    return str(tmp_path)


def test_the_engine_is_told_its_bound(root: str) -> None:
    project = find_project({"HEADWATER_ROOT": root, "HEADWATER_MEMORY": "300MB"})

    with duckdb_resource(project).get_connection() as connection:
        assert connection.execute("select current_setting('memory_limit')").fetchall() == [("286.1 MiB",)]


def test_without_a_bound_the_engine_has_its_own(root: str) -> None:
    assert find_project({"HEADWATER_ROOT": root, "HEADWATER_MEMORY": ""}).memory is None


def test_what_is_no_size_is_refused(root: str) -> None:
    with pytest.raises(HeadwaterError, match=r"HEADWATER_MEMORY is 'much'.*write 1GB"):
        find_project({"HEADWATER_ROOT": root, "HEADWATER_MEMORY": "much"})
