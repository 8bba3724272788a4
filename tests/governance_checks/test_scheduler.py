"""What the instance knows of ended attempts: read from runs that really ran."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from dagster import (
    AssetCheckExecutionContext,
    AssetCheckResult,
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    AssetSpec,
    DagsterInstance,
    Definitions,
    ExecuteInProcessResult,
    Output,
    RetryPolicy,
    asset,
    asset_check,
    define_asset_job,
    materialize,
    multi_asset,
)

from governance.events.instant import SCHEDULED_TIME, run_instant
from governance_checks.scheduler import CHECKS_ONLY, Ended, ended_attempts

PAST = datetime(2000, 1, 1, tzinfo=UTC)


@pytest.fixture
def instance() -> Iterator[DagsterInstance]:
    with DagsterInstance.ephemeral() as fresh:
        yield fresh


def run(
    instance: DagsterInstance, *assets: AssetsDefinition, tags: dict[str, str] | None = None
) -> ExecuteInProcessResult:
    return materialize(list(assets), instance=instance, raise_on_error=False, tags=tags)


def seen(instance: DagsterInstance) -> list[tuple[str, int, str]]:
    return sorted((e.known.table, e.known.attempt.number, e.known.status) for e in ended_attempts(instance, PAST))


@asset(key=["shop", "good"])
def good() -> None: ...


@asset(key=["shop", "bad"])
def bad() -> None:
    raise ValueError("no such column emial")


@asset(key=["shop", "flaky"], retry_policy=RetryPolicy(max_retries=2))
def flaky(context: AssetExecutionContext) -> None:
    if context.op_execution_context.retry_number == 0:
        raise ValueError("first time")


@asset(key=["shop", "after_bad"], deps=[bad])
def after_bad() -> None: ...


def test_a_step_that_succeeded_in_a_failed_run_is_a_success(instance: DagsterInstance) -> None:
    assert not run(instance, good, bad).success
    assert seen(instance) == [("shop.bad", 0, "FAILURE"), ("shop.good", 0, "SUCCESS")]


def test_every_retry_is_an_attempt_of_its_own(instance: DagsterInstance) -> None:
    assert run(instance, flaky).success
    assert seen(instance) == [("shop.flaky", 0, "FAILURE"), ("shop.flaky", 1, "SUCCESS")]


def test_what_never_started_is_no_attempt(instance: DagsterInstance) -> None:
    run(instance, bad, after_bad)
    assert [table for table, _, _ in seen(instance)] == ["shop.bad"]


def test_the_users_own_error_is_the_reason(instance: DagsterInstance) -> None:
    run(instance, bad)
    (ended,) = ended_attempts(instance, PAST)
    assert ended.reason == "ValueError: no such column emial"


def test_a_step_that_builds_two_tables_is_an_attempt_at_each(instance: DagsterInstance) -> None:
    @multi_asset(specs=[AssetSpec(["shop", "one"]), AssetSpec(["shop", "two"])])
    def both() -> Iterator[Output[None]]:
        yield Output(None, "shop__one")
        yield Output(None, "shop__two")

    run(instance, both)
    assert seen(instance) == [("shop.one", 0, "SUCCESS"), ("shop.two", 0, "SUCCESS")]


def test_the_own_run_of_a_check_is_still_going_but_its_assets_step_has_ended(instance: DagsterInstance) -> None:
    inside: list[Ended] = []

    @asset_check(asset=AssetKey(["shop", "good"]))
    def sees(context: AssetCheckExecutionContext) -> AssetCheckResult:
        inside.extend(ended_attempts(context.instance, PAST))
        return AssetCheckResult(passed=True)

    assert run(instance, good, sees).success
    assert [(e.known.table, e.known.status) for e in inside] == [("shop.good", "SUCCESS")]


def test_a_run_that_is_still_building_has_not_ended(instance: DagsterInstance) -> None:
    inside: list[Ended] = []

    @asset(key=["shop", "looking"])
    def looking(context: AssetExecutionContext) -> None:
        inside.extend(ended_attempts(context.instance, PAST))

    assert run(instance, looking).success
    assert inside == []


@pytest.mark.parametrize(("verdict", "status"), [("FAILURE", "FAILURE"), ("CANCELED", "CANCELED")])
def test_a_step_killed_without_a_word_ends_as_its_run_does(
    instance: DagsterInstance, verdict: str, status: str
) -> None:
    class Killed(BaseException):
        """Stands in for a process that is gone: the step's end is never logged."""

    @asset(key=["shop", "killed"])
    def killed(context: AssetExecutionContext) -> None:
        assert seen(context.instance) == []
        record = context.instance.get_run_record_by_id(context.run.run_id)
        assert record is not None
        # what run monitoring does when it finds the worker dead
        report = {"FAILURE": context.instance.report_run_failed, "CANCELED": context.instance.report_run_canceled}
        report[verdict](record.dagster_run)
        (ended,) = ended_attempts(context.instance, PAST)
        assert (ended.known.table, ended.known.status) == ("shop.killed", status)
        assert ended.reason

    run(instance, killed)


def test_the_instant_is_the_scheduled_time_where_there_is_one(instance: DagsterInstance) -> None:
    run(instance, good, tags={SCHEDULED_TIME: "2026-10-24T04:00:00+02:00"})
    (ended,) = ended_attempts(instance, PAST)
    assert ended.known.attempt.instant == datetime(2026, 10, 24, 2, tzinfo=UTC)


def test_the_instant_of_an_unscheduled_run_is_its_start_inside_and_after(instance: DagsterInstance) -> None:
    inside: list[datetime] = []

    @asset(key=["shop", "clock"])
    def clock(context: AssetExecutionContext) -> None:
        record = context.instance.get_run_record_by_id(context.run.run_id)
        assert record is not None
        inside.append(run_instant(record.dagster_run.tags, record.start_time, record.create_timestamp))

    result = run(instance, clock)
    record = instance.get_run_record_by_id(result.run_id)
    assert record is not None
    assert inside == [run_instant(record.dagster_run.tags, record.start_time, record.create_timestamp)]
    assert record.start_time == pytest.approx(inside[0].timestamp(), abs=1e-6)
    assert abs(datetime.now(UTC) - inside[0]) < timedelta(minutes=1)


def test_a_run_that_only_checks_is_not_read(instance: DagsterInstance) -> None:
    run(instance, good, tags=CHECKS_ONLY)
    assert seen(instance) == []


def test_a_run_older_than_the_window_is_not_read(instance: DagsterInstance) -> None:
    run(instance, good)
    assert ended_attempts(instance, datetime.now(UTC) + timedelta(minutes=1)) == ()


def test_a_run_waiting_to_start_has_no_attempt(instance: DagsterInstance) -> None:
    job = Definitions(assets=[good], jobs=[define_asset_job("waiting")]).resolve_job_def("waiting")
    instance.create_run_for_job(job)
    assert seen(instance) == []


def test_a_finished_run_is_read_once_and_a_running_one_again(instance: DagsterInstance) -> None:
    run(instance, good)
    finished: dict[str, tuple[Ended, ...]] = {}
    assert len(ended_attempts(instance, PAST, finished)) == 1

    @asset(key=["shop", "watching"])
    def watching(context: AssetExecutionContext) -> None:
        assert len(ended_attempts(context.instance, PAST, finished)) == 1

    run(instance, watching)
    assert len(finished) == 1
    assert len(ended_attempts(instance, PAST, finished)) == 2
    assert len(finished) == 2
