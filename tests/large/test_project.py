"""A project of fifty pipelines as its users have it: it loads, and its pipelines run on a real catalog."""

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pyarrow as pa
import pytest

from bench.large_table import Table
from bench.large_tables import tables
from governance.pipeline import Pipeline
from governance.project import Project
from platform_assets.assets import described
from platform_assets.assets.described import PICTURED, description
from platform_assets.assets.metadata import asset_key
from platform_assets.definitions import build_definitions, defs
from platform_assets.iceberg.catalog import load as load_table
from platform_assets.iceberg.catalog import open_catalog
from platform_assets.iceberg.publish import replace, target
from platform_assets.loaded import load
from tests.large.remembering import large

FIFTY = 50
HEAVY = {"fsspec", "jinja2", "numpy", "openlineage", "pyarrow", "pyiceberg", "requests", "sqlglot", "tomlkit"}
VALUES: dict[str, Callable[[int], object]] = {
    "bigint": int,
    "double": float,
    "varchar": str,
    "timestamp": lambda it: datetime(2026, 1, 1 + it, tzinfo=UTC).replace(tzinfo=None),
}
ARROW = {"bigint": pa.int64(), "double": pa.float64(), "varchar": pa.string(), "timestamp": pa.timestamp("us")}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))
    return large(tmp_path / "large", FIFTY)


def write_source(project: Project, table: Table) -> None:
    rows = pa.table({name: pa.array(map(VALUES[kind], range(3)), ARROW[kind]) for name, kind in table.columns})
    with open_catalog(project) as catalog:
        replace(catalog, target(table.name, None), rows.to_reader(), {}, {})


def test_two_pipelines_of_fifty_are_built_one_on_the_other(project: Project) -> None:
    platform = tables(FIFTY)
    bronze = next(it for it in platform if it.form == "copy")
    silver = next(it for it in platform if bronze in it.inputs and it.form in {"window", "join"})
    for source in {one for it in (bronze, *silver.inputs) for one in it.inputs if not one.form}:
        write_source(project, source)
    wanted = [asset_key(it.name) for it in (*silver.inputs, silver)]
    with dg.DagsterInstance.ephemeral() as instance:
        job = build_definitions(project).resolve_implicit_global_asset_job_def()
        done = job.execute_in_process(instance=instance, asset_selection=wanted)
    assert {it.asset_key for it in done.get_asset_materialization_events()} == set(wanted)
    with open_catalog(project) as catalog:
        assert load_table(catalog, silver.name).scan().to_arrow().num_rows == 3


def test_who_asks_twice_is_given_the_same_until_a_file_changes(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER_ROOT", str(project.root))
    first = defs()
    assert defs() is first
    assert gc.get_freeze_count() > FIFTY
    changed = next((project.pipelines[0]).rglob("*.sql"))
    changed.write_text(changed.read_text(encoding="utf-8") + "-- more\n", encoding="utf-8")
    second = defs()
    assert second is not first
    monkeypatch.setenv("DB_PASSWORD", "orchid")
    assert defs() is not second


def test_a_warm_build_parses_no_text(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    load(project)

    def parse(pipeline: Pipeline) -> None:
        raise AssertionError(pipeline.table)

    monkeypatch.setattr(sys.modules["governance.statement.parse"], "_remembered", parse)
    assert len(build_definitions(project).resolve_all_asset_specs()) > FIFTY


def test_where_all_is_remembered_definitions_load_without_what_reads_writes_and_sends(project: Project) -> None:
    load(project)
    said = (
        "import sys; from platform_assets.definitions import defs; defs().get_repository_def(); "
        f"print(*sorted({HEAVY} & sys.modules.keys()))"
    )
    env = {**os.environ, "HEADWATER_ROOT": str(project.root)}
    done = subprocess.run([sys.executable, "-c", said], env=env, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == ""


def test_a_large_project_says_where_its_pictures_are(project: Project) -> None:
    loaded = load(project)
    pipeline = loaded.pipelines[0]
    small, great = (description(loaded.policy, loaded.program, pipeline, it) for it in (PICTURED, PICTURED + 1))
    assert "data:image" in small
    assert great.endswith(f"[column lineage](http://127.0.0.1:3001/#{pipeline.table})")
    assert len(great) < 300 < len(small)
    assert described.PICTURED >= FIFTY
