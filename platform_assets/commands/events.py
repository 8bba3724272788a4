"""The commands that look after the event store: ``cli`` adds ``COMMANDS`` to its group ``events``."""

import sys
from datetime import timedelta

import click

from governance.errors import EventStoreError
from governance.project import find_project


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


COMMANDS: tuple[click.Command, ...] = (compact, share)
