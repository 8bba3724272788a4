"""The commands that show the page: ``cli`` adds ``COMMANDS`` to its own."""

import os
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

import click

from governance.errors import EventStoreError, HeadwaterError
from governance.project import ROOT, Project, find_project
from platform_assets.commands.answer import EVENTS

if TYPE_CHECKING:
    from governance.page.document import Shown
    from platform_assets.pages.source import Source

AS_OF = click.option("--as-of", metavar="TIME", help="Show what stood then: 2026-10-01, or with a time of day.")
PORT = click.IntRange(1, 65535)


class Ports(NamedTuple):
    """Where the page and Dagster listen."""

    page: int = 3001
    dagster: int = 3000


def _as_html(document: Mapping[str, Any]) -> str:
    from governance.page.html import report_html

    return report_html(document).text


def _as_json(document: Mapping[str, Any]) -> str:
    from governance.page.html import document_json

    return f"{document_json(document)}\n"


FORMATS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {"html": _as_html, "json": _as_json}


@click.command()
@click.option("-o", "--output", required=True, metavar="FILE", help="The file to write; - is standard output.")
@EVENTS
@AS_OF
@click.option("--format", "form", type=click.Choice(tuple(FORMATS)), default="html", show_default=True)
@click.option("--around", metavar="TABLE", help="Show the part around one table: what leads to it and comes from it.")
def report(output: str, events: Path | None, as_of: str | None, form: str, around: str | None) -> None:
    """Write the lineage page as one HTML file that needs no network, or what it shows as JSON."""
    from governance.page.document import document

    source = _source(find_project(), events, as_of)
    text = FORMATS[form](document(_asked(source, form, around)))
    if output == "-":
        sys.stdout.write(text)
    else:
        _write(Path(output), text)
        click.echo(f"{output}: {len(text.encode()) / 1e3:,.0f} kB", err=True)


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=PORT, help="Default: that of page in [ui] of lineage.toml, 3001.")
@EVENTS
def ui(host: str, port: int | None, events: Path | None) -> None:
    """Serve the lineage page; it only reads, and is made anew when the events or files change."""
    from platform_assets.pages.server import serve

    project = find_project()
    serve(project, events, host, port or _ports(project).page, lambda text: click.echo(text, err=True))


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=PORT, help="Dagster's. Default: that of dagster in [ui] of lineage.toml, 3000.")
@click.option("--page-port", type=PORT, help="The page's. Default: that of page in [ui] of lineage.toml, 3001.")
def dev(host: str, port: int | None, page_port: int | None) -> None:
    """Open Dagster's UI on this project, and the lineage page beside it; both end together.

    Each links to the other: where it listens, or where [ui] of lineage.toml has it on another machine.
    """
    from platform_assets.assets.instance import dagster_home
    from platform_assets.pages.dev import side_by_side
    from platform_assets.pages.listen import listening

    project = find_project()
    usual = _ports(project)
    ports = Ports(page_port or usual.page, port or usual.dagster)
    # Dagster goes on without its UI where its port is taken, and says so among all else that it says
    for number, option in ((ports.dagster, "--port"), (ports.page, "--page-port")):
        listening(host, number, option).close()
    env = {
        # dagster dev recommends dg dev at every start; what this starts is the same
        "PYTHONWARNINGS": "ignore:Function `dev_command` is superseded",
        "DAGSTER_HOME": str(dagster_home(project)),
        **os.environ,
        **_addresses(project, host, ports),
        ROOT: str(project.root),
    }
    os.chdir(project.root)
    # a project may say in a workspace.yaml what Dagster is to load beside it
    located = () if Path("workspace.yaml").exists() else ("-m", "platform_assets.definitions")
    programs = Path(sys.executable).parent
    commands = {
        "Dagster": (str(programs / "dagster"), "dev", *located, "--host", host, "--port", str(ports.dagster)),
        "the page": (str(programs / "headwater"), "ui", "--host", host, "--port", str(ports.page)),
    }
    sys.exit(side_by_side(commands, env, lambda text: click.echo(text, err=True)))


COMMANDS: tuple[click.Command, ...] = (dev, report, ui)


def _source(project: Project, events: Path | None, as_of: str | None) -> "Source":
    from governance.events.open import event_store
    from governance.history import parse_moment
    from platform_assets.pages.source import page_source

    moment, now = parse_moment(as_of) if as_of else None, datetime.now(UTC)
    if events is None and not event_store(project).refresh().exists():
        raise EventStoreError(
            "there are no events yet", fix="run `headwater run` or `headwater demo`, or name some with --events"
        )
    source = page_source(project, events, now, moment)
    for problem in source.problems:
        click.echo(f"warning: {problem}", err=True)
    return source


def _asked(source: "Source", form: str, around: str | None) -> "Shown":
    if around:
        return source.around(source.tables.named(around))
    # what no browser is to draw has no bound
    if source.tables.large and form == "html":
        raise HeadwaterError(
            f"{len(source.tables.names):,} tables are more than one page shows",
            fix="name the table that it is to be about: --around marketing.audience; `headwater ui` shows those around"
            " any",
        )
    return source.whole()


def _ports(project: Project) -> Ports:
    """Return the ports that [ui] of lineage.toml names on this machine; what is elsewhere says nothing of these."""
    named = {name: parts.port for name, parts in _own_addresses(project).items() if parts.port}
    return Ports(**Ports()._asdict() | named)


def _addresses(project: Project, host: str, ports: Ports) -> Mapping[str, str]:
    """Return where the page and Dagster are, as variables: those that [ui] has elsewhere, at a proxy's, stay there."""
    # what listens at all addresses is not called by that
    name = "127.0.0.1" if host in {"0.0.0.0", "::"} else f"[{host}]" if ":" in host else host  # noqa: S104  not bound here
    return {
        f"HEADWATER_{which.upper()}": parts._replace(netloc=f"{name}:{ports._asdict()[which]}").geturl()
        for which, parts in _own_addresses(project).items()
    }


def _own_addresses(project: Project) -> Mapping[str, SplitResult]:
    """Return the addresses of the page and of Dagster that are on this machine, by their names in ``Ports``."""
    from governance.policy import load_policy
    from governance.policy_ui import UiPolicy

    try:
        ui = load_policy(project).ui
    except HeadwaterError:
        # what is wrong with the policy the page itself says
        ui = UiPolicy()
    split = {"page": urlsplit(ui.page), "dagster": urlsplit(ui.dagster)}
    return {name: parts for name, parts in split.items() if parts.hostname in {"127.0.0.1", "localhost", "::1"}}


def _write(path: Path, text: str) -> None:
    """Write ``text`` whole or not at all; a pipe or device is written as it is."""
    if path.is_dir():
        raise HeadwaterError(f"{path} is a folder", fix="name a file in it, for example report.html")
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, "utf-8")
            return
        try:
            beside.write_text(text, "utf-8")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise HeadwaterError(
            f"{path} cannot be written ({error.strerror})", fix="name a file in a folder of yours"
        ) from error
