"""The code location: assets, checks, jobs, schedules and sensors, put together here and nowhere else."""

import os
from datetime import UTC, datetime
from functools import lru_cache, partial

from dagster import (
    AssetSelection,
    AutomationConditionSensorDefinition,
    DagsterInstance,
    DefaultSensorStatus,
    Definitions,
    ExecutorDefinition,
    definitions,
    in_process_executor,
    multiprocess_executor,
)

from governance.events.facets import Naming
from governance.events.open import event_store
from governance.events.repair import Repaired
from governance.project import Project, find_project
from governance.rules import EndedAttempt, Known
from governance_checks.compaction import build_compaction
from governance_checks.factory import build_checks, platform_asset
from governance_checks.governance_job import build_jobs, build_schedules, in_processes
from governance_checks.lineage_report import build_report
from governance_checks.scheduler import WINDOW, Ended, ended_attempts
from governance_checks.sensors import Closer, build_sensors
from platform_assets.assets.factory import build_assets, duckdb_resource
from platform_assets.assets.metadata import asset_key
from platform_assets.assets.partitions import build_jobs_and_schedules
from platform_assets.knowing import Knowing, Mark, files_mark, gathered
from platform_assets.loaded import Loaded, load
from platform_assets.pages.source import page_source


def build_definitions(project: Project) -> Definitions:
    """Return everything that Dagster is to know of ``project``.

    Raises:
        PolicyError, PipelineError: a policy file is wrong, or a pipeline's path.
    """
    return definitions_of(load(project))


def definitions_of(loaded: Loaded) -> Definitions:
    """Return everything that Dagster is to know of the project that was ``loaded``."""
    project = loaded.project
    parted = (asset_key(it.table) for it in loaded.pipelines if it.partitions)
    nightly, governance = build_jobs(parted, project.processes)
    by_partition, as_they_end = build_jobs_and_schedules(loaded.pipelines)
    compact_events, compaction = build_compaction(event_store(project))
    asked = Knowing(project, partial(_ended, finished={}))
    report = build_report(project.state, asked, lambda now: page_source(project, None, now).opening())
    return Definitions(
        assets=[*build_assets(loaded), platform_asset(), report],
        asset_checks=build_checks((pipeline.table for pipeline in loaded.pipelines), asked),
        jobs=[nightly, governance, compact_events, *by_partition],
        schedules=[*build_schedules(nightly, governance), *as_they_end],
        sensors=[*build_sensors(closer_of(loaded)), _automation(), compaction],
        resources={"duckdb": duckdb_resource(project)},
        executor=_executor(project.processes),
    )


def _executor(processes: int) -> ExecutorDefinition:
    # one process for all steps of a run by itself: a process each costs several times the work of a small pipeline
    return multiprocess_executor.configured(in_processes(processes)) if processes > 1 else in_process_executor


def known_to(project: Project, instance: DagsterInstance) -> Known:
    """Return what rules may ask, with the attempts that ``instance`` saw end."""
    now = datetime.now(UTC)
    return gathered(project, _ended(instance, now, {}), now)


def _ended(
    instance: DagsterInstance, now: datetime, finished: dict[str, tuple[Ended, ...]]
) -> tuple[EndedAttempt, ...]:
    return tuple(ended.known for ended in ended_attempts(instance, now - WINDOW, finished))


def closer_of(loaded: Loaded) -> Closer:
    """Return what ends, in this project's event store, the runs of its pipelines that died."""
    lineage = loaded.policy.lineage
    readable = {statement.pipeline.table: statement.reads for statement in loaded.program.statements}
    reads = {pipeline.table: readable.get(pipeline.table, ()) for pipeline in loaded.pipelines}
    naming = Naming(lineage.namespace, lineage.job_namespace, lineage.files)
    return Closer(event_store(loaded.project), naming, reads, partial(_mend, loaded), partial(datetime.now, UTC))


def _mend(loaded: Loaded) -> tuple[Repaired, ...]:
    # loading definitions does not wait for the catalog
    from platform_assets.runs.repair import repair_events  # noqa: PLC0415

    return repair_events(loaded)


def _automation() -> AutomationConditionSensorDefinition:
    # whoever writes "automation: eager" into a header has switched it on; only such pipelines have a condition
    return AutomationConditionSensorDefinition(
        "automation", target=AssetSelection.all(), default_status=DefaultSensorStatus.RUNNING
    )


@definitions
def defs() -> Definitions:
    """Return the code location of the project at hand; built when Dagster asks, not when this module is imported."""
    project = find_project()
    return _built(project, files_mark(project), frozenset(os.environ.items()))


@lru_cache(maxsize=1)
def _built(project: Project, _files: Mark, _environment: frozenset[tuple[str, str]]) -> Definitions:
    # Dagster's code server asks twice: for what the module has, and for the repository of it
    return build_definitions(project)
