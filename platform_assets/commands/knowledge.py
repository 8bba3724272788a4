"""The commands about what the events know: ``cli`` adds ``COMMANDS`` to its own.

They read events and policy only: no Dagster, no engine, no SQL parser is imported, so that each answers at once.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from governance.project import Project, find_project
from platform_assets.commands.answer import EVENTS, FORMAT, Path_, Tree, say
from platform_assets.commands.asked import asked, told_of
from platform_assets.commands.propose import propose

if TYPE_CHECKING:
    from governance.dataset import Dataset
    from governance.graph import Graph
    from governance.impact import Facts
    from governance.policy import Policy
    from governance.runs import Run

AS_OF = click.option(
    "--as-of",
    metavar="TIME",
    help="Answer from what stood then: 2026-10-01T14:30, or a day's first instant: 2026-10-01; without zone, of UTC.",
)
SNAPSHOT = click.option("--snapshot", metavar="ID", help="Answer as of the run that wrote this snapshot of the table.")
TREE = click.option(
    "--format", "form", type=click.Choice(["text", "json", "md", "html"]), default="text", show_default=True
)
CHANGES = ("rename", "drop", "type", "value", "enum", "unit", "filter", "backfill")


@click.command()
@click.argument("name")
@EVENTS
@AS_OF
@SNAPSHOT
@click.option("--rows", is_flag=True, help="Add what shapes the rows of each table on the way.")
@TREE
def trace(  # one parameter an option
    *, name: str, events: Path | None, as_of: str | None, snapshot: str | None, rows: bool, form: str
) -> None:
    """Say what NAME, a table, file or column of one, comes from, hop by hop to source columns and files.

    JSON is {"start", "steps", "origins", "as_of"}, a step {"depth", "field", "dataset", "namespace", "word",
    "note", "repeated", "stale", "by"}; note says why nothing is known to feed it.
    """
    from governance.graph.part import upstream, upstream_rows
    from governance.report.trace import ends_text, trace_markdown, trace_text
    from governance.report.tree import trace_lines
    from governance.trace import trace as trace_values
    from governance.trace import trace_rows

    part, walk = (upstream_rows, trace_rows) if rows else (upstream, trace_values)
    of = asked(find_project(), name, events, as_of, snapshot)
    graph, start = of.part(part)
    found = walk(graph, start, stale=of.gone(graph))
    say(
        form,
        lambda: f"{of.when}{trace_text(found)}",
        lambda: f"{of.when}{trace_markdown(found)}",
        lambda: found.as_dict() | of.as_dict(),
        Tree(f"{of.when}What {found.start} comes from", lambda: trace_lines(found), lambda: [ends_text(found)]),
    )


@click.command()
@click.argument("name")
@EVENTS
@AS_OF
@SNAPSHOT
@click.option("--change", type=click.Choice(CHANGES), help="What is to be changed. Default: anything.")
@click.option("--queries", type=Path_, help="Folder of ingested query logs. Default: the project's own.")
@TREE
def impact(  # one parameter an option
    *,
    name: str,
    events: Path | None,
    as_of: str | None,
    snapshot: str | None,
    change: str | None,
    queries: Path | None,
    form: str,
) -> None:
    """Say what a change of NAME, a table, file or column, can reach: values, populations, tables, and what is unknown.

    JSON is {"start", "values", "population", "tables", "unknown", "downstream", "kinds", "change", "statement",
    "ranking", "as_of"}.
    """
    from governance.graph.part import downstream
    from governance.impact import Change, ranked
    from governance.impact import impact as reach
    from governance.report.impact import closing_parts, head_text, impact_markdown, impact_text
    from governance.report.tree import impact_lines

    project = find_project()
    of = asked(project, name, events, as_of, snapshot)
    graph, start = of.part(downstream)
    found = reach(graph, start, Change(change) if change else None, stale=of.gone(graph))
    ranking = ranked(found, _facts(project, of.policy, graph, queries))
    say(
        form,
        lambda: f"{of.when}{impact_text(found, ranking)}",
        lambda: f"{of.when}{impact_markdown(found, ranking)}",
        lambda: found.as_dict() | {"ranking": [it.as_dict() for it in ranking]} | of.as_dict(),
        Tree(
            f"{of.when}{head_text(found)}",
            lambda: impact_lines(found),
            lambda: closing_parts(found, ranking),
        ),
    )


def _facts(project: Project, policy: "Policy", graph: "Graph", queries: Path | None) -> "Facts":
    from governance.consumers.declared import load_declarations
    from governance.impact.facts import facts_of
    from governance.queries.store import QueryStore

    log = QueryStore(queries or project.state / "queries").read()
    return facts_of(graph, policy, load_declarations(project), log)


@click.command()
@click.argument("name")
@EVENTS
@FORMAT
def history(*, name: str, events: Path | None, form: str) -> None:
    """List the runs of the table NAME, the oldest first: how lineage changed with each, and which did not complete.

    Of a file, which no run writes: the runs that read it, with the files that they found.

    JSON is a list of {"state", "ended", "job", "run", "snapshot", "learned", "inputs", "added", "removed"} for those
    that completed, {"state", "began", "ended", "job", "run", "error"} for others; of a file of {"state", "ended",
    "job", "run", "wrote", "files", "error"}.
    """
    from governance.history import attempts, readings
    from governance.history import history as writes_of
    from governance.report.history import (
        history_dict,
        history_markdown,
        history_text,
        readings_dict,
        readings_markdown,
        readings_text,
    )
    from governance.runs import PATIENCE, read_runs

    project = find_project()
    told, policy = told_of(project, events)
    runs = read_runs(told)
    dataset = _table(runs, name)
    found = writes_of(runs, dataset)
    at = datetime.now(UTC), policy.dangling_after or PATIENCE
    tried = attempts(runs, dataset, *at)
    reads = () if found or tried else readings(runs, dataset, *at)
    if reads:
        say(form, lambda: readings_text(reads), lambda: readings_markdown(reads), lambda: readings_dict(reads))
    else:
        say(
            form,
            lambda: history_text(found, tried),
            lambda: history_markdown(found, tried),
            lambda: history_dict(found, tried),
        )


def _table(runs: "tuple[Run, ...]", name: str) -> "Dataset":
    """Return the table that ``name`` is or is in: of what stands, else of what any run named."""
    from governance.dataset import Field
    from governance.errors import UnknownField
    from governance.graph import graph_of, resolve
    from governance.last_named import last_named

    try:
        found = resolve(graph_of(runs), name)
    except UnknownField:
        named = last_named(runs, name)
        if named is None:
            raise
        _, found = named
    return found.dataset if isinstance(found, Field) else found


COMMANDS: tuple[click.Command, ...] = (trace, impact, propose, history)
