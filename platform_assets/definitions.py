"""The code location: assets, checks, jobs, schedules and sensors, put together here and nowhere else."""

import gc
import os
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING

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

from governance.events.naming import Naming
from governance.events.place import shared_address
from governance.project import Project, find_project
from governance.rules import EndedAttempt, Known
from governance_checks.compaction import build_compaction
from governance_checks.factory import build_checks, platform_asset
from governance_checks.governance_job import build_jobs, build_schedules, in_processes
from governance_checks.lineage_report import build_report
from governance_checks.scheduler import WINDOW, Ended, ended_attempts
from governance_checks.sensors import build_sensors
from platform_assets.assets.factory import build_assets, duckdb_resource
from platform_assets.assets.metadata import asset_key
from platform_assets.assets.partitions import build_jobs_and_schedules
from platform_assets.knowing import Knowing, Mark, files_mark, gathered
from platform_assets.loaded import Loaded, load

if TYPE_CHECKING:
    from governance.events.repair import Repaired
    from governance.events.store import EventStore
    from governance.page.document import Shown
    from governance_checks.closer import Closer


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
    compact_events, compaction = build_compaction(_store(project))
    asked = Knowing(project, partial(_ended, finished={}))
    report = build_report(project.state, asked, partial(_page, project))
    return Definitions(
        assets=[*build_assets(loaded), platform_asset(), report],
        asset_checks=build_checks((pipeline.table for pipeline in loaded.pipelines), asked),
        jobs=[nightly, governance, compact_events, *by_partition],
        schedules=[*build_schedules(nightly, governance), *as_they_end],
        sensors=[*build_sensors(cache(partial(closer_of, loaded))), _automation(), compaction],
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


def _store(project: Project) -> "Callable[[], EventStore]":
    """Return what opens the event store; one that hosts share is opened at once, for what is wrong of it to be told."""
    opened = cache(partial(_open_store, project))
    if shared_address(project):
        opened()
    return opened


def _open_store(project: Project) -> "EventStore":
    # loading definitions does not wait for what only a run, a sensor or a page asks for, here and below
    from governance.events.open import event_store  # noqa: PLC0415

    return event_store(project)


def _page(project: Project, now: datetime) -> "Shown":
    from platform_assets.pages.source import page_source  # noqa: PLC0415

    return page_source(project, None, now).opening()


def closer_of(loaded: Loaded) -> "Closer":
    """Return what ends, in this project's event store, the runs of its pipelines that died."""
    from governance_checks.closer import Closer  # noqa: PLC0415

    lineage = loaded.policy.lineage
    readable = {statement.pipeline.table: statement.reads for statement in loaded.program.statements}
    reads = {pipeline.table: readable.get(pipeline.table, ()) for pipeline in loaded.pipelines}
    naming = Naming(lineage.namespace, lineage.job_namespace, lineage.files)
    return Closer(_open_store(loaded.project), naming, reads, partial(_mend, loaded), partial(datetime.now, UTC))


def _mend(loaded: Loaded) -> "tuple[Repaired, ...]":
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
    # Dagster's code server asks twice: for what the module has, and for the repository of it. What is given stays, and
    # of 10,000 pipelines the collector would look through it for seconds while the repository is made
    gc.unfreeze()
    built = build_definitions(project)
    gc.freeze()
    return built
