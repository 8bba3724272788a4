"""Who read is told from account and tag; what lineage or a declaration explains, from what neither does."""

from collections.abc import Callable

import pytest

from governance.consumers.declared import Declared
from governance.consumers.observed import NO_ACCOUNT, Observed, observe
from governance.consumers.records import Records
from governance.queries.model import QueryRead

Read = Callable[..., QueryRead]
Make = Callable[..., Records]

FLOWS = """
stg.payments: src.payments -> stg.payments status<src.payments.status
fct.payments: stg.payments -> fct.payments status<stg.payments.status
bi.load: fct.payments -> bi.board tile<fct.payments.status
"""
BOARD = Declared("Revenue board", "dashboard", ("fct.payments",), tags=("board:*",))
SHEET = Declared("Sheet", "spreadsheet", ("fct.payments",), accounts=("svc_sheet",))


def one(records: Records) -> Observed:
    (pair,) = observe(records)
    return pair


@pytest.mark.parametrize(
    ("said", "who"),
    [
        (("ann", ""), ("ann", "")),
        (("ann", "adhoc"), ("ann", "")),
        (("svc_sheet", ""), ("Sheet", "")),
        (("anyone", "board:7"), ("Revenue board", "")),
        (("svc_x", ""), ("svc_x", "shared")),
        (("svc_x", "weekly"), ("svc_x [weekly]", "shared")),
        (("svc_x", "board:7"), ("Revenue board", "")),
        (("svc_x", "fct.payments"), ("fct.payments", "")),
        (("", ""), (NO_ACCOUNT, "shared")),
    ],
)
def test_account_and_tag_tell_the_consumer(
    records: Make, read: Read, said: tuple[str, str], who: tuple[str, str]
) -> None:
    user, tag = said

    found = one(records(FLOWS, [read(user, "src.payments", tag=tag)], [BOARD, SHEET], ["svc_x*"])).who

    assert (found.name, "shared" if found.shared else "") == who


def test_an_account_of_two_consumers_stands_for_neither(records: Make, read: Read) -> None:
    other = Declared("Other sheet", "spreadsheet", ("fct.payments",), accounts=("svc_sheet",))

    pair = one(records(FLOWS, [read("svc_sheet", "fct.payments")], [SHEET, other]))

    assert (pair.who.name, pair.who.shared, pair.explained) == ("svc_sheet", True, "")


def test_an_account_through_which_a_report_reads_by_tag_is_somebody_elses_without_it(records: Make, read: Read) -> None:
    reads = [read("svc", "fct.payments", tag="board:7"), read("svc", "fct.payments")]

    found = observe(records(FLOWS, reads, [BOARD]))

    assert sorted((pair.who.name, pair.who.shared) for pair in found) == [("Revenue board", False), ("svc", True)]


def test_tag_and_account_count_together_where_both_are_declared(records: Make, read: Read) -> None:
    board = Declared("Board", "dashboard", ("fct.payments",), accounts=("svc",), tags=("board",))

    found = observe(records(FLOWS, [read("svc", "a.b", tag="board"), read("ann", "a.b", tag="board")], [board]))

    assert {pair.who.name for pair in found} == {"Board", "ann"}


@pytest.mark.parametrize(
    ("said", "explained"),
    [
        (("fct.payments", "stg.payments", ""), ("edge", "fct.payments")),
        (("fct.payments", "src.payments", ""), ("path", "through fct.payments")),
        (("fct.payments", "other.t", ""), ("", "")),
        (("etl", "stg.payments", "fct.payments"), ("edge", "fct.payments")),
        (("etl", "src.payments", "fct.payments"), ("path", "through fct.payments")),
        (("etl", "src.payments", "x.y"), ("", "")),
        (("bi.board", "fct.payments", ""), ("edge", "bi.load")),
        (("bi.board", "src.payments", ""), ("path", "through bi.board")),
        (("svc_sheet", "fct.payments", ""), ("declared", "consumers.toml")),
        (("svc_sheet", "src.payments", ""), ("path", "through fct.payments")),
        (("svc_sheet", "bi.board", ""), ("", "")),
        (("ann", "fct.payments", ""), ("", "")),
    ],
)
def test_a_read_is_explained_by_the_closest_that_knows_of_it(
    records: Make, read: Read, said: tuple[str, str, str], explained: tuple[str, str]
) -> None:
    user, table, writes = said

    pair = one(records(FLOWS, [read(user, table, writes=tuple(writes.split()))], [SHEET]))

    assert (pair.explained, pair.by) == explained


def test_reads_of_one_pair_are_counted_together(records: Make, read: Read) -> None:
    reads = [
        read("ann", "a.b", day=-3, columns=("a.b.x",)),
        read("ann", "a.b", "c.d", day=-1, columns=("a.b.y", "c.d.z")),
        read("bob", "a.b", columns=None),
    ]

    found = observe(records(FLOWS, reads))

    assert [(it.table, it.who.name, it.reads, it.columns, it.whole) for it in found] == [
        ("a.b", "ann", 2, ("a.b.x", "a.b.y"), True),
        ("a.b", "bob", 1, (), False),
        ("c.d", "ann", 1, ("c.d.z",), True),
    ]
    assert (found[0].last - found[0].first).days == 2


def test_an_unreadable_query_is_no_pair(records: Make, read: Read) -> None:
    assert observe(records(FLOWS, [read("ann", columns=None, problem="UnparsableSql")])) == ()


def test_a_circle_of_tables_ends(records: Make, read: Read) -> None:
    circle = "a: y.y -> x.x c<y.y.c\nb: x.x -> y.y c<x.x.c"

    assert one(records(circle, [read("a", "x.x")])).explained == "path"


def test_an_account_is_one_however_an_export_spells_it(records: Make, read: Read) -> None:
    reads = [read("SVC_SHEET", "fct.payments"), read("svc_sheet", "fct.payments"), read("Svc_X", "fct.payments")]
    reads += [read("Bob", "src.payments"), read("BOB", "src.payments")]

    pairs = observe(records(FLOWS, reads, [SHEET], ["svc_x*"]))

    found = [(pair.who.name, pair.who.shared, pair.reads, pair.explained) for pair in pairs]
    assert found == [("Sheet", False, 2, "declared"), ("Svc_X", True, 1, ""), ("BOB", False, 2, "")]
