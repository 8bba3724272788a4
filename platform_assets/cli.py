"""The ``headwater`` command: the second composition root, beside ``definitions``.

What reads events only imports neither Dagster nor an engine, so that it answers at once: each command imports what it
needs when it is called.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from governance.errors import HeadwaterError, UnknownField
from governance.project import ROOT, Project, find_project
from platform_assets.commands import consumers, diff, knowledge, lineage, orphans, page, render, sources, taken
from platform_assets.commands.events import COMMANDS as EVENTS_COMMANDS

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


@click.group(cls=Commands)
@click.version_option(package_name="headwater")
@click.option("--project", "folder", type=click.Path(path_type=Path), metavar="FOLDER", help="The project to work on.")
@click.pass_context
def main(context: click.Context, folder: Path | None) -> None:
    """Column lineage and governance for SQL on Dagster and Iceberg.

    A project is a folder with platform_assets/ and governance/ in it: the one that --project names, else that of
    HEADWATER_ROOT, else the checkout.
    """
    if folder is not None:
        context.with_resource(_chosen(folder))


@contextmanager
def _chosen(folder: Path) -> Iterator[None]:
    """Let ``folder`` be the project: for this command, and for the processes that it starts."""
    if not (folder / "platform_assets").is_dir():
        around = next((f", perhaps {it}" for it in folder.parents if (it / "platform_assets").is_dir()), "")
        fix = f"name a folder that has platform_assets and governance in it{around}"
        raise HeadwaterError(f"{folder} is no project: it has no platform_assets folder", fix=fix)
    before = os.environ.get(ROOT)
    os.environ[ROOT] = str(folder.resolve())
    try:
        yield
    finally:
        os.environ.pop(ROOT)
        if before is not None:
            os.environ[ROOT] = before


@main.command()
@click.argument("scenario", type=click.Choice(SCENARIOS), required=False)
@click.option("--scale", type=click.FloatRange(0.01, 100), default=1.0, show_default=True, help="Size of the sources.")
def demo(scenario: str | None, scale: float) -> None:
    """Make the learning platform and run its nightly job.

    SCENARIO sets up one failure on it for review and shows which check turns red; reset mends it.
    """
    from platform_assets.tour.scenarios import run_scenario
    from platform_assets.tour.tour import run_demo

    project = find_project()
    well = run_scenario(project, scenario, click.echo) if scenario else run_demo(project, scale, click.echo)
    sys.exit(0 if well else 1)


@main.command()
@click.argument("tables", nargs=-1, metavar="[TABLE…]")
@click.option("--partition", metavar="KEY", help="One partition of the TABLEs, or FIRST..LAST: 2026-01-01..2026-01-31.")
def run(tables: tuple[str, ...], partition: str | None) -> None:
    """Build TABLEs by their pipelines, or everything, and check them. Exit code 1 where one stops or a check is red.

    A table with partitions is built whole where no --partition is given, and left out where no TABLE is.
    """
    from platform_assets.assets.instance import project_instance
    from platform_assets.assets.job import run_job
    from platform_assets.commands.chosen import chosen
    from platform_assets.definitions import definitions_of
    from platform_assets.loaded import load
    from platform_assets.tour.tour import left_text, outcome_text, written_text

    project = find_project()
    _require_pipelines(project, tables)
    loaded = load(project)
    asked = chosen(loaded.pipelines, loaded.program, tables, partition)
    with project_instance(project) as instance:
        outcome = run_job(definitions_of(loaded), asked.job, instance, asked.tables, asked.keys)
    click.echo(written_text(outcome))
    for line in left_text(asked):
        click.echo(line)
    click.echo(outcome_text(outcome))
    sys.exit(1 if outcome.failed or outcome.red else 0)


@main.command()
@click.option("--format", "form", type=click.Choice(CHECK_FORMATS), default="text", show_default=True)
def check(form: str) -> None:
    """Run every rule over what Dagster, the catalog and the events know. Exit code 1 on a finding of severity ERROR."""
    from governance.findings_seen import FindingsSeen, keep
    from governance.report.check import FORMATS
    from governance.rules import RULES
    from governance.rules import check as judge
    from governance.rules.finding import Severity
    from platform_assets.assets.instance import project_instance
    from platform_assets.commands.asked import warn
    from platform_assets.definitions import known_to
    from platform_assets.loaded import load

    project = find_project()
    with project_instance(project) as instance:
        known = known_to(project, instance)
    warn(known.problems)
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
    from governance.events.open import event_store
    from governance.events.transport import ship as send

    shipped = send(event_store(find_project()), seconds)
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
    terminated, and that sent no end, gets FAIL or ABORT. Where the catalog cannot be read, only runs that certainly
    committed nothing are ended.
    """
    from platform_assets.commands.events import repair_all

    sys.exit(0 if repair_all(find_project()) else 1)


def _require_pipelines(project: Project, tables: tuple[str, ...]) -> None:
    from governance.load import load_pipelines

    known = {pipeline.table for pipeline in load_pipelines(project)}
    for table in tables:
        if table not in known:
            close = get_close_matches(table, known, n=3) or sorted(known)
            raise UnknownField(f"no pipeline builds {table}", fix=f"name one of {', '.join(close)}")


for command in (
    *knowledge.COMMANDS,
    *consumers.COMMANDS,
    *page.COMMANDS,
    *diff.COMMANDS,
    *lineage.COMMANDS,
    *render.COMMANDS,
    *sources.COMMANDS,
    *taken.COMMANDS,
    *orphans.COMMANDS,
):
    main.add_command(command)
for command in EVENTS_COMMANDS:
    events.add_command(command)

if __name__ == "__main__":
    main()
