"""One job of the code location run in this process, on the project's own Dagster instance, and what came of it."""

from collections.abc import Iterable
from dataclasses import dataclass

from dagster import (
    AssetCheckEvaluation,
    AssetCheckSeverity,
    AssetKey,
    DagsterInstance,
    Definitions,
    ExecuteInProcessResult,
)

from platform_assets.metadata import KEPT_IN, REJECTED

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
"""Run configuration that keeps Dagster's own log, which the instance stores whole, off the terminal."""


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """One check of one asset: ``state`` is passed, warned or failed."""

    asset: str
    check: str
    state: str
    description: str


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """What one run of a job came to.

    built:    tables whose pipeline succeeded, sorted
    failed:   step → the error that ended it
    checks:   every check that ran, by asset and name
    rejected: (table, how many rows of files did not fit, the table that keeps them) where there are any, sorted
    """

    run_id: str
    built: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    checks: tuple[CheckOutcome, ...]
    rejected: tuple[tuple[str, int, str], ...] = ()

    @property
    def red(self) -> tuple[CheckOutcome, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.state == "failed")


def run_job(defs: Definitions, name: str, instance: DagsterInstance, tables: Iterable[str] = ()) -> JobOutcome:
    """Run a job, or of it only the assets of ``tables`` and their checks; a failed step is told, not raised."""
    job = defs.resolve_job_def(name)
    selection = [AssetKey(table.split(".")) for table in tables]
    result = job.execute_in_process(
        instance=instance, raise_on_error=False, asset_selection=selection or None, run_config=QUIET
    )
    return JobOutcome(
        rejected=tuple(sorted(_rejected(result))),
        run_id=result.run_id,
        built=tuple(sorted(_built(result))),
        failed=tuple(sorted(_failed(result))),
        checks=tuple(
            sorted(
                (_outcome(check) for check in result.get_asset_check_evaluations()), key=lambda c: (c.asset, c.check)
            )
        ),
    )


def _built(result: ExecuteInProcessResult) -> set[str]:
    return {
        ".".join(event.asset_key.path)
        for event in result.get_asset_materialization_events()
        if event.asset_key is not None
    }


def _rejected(result: ExecuteInProcessResult) -> Iterable[tuple[str, int, str]]:
    for event in result.get_asset_materialization_events():
        told = event.step_materialization_data.materialization.metadata
        if event.asset_key is not None and REJECTED in told:
            yield ".".join(event.asset_key.path), int(str(told[REJECTED].value)), str(told[KEPT_IN].value)


def _failed(result: ExecuteInProcessResult) -> Iterable[tuple[str, str]]:
    for event in result.all_events:
        if event.is_step_failure and event.step_key:
            error = event.step_failure_data.error
            cause = (error.cause or error) if error else None
            yield event.step_key, cause.message.strip() if cause else "no reason given"


def _outcome(evaluation: AssetCheckEvaluation) -> CheckOutcome:
    failed = "failed" if evaluation.severity is AssetCheckSeverity.ERROR else "warned"
    return CheckOutcome(
        asset=".".join(evaluation.asset_key.path),
        check=evaluation.check_name,
        state="passed" if evaluation.passed else failed,
        description=evaluation.description or "",
    )
