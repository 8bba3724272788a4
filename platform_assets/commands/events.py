"""The commands that look after the event store: ``cli`` adds ``COMMANDS`` to its group ``events``."""

import sys
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from governance.errors import CatalogError, EventStoreError
from governance.project import Project, find_project

if TYPE_CHECKING:
    from collections.abc import Iterable

    from governance.rules import EndedAttempt
    from platform_assets.loaded import Loaded


@click.command()
@click.option(
    "--keep-days",
    type=click.FloatRange(min=0),
    default=7.0,
    show_default=True,
    help="How long a finished day's NDJSON stays beside its Parquet.",
)
def compact(keep_days: float) -> None:
    """Write finished days to Parquet and remove NDJSON that was kept long enough. Exit code 1 where a file was not."""
    from governance.events.open import event_store
    from governance.events.upkeep import keep
    from platform_assets.commands.colour import working

    with working("writing finished days to Parquet"):
        done = keep(event_store(find_project()), timedelta(days=keep_days))
    if done is None:
        click.echo("another process is compacting this store; nothing was done")
        return
    click.echo(str(done))
    sys.exit(1 if done.kept else 0)


@click.command()
def share() -> None:
    """Put the events of the state folder into the store that hosts share; they stay in the folder as well."""
    from governance.events.open import event_store
    from governance.events.shared.store import SharedEventStore
    from platform_assets.commands.colour import working

    project = find_project()
    store = event_store(project)
    if not isinstance(store, SharedEventStore):
        raise EventStoreError(
            "no store is named that hosts share", fix="write [events] store in lineage.toml, or set HEADWATER_EVENTS"
        )
    from governance.events.shared.moving import move_in

    with working("putting events into the shared store"):
        done = move_in(project.events, store)
    click.echo(str(done))


def repair_all(project: Project) -> bool:
    """Write the ends that are missing and say so; return whether all of them are written.

    Raises:
        CatalogError: the catalog cannot be read; what needs none of it is written and said before.
        EventStoreError: the store cannot be read or written.
    """
    from platform_assets.assets.instance import project_instance
    from platform_assets.definitions import closer_of
    from platform_assets.loaded import load
    from platform_assets.runs.repair import repair_events

    loaded = load(project)
    try:
        # what was committed first: a run that died after its commit is complete
        repaired = repair_events(loaded)
    except CatalogError:
        _repair_unasked(loaded)
        raise
    for it in repaired:
        said = f"{it.lost.job}, snapshot {it.lost.snapshot.snapshot_id}"
        click.echo(f"{said}: COMPLETE not rebuilt: {it.problem}" if it.problem else f"{said}: COMPLETE rebuilt")
    with project_instance(loaded.project) as instance:
        ended = closer_of(loaded).close(instance)
    _say_ended(it.known for it in ended)
    if not repaired and not ended:
        click.echo("no run lacks its end")
    return not any(it.problem for it in repaired)


def _repair_unasked(loaded: "Loaded") -> None:
    from platform_assets.assets.instance import project_instance
    from platform_assets.definitions import closer_of

    with project_instance(loaded.project) as instance:
        done = closer_of(loaded).close_unasked(instance)
    _say_ended(it.known for it in done.ended)
    for it in done.left:
        run = f"{it.known.table}, run {it.known.attempt.run_id}"
        click.echo(f"{run}: left open, {it.known.status} in Dagster: only the catalog tells whether it committed")
    click.echo("committed runs that lack COMPLETE were not looked at, or not all of them: the catalog cannot be read")


def _say_ended(ended: "Iterable[EndedAttempt]") -> None:
    for it in ended:
        click.echo(f"{it.table}, run {it.attempt.run_id}: ended, {it.status} in Dagster")


COMMANDS: tuple[click.Command, ...] = (compact, share)
