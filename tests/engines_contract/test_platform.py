"""The demo platform on either engine: equal rows in its tables, and events that differ by the engine alone."""

import json
import os
import re
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from governance.events.run import Attempt
from governance.events.store import EventStore
from governance.load import load_pipelines
from governance.policy import load_policy, load_sources
from governance.project import Project, project_at
from governance.statement import read_program
from platform_assets.engines.choice import spark as spark_engine
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Engine
from platform_assets.iceberg.catalog import open_catalog
from platform_assets.runs.materialize import materialize
from platform_assets.runs.run import Platform, Run
from platform_assets.tour.demo import generate
from tests.engines_contract.asking import shown

HERE = Path(__file__).parents[2]
AT = datetime(2026, 10, 3, 2, tzinfo=UTC)

Told = tuple[dict[str, list[str]], list[object], set[str]]


@pytest.fixture(autouse=True)
def own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("PYICEBERG_", "OPENLINEAGE"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))


def ran(project: Project, engine: Engine, binder: DuckDb) -> Told:
    """Return the rows of the seven tables, the events of a run of each, and the engines that these name."""
    policy, sources = load_policy(project), load_sources(project)
    pipelines = {it.table: it for it in load_pipelines(project)}
    store = EventStore(project.events, lambda: AT)
    with open_catalog(project) as catalog:
        generate(catalog, binder, sources, policy, 0.05)
        platform = Platform(project, policy, sources, catalog, engine, store, lambda: AT)
        rows = {}
        for statement in read_program(pipelines.values(), sources).statements:
            table = statement.pipeline.table
            attempt = Attempt(statement.pipeline.job, AT, "8a9cf1f0-0000-4000-8000-000000000001", 0)
            materialize(platform, statement.pipeline, Run(attempt))
            rows[table] = shown(catalog.load_table(table).scan().to_arrow())
    texts = [line for file in sorted(project.events.rglob("*.ndjson")) for line in file.read_text("utf-8").splitlines()]
    events = [json.loads(text) for text in texts]
    engines = {event["run"]["facets"]["processing_engine"]["name"] for event in events}
    return rows, [plain(event) for event in events], engines


def plain(event: object) -> object:
    """Return an event without what differs from run to run: snapshots, bytes of files, and which engine it was."""
    if isinstance(event, dict):
        gone = {"version", "processing_engine", "size", "bytes", "fileCount", "datasetVersion"}
        return {key: plain(it) for key, it in event.items() if key not in gone}
    if isinstance(event, list):
        return [plain(it) for it in event]
    return re.sub(r"/\S*/warehouse/", "…/", event) if isinstance(event, str) else event


def test_the_demo_is_the_same_on_both_engines(sail: str, tmp_path: Path) -> None:
    def connect() -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return duckdb.connect(":memory:", config={"temp_directory": str(tmp_path / "spill")})

    binder = DuckDb(connect)
    remote = os.environ.get("HEADWATER_TEST_SPARK", sail)
    spark = spark_engine(remote, binder, tmp_path / "spark")
    first = ran(project_at(HERE, tmp_path / "one"), binder, binder)
    second = ran(project_at(HERE, tmp_path / "two"), spark, binder)
    assert len(first[0]) == 7
    assert all(first[0].values())
    for table, rows in first[0].items():
        assert second[0][table] == rows, table
    assert first[1] == second[1]
    assert len(first[1]) == 14
    assert (first[2], second[2]) == ({"duckdb"}, {"spark"})
