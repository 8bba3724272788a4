"""The ``headwater`` command: the second composition root, beside ``definitions``.

What reads events only imports neither Dagster nor an engine, so that it answers at once: each command imports what it
needs when it is called.
"""

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from governance.errors import HeadwaterError, LineageError, UnknownField
from governance.project import Project, find_project
from platform_assets import cli_consumers, cli_diff, cli_events, cli_knowledge, cli_page

if TYPE_CHECKING:
    from governance.lineage import ColumnLineage
    from governance.lineage.model import Explanation

Told = tuple[str, str, "tuple[ColumnLineage, ...]"]
"""A file, its text and the lineage of what it writes."""

Path_ = click.Path(path_type=Path, exists=True)
CHECK_FORMATS = ("text", "md", "json", "sarif", "junit", "github")
SCENARIOS = ("silent", "uninstrumented", "understated", "misspelt", "reset")


class Commands(click.Group):
    """A group whose commands say an error of the user's in one line, with exit code 1 and no traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except HeadwaterError as error:
            raise click.ClickException(str(error)) from error


def _lineage_text(_project: Project, told: "list[Told]") -> str:
    from governance.report.lineage import lineage_text

    return lineage_text(it for _, _, lineages in told for it in lineages)


def _lineage_json(_project: Project, told: "list[Told]") -> str:
    found = [it.as_dict() for _, _, lineages in told for it in lineages]
    return json.dumps(found, indent=2, ensure_ascii=False)


def _lineage_events(project: Project, told: "list[Told]") -> str:
    from governance.events.facets import Naming
    from governance.events.static import ndjson, static_events
    from governance.policy import load_policy

    policy, now = load_policy(project).lineage, datetime.now(UTC)
    naming = Naming(policy.namespace, policy.job_namespace)
    return "\n".join(
        line
        for file, sql, lineages in told
        for line in ndjson(static_events(_job(project, file), sql, lineages, naming, now))
    )


def _job(project: Project, file: str) -> str:
    """Return the job's name: a pipeline's table, else the file's own name."""
    path = Path(file).resolve()
    folders = [folder for folder in project.pipelines if path.is_relative_to(folder)]
    return ".".join(path.relative_to(folders[0]).with_suffix("").parts) if folders else Path(file).stem


LINEAGE_FORMATS: Mapping[str, Callable[[Project, "list[Told]"], str]] = {
    "text": _lineage_text,
    "json": _lineage_json,
    "openlineage": _lineage_events,
}


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
@click.argument("tables", nargs=-1, metavar="[TABLE…]")
def run(tables: tuple[str, ...]) -> None:
    """Build TABLEs by their pipelines, or everything, and check them. Exit code 1 where one stops or a check is red."""
    from platform_assets.definitions import build_definitions
    from platform_assets.instance import project_instance
    from platform_assets.job import run_job
    from platform_assets.tour import outcome_text

    project = find_project()
    _require_pipelines(project, tables)
    with project_instance(project) as instance:
        outcome = run_job(build_definitions(project), "nightly", instance, tables)
    click.echo(outcome_text(outcome))
    sys.exit(1 if outcome.failed or outcome.red else 0)


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--schema", type=Path_, help="JSON: {table: {column: type}}. Default: the project's own.")
@click.option("--dialect", default="duckdb", show_default=True)
@click.option("--format", "form", type=click.Choice(LINEAGE_FORMATS), default="text", show_default=True)
@click.option("--explain", is_flag=True, help="Show under each edge the SQL that made it (as text).")
def lineage(files: tuple[str, ...], schema: Path | None, dialect: str, form: str, *, explain: bool) -> None:
    """Show the column lineage of SQL files; - reads standard input. Exit code 1 where a file is refused."""
    from governance.lineage import column_lineage
    from governance.lineage.explain import explain as explained
    from governance.report.lineage import explained_text
    from governance.report.place import caret

    if explain and form != "text":
        raise click.UsageError(f"--explain is shown as text: leave out --format {form}")
    project = find_project()
    tables = _schema_file(schema) if schema else _project_schemas(project)
    told: list[Told] = []
    explanations: list[Explanation] = []
    for file in files:
        sql = sys.stdin.read() if file == "-" else _text(Path(file))
        try:
            found = column_lineage(sql, tables, dialect=dialect)
            explanations += explained(sql, tables, dialect=dialect) if explain else ()
            told.append((file, sql, found))
        except LineageError as error:
            click.echo(f"Error: {file}:{error}\n{caret(sql, error)}".rstrip(), err=True)
    if told and explain:
        click.echo(explained_text(zip((it for _, _, found in told for it in found), explanations, strict=True)))
    elif told:
        click.echo(LINEAGE_FORMATS[form](project, told))
    sys.exit(1 if len(told) < len(files) else 0)


@main.command()
@click.option("--format", "form", type=click.Choice(CHECK_FORMATS), default="text", show_default=True)
def check(form: str) -> None:
    """Run every rule over what Dagster, the catalog and the events know. Exit code 1 on a finding of severity ERROR."""
    from governance.findings_seen import FindingsSeen, keep
    from governance.report.check import FORMATS
    from governance.rules import RULES
    from governance.rules import check as judge
    from governance.rules.finding import Severity
    from platform_assets.definitions import known_to
    from platform_assets.factory import load
    from platform_assets.instance import project_instance

    project = find_project()
    with project_instance(project) as instance:
        known = known_to(project, instance)
    outcomes = [judge(rule, known) for rule in RULES]
    found = tuple(finding for outcome in outcomes for finding in outcome.findings)
    # for the page, which asks neither Dagster nor the catalog; a disk that is full must not hide what the rules find
    with suppress(OSError):
        keep(project.state, FindingsSeen(known.now, found))
    files = {pipeline.table: pipeline.file for pipeline in load(project).pipelines}
    click.echo(FORMATS[form](outcomes, files))
    sys.exit(1 if any(it.severity is Severity.ERROR for it in found) else 0)


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
    from platform_assets.instance import project_instance
    from platform_assets.repair import repair_events

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


def _require_pipelines(project: Project, tables: tuple[str, ...]) -> None:
    from governance.pipeline import load_pipelines

    known = {pipeline.table for pipeline in load_pipelines(project)}
    for table in tables:
        if table not in known:
            close = get_close_matches(table, known, n=3) or sorted(known)
            raise UnknownField(f"no pipeline builds {table}", fix=f"name one of {', '.join(close)}")


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


for command in (*cli_knowledge.COMMANDS, *cli_consumers.COMMANDS, *cli_page.COMMANDS, *cli_diff.COMMANDS):
    main.add_command(command)
for command in cli_events.COMMANDS:
    events.add_command(command)
