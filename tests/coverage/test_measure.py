"""Coverage is counted against lists from outside; unknown is not none, and not measured is not zero."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from governance.consumers.declared import Declared
from governance.consumers.records import Records
from governance.coverage.history import FILE, history, keep
from governance.coverage.measure import measure, typed_inputs
from governance.coverage.model import Coverage, Share, Told
from governance.errors import HeadwaterError
from governance.events.model import Event
from governance.graph import build_graph
from governance.policy_coverage import MEASURES
from governance.queries.model import QueryRead
from governance.report.coverage import coverage_page, history_page
from governance.report.page import page_markdown, page_text
from governance.runs import read_runs

NOON = datetime(2026, 9, 1, 12, tzinfo=UTC)

Read = Callable[..., QueryRead]
Make = Callable[..., Records]


@pytest.fixture(scope="module")
def assumed(records: Make, read: Read) -> Coverage:
    """The assumed counts: 500 tables, 430 in the graph, 260 by column, 1,200 pairs read of which 960 are explained."""
    known = [f"job{number}: w.t0 -> w.t{number} c<w.t0.c" for number in range(1, 260)]
    tables_only = [f"job{number}: -> w.t{number} ?" for number in range(260, 430)]
    explained = [read(f"job{number}", "w.t0") for number in range(1, 260)]
    readers = [
        Declared(f"report {number}", "report", tuple(f"w.t{table}" for table in range(7)), accounts=(f"r{number}",))
        for number in range(101)
    ]
    declared = [read(f"r{number}", f"w.t{table}") for number in range(101) for table in range(7)][:701]
    unknown = [read(f"notebook{number}", f"w.t{number}", f"w.t{number + 1}") for number in range(120)]
    made = records("\n".join([*known, *tables_only]), [*explained, *declared, *unknown], readers)
    return measure(made, [f"w.t{number}" for number in range(500)], NOON)


def test_the_assumed_counts_come_out(assumed: Coverage) -> None:
    assert str(assumed.nodes.plain) == "430 of 500, 86.0%"
    assert str(assumed.columns.plain) == "260 of 500, 52.0%"
    assert str(assumed.edges.plain) == "960 of 1,200, 80.0%"
    assert (len(assumed.missing_tables), len(assumed.untraced_tables), len(assumed.missing_edges)) == (70, 170, 240)


def test_a_skewed_log_shows_in_the_weighted_shares(records: Make, read: Read) -> None:
    board = Declared("Board", "dashboard", ("a.known",), criticality="low", accounts=("board",))
    feed = Declared("Feed", "service", ("b.b",), criticality="critical", accounts=("feed",))
    reads = [read("board", "a.known"), *(read("feed", "a.unknown") for _ in range(9))]

    found = measure(records("j: -> a.known c", reads, [board, feed]), ["a.known", "a.unknown"], NOON)

    assert (found.edges.plain, found.edges.by_reads, found.edges.by_criticality) == (
        Share(1, 2),
        Share(1, 10),
        Share(1, 9),
    )
    assert (found.nodes.plain, found.nodes.by_reads) == (Share(1, 2), Share(1, 10))
    assert found.nodes.by_criticality == Share(1, 3)  # what nobody declares to depend on counts as medium


def test_a_table_weighs_as_its_most_critical_consumer_however_far_downstream(records: Make) -> None:
    board = Declared("Board", "dashboard", ("mart.m",), criticality="critical")

    found = measure(records("j: src.s -> mart.m c<src.s.c", consumers=[board]), ["src.s", "mart.m", "x.x"], NOON)

    assert {table.name: table.weight for table in found.tables} == {"src.s": 8, "mart.m": 8, "x.x": 2}


def test_what_lineage_knows_of_a_tables_columns(records: Make) -> None:
    flows = """
    whole: src.s -> w.whole a<src.s.a b
    bare: raw.r -> w.bare ?
    one: src.s -> w.mixed a<src.s.a
    two: raw.r -> w.mixed ?
    """

    found = measure(records(flows), ["w.whole", "w.bare", "w.mixed", "src.s", "raw.r", "x.x"], NOON)

    assert {table.name: table.told for table in found.tables} == {
        "w.whole": Told.COLUMNS,
        "w.bare": Told.TABLES,
        "w.mixed": Told.SOME,
        "src.s": Told.COLUMNS,
        "raw.r": Told.TABLES,
        "x.x": Told.ABSENT,
    }
    assert found.columns.plain == Share(3, 6)
    assert found.flows == Share(2, 4)


def test_a_column_known_to_come_from_none_is_not_unknown(records: Make) -> None:
    found = measure(records("j: src.s -> w.t a<src.s.a n"), ["w.t"], NOON)

    assert found.columns_of == {"with inputs": 1, "from no column": 1, "unknown": 0}


def test_a_schema_column_without_lineage_is_unknown(records: Make) -> None:
    found = measure(records("j: src.s -> w.t a<src.s.a +z"), ["w.t"], NOON)

    assert found.columns_of["unknown"] == 1
    assert found.tables[0].told is Told.SOME


def test_without_a_log_reads_are_not_measured(records: Make) -> None:
    found = measure(records("j: src.s -> w.t a<src.s.a"), ["w.t"], NOON)

    assert found.edges.plain.ratio is None
    assert str(found.edges.plain) == "not measured"
    assert found.as_dict()["measures"]["edges"] == {"part": 0, "whole": 0, "ratio": None}
    assert "no query log was ingested, so reads are not measured" in page_text(coverage_page(found))


def test_an_empty_inventory_is_not_full_coverage(records: Make) -> None:
    assert measure(records("j: src.s -> w.t a<src.s.a"), [], NOON).nodes.plain.ratio is None


def test_reads_outside_the_inventory_are_counted_apart(records: Make, read: Read) -> None:
    made = records("j: src.s -> w.t a<src.s.a", [read("ann", "pg_catalog.x"), read("j", "src.s")])

    found = measure(made, ["src.s", "w.t"], NOON)

    assert (found.edges.plain, found.outside) == (Share(1, 1), 1)


def test_unreadable_queries_are_told(records: Make, read: Read) -> None:
    found = measure(records("", [read("ann", columns=None, problem="UnparsableSql 1:1")]), ["w.t"], NOON)

    assert found.unreadable == 1
    assert "unreadable queries: 1" in page_text(coverage_page(found))


def test_inputs_without_type_are_told_from_typed_ones(flows: Callable[[str], tuple[Event, ...]]) -> None:
    events = flows("j: src.s -> w.t a<src.s.a ~b<src.s.b")

    assert typed_inputs(read_runs(events), build_graph(events)) == Share(1, 2)


def test_missing_tables_and_reads_come_with_owners_the_weightiest_first(records: Make, read: Read) -> None:
    unknown = read("ann", "src.payments", columns=None)
    reads = [unknown, *(read("bob", "fct.payments", columns=("fct.payments.a",)) for _ in range(3))]

    found = measure(records("", reads), ["x.x", "src.payments", "fct.payments"], NOON)

    document = found.as_dict()
    assert [(it["table"], it["owner"], it["reads"]) for it in document["missing_tables"]] == [
        ("fct.payments", "team:finance", 3),
        ("src.payments", "team:billing", 1),
        ("x.x", None, 0),
    ]
    assert [(it["consumer"], it["table"], it["owner"], it["reads"]) for it in document["missing_edges"]] == [
        ("bob", "fct.payments", "team:finance", 3),
        ("ann", "src.payments", "team:billing", 1),
    ]
    assert [it["columns"] for it in document["missing_edges"]] == [["fct.payments.a"], None]


def test_edges_without_reads_come_with_owners_and_what_that_is_worth(records: Make, read: Read) -> None:
    board = Declared("Board", "dashboard", ("fct.payments", "x.x"), "team:bi", period=timedelta(days=365))
    flows = """
    fct.payments: src.payments -> fct.payments a<src.payments.a
    elsewhere: out.side -> fct.payments a<out.side.a
    etl: src.payments -> stg.payments a<src.payments.a
    """

    made = records(flows, [read("someone", "src.payments", writes=("stg.payments",))], [board])
    found = measure(made, ["src.payments", "fct.payments"], NOON)

    assert [(gap.table, gap.consumer, gap.owner) for gap in found.unread] == [
        ("fct.payments", "Board", "team:bi"),
        ("src.payments", "fct.payments", "team:finance"),
    ]
    assert "shorter than its period of 365 days" in found.unread[0].said
    assert "its last run ended 2026-08-30" in found.unread[1].said
    assert "Edges with no read in the window: 2" in page_text(coverage_page(found))


def test_the_json_form(records: Make, read: Read) -> None:
    document = measure(records("j: src.s -> w.t a<src.s.a", [read("j", "src.s")]), ["w.t"], NOON).as_dict()

    assert set(document) == {
        "at",
        "windows",
        "measures",
        "columns",
        "explained_by",
        "missing_tables",
        "untraced_tables",
        "missing_edges",
        "unread_edges",
        "outside",
        "unreadable",
    }
    assert document["windows"] == [{"from": "2026-06-03T12:00:00+00:00", "to": "2026-09-01T12:00:00+00:00"}]
    assert set(document["measures"]) == {*MEASURES, "column_level_edges"}


def test_the_measures_are_those_that_a_threshold_can_name(assumed: Coverage) -> None:
    assert set(assumed.measures) == set(MEASURES)


def test_the_page_says_the_figures_and_the_window(assumed: Coverage) -> None:
    text = page_text(coverage_page(assumed))

    assert "430 of 500, 86.0%" in text
    assert "260 of 500, 52.0%" in text
    assert "960 of 1,200, 80.0%" in text
    assert "query log of 2026-06-03 to 2026-09-01: 1,200 pairs of consumer and table" in text
    assert "Tables that the graph lacks: 70" in text
    assert "**Reads that nothing explains: 240**" in page_markdown(coverage_page(assumed))


def test_measurements_are_kept_and_shown_over_time(tmp_path: Path, records: Make) -> None:
    early = measure(records("j: src.s -> w.t a<src.s.a"), ["w.t", "x.x"], NOON)
    late = measure(records("j: src.s -> w.t a<src.s.a"), ["w.t"], NOON + timedelta(days=1))
    keep(tmp_path / "coverage", late)
    keep(tmp_path / "coverage", early)
    with (tmp_path / "coverage" / FILE).open("a") as file:
        file.write('{"at": "2026')

    kept = history(tmp_path / "coverage")

    assert [(it.at, it.measures["nodes"]) for it in kept] == [(early.at, (1, 2)), (late.at, (1, 1))]
    lines = page_text(history_page(kept)).splitlines()
    assert "1 of 2, 50.0%" in lines[2]
    assert "1 of 1, 100.0%" in lines[3]


def test_a_measurement_keeps_how_long_its_log_was(tmp_path: Path, records: Make, read: Read) -> None:
    keep(tmp_path, measure(records("", [read("ann", "w.t")], days=30.5), ["w.t"], NOON))

    (kept,) = history(tmp_path)
    assert (kept.window_days, kept.missing_tables, kept.missing_edges, kept.unreadable) == (30.5, 1, 1, 0)
    assert "30.5" in page_text(history_page([kept]))


def test_no_history_is_none(tmp_path: Path) -> None:
    assert history(tmp_path) == ()


def test_a_history_that_cannot_be_written_is_an_error(tmp_path: Path, records: Make) -> None:
    (tmp_path / "coverage").write_text("a file")

    with pytest.raises(HeadwaterError, match="history of coverage cannot be written"):
        keep(tmp_path / "coverage", measure(records(), [], NOON))


def test_a_log_older_than_the_window_is_not_one_that_nobody_ingested(records: Make, read: Read) -> None:
    made = records("", [read("ann", "src.payments", day=-3)])
    late = replace(made, log=made.log.since(NOON + timedelta(days=1)))

    found = measure(late, ["src.payments"], NOON + timedelta(days=5))

    assert "the query log ends 2026-09-01, before that window" in page_text(coverage_page(found))
