"""How a run ends: with one terminal event, whatever interrupts it and whatever of the events fails."""

import json
import signal
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

from governance.errors import CatalogError, EventStoreError
from governance.events.run import fail_event
from governance.events.store import EventStore
from platform_assets.engines.engine import Query, Relation
from platform_assets.iceberg.catalog import inventory, published
from platform_assets.runs.materialize import materialize
from platform_assets.runs.run import Platform, run_facts
from tests.platform.buyers import AT, NeverRuns, Terminated, Then, buyers, kinds, pipeline, rows, run, sent, sql


def test_terminate_in_a_long_query_sends_abort_and_leaves_the_table(platform: Platform) -> None:
    buyers(platform)

    def stop(*_: object) -> None:
        raise Terminated

    busy = """create table mart.buyers as
        with recursive n as (select 1 as i union all select i + 1 from n where i < 100000000)
        select count(*) as n from n a, n b where a.i % 7 = b.i % 3"""
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.6)
    try:
        with pytest.raises(Terminated):
            materialize(platform, sql(busy), run(1))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert kinds(platform) == ["START", "COMPLETE", "START", "ABORT"]
    assert [row["name"] for row in rows(platform, "mart.buyers")] == ["Ada"]


def test_terminate_after_the_commit_sends_complete_for_the_data_is_there(platform: Platform) -> None:
    def stop() -> None:
        raise Terminated

    for engine, number in ((platform.engine, 0), (Then(platform.engine, stop), 1)):
        with suppress(Terminated):
            materialize(replace(platform, engine=engine), pipeline(platform, "mart.buyers"), run(number))
    assert kinds(platform) == ["START", "COMPLETE", "START", "COMPLETE"]
    output = sent(platform)[-1]["outputs"][0]["facets"]
    assert output["lifecycleStateChange"]["lifecycleStateChange"] == "OVERWRITE"
    assert published(platform.catalog, "mart.buyers")[-1].run_id == run(1).attempt.run_id


def test_n16_a_commit_whose_answer_was_lost_sends_complete(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    buyers(platform)
    real = type(platform.catalog).commit_table

    def lost(*args: Any) -> Any:
        real(*args)
        raise ConnectionError("the answer never came")

    monkeypatch.setattr(type(platform.catalog), "commit_table", lost)
    with pytest.raises(CatalogError, match="the answer never came"):
        buyers(platform, 1)
    assert kinds(platform) == ["START", "COMPLETE", "START", "COMPLETE"]
    output = sent(platform)[-1]["outputs"][0]
    assert output["outputFacets"]["outputStatistics"]["rowCount"] == 1


class Losing(NeverRuns):
    """An engine that is interrupted while a lock is being taken back, and says what the lock then says."""

    def open(self, _query: Query, _tables: Mapping[str, Relation]) -> Any:
        try:
            raise Terminated
        finally:
            threading.Lock().release()


def test_terminate_of_which_a_library_made_an_error_is_still_one(platform: Platform) -> None:
    with pytest.raises(Terminated):
        materialize(replace(platform, engine=Losing()), pipeline(platform, "mart.buyers"), run(0))
    assert kinds(platform) == ["START", "ABORT"]


@pytest.mark.parametrize(("written", "told"), [(True, ["START", "ABORT"]), (False, [])])
def test_terminate_while_the_start_is_written_ends_what_stands(
    platform: Platform, monkeypatch: pytest.MonkeyPatch, *, written: bool, told: list[str]
) -> None:
    real = EventStore.begin

    def interrupted(store: EventStore, event: Any) -> bool:
        if written:
            real(store, event)
        raise Terminated

    monkeypatch.setattr(EventStore, "begin", interrupted)
    with pytest.raises(Terminated):
        buyers(platform)
    assert kinds(platform) == told


@pytest.mark.parametrize("written", [True, False])
def test_terminate_while_the_end_is_written_leaves_one_end(
    platform: Platform, monkeypatch: pytest.MonkeyPatch, *, written: bool
) -> None:
    real = EventStore.end
    calls: list[object] = []

    def interrupted(store: EventStore, event: Any) -> bool:
        calls.append(event)
        if len(calls) > 1:
            return real(store, event)
        if written:
            real(store, event)
        raise Terminated

    monkeypatch.setattr(EventStore, "end", interrupted)
    with pytest.raises(Terminated):
        buyers(platform)
    assert kinds(platform) == ["START", "COMPLETE"]


def test_nothing_runs_where_start_cannot_be_written(platform: Platform) -> None:
    rmtree(platform.project.events, ignore_errors=True)
    platform.project.events.write_text("in the way", "utf-8")
    with pytest.raises(EventStoreError):
        materialize(replace(platform, engine=NeverRuns()), pipeline(platform, "mart.buyers"), run())
    assert "mart.buyers" not in inventory(platform.catalog)


def test_the_data_stays_where_complete_cannot_be_written(platform: Platform) -> None:
    def block() -> None:
        rmtree(platform.project.events)
        platform.project.events.write_text("in the way", "utf-8")

    done = buyers(replace(platform, engine=Then(platform.engine, block)))
    assert "headwater events repair" in done.warnings[0]
    assert len(rows(platform, "mart.buyers")) == 1


def test_the_first_terminal_event_stands(platform: Platform) -> None:
    facts = run_facts(platform, pipeline(platform, "mart.buyers"), run())
    ended = Then(platform.engine, lambda: platform.store.end(fail_event(facts, AT, "taken for dead")) and None)
    done = buyers(replace(platform, engine=ended))
    assert "closed before" in done.warnings[0]
    assert kinds(platform) == ["START", "FAIL"]


def test_events_switched_off_stop_nothing(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    done = buyers(platform)
    assert done.warnings == ()
    assert sent(platform) == []
    assert len(rows(platform, "mart.buyers")) == 1


def test_a_dead_lineage_server_is_said_in_the_runs_warning(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{unused.getsockname()[1]}"
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT", json.dumps({"type": "http", "url": dead, "retry": {"total": 0}}))
    (warning,) = buyers(platform).warnings
    assert warning.startswith(f"http {dead} does not have all events yet: Connection refused")
    assert "headwater events ship" in warning


def test_settings_that_cannot_be_read_stop_a_run_before_anything_runs(platform: Platform) -> None:
    Path("openlineage.yml").write_text("transport: [", "utf-8")
    with pytest.raises(EventStoreError, match=r"openlineage\.yml:1:13"):
        buyers(platform)
    assert sent(platform) == []
    assert "mart.buyers" not in inventory(platform.catalog)
