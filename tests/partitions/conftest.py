"""A project whose one table is built day by day from a source of payments; the source holds rows of four days."""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from governance.project import Project, project_at
from platform_assets.iceberg.catalog import Catalog, open_catalog
from platform_assets.iceberg.publish import replace, target
from tests.platform.conftest import engine, own_configuration
from tests.platform.settings import LINEAGE

__all__ = ["engine", "own_configuration"]

SOURCES = """
["shop.payments"]
columns.id = "bigint"
columns.country = "varchar"
columns.paid_at = "timestamp"
columns.amount = "decimal(10, 2)"
"""
COLUMNS = "\n".join(
    f'columns.{it} = {{ classification = "internal" }}' for it in ("id", "country", "paid_at", "amount")
)
METADATA = f'["shop.payments"]\n{COLUMNS}\n["mart.paid"]\n{COLUMNS}\n'
PAID = """-- description: What was paid, day by day.
-- owner: team:shop
-- partition by: day(paid_at), bucket(4, id)
-- partitions: daily from 2026-01-01
create table mart.paid as
select id, country, paid_at, amount from shop.payments where amount > 0
"""


def payments(*days: int, each: int = 3, amount: str = "1.00") -> pa.Table:
    """Return ``each`` payments of each day of January 2026, and one without a time."""
    rows = [(day * 100 + n, ("DE", "FR", None)[n % 3], datetime(2026, 1, day, n)) for day in days for n in range(each)]  # noqa: DTZ001
    rows.append((1, "DE", None))  # type: ignore[arg-type]
    return pa.table(
        {
            "id": pa.array([it[0] for it in rows], pa.int64()),
            "country": pa.array([it[1] for it in rows], pa.string()),
            "paid_at": pa.array([it[2] for it in rows], pa.timestamp("us")),
            "amount": pa.array([Decimal(amount)] * len(rows), pa.decimal128(10, 2)),
        }
    )


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def put(catalog: Catalog, data: pa.Table, name: str = "shop.payments") -> None:
    known = catalog.load_table(name) if catalog.table_exists(name) else None
    replace(catalog, target(name, known), data.to_reader(), {}, {})


def files(catalog: Catalog, name: str = "mart.paid") -> dict[str, set[str]]:
    """Return the paths of the table's files by their partition's first value."""
    found: dict[str, set[str]] = {}
    for task in catalog.load_table(name).scan().plan_files():
        found.setdefault(str(task.file.partition[0]), set()).add(task.file.file_path)
    return found


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = project_at(tmp_path)
    write(made.sources, SOURCES)
    write(made.policy[0] / "lineage.toml", LINEAGE)
    write(made.policy[0] / "metadata.toml", METADATA)
    write(made.policy[0] / "waivers.toml", "")
    write(made.pipelines[0] / "mart" / "paid.sql", PAID)
    return made


@pytest.fixture
def catalog(project: Project) -> Iterator[Catalog]:
    with open_catalog(project) as opened:
        put(opened, payments(1, 2, 3, 4))
        yield opened
