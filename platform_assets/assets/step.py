"""A pipeline's step in Dagster: what runs, and what Dagster is told of it."""

from datetime import UTC, datetime

from dagster import AssetExecutionContext, MaterializeResult, RunRecord
from dagster_duckdb import DuckDBResource

from governance.errors import CatalogError, HeadwaterError
from governance.events.instant import run_instant, scheduled_time
from governance.events.open import event_store
from governance.events.run import Attempt, started_by
from governance.events.run_facets import Parent
from governance.graph.stated import stated
from governance.pipeline import Pipeline
from governance.policy import Policy, load_policy, load_sources
from governance.project import Project
from governance.runs import Run as GraphRun
from governance.windows import Window
from platform_assets.assets.metadata import Metadata
from platform_assets.assets.partitions import PARTITION_ROWS, rows_by_key, window_of
from platform_assets.assets.run_metadata import run_metadata
from platform_assets.assets.standing import standing
from platform_assets.engines.choice import engine_of
from platform_assets.engines.duckdb import DuckDb
from platform_assets.iceberg.catalog import open_catalog
from platform_assets.loaded import Loaded
from platform_assets.runs.materialize import materialize
from platform_assets.runs.run import Materialized, Platform, Run, facts_of
from platform_assets.runs.terminal import tell_unbegun


def run_step(
    loaded: Loaded, pipeline: Pipeline, context: AssetExecutionContext, duckdb: DuckDBResource
) -> MaterializeResult[None]:
    """Build the table of ``pipeline``, and return what Dagster keeps of that.

    Raises:
        HeadwaterError: as ``materialize`` does; or Dagster has no record of the run that this is a step of.
    """
    record = context.instance.get_run_record_by_id(context.run.run_id)
    if record is None:
        raise CatalogError(f"Dagster has no record of its run {context.run.run_id}", fix="run it on a Dagster instance")
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
    engine = engine_of(project, policy, pipeline, DuckDb(duckdb.get_connection))
    store = event_store(project)
    try:
        opened = open_catalog(project)
    except CatalogError as error:
        # the events are no part of the catalog: whoever asks them is to see that the run failed, and why
        tell_unbegun(store, facts_of(project, policy, engine, pipeline, run), _now(), error)
        raise
    with opened as catalog:
        platform = Platform(project, policy, load_sources(project), catalog, engine, store, _now)
        return materialize(platform, pipeline, run)


def _texts(loaded: Loaded) -> tuple[GraphRun, ...]:
    """Return what the pipelines' texts say of lineage, for those that have not run."""
    owners = {it.table: it.owner for it in loaded.pipelines if it.owner}
    return stated(loaded.program.lineages.values(), loaded.policy.lineage, owners)


def _now() -> datetime:
    return datetime.now(UTC)
