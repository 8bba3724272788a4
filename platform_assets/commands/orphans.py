"""The command about files that nothing refers to: ``cli`` adds ``COMMANDS`` to its own."""

import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from governance.errors import HeadwaterError
from governance.project import Project, find_project

if TYPE_CHECKING:
    from governance.runs import Run
    from platform_assets.iceberg.orphans import Found

SHOWN = 20
"""Files that are told of each table; the rest is counted."""

LEAST = timedelta(hours=1)
USUAL = "3 days"
CLOCKS = timedelta(minutes=10)
"""How far the clocks of a store and of this machine may differ."""


@click.command()
@click.argument("tables", metavar="[TABLE]...", nargs=-1)
@click.option("--older-than", "age", metavar="SPAN", default=USUAL, show_default=True, help="As in 26 hours.")
@click.option("--delete", "deleting", is_flag=True, help="Remove them; without it they are only listed.")
def orphans(tables: tuple[str, ...], age: str, *, deleting: bool) -> None:
    """List the files of TABLEs, all without a name, that no table of the catalog refers to.

    Runs that were killed with -9 leave such files, and commits that nobody answered. A file that is younger than
    --older-than is left alone, and so is one that was written since a run of the table began that has no end yet.
    What other programs are about to commit, and tables of other catalogs, nobody knows here: let no job take longer
    than that span, and no table of another catalog lie in a table's folder.
    """
    from platform_assets.iceberg.catalog import inventory, open_catalog
    from platform_assets.iceberg.orphans import orphans as found_in
    from platform_assets.iceberg.orphans import remove

    project, now = find_project(), datetime.now(UTC)
    oldest = now - _span(age)
    runs = _open_runs(project, now)
    with open_catalog(project) as catalog:
        known, unbuilt = inventory(catalog), _made(project) - inventory(catalog)
        asked = frozenset(tables) or known | unbuilt
        before = {name: _before(name, oldest, runs) for name in asked}
        found = found_in(catalog, sorted(asked - unbuilt), before, sorted(asked & unbuilt))
        gone = remove(catalog, found) if deleting else found
    for line in _told(gone, "removed" if deleting else "nobody refers to", frozenset(tables)):
        click.echo(line)
    for run in (it for it in runs if it.began - CLOCKS < oldest):
        since = f"{run.began:%Y-%m-%d %H:%M} UTC"
        click.echo(f"run {run.run_id} of {run.job.name} has no end: what its tables got since {since} stays")
    sys.exit(1 if any(it.failed or (it.why and it.table in tables) for it in gone) else 0)


def _made(project: Project) -> frozenset[str]:
    """Return the tables that the project's pipelines make, and those that keep what they rejected."""
    from governance.load import tables_of

    made = tables_of(project)
    return made | {_quarantine(it) for it in made}


def _span(age: str) -> timedelta:
    from governance.duration import EXPECTED, parse_duration

    span = parse_duration(age)
    if span is None:
        raise HeadwaterError(f"--older-than {age!r} is no span of time", fix=EXPECTED)
    if span < LEAST:
        raise HeadwaterError(f"--older-than {age}: a run may be about to commit such files", fix="say 1 hour or more")
    return span


def _open_runs(project: Project, now: datetime) -> "tuple[Run, ...]":
    """Return the runs that may still be writing: those without end, but for those that count as abandoned."""
    from governance.events.open import event_store
    from governance.policy import load_policy
    from governance.runs import PATIENCE, read_runs

    patience = load_policy(project).dangling_after or PATIENCE
    runs = read_runs(event_store(project).read().events)
    return tuple(it for it in runs if it.run_id and it.ended is None and now - (it.heard or it.began) <= patience)


def _before(table: str, oldest: datetime, runs: "Iterable[Run]") -> datetime:
    """Return the moment before which files of ``table`` are left over.

    A run tells of its quarantine at its end only.
    """
    ours = (it for it in runs if any(table in {out.dataset.name, _quarantine(out.dataset.name)} for out in it.outputs))
    return min([oldest, *(it.began - CLOCKS for it in ours)])


def _quarantine(table: str) -> str:
    from governance.landing.names import quarantine_of

    return quarantine_of(table)


def _told(found: "Iterable[Found]", what: str, asked: frozenset[str]) -> Iterator[str]:
    """Yield what is said of each table, and of all; tables that were not built only where there is something."""
    files = size = 0
    for it in found:
        if it.home and (it.orphans or it.newer or it.failed or it.table in asked):
            yield f"{it.table}  is not in the catalog: this is about {it.home}, where its first build puts it"
        if it.why and (it.home or it.table in asked):
            yield f"{it.table}  left alone: {it.why}"
        yield from _listed(it)
        files, size = files + len(it.orphans), size + sum(one.bytes for one in it.orphans)
    if silent := sum(1 for it in found if it.why and not it.home and it.table not in asked):
        yield f"{silent:,} of the project's tables are not in the catalog, which does not say where they would lie"
    yield f"{what}: {_files(files)}, {size:,} bytes"


def _listed(it: "Found") -> Iterator[str]:
    from governance.report.table import text_table

    if it.orphans:
        yield f"{it.table}  {_files(len(it.orphans))}, {sum(one.bytes for one in it.orphans):,} bytes"
        rows = [(one.path, str(one.bytes), f"{one.modified:%Y-%m-%d %H:%M}") for one in it.orphans[:SHOWN]]
        yield text_table(("File", "Bytes", "Written (UTC)"), rows)
        if len(it.orphans) > SHOWN:
            yield f"… and {len(it.orphans) - SHOWN} more"
    for path, why in it.failed[:SHOWN]:
        yield f"{it.table}  {path} could not be removed: {why}"
    if len(it.failed) > SHOWN:
        yield f"… nor could {len(it.failed) - SHOWN} more"
    if it.newer:
        yield f"{it.table}  {_files(it.newer)} left alone: too young, or of a run without end"


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"


COMMANDS = (orphans,)
"""The commands of this module."""
