"""The jobs and schedules: ``nightly`` builds everything, ``governance`` checks everything and keeps a report of it.

A check in an asset's own run does not run at all where the asset fails, and no asset's run sees a table that no asset
owns: so the rules run again, on a schedule, over everything that Dagster, the catalog and the events know.
"""

from collections.abc import Iterable, Sequence

from dagster import (
    AssetKey,
    AssetSelection,
    DefaultScheduleStatus,
    ScheduleDefinition,
    define_asset_job,
    multi_or_in_process_executor,
)
from dagster._core.definitions.unresolved_asset_job_definition import (
    UnresolvedAssetJobDefinition,  # the type that define_asset_job returns has no public name
)

from governance_checks.scheduler import CHECKS_ONLY, REPORT

IN_PROCESS: dict[str, object] = {"execution": {"config": {"in_process": {}}}}
"""One process for all steps: several times faster than one each, and the launchpad can still choose multiprocess."""


def in_processes(processes: int) -> dict[str, object]:
    """Return the settings of Dagster's ``multiprocess`` executor for so many steps at once."""
    # a server that has all of this loaded starts them, or each would load it for itself, for seconds
    loaded = [f"platform_assets.{it}" for it in ("definitions", "known", "assets.step")]
    server = {"forkserver": {"preload_modules": loaded}}
    return {"max_concurrent": processes, "start_method": server}


def build_jobs(
    parted: Iterable[AssetKey], processes: int = 1
) -> tuple[UnresolvedAssetJobDefinition, UnresolvedAssetJobDefinition]:
    """Return ``nightly`` (every table with its checks) and ``governance`` (every check and the report, no table).

    The tables ``parted`` are built partition by partition, for which they have jobs of their own. Where there are to be
    several ``processes``, steps of ``nightly`` run in one each; those of ``governance`` share what they read.
    """
    multiprocess = {"execution": {"config": {"multiprocess": in_processes(processes)}}}
    nightly = define_asset_job(
        "nightly",
        selection=AssetSelection.all() - AssetSelection.assets(REPORT, *parted),
        description="Build every table from its pipeline, and check each one before anything downstream reads it.",
        config=multiprocess if processes > 1 else IN_PROCESS,
        executor_def=multi_or_in_process_executor,
    )
    governance = define_asset_job(
        "governance",
        selection=AssetSelection.all_asset_checks() | AssetSelection.assets(REPORT),
        description="Run every rule over what Dagster, the catalog and the events know, failed runs included, and keep "
        "the lineage page as a report.",
        config=IN_PROCESS,
        executor_def=multi_or_in_process_executor,
        run_tags=CHECKS_ONLY,
    )
    return nightly, governance


def build_schedules(
    nightly: UnresolvedAssetJobDefinition, governance: UnresolvedAssetJobDefinition
) -> Sequence[ScheduleDefinition]:
    """Return the two schedules, in UTC.

    ``governance`` runs as soon as the platform does: it only reads, and a rule that must first be switched on is none.
    ``nightly`` writes tables, so it waits to be switched on, as Dagster's users expect of a schedule.
    """
    return (
        ScheduleDefinition(name="nightly_at_two", job=nightly, cron_schedule="0 2 * * *", execution_timezone="UTC"),
        ScheduleDefinition(
            name="governance_hourly",
            job=governance,
            cron_schedule="0 * * * *",
            execution_timezone="UTC",
            default_status=DefaultScheduleStatus.RUNNING,
        ),
    )
