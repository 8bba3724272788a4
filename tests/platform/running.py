"""A project with files where they land, and runs of its pipelines over a real Iceberg catalog."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from governance.events.run import Attempt
from governance.events.store import EventStore
from governance.load import load_pipelines
from governance.pipeline import Pipeline
from governance.policy import load_policy, load_sources
from governance.project import Project
from platform_assets.engines.engine import Engine, Query, Relation, Result
from platform_assets.iceberg.catalog import Catalog, load, plan
from platform_assets.runs.materialize import materialize
from platform_assets.runs.once import Watched
from platform_assets.runs.run import Materialized, Platform, Run

AT = datetime(2026, 10, 3, 2, tzinfo=UTC)
SOURCES = """
[locations.landing]
at = "landing"

["landing/orders/*.csv"]
columns.id = "bigint"
columns.amount = "decimal(10, 2)"

["landing/people.csv"]
columns.id = "bigint"
columns.mail = "varchar"
options = { delim = ";" }
filename = "source_file"
max_rejects = 1

["landing/pay.txt"]
format = "fixed"
record_type = [1, 1]
records.header = { value = "H", columns = { batch = { type = "bigint", at = [2, 4] } } }
records.detail.value = "D"
records.detail.columns.batch = { type = "bigint", at = [2, 4] }
records.detail.columns.cents = { type = "bigint", at = [5, 9] }
"""
LINEAGE = """
order = ["public", "internal", "personal"]
propagate_through = ["DIRECT", "INDIRECT"]
masking_functions = []
namespace = "iceberg://test"
job_namespace = "jobs"
"""
METADATA = """
["landing/people.csv"]
columns.mail = { classification = "personal", description = "Where to write to." }

["bronze.people"]
owner = "team:crm"
"""
ORDERS = """create table if not exists bronze.orders (id bigint, amount decimal(10, 2));
insert into bronze.orders
select id, amount from 'landing/orders/*.csv'
"""
PEOPLE = "create table bronze.people as select id, mail, source_file from 'landing/people.csv'"


@dataclass(frozen=True, slots=True)
class Landing:
    """A project in ``platform`` whose files lie in ``landing``."""

    platform: Platform

    @property
    def project(self) -> Project:
        return self.platform.project

    def meanwhile(self, happens: Callable[[], object]) -> "Landing":
        """The same, where something happens between the making of rows and their commit."""
        return Landing(replace(self.platform, engine=Between(self.platform.engine, happens)))

    def land(self, name: str, text: str) -> Path:
        path = self.project.root / "landing" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def pipeline(self, table: str, sql: str) -> None:
        path = self.project.pipelines[0] / f"{table.replace('.', '/')}.sql"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(sql, "utf-8")

    def loaded(self, table: str) -> Pipeline:
        return next(it for it in load_pipelines(self.project) if it.table == table)

    def run(self, table: str, number: int = 0) -> Materialized:
        return materialize(self.platform, self.loaded(table), Run(Attempt(table, AT, "dagster-run", number)))

    def rows(self, table: str) -> list[dict[str, Any]]:
        relation = plan(table, load(self.platform.catalog, table)).relation
        query = Query(f"from {table} order by all", "")
        with self.platform.engine.open(query, {table: relation}) as result, result.batches() as reader:
            return list(reader.read_all().to_pylist())

    @property
    def sent(self) -> list[dict[str, Any]]:
        return [
            json.loads(line) for file in self.platform.store.files() for line in file.read_text("utf-8").splitlines()
        ]

    @property
    def kinds(self) -> list[str]:
        return [event["eventType"] for event in self.sent]

    @property
    def complete(self) -> dict[str, Any]:
        """The last event, which is a COMPLETE."""
        last = self.sent[-1]
        assert last["eventType"] == "COMPLETE", last["run"]["facets"]
        return last

    @property
    def statistics(self) -> tuple[int, int, int]:
        """Rows read, written and rejected, as the last event tells them."""
        told = self.complete["run"]["facets"]["headwater_statistics"]
        return told["recordsRead"], told["recordsWritten"], told["recordsRejected"]


@dataclass(frozen=True, slots=True)
class Between:
    """An engine whose rows are made, whereupon something happens before they are committed."""

    engine: Engine
    happens: Callable[[], object]

    @property
    def name(self) -> str:
        return self.engine.name

    @property
    def version(self) -> str:
        return self.engine.version

    @contextmanager
    def open(self, query: Query, tables: Mapping[str, Relation]) -> Iterator[Result]:
        with self.engine.open(query, tables) as result:
            yield Watched(result, lambda _: self.happens() and None)

    def schema(self, columns: Sequence[tuple[str, str]]) -> pa.Schema:
        return self.engine.schema(columns)


def landing_project(project: Project, catalog: Catalog, engine: Engine) -> Landing:
    """Return a project of its own that declares files; none has landed."""
    for path, text in (
        (project.sources, SOURCES),
        (project.policy[0] / "lineage.toml", LINEAGE),
        (project.policy[0] / "metadata.toml", METADATA),
        (project.policy[0] / "waivers.toml", ""),
        (project.pipelines[0] / "bronze" / "orders.sql", ORDERS),
        (project.pipelines[0] / "bronze" / "people.sql", PEOPLE),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (project.root / "landing" / "orders").mkdir(parents=True)
    store = EventStore(project.events, lambda: AT)
    return Landing(Platform(project, load_policy(project), load_sources(project), catalog, engine, store, lambda: AT))
