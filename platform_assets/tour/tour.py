"""``headwater demo``: the learning platform made and its nightly job run, with what the events then say."""

from collections import Counter
from collections.abc import Callable, Iterator

from governance.errors import CatalogError
from governance.events.open import event_store
from governance.graph import Graph, build_graph
from governance.policy import load_policy, load_sources
from governance.project import Project
from governance.report.table import text_table
from platform_assets.assets.factory import duckdb_resource
from platform_assets.assets.instance import project_instance
from platform_assets.assets.job import JobOutcome, Written, run_job
from platform_assets.commands.chosen import Chosen, latest
from platform_assets.definitions import build_definitions
from platform_assets.engines.duckdb import DuckDb
from platform_assets.iceberg.catalog import open_catalog
from platform_assets.tour.demo import generate

Say = Callable[[str], None]


def make_sources(project: Project, scale: float) -> dict[str, int]:
    """Write the platform's source tables and return the rows of each."""
    policy = load_policy(project)
    with open_catalog(project) as catalog:
        engine = DuckDb(duckdb_resource(project).get_connection)
        commits = generate(catalog, engine, load_sources(project), policy, scale)
    return {commit.table: commit.total_rows for commit in commits}


def run_demo(project: Project, scale: float, say: Say) -> bool:
    """Make the sources, run the nightly job, and tell what its events say; return whether all went well.

    Raises:
        CatalogError: the project has none of the demo platform's sources.
    """
    rows = make_sources(project, scale)
    if not rows:
        raise CatalogError(
            "this project's sources.toml has none of the demo platform's tables", fix="build it with `headwater run`"
        )
    say(f"sources  {len(rows)} tables, {sum(rows.values()):,} rows")
    with project_instance(project) as instance:
        outcome = run_job(build_definitions(project), "nightly", instance)
    events = event_store(project).read().events
    graph = build_graph(events)
    say(f"nightly  {len(outcome.built)} pipelines, {len(events)} events in the store")
    say(outcome_text(outcome))
    say(f"\n{_written(graph, outcome)}")
    say("\nmake dev shows it in Dagster; headwater demo misspelt shows a failure, headwater demo reset mends it.")
    return not outcome.failed and not outcome.red


def written_text(outcome: JobOutcome) -> str:
    """Return what a job wrote, a line a table; ``built    nothing`` where it is none."""
    lines = [f"built    {it.table}  {counted(it.rows, 'row')}{_of_files(it)}" for it in outcome.written]
    return "\n".join(lines or ["built    nothing"])


def left_text(asked: Chosen) -> Iterator[str]:
    """Yield how each table that was left out is built, a line each."""
    for it in asked.left:
        yield f"left out {it.table}, {it.partitions}: headwater run {it.table} --partition {latest(it) or '…'}"


def _of_files(written: Written) -> str:
    return "" if written.files is None else f" of {counted(written.files, 'file')}"


def counted(count: int, thing: str) -> str:
    """Return ``1 row`` or ``1,200 rows``."""
    return f"{count:,} {thing}{'s' * (count != 1)}"


def outcome_text(outcome: JobOutcome) -> str:
    """Return what a job did, a line each: rows that it left out, checks counted, what is red and why, what stopped."""
    lines = [
        f"rejected {counted(it.rejected, 'row')} for {it.table}, kept in {it.kept_in}"
        for it in outcome.written
        if it.rejected
    ]
    lines += [f"checks   {checks_line(outcome)}"]
    lines += [f"red      {check.check} of {check.asset}: {check.description}" for check in outcome.red]
    lines += [f"stopped  {step}: {error}" for step, error in outcome.failed]
    return "\n".join(lines)


def checks_line(outcome: JobOutcome) -> str:
    """Return ``35 passed, 2 warned, 0 failed``."""
    states = Counter(check.state for check in outcome.checks)
    return ", ".join(f"{states[state]} {state}" for state in ("passed", "warned", "failed"))


def _written(graph: Graph, outcome: JobOutcome) -> str:
    rows = [
        (write.dataset.name, str(len(write.fields)), ", ".join(source.name for source in write.inputs))
        for write in graph.writes
        if write.dataset.name in outcome.built
    ]
    return text_table(("Table", "Columns", "Reads"), rows)
