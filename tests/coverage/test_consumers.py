"""Consumers are the union of what four records know, each with its evidence; a question may name what any knows."""

from datetime import timedelta

import pytest

from governance.consumers.asked import asked
from governance.consumers.declared import Declared
from governance.dataset import Dataset, Field
from governance.errors import UnknownField
from governance.queries.model import Window
from governance.report.consumers import consumers_page
from governance.report.page import page_text
from tests.coverage.consumers import FLOWS, NOON, QUARTER, REPORT, TABLE, Make, Read, find, named


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


def test_unreadable_queries_may_read_it(records: Make, read: Read) -> None:
    found = find(records("", [read("ann", columns=None, problem="UnparsableSql")]))

    assert found.unreadable == 1
    assert "Logged queries that could not be read: 1. Any of them may read it." in page_text(consumers_page(found))


def test_the_last_read_is_what_a_log_saw_not_when_a_job_ended(records: Make) -> None:
    assert named(find(records(FLOWS)))["mart.revenue"].last_read is None


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
