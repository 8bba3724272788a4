"""The judge's law: what two revisions build differs nowhere that the comparison of their texts did not say.

Random pipelines, one over the other, are edited at random and built over the same random rows. And its other side: what
is only written otherwise is cosmetic.
"""

# ruff: noqa: S608  # SQL is what is made here, of our own words

import functools
import os
import random
import re
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from governance.diff import Diff, Kind, Known, Side, compare, judge
from governance.errors import LineageError
from governance.graph import graph_of
from governance.graph.stated import stated
from governance.pipeline import Pipeline
from governance.rebuild import statements_of
from governance.statement import parse
from governance.statement.meaning import meaning
from governance.validation import Predicted, predict
from platform_assets.engines.compare import name_in
from platform_assets.engines.engine import QueryError
from platform_assets.engines.room import Readable
from platform_assets.engines.scratch import AFTER, AGAIN, BEFORE, Scratch, scratch
from platform_assets.engines.sql import quoted
from tests.judge.edits import FIRST, SECOND, Edited, edited, rows, side
from tests.lineage.law.queries import sample
from tests.lineage.law.relations import TABLES
from tests.lineage.law.worlds import written

EDITS = 60
RESPELT = 150
PATIENCE = 3.0  # seconds for one edit: random joins may multiply without end


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of one edit: ``unsaid`` is what moved without the judge's having said so."""

    unsaid: tuple[str, ...] = ()
    quiet: int = 0
    """Columns and tables that were not predicted to change, and did not."""


def tried(seed: int, folder: Path) -> Trial | None:
    """Try one edit; None where the draw gives none that both sides can build."""
    edit = edited(seed)
    if edit is None:
        return None
    base, head = side(edit.base), side(edit.head)
    if base.program.unreadable or head.program.unreadable:
        return None
    differences = compare(base, head)
    predicted = predicted_of(judge(differences, base, head, Known()), base, head)
    renamed = {(it.table, old): new for it in differences for old, new in it.renamed}
    with scratch(folder, []) as room:
        for table, relation in rows(seed).items():
            room.give(table, relation, None, [])
        watch = threading.Timer(PATIENCE, room.connection.interrupt)
        watch.start()
        try:
            build(room, base, head)
        except QueryError:
            return None
        finally:
            watch.cancel()
            watch.join()
        found = [it for table in (FIRST, SECOND) for it in moves(room, table, predicted, renamed)]
    return Trial(tuple(it for it in found if it), len(found))


def build(room: Scratch, base: Side, head: Side) -> None:
    for table in (FIRST, SECOND):
        before, after = (Readable(it, it.query) for it in (statements_of(base)[table], statements_of(head)[table]))
        room.build(BEFORE, before)
        room.build(AFTER, after)
        room.build_again(before)


def predicted_of(diff: Diff, base: Side, head: Side) -> Predicted:
    told = (
        stated(one.program.lineages.values(), replace(one.policy.lineage, job_namespace=name), one.owners)
        for name, one in (("b", base), ("a", head))
    )
    return predict(diff.changes, (), graph_of(run for runs in told for run in runs), head.policy.lineage)


def moves(room: Scratch, table: str, predicted: Predicted, renamed: dict[tuple[str, str], str]) -> Iterator[str]:
    """Yield, for the table and each column that should stay as they are, what is otherwise; empty where nothing is."""
    if table in predicted.rows:
        return
    before, after, again = (count(room, side, table) for side in (BEFORE, AFTER, AGAIN))
    # what follows the order of the rows says nothing
    if again != before:
        return
    yield "" if before == after else f"{table}: {before} rows were, {after} are"
    there = columns(room, AFTER, table)
    for column in columns(room, BEFORE, table):
        to = renamed.get((table, column), column)
        if {column, to} & predicted.columns.get(table, frozenset()):
            continue
        if to not in there:
            yield f"{table}.{column} is gone"
        elif bag(room, BEFORE, table, column) == bag(room, AGAIN, table, column):
            same = bag(room, BEFORE, table, column) == bag(room, AFTER, table, to)
            yield "" if same else f"{table}.{column} holds other values"


def columns(room: Scratch, side: str, table: str) -> list[str]:
    return [str(row[0]) for row in room.connection.execute(f"describe {name_in(side, table)}").fetchall()]


def count(room: Scratch, side: str, table: str) -> int:
    (found,) = room.connection.execute(f"select count(*) from {name_in(side, table)}").fetchone() or (0,)
    return int(found)


def bag(room: Scratch, side: str, table: str, column: str) -> Counter[str]:
    found = room.connection.execute(f"select {quoted(column)} from {name_in(side, table)}").fetchall()
    return Counter(written(value) for (value,) in found)


def told(seed: int, trial: Trial) -> str:
    edit = edited(seed)
    assert isinstance(edit, Edited)
    lines = [f"seed {seed}, {edit.how}: {'; '.join(trial.unsaid)}"]
    for table in (FIRST, SECOND):
        lines.append(f"{table}: {edit.base[table]}")
        if edit.head[table] != edit.base[table]:
            lines.append(f"  is now: {edit.head[table]}")
    return "\n".join(lines)


def check(seeds: range, folder: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    for seed in seeds:
        place = folder / str(seed)
        place.mkdir()
        trial = tried(seed, place)
        if trial is not None:
            assert not trial.unsaid, told(seed, trial)
            counts += Counter(tried=1, quiet=trial.quiet)
    return counts


def test_nothing_is_seen_that_was_not_predicted(tmp_path: Path) -> None:
    counts = check(range(EDITS), tmp_path)
    assert counts["tried"] > EDITS / 2
    # a judge that predicts everything would pass too
    assert counts["quiet"] > counts["tried"] / 2


def test_a_judge_that_says_less_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.judge.test_law.predicted_of", lambda *_: Predicted({}, frozenset()))
    with pytest.raises(AssertionError, match="seed"):
        check(range(EDITS), tmp_path)


def spaced(sql: str) -> str:
    return re.sub(r",", ",\n    -- and\n    ", sql)


def upper(sql: str) -> str:
    return sql.upper()


def respelt(sql: str) -> str:
    """Every alias of a relation and of a CTE under another name."""
    return re.sub(r"\b(q|r|l|rec)(\d+)\b", r"other_\1\2", sql)


WAYS = (spaced, upper, respelt)


def outside_texts(sql: str, way: object) -> str:
    assert callable(way)
    parts = re.split(r"('(?:[^']|'')*')", sql)
    return "".join(part if at % 2 else way(part) for at, part in enumerate(parts))


def means(sql: str) -> tuple[str, dict[str, str]] | None:
    try:
        found = meaning(parse(Pipeline(FIRST, "first.sql", f"create table {FIRST} as {sql}")), TABLES)
    except LineageError:
        return None
    return found.rows, dict(found.columns)


@functools.cache
def drawn() -> list[tuple[str, int]]:
    return [(sample(seed=seed).sql, seed) for seed in range(RESPELT)]


own = functools.cache(means)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_only_written_otherwise_means_the_same(way: object) -> None:
    found = [(sql, seed) for sql, seed in drawn() if "PIVOT" not in sql]
    pairs = [(own(sql), means(outside_texts(sql, way)), seed) for sql, seed in found]
    assert [seed for before, after, seed in pairs if before != after] == []
    assert len([it for it in pairs if it[0]]) > RESPELT / 2


@pytest.mark.parametrize("seed", range(20))
def test_another_number_in_a_condition_moves_rows_and_is_not_cosmetic(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311  # test data
    first = sample(seed=seed)
    name = first.expected.fields[0][0]
    above = f"select f.{name} from m.first f where length(cast(f.{name} as varchar)) < {{}}"
    base, head = (
        side({FIRST: first.sql, SECOND: above.format(number)}) for number in (rng.randint(1, 9), rng.randint(10, 99))
    )
    if base.program.unreadable:
        pytest.skip("the draw is nothing that can be read")
    changes = judge(compare(base, head), base, head, Known()).changes
    assert [(it.kind, it.pipeline) for it in changes] == [(Kind.POPULATION, SECOND)]


@pytest.mark.prove
@pytest.mark.timeout(0)
def test_prove(tmp_path: Path) -> None:
    """The long run: other seeds; PROVE_EDITS sets its length (default 3,000)."""
    number = int(os.environ.get("PROVE_EDITS", "3000"))
    for block in range(1_000_000, 1_000_000 + number, 100):
        print(f"\n{check(range(block, block + 100), tmp_path)}", flush=True)  # noqa: T201  # the run's report
