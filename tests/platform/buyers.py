"""Runs of the shop's pipelines, and what they sent; engines to which something happens."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from governance.events.run import Attempt
from governance.events.run_facets import Parent
from governance.load import load_pipelines
from governance.pipeline import Pipeline, parse_pipeline
from platform_assets.engines.engine import Engine, Query, Relation, Result
from platform_assets.iceberg.catalog import load, plan
from platform_assets.runs.materialize import materialize
from platform_assets.runs.run import Materialized, Platform, Run

AT = datetime(2026, 10, 3, 2, tzinfo=UTC)
PARENT = Parent("01a0f9a6-0000-7000-8000-000000000000", "nightly")


def run(number: int = 0) -> Run:
    return Run(Attempt("mart.buyers", AT, "dagster-run", number), PARENT, AT)


def pipeline(platform: Platform, table: str) -> Pipeline:
    return next(it for it in load_pipelines(platform.project) if it.table == table)


def buyers(platform: Platform, number: int = 0) -> Materialized:
    return materialize(platform, pipeline(platform, "mart.buyers"), run(number))


def sql(text: str) -> Pipeline:
    return parse_pipeline("mart.buyers", "mart/buyers.sql", text)


def sent(platform: Platform) -> list[dict[str, Any]]:
    return [json.loads(line) for file in platform.store.files() for line in file.read_text("utf-8").splitlines()]


def kinds(platform: Platform) -> list[str]:
    return [event["eventType"] for event in sent(platform)]


def rows(platform: Platform, table: str) -> list[dict[str, Any]]:
    relation = plan(table, load(platform.catalog, table)).relation
    query = Query(f"from {table} order by all", "")
    with platform.engine.open(query, {table: relation}) as result, result.batches() as reader:
        return reader.read_all().to_pylist()


class NeverRuns:
    """An engine that fails the test which calls it."""

    name = "never"
    version = "0"

    def open(self, query: Query, tables: Mapping[str, Relation]) -> Any:
        raise AssertionError(f"ran {query.text} over {list(tables)}")

    def schema(self, columns: object) -> pa.Schema:
        raise AssertionError(f"asked for {columns}")


class Terminated(BaseException):
    """As Dagster's interrupt: no Exception."""


@dataclass(frozen=True)
class Then:
    """An engine after whose query something happens, before the run's end is written."""

    engine: Engine
    happens: Callable[[], None]

    @property
    def name(self) -> str:
        return self.engine.name

    @property
    def version(self) -> str:
        return self.engine.version

    @contextmanager
    def open(self, query: Query, tables: Mapping[str, Relation]) -> Iterator[Result]:
        with self.engine.open(query, tables) as result:
            yield result
        self.happens()

    def schema(self, columns: Any) -> pa.Schema:
        return self.engine.schema(columns)
