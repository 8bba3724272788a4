"""``headwater demo``: the learning platform made and its nightly job run, with what the events then say."""

import os
from collections import Counter
from collections.abc import Callable

from dagster import DagsterInstance

from governance.classification import propose
from governance.events.store import EventStore
from governance.graph import build_graph, resolve
from governance.impact import impact
from governance.policy import load_policy, load_sources
from governance.project import Project
from platform_assets.catalog import open_catalog
from platform_assets.definitions import build_definitions
from platform_assets.demo import generate
from platform_assets.engines.duckdb import DuckDb
from platform_assets.factory import duckdb_resource
from platform_assets.instance import dagster_home
from platform_assets.job import CheckOutcome, JobOutcome, run_job

Say = Callable[[str], None]

CHANGES = ("crm.learners.email", "crm.learners.marketing_consent", "learning.courses.category")
"""The three changes whose impact the tour shows."""


def project_instance(project: Project) -> DagsterInstance:
    """Return the project's own Dagster instance, the one that ``headwater dev`` shows."""
    os.environ["DAGSTER_HOME"] = str(dagster_home(project))
    return DagsterInstance.get()


def make_sources(project: Project, scale: float) -> dict[str, int]:
    """Write the platform's source tables and return the rows of each."""
    policy = load_policy(project)
    with open_catalog(project) as catalog:
        engine = DuckDb(duckdb_resource(project).get_connection)
        commits = generate(catalog, engine, load_sources(project), policy, scale)
    return {commit.table: commit.total_rows for commit in commits}


def run_demo(project: Project, scale: float, say: Say) -> bool:
    """Make the sources, run the nightly job, and tell what its events say; return whether all went well."""
    rows = make_sources(project, scale)
    say(f"{len(rows)} source tables, {sum(rows.values()):,} rows: {_counted(rows)}")
    with project_instance(project) as instance:
        outcome = run_job(build_definitions(project), "nightly", instance)
    say(f"\nnightly: {len(outcome.built)} pipelines")
    _say_events(project, outcome, say)
    say(f"\nchecks: {checks_line(outcome)}")
    for check in outcome.checks:
        if check.state != "passed":
            say(f"  {check_line(check)}")
    for step, error in outcome.failed:
        say(f"  {step} failed: {error}")
    _say_impact(project, say)
    say("\nmake dev opens Dagster on it; `headwater demo misspelt` shows what a failure looks like.")
    return not outcome.failed and not outcome.red


def checks_line(outcome: JobOutcome) -> str:
    """Return ``35 passed, 2 warned, 0 failed``."""
    states = Counter(check.state for check in outcome.checks)
    return ", ".join(f"{states[state]} {state}" for state in ("passed", "warned", "failed"))


def check_line(check: CheckOutcome) -> str:
    """Return one check's asset, name and state, with what it said."""
    return f"{check.asset} {check.check} {check.state}: {check.description}"


def _counted(rows: dict[str, int]) -> str:
    return ", ".join(f"{table} {count:,}" for table, count in sorted(rows.items()))


def _say_events(project: Project, outcome: JobOutcome, say: Say) -> None:
    graph = build_graph(EventStore(project.events).read().events)
    shown = [write for write in graph.writes if write.dataset.name in outcome.built]
    for write in shown:
        reads = ", ".join(source.name for source in write.inputs)
        say(f"  {write.job} COMPLETE, {len(write.fields)} columns with lineage, reads {reads}")


def _say_impact(project: Project, say: Say) -> None:
    graph = build_graph(EventStore(project.events).read().events)
    say("\nFrom the events alone, a change of")
    for name in CHANGES:
        found = impact(graph, resolve(graph, name))
        values = ", ".join(str(reached.what) for reached in found.values) or "no column"
        say(f"  {name} reaches {values} by value, {len(found.values) + len(found.population)} columns in all")
    proposals = propose(graph, load_policy(project))
    undeclared = [field for field in proposals if field.dataset.name == "marketing.audience"]
    say("\nProposed for marketing.audience, which has no metadata yet:")
    for field in undeclared:
        say(f"  {field.name} {proposals[field].classification}, {proposals[field].reason}")
