"""TPC-H's and TPC-DS's queries under the law, on tiny data drawn from each query's own literals.

Their texts are read from the corpora beside the checkout, and skipped where those are not there.
"""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from governance.lineage import column_lineage
from tests.lineage.forms import as_expected
from tests.lineage.law.tally import Tally
from tests.lineage.law.values import Domain
from tests.lineage.law.verdict import Trial, try_law
from tests.lineage.law.worlds import Values, Worlds

CORPORA = Path(__file__).parents[2].parent / "shared" / "corpora"
DATES = ("2000-01-15", "1998-09-02", "1995-03-10", "1994-06-06", "1999-02-22")

ALIASES = {"tpcds-49": {"item", "store"}, "tpcds-51": {"store"}}  # tables' names that only name columns there


@dataclass(frozen=True)
class Text:
    """One query, and of its benchmark's schema the tables that it names."""

    id: str
    sql: str
    schema: dict[str, dict[str, str]]


def texts(benchmark: str) -> Iterator[Text]:
    if not (CORPORA / f"{benchmark}.json").exists():
        return
    tables = json.loads((CORPORA / f"{benchmark}.json").read_text(encoding="utf-8"))["schema"]
    for query in json.loads((CORPORA / f"{benchmark}.duckdb.json").read_text(encoding="utf-8")):
        words = re.findall(r"\w+", re.sub(r"'[^']*'", "", query["sql"].lower()))
        named = (set(words) & set(tables)) - ALIASES.get(query["id"], set())
        yield Text(query["id"], query["sql"], {f"tpc.{name}": typed(tables[name]) for name in sorted(named)})


def typed(columns: dict[str, str]) -> dict[str, str]:
    kinds = {"string": "varchar", "double": "decimal(12,2)"}
    return {name: "date" if name == "d_date" else kinds.get(kind, kind) for name, kind in columns.items()}


def values_of(sql: str) -> Values:
    """A source of values that often meet the literals of the query."""
    words = [word for word in re.findall(r"'([^']*)'", sql) if not re.fullmatch(r"\d{4}-\d\d-\d\d|\d+|[a-z]+", word)]
    words = [word.replace("%", "") for word in words][:12] or ["x"]
    numbers = sorted({int(number) for number in re.findall(r"(?<![\w.'-])(\d{1,4})(?![\w.'-])", sql)})[:20] or [1]
    dates = re.findall(r"'(\d{4}-\d\d-\d\d)'", sql) or DATES

    def draw(rng: random.Random, column: str, kind: str, domain: Domain) -> str:
        wide = domain == "far"
        if kind == "date" or (kind == "varchar" and "date" in column):
            year, month, _ = rng.choice((*dates, *DATES) if wide else tuple(dates)).split("-")
            return f"{'DATE ' * (kind == 'date')}'{year}-{month}-{rng.randint(1, 28):02}'"
        if kind == "varchar":
            return f"'{rng.choice(words)}{rng.randint(1, 9) if wide else ''}'"
        if column.endswith(("_sk", "key", "_number", "_id")):
            return str(rng.randint(1, 9 if wide else 2))
        return str(rng.choice(numbers) + (rng.randint(1, 50) if wide else 0))

    return draw


def trial_of(text: Text, tally: Tally, *, seed: int, changes: tuple[str, ...], rows: int) -> Trial:
    lineage = as_expected(column_lineage(text.sql, text.schema, default_schema="tpc")[0])
    written = {word.lower() for word in re.findall(r"\w+", text.sql)}
    worlds = Worlds(
        text.schema,
        seed,
        rows=rows,
        changes=changes,
        values=values_of(text.sql),
        columns={column for columns in text.schema.values() for column in columns if column in written},
        default="tpc",
        patience=30,
    )
    trial = try_law(worlds, text.sql, lineage)
    worlds.close()
    tally.add(trial, lineage)
    assert not trial.misses, f"{text.id}: {'; '.join(map(str, trial.misses))}"
    return trial


ALL = [*texts("tpch"), *texts("tpcds")]
present = pytest.mark.skipif(not ALL, reason="the TPC texts are not beside this checkout")


@present
@pytest.mark.parametrize("text", ALL, ids=lambda text: text.id)
def test_every_query_is_read(text: Text) -> None:
    lineage = column_lineage(text.sql, text.schema, default_schema="tpc")[0]
    assert lineage.fields
    assert set(lineage.inputs) == set(text.schema)


@present
def test_law_on_some() -> None:
    tally = Tally()
    for text in ALL[::9]:
        trial = trial_of(text, tally, seed=5, changes=("replace",), rows=8)
        assert not trial.failed, f"{text.id}: {trial.failed}"


@present
@pytest.mark.prove
@pytest.mark.timeout(0)
def test_prove_all() -> None:
    tally = Tally()
    for text in ALL:
        for seed in (5, 6):
            trial_of(text, tally, seed=seed, changes=("replace", "one", "null"), rows=14)
    print(f"\nTPC-H and TPC-DS: {tally}")  # noqa: T201  # the run's report
