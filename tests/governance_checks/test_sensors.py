"""What died without a word is ended in the store, once, by a sensor that has a real instance and a real store."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from dagster import (
    AssetExecutionContext,
    AssetsDefinition,
    DagsterInstance,
    RetryPolicy,
    SensorDefinition,
    asset,
    build_sensor_context,
    materialize,
)

from governance.errors import EventStoreError, UnknownColumn
from governance.events.instant import run_instant
from governance.events.model import Event
from governance.events.run import (
    Attempt,
    Naming,
    Recorded,
    RunFacts,
    complete_event,
    fail_event,
    start_event,
    started_by,
)
from governance.events.store import EventStore
from governance_checks.closer import Closer
from governance_checks.sensors import build_sensors

NAMING = Naming("iceberg://platform", "headwater")
READS = {"shop.orders": ("shop.baskets",), "shop.flaky": ()}


@pytest.fixture
def instance() -> Iterator[DagsterInstance]:
    with DagsterInstance.ephemeral() as fresh:
        yield fresh


@pytest.fixture
def store(tmp_path: Path) -> EventStore:
    return EventStore(tmp_path / "events")


def now() -> datetime:
    return datetime.now(UTC)


def closer(store: EventStore) -> Closer:
    return Closer(store, NAMING, READS, lambda: None, now)


def facts(context: AssetExecutionContext, table: str) -> RunFacts:
    record = context.instance.get_run_record_by_id(context.run.run_id)
    assert record is not None
    number = context.op_execution_context.retry_number
    instant = run_instant(record.dagster_run.tags, record.start_time, record.create_timestamp)
    return RunFacts(Attempt(table, instant, context.run.run_id, number), NAMING)


def build(instance: DagsterInstance, *assets: AssetsDefinition) -> None:
    materialize(list(assets), instance=instance, raise_on_error=False)


def emitting(store: EventStore, *, table: str = "shop.orders", ends: bool = False) -> AssetsDefinition:
    """A step that sends START, perhaps its FAIL too, and fails."""

    @asset(key=table.split("."))
    def orders(context: AssetExecutionContext) -> None:
        run = facts(context, table)
        store.append(start_event(run, now(), ["shop.baskets"], [table]))
        if ends:
            store.end(fail_event(run, now(), "its own words"))
        raise ValueError("the disk is gone")

    return orders


def told(store: EventStore) -> list[tuple[str, str]]:
    return [(event.event_type, event.job.name) for event in store.read().events]


def error(event: Event) -> str:
    assert event.run.facets.error_message
    return event.run.facets.error_message.message


def test_a_run_without_an_end_gets_fail_with_the_steps_error(instance: DagsterInstance, store: EventStore) -> None:
    build(instance, emitting(store))
    closer(store).close(instance)
    assert told(store) == [("START", "shop.orders"), ("FAIL", "shop.orders")]
    start, fail = store.read().events
    assert start.run.run_id == fail.run.run_id
    assert "the disk is gone" in error(fail)
    assert fail.run.facets.parent
    (record,) = instance.get_run_records()
    instant = run_instant(record.dagster_run.tags, record.start_time, record.create_timestamp)
    assert fail.run.facets.parent.run.run_id == started_by(instant, record.dagster_run.run_id, "j").run_id


def test_a_run_that_ended_itself_is_left_alone(instance: DagsterInstance, store: EventStore) -> None:
    build(instance, emitting(store, ends=True))
    assert closer(store).close(instance) == ()
    assert told(store) == [("START", "shop.orders"), ("FAIL", "shop.orders")]


def test_closing_twice_ends_once(instance: DagsterInstance, store: EventStore) -> None:
    build(instance, emitting(store))
    assert len(closer(store).close(instance)) == 1
    assert closer(store).close(instance) == ()
    assert len(told(store)) == 2


def test_an_orphans_late_end_changes_nothing(instance: DagsterInstance, store: EventStore) -> None:
    late: list[RunFacts] = []

    @asset(key=["shop", "orders"])
    def orders(context: AssetExecutionContext) -> None:
        late.append(facts(context, "shop.orders"))
        store.append(start_event(late[0], now(), [], ["shop.orders"]))
        raise ValueError("gone")

    build(instance, orders)
    closer(store).close(instance)
    assert not store.end(complete_event(late[0], now(), [], []))
    assert told(store) == [("START", "shop.orders"), ("FAIL", "shop.orders")]


def test_killed_before_its_first_event_it_gets_beginning_and_end(instance: DagsterInstance, store: EventStore) -> None:
    @asset(key=["shop", "orders"])
    def orders() -> None:
        raise ValueError("before START")

    build(instance, orders)
    closer(store).close(instance)
    assert told(store) == [("START", "shop.orders"), ("FAIL", "shop.orders")]
    start, fail = store.read().events
    assert [dataset.name for dataset in start.inputs] == ["shop.baskets"]
    assert start.at <= fail.at


def test_another_locations_job_that_never_spoke_is_not_spoken_for(instance: DagsterInstance, store: EventStore) -> None:
    @asset(key=["elsewhere", "thing"])
    def thing() -> None:
        raise ValueError("not ours")

    build(instance, thing)
    assert closer(store).close(instance) == ()
    assert told(store) == []


def test_a_success_without_complete_is_not_called_a_failure(instance: DagsterInstance, store: EventStore) -> None:
    @asset(key=["shop", "orders"])
    def orders(context: AssetExecutionContext) -> None:
        store.append(start_event(facts(context, "shop.orders"), now(), [], ["shop.orders"]))

    build(instance, orders)
    assert closer(store).close(instance) == ()


def test_a_run_that_died_after_its_commit_is_completed_and_not_failed(
    instance: DagsterInstance, store: EventStore
) -> None:
    build(instance, emitting(store))

    def mend() -> None:
        (started,) = store.read().events
        attempt = Recorded("shop.orders", started.run.run_id)
        store.end(complete_event(RunFacts(attempt, NAMING), now(), (), ()))

    assert Closer(store, NAMING, READS, mend, now).close(instance) == ()
    assert told(store) == [("START", "shop.orders"), ("COMPLETE", "shop.orders")]


def test_without_the_catalog_only_what_certainly_committed_nothing_is_ended(
    instance: DagsterInstance, store: EventStore
) -> None:
    @asset(key=["shop", "flaky"])
    def flaky() -> None:
        raise UnknownColumn("shop.baskets has no column colour")

    def ask() -> None:
        raise AssertionError("the catalog was asked")

    build(instance, emitting(store))
    build(instance, flaky)
    unasked = Closer(store, NAMING, READS, ask, now)
    done = unasked.close_unasked(instance)
    assert [it.known.table for it in done.ended] == ["shop.flaky"]
    assert [it.known.table for it in done.left] == ["shop.orders"]
    assert told(store) == [("START", "shop.orders"), ("START", "shop.flaky"), ("FAIL", "shop.flaky")]
    assert unasked.close_unasked(instance).ended == ()


@pytest.mark.parametrize("report", ["report_run_failed", "report_run_canceled"])
def test_without_the_catalog_a_killed_run_stays_open(instance: DagsterInstance, store: EventStore, report: str) -> None:
    @asset(key=["shop", "orders"])
    def orders(context: AssetExecutionContext) -> None:
        store.append(start_event(facts(context, "shop.orders"), now(), [], ["shop.orders"]))
        getattr(context.instance, report)(context.run)
        done = closer(store).close_unasked(context.instance)
        assert (done.ended, [it.known.table for it in done.left]) == ((), ["shop.orders"])

    materialize([orders], instance=instance)
    assert told(store) == [("START", "shop.orders")]


def test_only_the_attempt_that_died_is_ended(instance: DagsterInstance, store: EventStore) -> None:
    @asset(key=["shop", "flaky"], retry_policy=RetryPolicy(max_retries=1))
    def flaky(context: AssetExecutionContext) -> None:
        run = facts(context, "shop.flaky")
        store.append(start_event(run, now(), [], ["shop.flaky"]))
        if run.attempt.number == 0:
            raise ValueError("first")
        store.end(complete_event(run, now(), [], []))

    build(instance, flaky)
    assert len(closer(store).close(instance)) == 1
    ends = {event.run.run_id: event.event_type for event in store.read().events if event.event_type != "START"}
    assert sorted(ends.values()) == ["COMPLETE", "FAIL"]


def test_an_end_that_could_not_be_written_is_made_up_for(instance: DagsterInstance, store: EventStore) -> None:
    build(instance, emitting(store))
    day = store.files()[0]
    kept = day.rename(day.with_suffix(".kept"))
    day.mkdir()  # a folder in the file's place: what a test can do where it runs as root
    with pytest.raises(EventStoreError):
        closer(store).close(instance)
    day.rmdir()
    kept.rename(day)
    build(instance, emitting(store, table="shop.flaky", ends=True))
    closer(store).close(instance)
    assert sorted(told(store)) == sorted([(what, job) for job in READS for what in ("START", "FAIL")])


@pytest.mark.parametrize(
    ("verdict", "name", "end"), [("failed", "end_failed_runs", "FAIL"), ("canceled", "end_terminated_runs", "ABORT")]
)
def test_the_sensor_itself_ends_a_killed_run(
    instance: DagsterInstance, store: EventStore, verdict: str, name: str, end: str
) -> None:
    sensors = {sensor.name: sensor for sensor in build_sensors(lambda: closer(store))}
    cursor = tick(sensors[name], instance, None)  # its first tick only remembers where it stands

    @asset(key=["shop", "orders"])
    def orders(context: AssetExecutionContext) -> None:
        store.append(start_event(facts(context, "shop.orders"), now(), [], ["shop.orders"]))
        # what run monitoring, or Terminate of a dead worker, reports while the step can say nothing any more
        report: dict[str, Callable[..., object]] = {
            "failed": context.instance.report_run_failed,
            "canceled": context.instance.report_run_canceled,
        }
        report[verdict](context.run)
        tick(sensors[name], context.instance, cursor)
        assert told(store) == [("START", "shop.orders"), (end, "shop.orders")]

    build(instance, orders)
    assert told(store) == [("START", "shop.orders"), (end, "shop.orders")]


def tick(sensor: SensorDefinition, instance: DagsterInstance, cursor: str | None) -> str | None:
    with build_sensor_context(instance=instance, cursor=cursor) as context:
        data = sensor.evaluate_tick(context)
    failed = [reaction.error for reaction in data.dagster_run_reactions or [] if reaction.error]
    assert failed == []
    return data.cursor


def test_the_sensors_run_without_being_switched_on(store: EventStore) -> None:
    assert {sensor.default_status.value for sensor in build_sensors(lambda: closer(store))} == {"RUNNING"}


def test_what_is_older_than_the_window_is_history(instance: DagsterInstance, store: EventStore) -> None:
    build(instance, emitting(store))
    later = Closer(store, NAMING, READS, lambda: None, lambda: now() + timedelta(days=31))
    assert later.close(instance) == ()
