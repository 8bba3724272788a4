"""The catalog's current snapshots, from a real catalog and past what only rearranges files."""

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation, Summary

from governance.errors import CatalogError
from platform_assets.iceberg.catalog import RUN_ID, Catalog
from platform_assets.iceberg.heads import _written, head_of, loadable

ROWS = pa.table({"a": [1, 2]})


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    made = load_catalog("t", type="sql", uri=f"sqlite:///{tmp_path / 'c.db'}", warehouse=str(tmp_path / "w"))
    made.create_namespace("w")
    return made


def test_the_current_snapshot_its_time_and_its_run(catalog: Catalog) -> None:
    table = catalog.create_table("w.t", ROWS.schema)
    table.append(ROWS)
    table.append(ROWS, snapshot_properties={RUN_ID: "r"})
    catalog.create_table("w.empty", ROWS.schema)

    tables = loadable(catalog, ["w.t", "w.empty", "w.none"])

    assert list(tables) == ["w.empty", "w.t"]
    assert isinstance(tables["w.empty"], Table)
    assert head_of(tables["w.empty"]) is None
    assert isinstance(tables["w.t"], Table)
    found = head_of(tables["w.t"])
    assert found is not None
    current = table.current_snapshot()
    assert current is not None
    assert (found.snapshot, found.run_id) == (str(current.snapshot_id), "r")
    assert abs((found.at - datetime.now(UTC)).total_seconds()) < 60


def test_a_table_whose_metadata_is_lost_hides_no_other(catalog: Catalog, tmp_path: Path) -> None:
    for name in ("w.lost", "w.there"):
        catalog.create_table(name, ROWS.schema).append(ROWS)
    for file in (tmp_path / "w" / "w" / "lost" / "metadata").glob("*.json"):
        file.unlink()

    found = loadable(catalog, ["w.lost", "w.there"])

    assert list(found) == ["w.lost", "w.there"]
    assert isinstance(found["w.lost"], CatalogError)
    assert "w.lost" in str(found["w.lost"])
    assert isinstance(found["w.there"], Table)


def test_a_snapshot_that_only_rearranges_files_is_passed_over() -> None:
    def snapshot(number: int, operation: Operation) -> SimpleNamespace:
        return SimpleNamespace(snapshot_id=number, parent_snapshot_id=number - 1 or None, summary=Summary(operation))

    all_of_them: dict[int, Any] = {
        1: snapshot(1, Operation.REPLACE),
        2: snapshot(2, Operation.APPEND),
        3: snapshot(3, Operation.REPLACE),
        4: snapshot(4, Operation.REPLACE),
    }

    def table(current: int) -> Any:
        return SimpleNamespace(current_snapshot=lambda: all_of_them[current], snapshot_by_id=all_of_them.get)

    assert _written(table(4)) is all_of_them[2]
    assert _written(table(2)) is all_of_them[2]
    assert _written(table(1)) is None
