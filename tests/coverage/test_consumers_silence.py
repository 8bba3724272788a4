"""Silence is weighed against the window: what the log and the graph each know alone, and what few or no reads prove."""

from datetime import timedelta

import pytest

from governance.consumers.declared import Declared
from governance.consumers.reconcile import silence
from governance.queries.model import Window
from tests.coverage.consumers import FLOWS, NOON, QUARTER, REPORT, Make, Read, find, named


@pytest.mark.parametrize(
    ("period", "days", "said"),
    [
        (QUARTER, 30, "which is shorter than its period of 90 days, so that proves nothing"),
        (QUARTER, 90, "though it runs every 90 days: gone, or it reads where this log does not look"),
        (None, 90, "how often it runs is not declared, so that proves nothing"),
        (timedelta(hours=6), 30, "though it runs every 6 hours"),
        (QUARTER, None, "no query log of that time was ingested"),
    ],
)
def test_silence_proves_nothing_where_the_window_is_shorter_than_the_period(
    period: timedelta | None, days: int | None, said: str
) -> None:
    assert said in silence(period, Window(NOON - timedelta(days=days), NOON) if days else None)


def test_a_quarterly_consumer_is_not_gone_for_a_month_of_silence(records: Make, read: Read) -> None:
    found = find(records(FLOWS, [read("ann", "fct.payments")], [REPORT], days=30))

    (note,) = named(found)["Quarterly report"].notes
    assert "shorter than its period of 90 days" in note
    assert any(gap.consumer == "Quarterly report" and "proves nothing" in gap.said for gap in found.graph_only)


def test_a_daily_consumer_that_fell_silent_is_told(records: Make, read: Read) -> None:
    daily = Declared("Daily", "report", ("fct.payments",), period=timedelta(days=1), accounts=("daily",))

    found = find(records(FLOWS, [read("daily", "fct.payments", day=-20)], [daily]))

    assert named(found)["Daily"].notes == ("no read in the last 20 days of the log, though it runs every 1 day",)


def test_reconciliation_has_both_sides_with_owners(records: Make, read: Read) -> None:
    found = find(records(FLOWS, [read("ann", "fct.payments"), read("mart.revenue", "fct.payments")], [REPORT]))

    assert [(gap.consumer, gap.owner) for gap in found.log_only] == [("ann", "team:finance")]
    assert [(gap.consumer, gap.owner) for gap in found.graph_only] == [
        ("Quarterly report", "team:finance"),
        ("raw.copy", "team:finance"),
    ]
    assert "its last run ended 2026-08-30" in found.graph_only[1].said


def test_without_a_log_no_edge_is_said_to_be_unread(records: Make) -> None:
    assert find(records(FLOWS, consumers=[REPORT])).graph_only == ()


def test_few_reads_may_be_a_rare_job(records: Make, read: Read) -> None:
    found = named(find(records("", [read("ann", "fct.payments")])))

    assert found["ann"].notes == ("few reads: it may run rarely",)


@pytest.mark.parametrize(("count", "notes"), [(3, ("few reads: it may run rarely",)), (4, ())])
def test_what_few_reads_are(records: Make, read: Read, count: int, notes: tuple[str, ...]) -> None:
    found = named(find(records("", [read("ann", "fct.payments") for _ in range(count)])))

    assert found["ann"].notes == notes
