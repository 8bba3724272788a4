"""Pipelines and sources → Dagster assets. What the files say is all there is to say: nothing is registered by hand."""

import hashlib
import inspect
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass

from dagster import (
    AssetCheckKey,
    AssetExecutionContext,
    AssetIn,
    AssetKey,
    AssetsDefinition,
    AssetSpec,
    AutomationCondition,
    FreshnessPolicy,
    MaterializeResult,
    Nothing,
    asset,
)
from dagster_duckdb import DuckDBResource

from governance.duration import parse_duration
from governance.errors import LineageError, PipelineError
from governance.events.redact import secrets_of
from governance.pipeline import Pipeline
from governance.policy import Policy, Source, TablePolicy
from governance.project import Project
from governance.statement import Statement, parse
from governance.uncollected import uncollected
from platform_assets.assets.described import description
from platform_assets.assets.file_assets import file_asset
from platform_assets.assets.metadata import asset_key, pipeline_metadata, table_metadata
from platform_assets.assets.partitions import ALL_AT_ONCE, backfilled, definition_of, mapping_of
from platform_assets.engines.named import engine_name
from platform_assets.loaded import Loaded

_Run = Callable[[AssetExecutionContext, DuckDBResource], MaterializeResult[None]]


def _step(context: AssetExecutionContext, duckdb: DuckDBResource) -> MaterializeResult[None]:
    """The signature of every pipeline's step."""
    raise NotImplementedError


_SIGNATURE = inspect.signature(_step)


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
    return (
        *(_pipeline_asset(around, pipeline) for pipeline in loaded.pipelines),
        *(_source_asset(loaded.policy, source) for source in loaded.sources),
    )


def duckdb_resource(project: Project) -> DuckDBResource:
    """Return the resource that the assets ask for: in memory, what does not fit going to the state folder."""
    settings = {"temp_directory": str(project.state / "spill")}
    if project.memory:
        settings["memory_limit"] = project.memory
    return DuckDBResource(database=":memory:", connection_config=settings)


def _pipeline_asset(around: _Around, pipeline: Pipeline) -> AssetsDefinition:
    with backfilled() if pipeline.partitions else nullcontext():
        return _asset(around, pipeline)


def _asset(around: _Around, pipeline: Pipeline) -> AssetsDefinition:
    loaded = around.loaded
    metadata = table_metadata(loaded.policy, pipeline.table, loaded.program.schemas.get(pipeline.table, {}))

    @asset(
        key=asset_key(pipeline.table),
        ins=_ins(around, pipeline),
        description=description(loaded.policy, loaded.program, pipeline, len(loaded.pipelines)),
        group_name=pipeline.schema,
        kinds={engine_name(loaded.policy, pipeline), "iceberg", "sql"},
        owners=_owners(loaded.policy, pipeline),
        tags=dict.fromkeys(pipeline.tags, ""),
        metadata={**metadata, **pipeline_metadata(loaded.project, pipeline, around.secrets)},
        code_version=_code_version(pipeline),
        automation_condition=_automation(pipeline),
        freshness_policy=_freshness(pipeline),
        partitions_def=definition_of(pipeline.partitions) if pipeline.partitions else None,
        backfill_policy=ALL_AT_ONCE if pipeline.partitions else None,
    )
    @_alike
    def run_pipeline(context: AssetExecutionContext, duckdb: DuckDBResource) -> MaterializeResult[None]:
        # loading definitions does not wait for the catalog and the engines that only a run asks for
        from platform_assets.assets.step import run_step  # noqa: PLC0415

        return run_step(loaded, pipeline, context, duckdb)

    return run_pipeline


def _alike(run: _Run) -> _Run:
    """Return ``run`` with the signature that all steps share: Dagster asks a dozen times for that of each."""
    run.__signature__ = _SIGNATURE  # type: ignore[attr-defined]  # read by inspect.signature where it is set
    return run


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
    try:
        return parse(pipeline).upstream
    except (LineageError, PipelineError):
        # the asset says so itself, in its description and when it is materialized
        return frozenset()


def _ins(around: _Around, pipeline: Pipeline) -> dict[str, AssetIn]:
    """Return what the pipeline reads; of each Dagster is told that it comes before, and no value is handed over."""
    # Dagster would make names of the keys, and a file's may have signs that those must not have
    return {
        f"input_{place}": AssetIn(
            asset_key(it), dagster_type=Nothing, partition_mapping=mapping_of(pipeline, around.pipelines.get(it))
        )
        for place, it in enumerate(sorted(_upstream(around, pipeline)))
    }


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
