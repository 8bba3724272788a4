"""``-- partitions: daily from 2026-01-01`` → Dagster's partitions: which there are, and which a run is of."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from dagster import (
    AssetExecutionContext,
    BackfillPolicy,
    BetaWarning,
    TimeWindowPartitionMapping,
    TimeWindowPartitionsDefinition,
)

from governance.errors import HeadwaterError
from governance.pipeline import Pipeline
from governance.windows import CRON, Window, Windows, begin_of

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
