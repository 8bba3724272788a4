"""Pipelines and sources → Dagster assets. What the files say is all there is to say: nothing is registered by hand."""

import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from dagster import (
    AssetCheckKey,
    AssetDep,
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    AssetSpec,
    AutomationCondition,
    FreshnessPolicy,
    MaterializeResult,
    asset,
)
from dagster_duckdb import DuckDBResource

from governance.duration import parse_duration
from governance.errors import LineageError, PipelineError
from governance.events.redact import secrets_of
from governance.pipeline import Pipeline
from governance.policy import Policy, Source, TablePolicy
from governance.project import Project
from governance.statement import Statement
from governance.uncollected import uncollected
from platform_assets.assets.alike import Alike
from platform_assets.assets.described import description
from platform_assets.assets.file_assets import file_asset
from platform_assets.assets.metadata import asset_key, pipeline_metadata, table_metadata
from platform_assets.assets.partitions import ALL_AT_ONCE, backfilled, definition_of, mapping_of
from platform_assets.engines.named import engine_name
from platform_assets.loaded import Loaded

_Run = Callable[[AssetExecutionContext, DuckDBResource], MaterializeResult[None]]


@dataclass(frozen=True, slots=True)
class _Around:
    """What is around a pipeline, by table; and what of its text is not to be shown."""

    loaded: Loaded
    pipelines: Mapping[str, Pipeline]
    statements: Mapping[str, Statement]
    secrets: tuple[str, ...]


@uncollected()
def build_assets(loaded: Loaded) -> tuple[AssetsDefinition | AssetSpec, ...]:
    """Return an asset for each pipeline and an external one for each source.

    The assets ask for a resource ``duckdb``: ``duckdb_resource``.
    """
    statements = {it.pipeline.table: it for it in loaded.program.statements}
    around = _Around(loaded, {it.table: it for it in loaded.pipelines}, statements, secrets_of())
    alike = Alike(_first(loaded), {"duckdb": duckdb_resource(loaded.project)})
    return (
        *(_pipeline_asset(around, alike, pipeline) for pipeline in loaded.pipelines),
        *(_source_asset(loaded.policy, source) for source in loaded.sources),
    )


@lru_cache(maxsize=1)
def duckdb_resource(project: Project) -> DuckDBResource:
    """Return the resource that the assets ask for: in memory, what does not fit going to the state folder."""
    settings = {"temp_directory": str(project.state / "spill")}
    if project.memory:
        settings["memory_limit"] = project.memory
    return DuckDBResource(database=":memory:", connection_config=settings)


def _first(loaded: Loaded) -> AssetsDefinition:
    """Return an asset of which nothing is used but what it runs: the pipeline of whichever asset that is done with."""
    pipelines = {asset_key(it.table): it for it in loaded.pipelines}

    @asset
    @_inspected
    def run_pipeline(context: AssetExecutionContext, duckdb: DuckDBResource) -> MaterializeResult[None]:
        # loading definitions does not wait for the catalog and the engines that only a run asks for
        from platform_assets.assets.step import run_step  # noqa: PLC0415

        return run_step(loaded, pipelines[context.asset_key], context, duckdb)

    return run_pipeline


def _inspected(run: _Run) -> _Run:
    """Return ``run`` with its signature: Dagster asks a dozen times for that of each step."""
    run.__signature__ = inspect.signature(run)  # type: ignore[attr-defined]  # inspect.signature reads it where it is set
    return run


def _pipeline_asset(around: _Around, alike: Alike, pipeline: Pipeline) -> AssetsDefinition:
    if not pipeline.partitions:
        return alike.asset(_spec(around, pipeline), None)
    with backfilled():
        return alike.asset(_spec(around, pipeline), ALL_AT_ONCE)


def _spec(around: _Around, pipeline: Pipeline) -> AssetSpec:
    loaded, statement = around.loaded, around.statements.get(pipeline.table)
    metadata = table_metadata(loaded.policy, pipeline.table, loaded.program.schemas.get(pipeline.table, {}))
    return AssetSpec(
        asset_key(pipeline.table),
        deps=_deps(around, pipeline),
        description=description(loaded.policy, loaded.program, pipeline, len(loaded.pipelines)),
        group_name=pipeline.schema,
        kinds={engine_name(loaded.policy, pipeline), "iceberg", "sql"},
        owners=_owners(loaded.policy, pipeline),
        tags=dict.fromkeys(pipeline.tags, ""),
        metadata={**metadata, **pipeline_metadata(loaded.project, pipeline, around.secrets, statement)},
        code_version=_code_version(pipeline),
        automation_condition=_automation(pipeline),
        freshness_policy=_freshness(pipeline),
        partitions_def=definition_of(pipeline.partitions) if pipeline.partitions else None,
    )


def _source_asset(policy: Policy, source: Source) -> AssetSpec:
    if source.files is not None:
        return file_asset(policy, source, source.files)
    owner = policy.tables.get(source.table, TablePolicy()).owner
    return AssetSpec(
        asset_key(source.table),
        description=source.description,
        group_name=source.table.partition(".")[0],
        kinds={"iceberg"},
        owners=[owner] if owner else [],
        metadata=table_metadata(policy, source.table, dict(source.columns)),
    )


def _code_version(pipeline: Pipeline) -> str:
    """Return what changes with the text that is run: the pipeline's own, and that of what it builds on."""
    texts = (pipeline.sql, *(f"{it.name}\n{it.sql}" for it in pipeline.blocks))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def _upstream(around: _Around, pipeline: Pipeline) -> frozenset[str]:
    """Return what must be built before; of a pipeline whose lineage cannot be read, as far as its text tells."""
    if statement := around.statements.get(pipeline.table):
        return statement.upstream
    from governance.statement import parse  # noqa: PLC0415  # the SQL parser is slow to start, and few are not read

    try:
        return parse(pipeline).upstream
    except (LineageError, PipelineError):
        # the asset says so itself, in its description and when it is materialized
        return frozenset()


def _deps(around: _Around, pipeline: Pipeline) -> list[AssetDep]:
    """Return what the pipeline reads."""
    return [
        AssetDep(asset_key(it), partition_mapping=mapping_of(pipeline, around.pipelines.get(it)))
        for it in sorted(_upstream(around, pipeline))
    ]


def _owners(policy: Policy, pipeline: Pipeline) -> list[str]:
    owner = policy.tables.get(pipeline.table, TablePolicy()).owner or pipeline.owner
    return [owner] if owner else []


def _automation(pipeline: Pipeline) -> AutomationCondition[AssetKey | AssetCheckKey] | None:
    if pipeline.automation is None:
        return None
    if pipeline.automation == "eager":
        return AutomationCondition.eager()
    return AutomationCondition.on_cron(pipeline.automation, "UTC")


def _freshness(pipeline: Pipeline) -> FreshnessPolicy | None:
    span = parse_duration(pipeline.freshness) if pipeline.freshness else None
    return FreshnessPolicy.time_window(fail_window=span) if span else None
