"""Partitioned tables on either engine: equal rows, equal partitions and, for one span of time, equal events."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyiceberg.catalog import Catalog

from governance.events.run import Attempt
from governance.events.store import EventStore
from governance.load import load_pipelines
from governance.partition import Term, parse_terms
from governance.policy import load_policy, load_sources
from governance.project import Project, project_at
from governance.windows import Window
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Engine, Files, Query
from platform_assets.iceberg.catalog import load, open_catalog, plan
from platform_assets.iceberg.publish import replace, target
from platform_assets.iceberg.publish_window import replace_window
from platform_assets.runs.materialize import materialize
from platform_assets.runs.run import Platform, Run
from tests.engines_contract.asking import GIVEN, TABLES, ask, shown
from tests.partitions.conftest import LINEAGE, PAID, SOURCES, payments, put, write

AT = datetime(2026, 10, 3, 2, tzinfo=UTC)
TERMS = (
    "day(moment), bucket(4, big)",
    "year(seen), truncate(2, word)",
    "month(day), amount",
    "hour(seen), yes",
    "word, day",
    "bucket(3, word), truncate(10, id)",
    "bucket(5, raw), bucket(5, moment)",
)


@pytest.fixture(autouse=True)
def own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with open_catalog(project_at(tmp_path)) as opened:
        yield opened


def parts(catalog: Catalog, name: str = "mart.t") -> list[tuple[str, int]]:
    """Return the partition and the rows of each file of the table, in order."""
    files = [it.file for it in catalog.load_table(name).scan().plan_files()]
    return sorted((str(file.partition), file.record_count) for file in files)


def stored(catalog: Catalog, engine: Engine, name: str, terms: tuple[Term, ...]) -> None:
    with engine.open(Query("select * from s.t", "q.sql"), TABLES) as result:
        replace(catalog, target(name, None, terms), result, {}, {})


@pytest.mark.parametrize("text", TERMS)
def test_each_engines_rows_lie_in_the_same_partitions(
    spark: Engine, binder: DuckDb, catalog: Catalog, text: str
) -> None:
    terms = parse_terms(text)
    stored(catalog, spark, "mart.t", terms)
    stored(catalog, binder, "mart.u", terms)
    assert parts(catalog) == parts(catalog, "mart.u")
    assert shown(catalog.load_table("mart.t").scan().to_arrow()) == shown(GIVEN)


def test_a_partitioned_table_is_read_in_place(engine: Engine, catalog: Catalog) -> None:
    stored(catalog, engine, "mart.t", parse_terms("word, day(moment)"))
    relation = plan("mart.t", load(catalog, "mart.t")).relation
    assert isinstance(relation, Files)
    wanted = "id, big, amount, rate, word, yes, day, moment, seen, raw"
    found = ask(engine, f"select {wanted} from s.t", {"s.t": relation})  # noqa: S608
    assert shown(found) == shown(GIVEN.select(wanted.split(", ")))


@pytest.mark.parametrize("column", ["moment", "seen", "day"])
def test_a_span_of_time_is_made_and_replaced(engine: Engine, catalog: Catalog, column: str) -> None:
    terms = parse_terms("day" if column == "day" else f"day({column})")
    window = Window(column.upper(), datetime(2024, 2, 1, tzinfo=UTC), datetime(2024, 2, 4, tzinfo=UTC))
    stored(catalog, engine, "mart.t", terms)
    before = {it.file.file_path for it in catalog.load_table("mart.t").scan().plan_files()}
    query = Query("select * from s.t where id <> 6 -- a comment at the end", "q.sql", within=window)
    with engine.open(query, TABLES) as result:
        placed = window.placed(result.schema.names)
        commit = replace_window(
            catalog, target("mart.t", catalog.load_table("mart.t"), terms), result, {}, {}, window=placed
        )
    table = catalog.load_table("mart.t")
    within = {"moment": 2, "seen": 2, "day": 1}[column]
    # the row without an id goes, where it lies within
    assert (commit.rows, commit.total_rows) == (within, 5 if column != "day" else 6)
    stayed = before & {it.file.file_path for it in table.scan().plan_files()}
    assert len(stayed) == len(before) - {"moment": 2, "seen": 2, "day": 1}[column]


def project(root: Path) -> Project:
    made = project_at(root)
    write(made.sources, SOURCES)
    write(made.policy[0] / "lineage.toml", LINEAGE)
    write(made.policy[0] / "metadata.toml", "")
    write(made.policy[0] / "waivers.toml", "")
    write(made.pipelines[0] / "mart" / "paid.sql", PAID)
    return made


def ran(root: Path, engine: Engine) -> tuple[list[str], list[tuple[str, int]], list[object]]:
    """Return the rows, the partitions and the events of the pipeline's runs: two days, one of them once more."""
    made = project(root)
    store = EventStore(made.events, lambda: AT)
    (pipeline,) = load_pipelines(made)
    with open_catalog(made) as catalog:
        put(catalog, payments(2, 3))
        platform = Platform(made, load_policy(made), load_sources(made), catalog, engine, store, lambda: AT)
        for number, (first, last) in enumerate(((2, 3), (3, 5), (2, 3))):
            window = Window("paid_at", datetime(2026, 1, first, tzinfo=UTC), datetime(2026, 1, last, tzinfo=UTC))
            attempt = Attempt(pipeline.job, AT, "8a9cf1f0-0000-4000-8000-000000000001", number)
            materialize(platform, pipeline, Run(attempt, window=window))
        rows = shown(catalog.load_table("mart.paid").scan().to_arrow())
        return rows, parts(catalog, "mart.paid"), _told(made)


def _told(made: Project) -> list[object]:
    """Return the events without what differs from run to run and from engine to engine."""
    texts = [line for file in sorted(made.events.rglob("*.ndjson")) for line in file.read_text("utf-8").splitlines()]
    events = [json.loads(text) for text in texts]
    for event in events:
        assert "nominalTime" in event["run"]["facets"]
        event["run"]["facets"].pop("processing_engine")
    plain = json.dumps(events, sort_keys=True)
    return list(json.loads(re.sub(r'"(datasetVersion|size|durationMs|fileCount)": ("\d+"|\d+)', r'"\1": 0', plain)))


def test_either_engine_makes_equal_partitions_and_tells_equal_events(
    spark: Engine, binder: DuckDb, tmp_path: Path
) -> None:
    first, second = ran(tmp_path / "duckdb", binder), ran(tmp_path / "spark", spark)
    assert first == second
    assert len(first[0]) == 6
