"""Laws of logs and coverage, over drawn ones."""

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from governance.consumers.observed import observe
from governance.consumers.records import Records
from governance.coverage.measure import measure
from governance.queries.formats import format_named, logged
from governance.queries.model import QueryRead, Window, merged
from governance.queries.read import Reader, read_queries

Make = Callable[..., Records]
Read = Callable[..., QueryRead]

NOON = datetime(2026, 9, 1, 12, tzinfo=UTC)
SCHEMA = {"crm.learners": {"email": "varchar"}}
SQL = ("select email from crm.learners", "select 1", "selec (", "select x from y.z")
LINES = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["ann", "bob"]), st.sampled_from(SQL)), max_size=12)
FLOWS = "j1: a.a -> b.b x<a.a.x\nj2: b.b -> c.c y<b.b.x\nj3: c.c -> d.d ?"
TABLES = ("a.a", "b.b", "c.c", "d.d", "e.e")
READS = st.lists(st.tuples(st.sampled_from(["ann", "j1", "j2", "j3"]), st.sampled_from(TABLES)), max_size=12)


def ids(lines: Sequence[tuple[int, str, str]]) -> set[str]:
    rows: list[dict[str, Any]] = [
        {"time": (NOON + timedelta(minutes=minute)).isoformat(), "user": user, "sql": sql}
        for minute, user, sql in lines
    ]
    queries = [logged(row, format_named("plain"), number) for number, row in enumerate(rows)]
    return {outcome.read.id for outcome in read_queries(queries, Reader(SCHEMA, "duckdb")) if outcome.read}


@settings(deadline=None, max_examples=50)
@given(LINES, st.integers(0, 6), st.integers(0, 6))
def test_exports_cut_by_time_add_up_to_the_whole_however_they_overlap(
    lines: list[tuple[int, str, str]], first: int, second: int
) -> None:
    early, late = sorted((first, second))
    one = [line for line in lines if line[0] <= late]
    other = [line for line in lines if line[0] >= early]

    assert ids(one) | ids(other) == ids(lines)


@settings(deadline=None)
@given(LINES, st.randoms(use_true_random=False))
def test_the_order_of_lines_is_no_matter(lines: list[tuple[int, str, str]], chance: random.Random) -> None:
    assert ids(chance.sample(lines, len(lines))) == ids(lines)


@settings(deadline=None)
@given(reads=READS, chance=st.randoms(use_true_random=False))
def test_pairs_come_in_one_order(
    records: Make, read: Read, reads: list[tuple[str, str]], chance: random.Random
) -> None:
    kept = [read(user, table) for user, table in reads]

    assert observe(records(FLOWS, kept)) == observe(records(FLOWS, chance.sample(kept, len(kept))))


@settings(deadline=None)
@given(reads=READS, extra=st.sampled_from(TABLES))
def test_more_lineage_never_covers_less_and_a_larger_inventory_never_more(
    records: Make, read: Read, reads: list[tuple[str, str]], extra: str
) -> None:
    kept = [read(user, table) for user, table in reads]
    less = measure(records(FLOWS, kept, logged=True), TABLES, NOON)
    more = measure(records(f"{FLOWS}\nann: {extra} -> z.z q<{extra}.x", kept, logged=True), TABLES, NOON)
    larger = measure(records(FLOWS, kept, logged=True), [*TABLES, "f.f"], NOON)

    for name, share in less.measures.items():
        assert (more.measures[name].ratio or 0) >= (share.ratio or 0)
        assert share.part <= share.whole
    assert (larger.nodes.plain.ratio or 0) < (less.nodes.plain.ratio or 0)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 10), st.sampled_from(["a", "b"])), max_size=10))
def test_merged_windows_cover_what_their_parts_do_and_lie_apart(spans: list[tuple[int, int, str]]) -> None:
    windows = [Window(NOON + timedelta(days=at), NOON + timedelta(days=at + long), log) for at, long, log in spans]

    found = merged(windows)

    assert all(any(it.log == w.log and it.start <= w.start and w.end <= it.end for it in found) for w in windows)
    for one, other in pairwise(found):
        assert one.log != other.log or other.start - one.end > timedelta(days=1)
    assert merged(found) == found
