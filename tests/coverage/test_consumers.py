"""Consumers are the union of what four records know, each with its evidence; silence is weighed against the window."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from governance.consumers.asked import asked
from governance.consumers.declared import Declared
from governance.consumers.find import consumers_of
from governance.consumers.model import Consumer, Consumers
from governance.consumers.reconcile import silence
from governance.consumers.records import Records
from governance.dataset import Dataset, Field
from governance.errors import UnknownField
from governance.queries.model import QueryRead, Window
from governance.report.consumers import consumers_page
from governance.report.page import page_markdown, page_text

Read = Callable[..., QueryRead]
Make = Callable[..., Records]

NOON = datetime(2026, 9, 1, 12, tzinfo=UTC)
TABLE = Dataset("iceberg://platform", "fct.payments")
FLOWS = """
fct.payments: src.payments -> fct.payments amount<src.payments.amount status<src.payments.status
mart.revenue: fct.payments -> mart.revenue amount<fct.payments.amount
raw.copy: fct.payments -> raw.copy ?
"""
QUARTER = timedelta(days=90)
REPORT = Declared(
    "Quarterly report",
    "report",
    ("fct.payments.amount",),
    owner="team:finance",
    criticality="critical",
    period=QUARTER,
    accounts=("svc_report",),
)


def find(records: Records, asked: Dataset | Field = TABLE) -> Consumers:
    return consumers_of(asked, records, NOON)


def named(found: Consumers) -> dict[str, Consumer]:
    return {consumer.name: consumer for consumer in found.consumers}


def test_the_union_of_lineage_log_declarations_and_bi_metadata(records: Make, read: Read) -> None:
    board = Declared("Board", "dashboard", ("fct.payments",), source="BI metadata", file="bi.json")

    found = find(records(FLOWS, [read("ann", "fct.payments"), read("svc_report", "fct.payments")], [REPORT, board]))

    assert {it.name: [said.source for said in it.evidence] for it in found.consumers} == {
        "Quarterly report": ["query log", "declared"],
        "ann": ["query log"],
        "Board": ["BI metadata"],
        "mart.revenue": ["lineage graph"],
        "raw.copy": ["lineage graph"],
    }
    assert found.statement == "5 consumers found among these sources over this window"


def test_the_most_critical_comes_first_then_the_most_read(records: Make, read: Read) -> None:
    low = Declared("Low", "report", ("fct.payments",), criticality="low")

    found = find(
        records(FLOWS, [read("bob", "fct.payments"), *(read("ann", "fct.payments") for _ in range(3))], [REPORT, low])
    )

    assert [it.name for it in found.consumers] == [
        "Quarterly report",
        "ann",
        "bob",
        "mart.revenue",
        "raw.copy",
        "Low",
    ]


def test_nobody_found_is_said_of_these_sources_and_this_window(records: Make, read: Read) -> None:
    found = find(records(FLOWS, [read("ann", "x.x")]), Dataset("iceberg://platform", "mart.revenue"))

    assert found.consumers == ()
    assert found.statement == "no consumers found among these sources over this window"
    text = page_text(consumers_page(found))
    assert "mart.revenue: no consumers found among these sources over this window." in text
    assert "query log of 2026-06-03 to 2026-09-01" in text


def test_each_evidence_has_window_last_read_and_count(records: Make, read: Read) -> None:
    reads = [read("ann", "fct.payments", day=-3), read("ann", "fct.payments", day=-1, columns=("fct.payments.amount",))]

    (said,) = named(find(records("", reads)))["ann"].evidence

    assert (said.reads, said.last_read, said.window) == (2, NOON - timedelta(days=1), Window(NOON - QUARTER, NOON))
    assert (said.how, said.columns) == ("by ann", ("fct.payments.amount",))


def test_tables_derived_from_it_are_named_for_their_consumers(records: Make) -> None:
    circle = f"{FLOWS}\nback: mart.revenue -> fct.payments status<mart.revenue.amount\nlast: raw.copy -> z.z ?"

    found = find(records(circle))

    assert found.derived == ("mart.revenue", "raw.copy", "z.z")
    assert "whose consumers a change may reach: mart.revenue, raw.copy, z.z." in page_text(consumers_page(found))


def test_a_job_without_column_lineage_reads_nobody_knows_which_columns(records: Make) -> None:
    found = named(find(records(FLOWS)))

    assert found["mart.revenue"].evidence[0].columns == ("fct.payments.amount",)
    assert found["raw.copy"].evidence[0].columns is None


def test_consumers_of_a_column_are_those_known_to_read_it_and_those_of_whom_it_is_not_known(
    records: Make, read: Read
) -> None:
    whole = Declared("Whole", "report", ("fct.payments",))
    reads = [
        read("ann", "fct.payments", columns=("fct.payments.status",)),
        read("bob", "fct.payments", columns=("fct.payments.amount",)),
        read("cid", "fct.payments", columns=None),
    ]

    found = find(records(FLOWS, reads, [whole, REPORT]), Field(TABLE, "status"))

    assert set(named(found)) == {"ann", "cid", "raw.copy", "Whole"}
    assert found.unplaced == {"cid", "raw.copy", "Whole"}
    assert "its columns are not known: it may read this one" in page_text(consumers_page(found))


def test_a_shared_account_is_flagged_until_a_tag_resolves_it(records: Make, read: Read) -> None:
    tagged = Declared("Board", "dashboard", ("fct.payments",), tags=("board",))
    reads = [read("svc", "fct.payments"), read("svc", "fct.payments", tag="board")]

    found = find(records(FLOWS, reads, [tagged], ["svc"]))

    assert (named(found)["svc"].shared, named(found)["Board"].shared) == (True, False)
    (gap,) = found.log_only
    assert gap.said.endswith("resolve the shared account to a person, report or job")
    assert "shared account, not resolved to a person or report" in page_text(consumers_page(found))


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


def test_unreadable_queries_may_read_it(records: Make, read: Read) -> None:
    found = find(records("", [read("ann", columns=None, problem="UnparsableSql")]))

    assert found.unreadable == 1
    assert "Logged queries that could not be read: 1. Any of them may read it." in page_text(consumers_page(found))


def test_few_reads_may_be_a_rare_job(records: Make, read: Read) -> None:
    found = named(find(records("", [read("ann", "fct.payments")])))

    assert found["ann"].notes == ("few reads: it may run rarely",)


def test_the_json_form(records: Make, read: Read) -> None:
    document: dict[str, Any] = find(records(FLOWS, [read("ann", "fct.payments")], [REPORT])).as_dict()

    assert set(document) == {
        "asked",
        "at",
        "statement",
        "sources",
        "consumers",
        "unplaced",
        "derived",
        "reconciliation",
        "unreadable",
    }
    assert document["sources"][1] == {
        "source": "query log",
        "window": {"from": "2026-06-03T12:00:00+00:00", "to": "2026-09-01T12:00:00+00:00"},
    }
    (ann,) = (it for it in document["consumers"] if it["name"] == "ann")
    assert ann == {
        "name": "ann",
        "kind": "account",
        "owner": None,
        "contact": None,
        "criticality": None,
        "registered": False,
        "shared": False,
        "notes": ["few reads: it may run rarely"],
        "evidence": [
            {
                "source": "query log",
                "how": "by ann",
                "window": {"from": "2026-06-03T12:00:00+00:00", "to": "2026-09-01T12:00:00+00:00"},
                "last_read": "2026-09-01T12:00:00+00:00",
                "reads": 1,
                "columns": [],
            }
        ],
    }
    assert set(document["reconciliation"]) == {"reads_without_edge", "edges_without_reads"}


def test_the_page_escapes_what_a_log_says(records: Make, read: Read) -> None:
    found = find(records("", [read("an|n\n<b>", "fct.payments")]))

    assert "an\\|n &lt;b&gt;" in page_markdown(consumers_page(found))
    assert "an|n <b>" in page_text(consumers_page(found))


def test_a_row_of_the_page(records: Make, read: Read) -> None:
    contact = Declared("Feed", "export", ("fct.payments.amount",), contact="ops@example.com", accounts=("feed",))
    reads = [read("feed", "fct.payments", columns=("fct.payments.status",)) for _ in range(1200)]

    text = page_text(consumers_page(find(records(FLOWS, reads, [contact]))))

    row = next(line for line in text.splitlines() if line.startswith("  Feed"))
    assert re.split(r"  +", row.strip()) == [
        "Feed",
        "export",
        "nobody (ops@example.com)",
        "not stated",
        "query log, declared",
        "1,200",
        "2026-09-01",
        "amount, status",
    ]
    unread = next(line for line in text.splitlines() if line.startswith("  raw.copy"))
    cells = re.split(r"  +", unread.strip())
    assert cells == ["raw.copy", "job", "nobody", "not stated", "lineage graph", "some unknown"]


def test_an_empty_record_is_said_to_be_empty(records: Make) -> None:
    found = find(records())

    assert found.as_dict()["sources"] == [
        {"source": "lineage graph", "window": None},
        {"source": "query log", "window": None},
        {"source": "declared", "window": None},
    ]
    assert "Sources: lineage graph: empty; query log: empty; declared." in page_text(consumers_page(found))


def test_the_last_read_is_what_a_log_saw_not_when_a_job_ended(records: Make) -> None:
    assert named(find(records(FLOWS)))["mart.revenue"].last_read is None


@pytest.mark.parametrize(("count", "notes"), [(3, ("few reads: it may run rarely",)), (4, ())])
def test_what_few_reads_are(records: Make, read: Read, count: int, notes: tuple[str, ...]) -> None:
    found = named(find(records("", [read("ann", "fct.payments") for _ in range(count)])))

    assert found["ann"].notes == notes


def test_one_consumer_is_one(records: Make, read: Read) -> None:
    assert find(records("", [read("ann", "fct.payments")])).statement.startswith("1 consumer found among")


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("fct.payments", TABLE),
        ("fct.payments.amount", Field(TABLE, "amount")),
        ("log.t", Dataset("iceberg://platform", "log.t")),
        ("log.t.c", Field(Dataset("iceberg://platform", "log.t"), "c")),
        ("said.t", Dataset("iceberg://platform", "said.t")),
        ("said.t.c", Field(Dataset("iceberg://platform", "said.t"), "c")),
    ],
)
def test_a_question_may_name_what_any_record_knows(records: Make, read: Read, name: str, what: Dataset | Field) -> None:
    said = Declared("Said", "report", ("said.t.c",))

    assert asked(name, records(FLOWS, [read("ann", "log.t", columns=("log.t.c",))], [said])) == what


@pytest.mark.parametrize("name", ["log.t.z", "nowhere.t", "said"])
def test_a_question_about_what_no_record_knows_is_an_error(records: Make, name: str) -> None:
    with pytest.raises(UnknownField, match=f"no event names {name}"):
        asked(name, records(FLOWS))


def test_what_is_derived_from_a_column_is_what_the_column_reaches(records: Make) -> None:
    made = records(FLOWS)

    assert find(made, Field(TABLE, "amount")).derived == ("mart.revenue", "raw.copy")
    assert find(made, Field(TABLE, "status")).derived == ("raw.copy",)
