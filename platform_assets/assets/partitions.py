"""``-- partitions: daily from 2026-01-01`` → Dagster's partitions: which there are, and which a run is of."""

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from dagster import (
    AssetExecutionContext,
    AssetKey,
    AssetSelection,
    BackfillPolicy,
    BetaWarning,
    ScheduleDefinition,
    TimeWindowPartitionMapping,
    TimeWindowPartitionsDefinition,
    build_schedule_from_partitioned_job,
    define_asset_job,
)
from dagster._core.definitions.partitions.partitioned_schedule import UnresolvedPartitionedAssetScheduleDefinition
from dagster._core.definitions.unresolved_asset_job_definition import (
    UnresolvedAssetJobDefinition,  # the types that the functions above return have no public names
)

from governance.errors import HeadwaterError
from governance.pipeline import Pipeline
from governance.windows import CRON, Span, Window, Windows, begin_of
from platform_assets.assets.metadata import asset_key

Schedule = ScheduleDefinition | UnresolvedPartitionedAssetScheduleDefinition

PARTITION_ROWS = "dagster/partition_row_count"
"""Dagster's own name for it; a run of several partitions has one for each."""

ALL_AT_ONCE = BackfillPolicy.single_run()
"""A span of partitions is one query and one commit: whole or not at all, and its runs do not wait for each other."""


def definition_of(windows: Windows) -> TimeWindowPartitionsDefinition:
    """Return the partitions as Dagster knows them, the last of which is the last that has ended."""
    start = windows.start.strftime(windows.form)
    return TimeWindowPartitionsDefinition(start=start, fmt=windows.form, cron_schedule=CRON[windows.span])


@contextmanager
def backfilled() -> Iterator[None]:
    """Let an asset have a backfill policy: the parameter is in beta, and losing it would only cost runs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BetaWarning)
        yield


def mapping_of(pipeline: Pipeline, upstream: Pipeline | None) -> TimeWindowPartitionMapping | None:
    """Return which partitions of ``upstream`` one of ``pipeline`` comes after: those of the same time that there are.

    None where one of the two has no partitions: then all of it comes before.
    """
    if pipeline.partitions is None or upstream is None or upstream.partitions is None:
        return None
    with backfilled():
        return TimeWindowPartitionMapping(allow_nonexistent_upstream_partitions=True)


def window_of(context: AssetExecutionContext, pipeline: Pipeline) -> Window | None:
    """Return the span of time that the run is to make, None where it is to make the table whole.

    Raises:
        HeadwaterError: the run is of partitions with others between them.
    """
    if pipeline.partitions is None or not (context.has_partition_key or context.has_partition_key_range):
        return None
    window = context.partition_time_window
    within = definition_of(pipeline.partitions).get_partition_keys_in_time_window(window)
    if list(context.partition_keys) != list(within):
        raise HeadwaterError("the run is of partitions with others between them", fix="launch a run for each span")
    return Window(pipeline.partition_by[0].column, window.start, window.end)


def rows_by_key(windows: Windows, keys: Iterable[str], begins: Iterable[tuple[datetime, int]]) -> Mapping[str, int]:
    """Return how many rows each partition of ``keys`` got; ``begins`` are rows by the time at which files begin."""
    rows = dict.fromkeys(keys, 0)
    for at, count in begins:
        rows[begin_of(windows.span, at).strftime(windows.form)] += count
    return rows


def job_name(windows: Windows) -> str:
    """Return the name of the job that builds the tables of these partitions: ``daily_from_2026_01_01``."""
    return re.sub(r"\W+", "_", str(windows))


def build_jobs_and_schedules(
    pipelines: Iterable[Pipeline],
) -> tuple[tuple[UnresolvedAssetJobDefinition, ...], tuple[Schedule, ...]]:
    """Return a job for the tables that have the same partitions, and its schedule, which is switched off.

    Dagster has one set of partitions to a job. A schedule builds each partition an hour after it has ended, so that
    what ``nightly`` builds of it comes after; hours are built as they end.
    """
    tables: dict[Windows, list[AssetKey]] = {}
    for it in pipelines:
        if it.partitions:
            tables.setdefault(it.partitions, []).append(asset_key(it.table))
    jobs = {windows: _job(windows, keys) for windows, keys in tables.items()}
    return tuple(jobs.values()), tuple(_schedule(windows, job) for windows, job in jobs.items())


def _job(windows: Windows, keys: Sequence[AssetKey]) -> UnresolvedAssetJobDefinition:
    return define_asset_job(
        job_name(windows),
        selection=AssetSelection.assets(*keys),
        description=f"Build one partition, {windows}, of each table that has them, and check it.",
    )


def _schedule(windows: Windows, job: UnresolvedAssetJobDefinition) -> Schedule:
    hour = None if windows.span is Span.HOURLY else 1
    return build_schedule_from_partitioned_job(job, name=f"{job.name}_as_they_end", hour_of_day=hour)
