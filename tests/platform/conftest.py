import os
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from governance.events.store import EventStore
from governance.policy import load_policy, load_sources
from governance.project import Project, project_at
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Engine
from platform_assets.iceberg.catalog import Catalog, open_catalog
from platform_assets.iceberg.publish import replace, target
from platform_assets.runs.run import Platform
from tests.platform.settings import LINEAGE


@pytest.fixture(autouse=True)
def own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the developer's own pyiceberg and OpenLineage settings out."""
    settings = tmp_path / "settings"
    settings.mkdir()
    (settings / ".pyiceberg.yaml").write_text("default-catalog: default\n", "utf-8")
    for name in [name for name in os.environ if name.startswith(("PYICEBERG_", "OPENLINEAGE"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYICEBERG_HOME", str(settings))
    monkeypatch.chdir(settings)


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


SOURCES = """
["crm.people"]
columns.id = "bigint"
columns.name = "varchar"
columns.mail = "varchar"
columns.agreed = "boolean"

["shop.orders"]
columns.id = "bigint"
columns.person = "bigint"
columns.paid = "decimal(10, 2)"
columns.at = "timestamp"
"""
METADATA = """
["crm.people"]
owner = "team:crm"
columns.mail = { classification = "personal", description = "Where to write to." }

["mart.buyers"]
owner = "team:shop"
description = "Who bought."
columns.mail = { classification = "personal", description = "Where to write to." }
"""
BUYERS = """-- description: Who bought, and for how much.
-- owner: team:shop
-- grain: id
-- tags: nightly
-- freshness: 26 hours
-- automation: eager

create table mart.buyers as
select p.id, p.name, p.mail, sum(o.paid) as paid
from crm.people p
join shop.orders o on o.person = p.id
where p.agreed
group by all
"""
DAYS = """-- automation: 0 6 * * *
create table if not exists mart.days (day date, paid double);

insert into mart.days
select cast(o.at as date), sum(o.paid)
from shop.orders o
where cast(o.at as date) > (select coalesce(max(d.day), date '1970-01-01') from mart.days d)
group by 1
"""
PEOPLE = pa.table(
    {
        "id": [1, 2, 3],
        "name": ["Ada", "Bo", "Cy"],
        "mail": ["ada@example.com", "bo@example.com", "cy@example.com"],
        "agreed": [True, True, False],
    }
)
ORDERS = pa.table(
    {
        "id": [1, 2, 3],
        "person": [1, 1, 3],
        "paid": pa.array([Decimal("5.00"), Decimal("2.50"), Decimal("9.99")], pa.decimal128(10, 2)),
        "at": [datetime(2026, 10, day, 12, tzinfo=UTC).replace(tzinfo=None) for day in (1, 1, 2)],
    }
)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.fixture
def shop(project: Project, catalog: Catalog) -> Project:
    """A project of its own with two sources and two pipelines; the sources hold rows."""
    write(project.sources, SOURCES)
    write(project.policy[0] / "lineage.toml", LINEAGE)
    write(project.policy[0] / "metadata.toml", METADATA)
    write(project.policy[0] / "waivers.toml", "")
    write(project.pipelines[0] / "mart" / "buyers.sql", BUYERS)
    write(project.pipelines[0] / "mart" / "days.sql", DAYS)
    for name, data in (("crm.people", PEOPLE), ("shop.orders", ORDERS)):
        replace(catalog, target(name, None), data.to_reader(), {}, {})
    return project


@pytest.fixture
def platform(shop: Project, catalog: Catalog, engine: Engine) -> Platform:
    at = datetime(2026, 10, 3, 2, tzinfo=UTC)
    store = EventStore(shop.events, lambda: at)
    return Platform(shop, load_policy(shop), load_sources(shop), catalog, engine, store, lambda: at)
