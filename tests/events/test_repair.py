"""Lost COMPLETE events come back from snapshots, once, and with the snapshot's own facts."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from governance.errors import UnknownColumn
from governance.events.facets import Column, Input, Output
from governance.events.file_facets import Landed
from governance.events.repair import Described, Lost, Snapshot, lost_completes, repair
from governance.events.run import Attempt, RunFacts, abort_event, start_event
from governance.events.store import EventStore
from governance.lineage.model import ColumnLineage, InputField, OutputField, Transformation
from tests.events.night import DAGSTER_RUN, NIGHT, WRITTEN, written

COMMITTED = NIGHT + timedelta(minutes=3)


def snapshot(run_id: str, snapshot_id: int = 77) -> Snapshot:
    return Snapshot("marketing.audience", snapshot_id, run_id, COMMITTED, (Column("email", "string"),), 12, 3400)


def described(_: Lost) -> Described:
    return Described(replace(WRITTEN, snapshot_id=None, rows=None))


def test_a_lost_complete_is_rebuilt_with_what_the_snapshot_knows(
    store: EventStore, facts: RunFacts, validate: Callable[[dict[str, Any]], list[str]]
) -> None:
    store.append(start_event(facts, NIGHT, ["crm.learners"], ["marketing.audience"]))
    (repaired,) = repair(store, [snapshot(facts.attempt.run_id)], described, facts.naming)
    assert repaired.problem == ""
    start, complete = written(store)
    assert complete["run"]["runId"] == start["run"]["runId"]
    assert complete["job"]["name"] == "marketing.audience"
    assert complete["eventTime"] == "2026-10-01T02:03:00+00:00"
    assert complete["outputs"][0]["facets"]["version"]["datasetVersion"] == "77"
    assert complete["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 12
    assert set(complete["outputs"][0]["facets"]["columnLineage"]["fields"]) == {"email", "address", "made_at"}
    assert complete["run"]["facets"]["tags"]["tags"][0]["key"] == "rebuilt_from"
    assert validate(complete) == []


def test_repairing_again_changes_nothing(store: EventStore, facts: RunFacts) -> None:
    store.append(start_event(facts, NIGHT, [], []))
    repair(store, [snapshot(facts.attempt.run_id)], described, facts.naming)
    before = store.files()[0].read_bytes()
    assert repair(store, [snapshot(facts.attempt.run_id)], described, facts.naming) == ()
    assert store.files()[0].read_bytes() == before


def test_a_run_without_start_gets_both_events(store: EventStore, facts: RunFacts) -> None:
    repair(store, [snapshot(facts.attempt.run_id)], described, facts.naming)
    assert [event["eventType"] for event in written(store)] == ["START", "COMPLETE"]
    assert [dataset["name"] for dataset in written(store)[0]["inputs"]] == ["crm.learners", "learning.courses"]


def test_a_run_that_has_ended_is_left_alone(store: EventStore, facts: RunFacts) -> None:
    store.append(start_event(facts, NIGHT, [], []))
    store.end(abort_event(facts, NIGHT, "terminated"))
    assert repair(store, [snapshot(facts.attempt.run_id)], described, facts.naming) == ()


def test_the_sql_that_ran_is_offered_for_tracing(store: EventStore, facts: RunFacts) -> None:
    store.append(start_event(facts, NIGHT, [], []))
    (lost,) = lost_completes(store.read().events, [snapshot(facts.attempt.run_id)])
    assert facts.job is not None
    assert lost.sql == facts.job.sql


def test_one_that_cannot_be_traced_leaves_the_others(store: EventStore, facts: RunFacts) -> None:
    other = Attempt("marketing.audience", NIGHT, DAGSTER_RUN, number=1)

    def describe(lost: Lost) -> Described:
        if lost.snapshot.snapshot_id == 77:
            raise UnknownColumn("crm.learners has no column emial", pipeline="audience.sql")
        return Described(WRITTEN)

    snapshots = [snapshot(facts.attempt.run_id), snapshot(other.run_id, 78)]
    first, second = repair(store, snapshots, describe, facts.naming)
    assert first.problem == "audience.sql: crm.learners has no column emial"
    assert second.problem == ""
    assert {event["run"]["runId"] for event in written(store)} == {other.run_id}


def test_while_events_are_switched_off_nothing_is_repaired_and_the_reason_is_said(
    store: EventStore, facts: RunFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    (repaired,) = repair(store, [snapshot(facts.attempt.run_id)], described, facts.naming)
    assert repaired.problem == "OPENLINEAGE_DISABLED=true is set, so it cannot be written"


def test_the_cause_removed_a_silent_nights_run_is_made_up_for(
    store: EventStore, facts: RunFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    assert store.append(start_event(facts, NIGHT, [], [])) is False
    monkeypatch.delenv("OPENLINEAGE_DISABLED")
    repair(store, [snapshot(facts.attempt.run_id)], described, facts.naming)
    terminal = store.terminal(facts.attempt.run_id)
    assert terminal is not None
    assert terminal.event_type == "COMPLETE"
    assert json.loads(store.files()[0].read_text().splitlines()[0])["eventType"] == "START"


def test_what_the_run_wrote_and_read_besides_is_told_again(
    store: EventStore, facts: RunFacts, validate: Callable[[dict[str, Any]], list[str]]
) -> None:
    store.append(start_event(facts, NIGHT, ["crm.learners"], ["marketing.audience"]))
    row = OutputField("row", (InputField("landing/people.csv", "mail", Transformation.TRANSFORMATION),))
    lineage = ColumnLineage("quarantine.marketing_audience", (row,), (), ("landing/people.csv",))
    rejects = Output(lineage.output or "", (Column("row", "varchar"),), lineage, 78, rows=3)
    file = Input("landing/people.csv", landed=Landed("csv"))

    repair(
        store,
        [snapshot(facts.attempt.run_id)],
        lambda _: Described(replace(WRITTEN, snapshot_id=None), (rejects,), (file,)),
        facts.naming,
    )

    complete = written(store)[-1]
    assert [it["name"] for it in complete["inputs"]] == ["crm.learners", "landing/people.csv", "learning.courses"]
    assert [
        (it["name"], it["facets"]["version"]["datasetVersion"], it["outputFacets"]["outputStatistics"]["rowCount"])
        for it in complete["outputs"]
    ] == [("marketing.audience", "77", 12), ("quarantine.marketing_audience", "78", 3)]
    assert validate(complete) == []
