"""The law, by execution: what moves without an edge that says so is a miss. And the grammar's own account, exactly.

The grammar knows the lineage of what it writes, so every query is compared edge by edge; some of them are also run on
DuckDB with one input column changed at a time. A failure shows the smallest query of its kind that the tape shrinks to.
"""

import os
from collections.abc import Callable, Iterator, Sequence

import duckdb
import pytest

from governance.errors import LineageError
from governance.lineage import column_lineage
from tests.lineage.forms import as_expected, told
from tests.lineage.law.draw import shrink
from tests.lineage.law.queries import Sample, sample
from tests.lineage.law.relations import TABLES
from tests.lineage.law.tally import Tally
from tests.lineage.law.verdict import try_law
from tests.lineage.law.worlds import CHANGES, Worlds

EXACT = 1000  # queries compared edge by edge
# queries run on DuckDB with every column that they read changed; the long run tries thousands of both kinds
BLOCKS = range(10_000, 10_060, 30)
QUICK = CHANGES[:3]


@pytest.fixture(scope="module")
def worlds() -> Iterator[Worlds]:
    made = Worlds(TABLES, seed=1, changes=QUICK)
    yield made
    made.close()


def runs(worlds: Worlds, one: Sample) -> bool:
    """Whether DuckDB takes the text and names its columns as the grammar does."""
    try:
        names, _ = worlds.run(worlds.base, one.sql)
    except duckdb.Error:
        return False
    return names == [name for name, _ in one.expected.fields]


def difference(one: Sample) -> str:
    """What the engine says other than the grammar, as fixture lines; empty where they agree."""
    right = told(one.expected).splitlines()
    try:
        found = told(as_expected(column_lineage(one.sql, TABLES)[0])).splitlines()
    except LineageError as error:
        return f"refused: {type(error).__name__}: {error}"
    lines = [f"has   {line}" for line in found if line not in right] + [
        f"lacks {line}" for line in right if line not in found
    ]
    return "\n".join(lines) or ("" if found == right else "other order of fields")


def smallest(worlds: Worlds, one: Sample, wrong: Callable[[Sample], bool]) -> Sample:
    def fails(tape: Sequence[int]) -> bool:
        made = sample(tape)
        return wrong(made) and runs(worlds, made)

    return sample(shrink(one.tape, fails))


def check_exact(worlds: Worlds, seeds: range) -> int:
    """Compare the engine with the grammar; returns how many queries DuckDB takes."""
    taken = 0
    for seed in seeds:
        one = sample(seed=seed)
        if not difference(one):
            taken += 1
        elif runs(worlds, one):
            least = smallest(worlds, one, lambda made: bool(difference(made)))
            pytest.fail(f"seed {seed}, shrunk:\n{least.sql}\n{difference(least)}")
    return taken


def check_law(worlds: Worlds, seeds: range, tally: Tally) -> None:
    """Try the law on the engine's own account of each query."""
    for seed in seeds:
        one = sample(seed=seed)
        try:
            lineage = as_expected(column_lineage(one.sql, TABLES)[0])
        except LineageError:
            assert not runs(worlds, one), one.sql
            continue
        trial = try_law(worlds, one.sql, lineage)
        tally.add(trial, lineage)
        assert not trial.misses, f"seed {seed}: {'; '.join(map(str, trial.misses))}\n{one.sql}"


def test_every_edge_is_the_grammars(worlds: Worlds) -> None:
    assert check_exact(worlds, range(EXACT)) > 0.9 * EXACT


@pytest.mark.parametrize("first", BLOCKS)
def test_nothing_moves_without_an_edge(worlds: Worlds, first: int) -> None:
    tally = Tally()
    seeds = range(first, first + BLOCKS.step)
    check_law(worlds, seeds, tally)
    assert tally.tried > 0.6 * len(seeds), str(tally)
    assert tally.precision > 0.2, str(tally)


def test_a_lost_edge_is_a_miss(worlds: Worlds) -> None:
    """The trial itself can fail: without its edge the same movement is a miss."""
    query = "SELECT t.a, max(t.b) AS top FROM s.t JOIN s.u ON t.a = u.a WHERE t.c > 'kelp' GROUP BY t.a"
    whole = as_expected(column_lineage(query, TABLES)[0])
    assert not try_law(worlds, query, whole).misses
    fields = tuple((name, frozenset()) for name, _ in whole.fields)
    for poorer in (
        type(whole)(None, fields, whole.dataset, whole.inputs),
        *(
            type(whole)(None, whole.fields, whole.dataset - {edge}, whole.inputs)
            for edge in whole.dataset
            if edge[1] != "a"
        ),
    ):
        assert try_law(worlds, query, poorer).misses


@pytest.mark.prove
@pytest.mark.timeout(0)
def test_prove() -> None:
    """The long run: other databases, all changes; PROVE_QUERIES sets its length (default 3,000)."""
    count = int(os.environ.get("PROVE_QUERIES", "3000"))
    tally = Tally()
    for block in range(0, count, 250):
        made = Worlds(TABLES, seed=100 + block)
        seeds = range(1_000_000 + block, 1_000_000 + min(block + 250, count))
        check_exact(made, seeds)
        check_law(made, seeds, tally)
        made.close()
        print(f"\n{tally}")  # noqa: T201  # the run's report
