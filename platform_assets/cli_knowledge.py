"""The commands about what the events know: ``cli`` adds ``COMMANDS`` to its own.

They read events and policy only: no Dagster, no engine, no SQL parser is imported, so that each answers at once.
"""

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from governance.errors import EventStoreError, HeadwaterError
from governance.project import Project, find_project

if TYPE_CHECKING:
    from governance.events.model import Event
    from governance.events.pieces import Problem
    from governance.graph import Graph
    from governance.graph.known import Known
    from governance.identity import Schemas
    from governance.policy import Policy
    from governance.report.page import Part
    from governance.report.tree import Line

Path_ = click.Path(path_type=Path, exists=True)
EVENTS = click.option(
    "--events", type=Path_, help="Events to read: a file, a folder or a store. Default: the project's own store."
)
FORMAT = click.option("--format", "form", type=click.Choice(["text", "json", "md"]), default="text", show_default=True)
AS_OF = click.option("--as-of", metavar="TIME", help="Answer from what stood then: 2026-10-01, or with a time of day.")
SNAPSHOT = click.option("--snapshot", metavar="ID", help="Answer as of the run that wrote this snapshot of the table.")
SEEN = click.option(
    "--format", "form", type=click.Choice(["text", "json", "md", "html"]), default="text", show_default=True
)
CHANGES = ("rename", "drop", "type", "value", "enum", "unit", "filter", "backfill")


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question is asked of."""

    known: "Known"
    policy: "Policy"


@dataclass(frozen=True, slots=True)
class _Seen:
    """An answer as a tree under a title, and what is said below it."""

    title: str
    lines: "Callable[[], Iterable[Line]]"
    closing: "Callable[[], Iterable[Part]]"


@click.command()
@click.argument("name")
@EVENTS
@AS_OF
@SNAPSHOT
@click.option("--rows", is_flag=True, help="Add what shapes the rows of each table on the way.")
@SEEN
def trace(  # one parameter an option
    *, name: str, events: Path | None, as_of: str | None, snapshot: str | None, rows: bool, form: str
) -> None:
    """Say what NAME, a table or table.column, comes from, hop by hop to source columns and files."""
    from governance.graph.part import upstream, upstream_rows
    from governance.report.trace import ends_text, trace_markdown, trace_text
    from governance.report.tree import trace_lines
    from governance.trace import trace as trace_values
    from governance.trace import trace_rows

    part, walk = (upstream_rows, trace_rows) if rows else (upstream, trace_values)
    found = walk(*part(_asked(find_project(), name, events, as_of, snapshot).known, name))
    seen = _Seen(f"What {found.start} comes from", lambda: trace_lines(found), lambda: [ends_text(found)])
    _say(form, lambda: trace_text(found), lambda: trace_markdown(found), found.as_dict, seen)


@click.command()
@click.argument("name")
@EVENTS
@AS_OF
@SNAPSHOT
@click.option("--change", type=click.Choice(CHANGES), help="What is to be changed. Default: anything.")
@click.option("--queries", type=Path_, help="Folder of ingested query logs. Default: the project's own.")
@SEEN
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
    """Say what a change of NAME, a table or table.column, can reach: values, populations, tables, and what is unknown.

    JSON is {"start", "values", "population", "tables", "unknown", "downstream", "change", "statement", "ranking"}.
    """
    from governance.catalog_seen import seen
    from governance.consumers.declared import load_declarations
    from governance.graph.part import downstream
    from governance.impact import Change, ranked
    from governance.impact import impact as reach
    from governance.impact.facts import facts_of
    from governance.queries.store import QueryStore
    from governance.report.impact import closing_parts, head_text, impact_markdown, impact_text
    from governance.report.tree import impact_lines

    project = find_project()
    asked = _asked(project, name, events, as_of, snapshot)
    graph, start = downstream(asked.known, name)
    catalog = None if events else seen(project.state)
    stale = catalog.gone(graph, asked.policy.lineage.namespace) if catalog and not as_of else ()
    found = reach(graph, start, Change(change) if change else None, stale=stale)
    log = QueryStore(queries or project.state / "queries").read()
    ranking = ranked(found, facts_of(graph, asked.policy, load_declarations(project), log))
    _say(
        form,
        lambda: impact_text(found, ranking),
        lambda: impact_markdown(found, ranking),
        lambda: found.as_dict() | {"ranking": [it.as_dict() for it in ranking]},
        _Seen(
            head_text(found),
            lambda: impact_lines(found),
            lambda: closing_parts(found, ranking),
        ),
    )


@click.command()
@EVENTS
@click.option("--write", is_flag=True, help="Edit metadata.toml by the proposals, for review; comments stay.")
@FORMAT
def propose(*, events: Path | None, write: bool, form: str) -> None:
    """Propose a classification for every column that a job writes, and say what decided it."""
    from datetime import UTC, datetime

    from governance.classification import propose as proposals_of
    from governance.proposed_metadata import changes
    from governance.report.proposals import proposals_dict, proposals_markdown, proposals_text

    project = find_project()
    graph, policy = _known(project, events)
    proposals = proposals_of(graph, policy, today=datetime.now(UTC).date())
    _say(
        form,
        lambda: proposals_text(proposals, policy),
        lambda: proposals_markdown(proposals, policy),
        lambda: proposals_dict(proposals, policy),
    )
    if write:
        file = _write(project, proposals, policy)
        click.echo(f"{len(changes(proposals, policy))} columns written to {file}: review the difference", err=True)


@click.command()
@click.argument("name")
@EVENTS
@FORMAT
def history(*, name: str, events: Path | None, form: str) -> None:
    """List the runs of the table NAME, the oldest first: how lineage changed with each, and which did not complete."""
    from datetime import UTC, datetime

    from governance.dataset import Field
    from governance.graph import graph_of, resolve
    from governance.history import attempts
    from governance.history import history as writes_of
    from governance.report.history import history_dict, history_markdown, history_text
    from governance.runs import PATIENCE, read_runs

    project = find_project()
    told, policy = _told(project, events)
    runs = read_runs(told)
    start = resolve(graph_of(runs), name)
    dataset = start.dataset if isinstance(start, Field) else start
    found = writes_of(runs, dataset)
    tried = attempts(runs, dataset, datetime.now(UTC), policy.dangling_after or PATIENCE)
    _say(
        form,
        lambda: history_text(found, tried),
        lambda: history_markdown(found, tried),
        lambda: history_dict(found, tried),
    )


COMMANDS: tuple[click.Command, ...] = (trace, impact, propose, history)


def _asked(project: Project, name: str, events: Path | None, as_of: str | None, snapshot: str | None) -> _Asked:
    from governance.dataset import Field
    from governance.graph.known import start_of
    from governance.history import moment_of, parse_moment
    from governance.identity import carried
    from governance.stored import read_stored

    if as_of and snapshot:
        raise HeadwaterError("--as-of and --snapshot name two moments", fix="give one of them")
    moment = parse_moment(as_of) if as_of else None
    policy, schemas = _policy(project, events)
    stored = read_stored(_path(project, events), policy.lineage.spellings, schemas)
    _warn(stored.problems)
    if snapshot:
        start, _ = start_of(stored.known(), name)
        moment = moment_of(stored.runs(), start.dataset if isinstance(start, Field) else start, snapshot)
    return _Asked(stored.known(moment), carried(policy, schemas))


def _known(project: Project, events: Path | None) -> "tuple[Graph, Policy]":
    from governance.graph import build_graph

    told, policy = _told(project, events)
    return build_graph(told), policy


def _told(project: Project, events: Path | None) -> "tuple[tuple[Event, ...], Policy]":
    from governance.events.reading import read_events
    from governance.identity import carried
    from governance.telling import told

    reading = read_events(_path(project, events))
    _warn(reading.problems)
    policy, schemas = _policy(project, events)
    return told(reading.events, policy.lineage.spellings, schemas=schemas), carried(policy, schemas)


def _path(project: Project, events: Path | None) -> Path:
    from governance.events.reading import require_folder

    if not events:
        require_folder(project.events)
    path = events or project.events
    if not path.exists():
        raise EventStoreError("there are no events yet", fix="run `headwater demo`, or name some with --events")
    return path


def _policy(project: Project, events: Path | None) -> "tuple[Policy, Schemas]":
    """Return the policy, and the tables' schema versions where the events are the project's own."""
    from governance.catalog_seen import seen
    from governance.policy import load_policy

    policy = load_policy(project)
    catalog = None if events else seen(project.state)
    return policy, catalog.schemas(policy.lineage.namespace) if catalog else {}


def _warn(problems: "Iterable[Problem]") -> None:
    for problem in problems:
        click.echo(f"warning: {problem}", err=True)


def _write(project: Project, proposals: Any, policy: "Policy") -> str:
    from governance.proposed_metadata import written

    path = project.policy[0] / "metadata.toml"
    shown = project.relative(path)
    text = written(path.read_text("utf-8"), proposals, policy, shown)
    # whole or not at all: a half-written policy file would stop every command
    beside = path.with_suffix(".toml.new")
    beside.write_text(text, "utf-8")
    beside.replace(path)
    return shown


def _say(
    form: str,
    text: Callable[[], str],
    markdown: Callable[[], str],
    value: Callable[[], Any],
    seen: _Seen | None = None,
) -> None:
    if seen and form == "text" and sys.stdout.isatty():
        _show(seen)
        return

    def as_json() -> str:
        return json.dumps(value(), indent=2, ensure_ascii=False)

    def as_html() -> str:
        from governance.report.html import page_html

        return page_html(seen.title, [tuple(seen.lines()), *seen.closing()]) if seen else ""

    click.echo({"text": text, "md": markdown, "json": as_json, "html": as_html}[form]())


def _show(seen: _Seen) -> None:
    """Draw the tree on the terminal that somebody looks at, and say below it what the tree cannot."""
    from governance.report.page import page_text
    from platform_assets.colour import show_tree

    show_tree(seen.lines())
    click.echo(f"\n{page_text(seen.closing())}")
