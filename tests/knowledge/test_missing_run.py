"""A run that ended in Dagster, or was due elsewhere, has its events in the store, or is said to be missing."""

from datetime import timedelta

import pytest

from governance.events.run import Attempt
from governance.policy import ExternalJob
from governance.rules import EndedAttempt
from governance.rules.finding import Severity
from tests.knowledge.findings import NIGHT, PolicyOf, Say, Tell, found


def ended(status: str = "SUCCESS", number: int = 0) -> EndedAttempt:
    return EndedAttempt(Attempt("b.b", NIGHT, "0123456789ab", number), "b.b", status)


@pytest.mark.parametrize(
    ("status", "mended_by"),
    [("SUCCESS", "repair"), ("FAILURE", "end_failed_runs"), ("CANCELED", "end_terminated_runs")],
)
def test_an_ended_attempt_without_any_event_is_missing(known: Tell, status: str, mended_by: str) -> None:
    (finding,) = found("missing_run", known(ended=(ended(status),)))

    assert (finding.table, finding.column, finding.severity) == ("b.b", None, Severity.ERROR)
    assert finding.message == f"attempt 0 of Dagster run 01234567 ended in {status}, and the store holds no event of it"
    assert finding.decided_by == f"run {ended().attempt.run_id}"
    assert mended_by in finding.fix
    assert finding.fix.startswith("run `headwater events repair`: ")


def test_the_reason_for_the_silence_is_named(known: Tell) -> None:
    (finding,) = found("missing_run", known(ended=(ended(),), silenced="OPENLINEAGE_DISABLED=true in the environment"))

    assert finding.message.endswith("no event of it: OPENLINEAGE_DISABLED=true in the environment")
    assert finding.fix.startswith("remove the cause (OPENLINEAGE_DISABLED=true in the environment), then run")


def test_a_run_whose_end_arrived_was_not_silenced(known: Tell, event: Say) -> None:
    events = [event("FAIL", "b.b", run=ended().attempt.run_id)]

    (finding,) = found("missing_run", known(events, ended=(ended(),), silenced="OPENLINEAGE_DISABLED=true"))

    assert "OPENLINEAGE_DISABLED" not in finding.message + finding.fix


@pytest.mark.parametrize(
    ("status", "states", "says"),
    [
        ("SUCCESS", ["START", "COMPLETE"], None),
        ("SUCCESS", ["START"], "the store holds its START of 2026-10-01 02:00 UTC and no end"),
        ("SUCCESS", ["START", "FAIL"], "the store holds FAIL as its end, not COMPLETE"),
        ("FAILURE", ["START", "FAIL"], None),
        ("FAILURE", ["START", "COMPLETE"], None),
        ("CANCELED", ["START", "ABORT"], None),
        ("CANCELED", ["START", "RUNNING"], "the store holds its RUNNING of 2026-10-01 02:00 UTC and no end"),
    ],
)
def test_every_end_has_its_terminal_event_and_every_success_its_complete(
    known: Tell, event: Say, status: str, states: list[str], says: str | None
) -> None:
    events = [event(state, "b.b", run=ended().attempt.run_id) for state in states]

    messages = [finding.message for finding in found("missing_run", known(events, ended=(ended(status),)))]

    assert [message.partition(", and ")[2] for message in messages] == ([says] if says else [])


def test_a_retry_is_a_run_of_its_own(known: Tell, event: Say) -> None:
    events = [event("COMPLETE", "b.b", run=ended(number=1).attempt.run_id)]

    (finding,) = found("missing_run", known(events, ended=(ended("FAILURE"), ended("SUCCESS", number=1))))

    assert "attempt 0 " in finding.message


def test_a_job_that_runs_elsewhere_is_missed_when_silent(known: Tell, policy_of: PolicyOf) -> None:
    job = ExternalJob("airflow", "crm.export", timedelta(days=1), owner="team:crm")
    policy = policy_of({}, external_jobs=(job,))
    (silent,) = found("missing_run", known(policy=policy))

    assert silent.message == (
        "job crm.export runs elsewhere, at least every 1 day, and the store has no COMPLETE of it"
    )
    assert "team:crm" in silent.fix


@pytest.mark.parametrize(("at", "count"), [("2026-09-29T02:00:00Z", 1), ("2026-09-30T09:00:00Z", 0)])
def test_its_cadence_is_counted_from_its_last_complete(
    known: Tell, event: Say, policy_of: PolicyOf, at: str, count: int
) -> None:
    policy = policy_of({}, external_jobs=(ExternalJob("headwater", "crm.export", timedelta(days=1)),))

    messages = [
        it.message for it in found("missing_run", known([event("COMPLETE", "crm.export", at=at)], policy=policy))
    ]

    assert len(messages) == count
    assert all("its last COMPLETE is of 2026-09-29 02:00 UTC, 2 days 6 hours ago" in it for it in messages)
