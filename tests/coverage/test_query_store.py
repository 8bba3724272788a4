"""What is kept of query logs: each read once, and the time that they speak for."""

from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

from governance.queries.model import Fate, QueryLog, QueryRead, Window, merged
from governance.queries.store import QueryStore
from tests.coverage.exports import EMAILS, EXPORTS, NOON, of, outcomes


def read(name: str, at: datetime = NOON) -> QueryRead:
    return QueryRead(name, at, "ann", tables=("crm.learners",))


def test_what_is_kept_twice_counts_once(tmp_path: Path) -> None:
    store = QueryStore(tmp_path / "queries")
    window = Window(NOON, NOON + timedelta(days=1))

    assert store.add([read("a"), read("b", NOON + timedelta(days=1))], window, "log.csv") == 2
    assert store.add([read("b", NOON + timedelta(days=1)), read("c")], None, "log.csv") == 1

    log = store.read()
    assert [it.id for it in log.reads] == ["a", "c", "b"]
    assert log.windows == (window,)
    assert sorted(file.name for file in store.folder.glob("queries*")) == [
        "queries-2026-09-01.ndjson",
        "queries-2026-09-02.ndjson",
    ]


def test_equal_lines_are_several_reads_and_an_overlapping_export_adds_none_of_them() -> None:
    export = [(number, EXPORTS["plain"]) for number in (1, 2, 3)]

    first = {outcome.read.id for outcome in outcomes(export) if outcome.read}
    overlapping = {outcome.read.id for outcome in outcomes(export[1:]) if outcome.read}

    assert len(first) == 3
    assert overlapping < first


def test_a_torn_line_is_told_and_the_next_write_does_not_glue_to_it(tmp_path: Path) -> None:
    store = QueryStore(tmp_path)
    store.add([read("a")], Window(NOON, NOON), "log.csv")
    with (tmp_path / "queries-2026-09-01.ndjson").open("a") as file:
        file.write('{"id": "b", "at"')

    store.add([read("c")], None, "log.csv")

    log = store.read()
    assert [it.id for it in log.reads] == ["a", "c"]
    assert log.problems == ("queries-2026-09-01.ndjson:2: no whole record",)


def test_reads_whose_window_was_lost_speak_for_their_own_time(tmp_path: Path) -> None:
    store = QueryStore(tmp_path)
    store.add([read("a"), read("b", NOON + timedelta(hours=2))], None, "log")

    assert store.read().window == Window(NOON, NOON + timedelta(hours=2))


def test_an_empty_store_has_no_window(tmp_path: Path) -> None:
    log = QueryStore(tmp_path / "queries").read()

    assert (log.reads, log.window, log.unreadable) == ((), None, 0)


def test_windows_less_than_a_day_apart_are_one() -> None:
    day = timedelta(days=1)
    spans = [
        Window(NOON + 5 * day, NOON + 6 * day),
        Window(NOON, NOON + day),
        Window(NOON + 1.5 * day, NOON + 2 * day),
    ]

    assert merged(spans) == (Window(NOON, NOON + 2 * day), Window(NOON + 5 * day, NOON + 6 * day))
    apart = (Window(NOON, NOON + day, "a"), Window(NOON, NOON + day, "b"))
    assert merged(apart) == apart


def test_silence_is_judged_by_the_shortest_of_the_latest_windows() -> None:
    day = timedelta(days=1)
    early, late = Window(NOON, NOON + 2 * day, "a"), Window(NOON + 5 * day, NOON + 95 * day, "a")
    other = Window(NOON + 60 * day, NOON + 90 * day, "b")

    log = QueryLog(windows=(early, late, other))

    assert log.window == other
    assert QueryLog(windows=(early, late)).window == late
    assert log.span == Window(NOON, NOON + 95 * day)


def test_a_log_since_some_time_is_cut_with_its_window(tmp_path: Path) -> None:
    store = QueryStore(tmp_path)
    store.add([read("a"), read("b", NOON + timedelta(hours=2))], Window(NOON, NOON + timedelta(hours=3)), "log")

    cut = store.read().since(NOON + timedelta(hours=1))

    assert [it.id for it in cut.reads] == ["b"]
    assert cut.window == Window(NOON + timedelta(hours=1), NOON + timedelta(hours=3))


def test_unreadable_queries_are_kept_and_counted(tmp_path: Path) -> None:
    store = QueryStore(tmp_path)
    found = [of("select frm where ("), of(EMAILS)]
    store.add([outcome.read for outcome in found if outcome.read], None, "log")

    log = store.read()
    assert (len(log.reads), log.unreadable) == (2, 1)
    assert Counter(outcome.fate for outcome in found)[Fate.UNREADABLE] == 1
