"""The ``headwater`` command: the second composition root, beside ``definitions``.

What reads events only imports neither Dagster nor an engine, so that it answers at once: each command imports what it
needs when it is called.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from governance.errors import EventStoreError, HeadwaterError, LineageError
from governance.project import Project, find_project

if TYPE_CHECKING:
    from governance.events.model import Event

Path_ = click.Path(path_type=Path, exists=True)
EVENTS = click.option(
    "--events", type=Path_, help="Events to read: a file, a folder or a store. Default: the project's own store."
)
FORMAT = click.option("--format", "form", type=click.Choice(["text", "json", "md"]), default="text", show_default=True)
SCENARIOS = ("silent", "uninstrumented", "understated", "misspelt", "reset")


class Commands(click.Group):
    """A group whose commands say an error of the user's in one line, with exit code 1 and no traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except HeadwaterError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=Commands)
@click.version_option(package_name="headwater")
def main() -> None:
    """Column lineage and governance for SQL on Dagster and Iceberg."""


@main.command()
@click.argument("scenario", type=click.Choice(SCENARIOS), required=False)
@click.option("--scale", type=click.FloatRange(0.01, 100), default=1.0, show_default=True, help="Size of the sources.")
def demo(scenario: str | None, scale: float) -> None:
    """Make the learning platform and run its nightly job.

    SCENARIO sets up one failure on it for review and shows which check turns red; reset mends it.
    """
    from platform_assets.scenarios import run_scenario
    from platform_assets.tour import run_demo

    project = find_project()
    well = run_scenario(project, scenario, click.echo) if scenario else run_demo(project, scale, click.echo)
    sys.exit(0 if well else 1)


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=click.IntRange(1, 65535), default=3000, show_default=True)
def dev(host: str, port: int) -> None:
    """Open Dagster's UI on this project."""
    from platform_assets.instance import dagster_home

    project = find_project()
    os.environ["DAGSTER_HOME"] = str(dagster_home(project))
    os.chdir(project.root)
    dagster = str(Path(sys.executable).with_name("dagster"))
    os.execv(dagster, [dagster, "dev", "--host", host, "--port", str(port)])  # noqa: S606  no shell, our own arguments


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--schema", type=Path_, help="JSON: {table: {column: type}}. Default: the project's own.")
@click.option("--dialect", default="duckdb", show_default=True)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def lineage(files: tuple[str, ...], schema: Path | None, dialect: str, form: str) -> None:
    """Show the column lineage of SQL files; - reads standard input. Exit code 1 where a file is refused."""
    from governance.lineage import ColumnLineage, column_lineage
    from governance.report.lineage import lineage_text
    from governance.report.place import caret

    tables = _schema_file(schema) if schema else _project_schemas(find_project())
    found: list[ColumnLineage] = []
    refused = False
    for file in files:
        sql = sys.stdin.read() if file == "-" else _text(Path(file))
        try:
            found += column_lineage(sql, tables, dialect=dialect)
        except LineageError as error:
            refused = True
            click.echo(f"Error: {file}:{error}\n{caret(sql, error)}".rstrip(), err=True)
    if found:
        click.echo(lineage_text(found) if form == "text" else _json([it.as_dict() for it in found]))
    sys.exit(1 if refused else 0)


@main.command()
@click.argument("name")
@EVENTS
@FORMAT
def impact(name: str, events: Path | None, form: str) -> None:
    """Say what a change of NAME, a table or table.column, can reach: values, populations, tables."""
    from governance.graph import build_graph, resolve
    from governance.impact import Impact
    from governance.impact import impact as reach
    from governance.report.impact import impact_markdown, impact_text

    graph = build_graph(_events(events))
    found = reach(graph, resolve(graph, name))
    say: Mapping[str, Callable[[Impact], str]] = {
        "text": impact_text,
        "md": impact_markdown,
        "json": lambda it: _json(it.as_dict()),
    }
    click.echo(say[form](found))


@main.command()
@EVENTS
@click.option("--format", "form", type=click.Choice(["text", "md"]), default="text", show_default=True)
def propose(events: Path | None, form: str) -> None:
    """Propose a classification for every column that a job writes, and say what decided it."""
    from governance.classification import propose as proposals_of
    from governance.graph import build_graph
    from governance.policy import load_policy
    from governance.report.proposals import proposals_markdown, proposals_text

    policy = load_policy(find_project())
    proposals = proposals_of(build_graph(_events(events)), policy)
    click.echo({"text": proposals_text, "md": proposals_markdown}[form](proposals, policy))


@main.command()
def check() -> None:
    """Run every rule over what Dagster, the catalog and the events know. Exit code 1 on a finding of severity ERROR."""
    from governance.report.findings import outcome_text
    from governance.rules import RULES
    from governance.rules import check as judge
    from governance.rules.finding import Severity
    from platform_assets.definitions import known_to
    from platform_assets.tour import project_instance

    project = find_project()
    with project_instance(project) as instance:
        known = known_to(project, instance)
    outcomes = [judge(rule, known) for rule in RULES]
    click.echo("\n".join(outcome_text(outcome) for outcome in outcomes))
    errors = [it for outcome in outcomes for it in outcome.findings if it.severity is Severity.ERROR]
    sys.exit(1 if errors else 0)


@main.group()
def events() -> None:
    """Look after the event store."""


@events.command()
@click.option("--seconds", type=click.FloatRange(min=0.1), default=60.0, show_default=True, help="How long to try.")
def ship(seconds: float) -> None:
    """Send the user's own lineage server what it has missed. Exit code 1 where something is left."""
    from governance.events.store import EventStore
    from governance.events.transport import ship as send

    shipped = send(EventStore(find_project().events), seconds)
    for it in shipped:
        said = f"{it.destination}: {it.sent} sent, {it.refused} refused, {it.left} left"
        click.echo(f"{said}: {it.error}" if it.error else said)
    if not shipped:
        click.echo("no lineage server is set: openlineage.yml or OPENLINEAGE_URL names one")
    sys.exit(1 if any(it.left for it in shipped) else 0)


@events.command()
def repair() -> None:
    """Write the ends that are missing. Exit code 1 where one cannot be written.

    A committed run gets its COMPLETE back from the snapshot that carries its id; a run that Dagster saw fail or be
    terminated, and that sent no end, gets FAIL or ABORT.
    """
    from platform_assets.definitions import closer_of
    from platform_assets.factory import load
    from platform_assets.repair import repair_events
    from platform_assets.tour import project_instance

    loaded = load(find_project())
    # what was committed first: a run that died after its commit is complete
    repaired = repair_events(loaded)
    with project_instance(loaded.project) as instance:
        ended = closer_of(loaded).close(instance)
    for it in repaired:
        said = f"{it.lost.job}, snapshot {it.lost.snapshot.snapshot_id}"
        click.echo(f"{said}: COMPLETE not rebuilt: {it.problem}" if it.problem else f"{said}: COMPLETE rebuilt")
    for dead in ended:
        click.echo(f"{dead.known.table}, run {dead.known.attempt.run_id}: ended, {dead.known.status} in Dagster")
    if not repaired and not ended:
        click.echo("no run lacks its end")
    sys.exit(1 if any(it.problem for it in repaired) else 0)


def _events(path: Path | None) -> "tuple[Event, ...]":
    from governance.events.reading import read_events

    path = path or find_project().events
    if not path.exists():
        raise EventStoreError("there are no events yet", fix="run `headwater demo`, or name some with --events")
    reading = read_events(path)
    for problem in reading.problems:
        click.echo(f"warning: {problem}", err=True)
    return reading.events


def _project_schemas(project: Project) -> Mapping[str, Mapping[str, str]]:
    from governance.pipeline import load_pipelines
    from governance.policy import load_sources
    from governance.statement import read_program

    return read_program(load_pipelines(project), load_sources(project)).schemas


def _schema_file(path: Path) -> Mapping[str, Mapping[str, str]]:
    try:
        found = json.loads(_text(path))
    except ValueError as error:
        raise HeadwaterError(f"{path}: not JSON: {error}", fix='write {"schema.table": {"column": "type"}}') from error
    columns = list(found.values()) if isinstance(found, dict) else [None]
    if not all(isinstance(it, dict) and all(isinstance(kind, str) for kind in it.values()) for it in columns):
        raise HeadwaterError(f"{path}: not a schema", fix='write {"schema.table": {"column": "type"}}')
    return dict(found)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise HeadwaterError(
            f"{path} cannot be read: {error}", fix="name a readable UTF-8 file, or - for input"
        ) from error


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
