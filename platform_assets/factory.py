"""Pipelines and sources → Dagster assets. What the files say is all there is to say: nothing is registered by hand."""

import hashlib
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime

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
    RunRecord,
    asset,
)
from dagster_duckdb import DuckDBResource

from governance.duration import parse_duration
from governance.errors import CatalogError, HeadwaterError, LineageError, PipelineError
from governance.events.instant import run_instant, scheduled_time
from governance.events.open import event_store
from governance.events.run import Attempt, started_by
from governance.events.run_facets import Parent
from governance.graph.stated import stated
from governance.pipeline import Pipeline
from governance.policy import Policy, Source, TablePolicy, load_policy, load_sources
from governance.project import Project
from governance.runs import Run as GraphRun
from governance.statement import Program, Statement, parse
from governance.uncollected import uncollected
from governance.windows import Window
from platform_assets.catalog import open_catalog
from platform_assets.described import description
from platform_assets.engines.choice import engine_name, engine_of
from platform_assets.engines.duckdb import DuckDb
from platform_assets.file_assets import file_asset
from platform_assets.materialize import materialize
from platform_assets.metadata import Metadata, asset_key, pipeline_metadata, run_metadata, table_metadata
from platform_assets.partitions import (
    ALL_AT_ONCE,
    PARTITION_ROWS,
    backfilled,
    definition_of,
    mapping_of,
    rows_by_key,
    window_of,
)
from platform_assets.run import Materialized, Platform, Run
from platform_assets.side import side_of_project
from platform_assets.standing import standing


@dataclass(frozen=True, slots=True)
class Loaded:
    """What the project's files say, read once for all of its assets."""

    project: Project
    policy: Policy
    sources: tuple[Source, ...]
    pipelines: tuple[Pipeline, ...]
    program: Program

    @property
    def assets(self) -> frozenset[str]:
        """Every table that Dagster has a page for."""
        return frozenset({source.table for source in self.sources} | {it.table for it in self.pipelines})


@dataclass(frozen=True, slots=True)
class _Around:
    """What is around a pipeline, by table."""

    loaded: Loaded
    pipelines: Mapping[str, Pipeline]
    statements: Mapping[str, Statement]


@uncollected()
def load(project: Project) -> Loaded:
    """Read the project's files; a pipeline whose text, header or SQL cannot be read is in there all the same.

    Raises:
        PolicyError, PipelineError: a policy file is wrong, or a pipeline's path.
    """
    side = side_of_project(project)
    return Loaded(project, side.policy, side.sources, side.pipelines, side.program)


@uncollected()
def build_assets(loaded: Loaded) -> tuple[AssetsDefinition | AssetSpec, ...]:
    """Return an asset for each pipeline and an external one for each source.

    The assets ask for a resource ``duckdb``: ``duckdb_resource``.
    """
    statements = {it.pipeline.table: it for it in loaded.program.statements}
    around = _Around(loaded, {it.table: it for it in loaded.pipelines}, statements)
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


def run_of(
    pipeline: Pipeline, record: RunRecord, root: RunRecord | None, retry: int, window: Window | None = None
) -> Run:
    """Return the run of ``pipeline`` that a Dagster run's try number ``retry`` (0-based) is.

    root: the run that this one executes again, None where it does not or where Dagster has forgotten that
    window: the span of time that it is to make, None where it makes the table whole

    Whoever reads Dagster's log can compute the same OpenLineage run ids.
    """
    dagster_run = record.dagster_run
    parent = _started_by(record, _started_by(root) if root else None)
    attempt = Attempt(pipeline.job, _instant(record), dagster_run.run_id, retry)
    return Run(attempt, parent, scheduled_time(dagster_run.tags), window)


def _started_by(record: RunRecord, root: Parent | None = None) -> Parent:
    return started_by(_instant(record), record.dagster_run.run_id, record.dagster_run.job_name, root)


def _instant(record: RunRecord) -> datetime:
    return run_instant(record.dagster_run.tags, record.start_time, record.create_timestamp)


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
        metadata={**metadata, **pipeline_metadata(loaded.project, pipeline)},
        code_version=_code_version(pipeline),
        automation_condition=_automation(pipeline),
        freshness_policy=_freshness(pipeline),
        partitions_def=definition_of(pipeline.partitions) if pipeline.partitions else None,
        backfill_policy=ALL_AT_ONCE if pipeline.partitions else None,
    )
    def run_pipeline(context: AssetExecutionContext, duckdb: DuckDBResource) -> MaterializeResult[None]:
        record = context.instance.get_run_record_by_id(context.run.run_id)
        if record is None:
            raise CatalogError(
                f"Dagster has no record of its run {context.run.run_id}", fix="run it on a Dagster instance"
            )
        root_id = context.run.root_run_id
        root = context.instance.get_run_record_by_id(root_id) if root_id else None
        policy = load_policy(loaded.project)
        done = _materialize(
            loaded.project,
            policy,
            duckdb,
            pipeline,
            run_of(pipeline, record, root, context.op_execution_context.retry_number, window_of(context, pipeline)),
        )
        for warning in done.warnings:
            context.log.warning(warning)
        metadata = run_metadata(policy, done, loaded.assets)
        _tell_partitions(context, pipeline, done)
        return MaterializeResult(metadata={**metadata, **_around(context, loaded, policy, pipeline.table)})

    return run_pipeline


def _tell_partitions(context: AssetExecutionContext, pipeline: Pipeline, run: Materialized) -> None:
    """Add to each partition's own materialization how many rows it got."""
    if pipeline.partitions and run.done.begun.window:
        rows = rows_by_key(pipeline.partitions, context.partition_keys, run.done.commit.begins)
        for key, count in rows.items():
            context.add_asset_metadata({PARTITION_ROWS: count}, partition_key=key)


def _around(context: AssetExecutionContext, loaded: Loaded, policy: Policy, table: str) -> Metadata:
    try:
        return {**standing(loaded.project, policy, _texts(loaded), table, _now())}
    except HeadwaterError as error:
        # the table is committed and its event sent: what stands around it is for reading only
        context.log.warning("whom this table reaches cannot be shown: %s", error)
        return {}


def _materialize(
    project: Project, policy: Policy, duckdb: DuckDBResource, pipeline: Pipeline, run: Run
) -> Materialized:
    with open_catalog(project) as catalog:
        engine = engine_of(project, policy, pipeline, DuckDb(duckdb.get_connection))
        store = event_store(project)
        platform = Platform(project, policy, load_sources(project), catalog, engine, store, _now)
        return materialize(platform, pipeline, run)


def _texts(loaded: Loaded) -> tuple[GraphRun, ...]:
    """Return what the pipelines' texts say of lineage, for those that have not run."""
    owners = {it.table: it.owner for it in loaded.pipelines if it.owner}
    return stated(loaded.program.lineages.values(), loaded.policy.lineage, owners)


def _now() -> datetime:
    return datetime.now(UTC)


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
