"""What governance adds to a pipeline: lineage, events, metadata and all rules, against the bare SQL and its commit.

Goals: at most 0.5 s on a small pipeline, at most 10 % on one of ten seconds.
"""

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from governance.events.run import Attempt
from governance.events.store import EventStore
from governance.pipeline import Pipeline
from governance.policy import load_policy, load_sources
from governance.project import Project, project_at
from governance.rules import RULES, EndedAttempt, check
from governance.statement import parse
from platform_assets.assets.factory import duckdb_resource
from platform_assets.assets.run_metadata import run_metadata
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Query
from platform_assets.iceberg.catalog import Catalog, load_known, open_catalog, plan
from platform_assets.iceberg.publish import replace, target
from platform_assets.known import known
from platform_assets.loaded import load
from platform_assets.runs.materialize import materialize
from platform_assets.runs.run import Platform, Run
from platform_assets.tour.tour import make_sources

ROUNDS = 5
LONG = 10.0
"""Seconds that the long pipeline's bare SQL is made to take."""

SMALL_SQL = """create table bench.small as
select l.country, count(*) as learners from crm.learners l where l.marketing_consent group by l.country"""
LONG_SQL = """create table bench.long as
select l.country, sum(hash(l.learner_id, n.range) % 97) as noise
from crm.learners l cross join range({steps}) n group by l.country"""


def main() -> None:
    """Print the two comparisons."""
    with tempfile.TemporaryDirectory() as folder:
        project = _project(Path(folder))
        make_sources(project, 1.0)
        small = Pipeline("bench.small", "small.sql", SMALL_SQL)
        _compare(project, small, "small pipeline", ROUNDS)
        _compare(project, _long(project), "ten-second pipeline", 3)


def _project(folder: Path) -> Project:
    root = Path(__file__).parent.parent
    shutil.copytree(
        root / "governance", folder / "governance", ignore=lambda _, names: [n for n in names if n[-5:] != ".toml"]
    )
    shutil.copytree(root / "platform_assets" / "pipelines", folder / "platform_assets" / "pipelines")
    shutil.copy(root / "platform_assets" / "sources.toml", folder / "platform_assets")
    return project_at(folder)


def _long(project: Project) -> Pipeline:
    steps, took = 500, 0.0
    while took < LONG / 4:
        steps *= 4
        trial = _with(steps)
        took = _seconds(partial(_bare, project, trial))
    return _with(round(steps * LONG / took))


def _with(steps: int) -> Pipeline:
    return Pipeline("bench.long", "long.sql", LONG_SQL.format(steps=steps))


def _compare(project: Project, pipeline: Pipeline, title: str, rounds: int) -> None:
    # in turns, so that a slow moment of the machine hits both; CPU seconds beside, which it hits less
    bare, governed = partial(_bare, project, pipeline), partial(_governed, project, pipeline)
    pairs = [(_spent(bare), _spent(governed)) for _ in range(rounds)]
    print(f"{title}, median of {rounds}:")
    for clock, place in (("wall", 0), ("CPU", 1)):
        before, after = (statistics.median(it[place] for it in side) for side in zip(*pairs, strict=True))
        ratio = statistics.median(after[place] / before[place] for before, after in pairs)
        print(
            f"  {clock}: bare {before:.3f} s, governed {after:.3f} s, added {after - before:.3f} s, ratio {ratio:.3f}"
        )


def _spent(work: Callable[[], object]) -> tuple[float, float]:
    """Return the wall and CPU seconds of ``work``."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def _seconds(work: Callable[[], object]) -> float:
    return _spent(work)[0]


def _bare(project: Project, pipeline: Pipeline) -> None:
    """Do what a script would: run the SELECT over the planned files and commit its rows."""
    statement = parse(pipeline)
    with open_catalog(project) as catalog:
        tables = load_known(catalog, [*statement.reads, pipeline.table])
        relations = {name: plan(name, tables[name]).relation for name in statement.reads}
        with _engine(project).open(Query(statement.query, pipeline.file), relations) as result:
            replace(catalog, target(pipeline.table, tables.get(pipeline.table)), result, {}, {})


def _governed(project: Project, pipeline: Pipeline) -> None:
    """Do the same as the asset does: lineage, events, metadata, then every rule over everything known."""
    with open_catalog(project) as catalog:
        platform = _platform(project, catalog)
        now = datetime.now(UTC)
        attempt = Attempt(pipeline.job, now, f"bench-{now.timestamp()}")
        done = materialize(platform, pipeline, Run(attempt))
        loaded = load(project)
        run_metadata(loaded.policy, done, loaded.assets)
    ended = EndedAttempt(attempt, pipeline.table, "SUCCESS")
    facts = known(project, [ended], datetime.now(UTC))
    for rule in RULES:
        check(rule, facts)


def _platform(project: Project, catalog: Catalog) -> Platform:
    policy, store = load_policy(project), EventStore(project.events)
    return Platform(project, policy, load_sources(project), catalog, _engine(project), store, lambda: datetime.now(UTC))


def _engine(project: Project) -> DuckDb:
    return DuckDb(duckdb_resource(project).get_connection)
