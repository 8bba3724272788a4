"""One job of the code location run in this process, on the project's own Dagster instance, and what came of it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dagster import (
    AssetCheckEvaluation,
    AssetCheckSeverity,
    AssetKey,
    DagsterExecutionInterruptedError,
    DagsterInstance,
    Definitions,
    ExecuteInProcessResult,
    MetadataValue,
)
from dagster._core.storage.tags import ASSET_PARTITION_RANGE_END_TAG, ASSET_PARTITION_RANGE_START_TAG

from platform_assets.assets.metadata import FILES_READ, KEPT_IN, REJECTED, ROWS_WRITTEN

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
"""Run configuration that keeps Dagster's own log, which the instance stores whole, off the terminal."""

RANGE = (ASSET_PARTITION_RANGE_START_TAG, ASSET_PARTITION_RANGE_END_TAG)

OURS = re.compile(r"(governance|platform_assets|governance_checks)(\.\w+)+: ")
"""The class of an error of ours, as Dagster writes it before the error's text."""


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """One check of one asset: ``state`` is passed, warned or failed."""

    asset: str
    check: str
    state: str
    description: str


@dataclass(frozen=True, slots=True)
class Written:
    """What a pipeline that succeeded wrote: rows of its table, from how many files, and rows that fitted no column.

    kept_in: the table that has the rejected rows; empty where none was rejected
    """

    table: str
    rows: int
    files: int | None
    rejected: int
    kept_in: str


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """What one run of a job came to.

    built:   tables whose pipeline succeeded, sorted
    failed:  step → the error that ended it
    checks:  every check that ran, by asset and name
    written: what each of ``built`` wrote, in its order
    """

    run_id: str
    built: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    checks: tuple[CheckOutcome, ...]
    written: tuple[Written, ...] = ()

    @property
    def red(self) -> tuple[CheckOutcome, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.state == "failed")


def run_job(
    defs: Definitions,
    name: str | None,
    instance: DagsterInstance,
    tables: Iterable[str] = (),
    keys: tuple[str, str] | None = None,
) -> JobOutcome:
    """Run a job, or of it only the assets of ``tables`` and their checks; a failed step is told, not raised.

    name: None for Dagster's own job of all assets, in which those of any partitions are
    keys: the first and the last of the partitions that are built
    """
    job = defs.resolve_implicit_global_asset_job_def() if name is None else defs.resolve_job_def(name)
    selection = [AssetKey(table.split(".")) for table in tables]
    first, last = keys or (None, None)
    result = job.execute_in_process(
        instance=instance,
        raise_on_error=False,
        asset_selection=selection or None,
        run_config=QUIET,
        partition_key=first if first == last else None,
        tags=dict(zip(RANGE, keys, strict=True)) if keys and first != last else None,
    )
    materialized = _materialized(result)
    return JobOutcome(
        run_id=result.run_id,
        built=tuple(sorted(materialized)),
        failed=tuple(sorted(_failed(result))),
        checks=tuple(
            sorted(
                (_outcome(check) for check in result.get_asset_check_evaluations()), key=lambda c: (c.asset, c.check)
            )
        ),
        written=tuple(_written(table, materialized[table]) for table in sorted(materialized)),
    )


def _materialized(result: ExecuteInProcessResult) -> Mapping[str, Mapping[str, MetadataValue[Any]]]:
    """Return each table that was built with the metadata of its materialization."""
    return {
        ".".join(event.asset_key.path): event.step_materialization_data.materialization.metadata
        for event in result.get_asset_materialization_events()
        if event.asset_key is not None
    }


def _written(table: str, told: Mapping[str, MetadataValue[Any]]) -> Written:
    known = {name: told[name].value for name in (ROWS_WRITTEN, FILES_READ, REJECTED, KEPT_IN) if name in told}
    return Written(
        table, known.get(ROWS_WRITTEN, 0), known.get(FILES_READ), known.get(REJECTED, 0), known.get(KEPT_IN, "")
    )


def _failed(result: ExecuteInProcessResult) -> Iterable[tuple[str, str]]:
    for event in result.all_events:
        if event.is_step_failure and event.step_key:
            error = event.step_failure_data.error
            cause = (error.cause or error) if error else None
            yield event.step_key, _reason(cause.cls_name, cause.message) if cause else "no reason given"


def _reason(error: str | None, message: str) -> str:
    if error == DagsterExecutionInterruptedError.__name__:
        return "it was interrupted"
    # an error of ours says all that there is to say; the class of any other helps whoever looks for its cause
    said = message.strip()
    ours = OURS.match(said)
    return said[ours.end() :] if ours else said


def _outcome(evaluation: AssetCheckEvaluation) -> CheckOutcome:
    failed = "failed" if evaluation.severity is AssetCheckSeverity.ERROR else "warned"
    return CheckOutcome(
        asset=".".join(evaluation.asset_key.path),
        check=evaluation.check_name,
        state="passed" if evaluation.passed else failed,
        description=evaluation.description or "",
    )
