"""What a question is asked of: events and policy, and the catalog as last looked at.

Nothing here is imported that is slow to start; a catalog that changed since it was looked at is looked at anew.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from governance.errors import CatalogError, EventStoreError, HeadwaterError, UnknownField
from governance.project import Project

if TYPE_CHECKING:
    from governance.catalog_seen import CatalogSeen
    from governance.dataset import Dataset
    from governance.events.model import Event
    from governance.events.pieces import Problem
    from governance.graph import Graph
    from governance.graph.known import Known
    from governance.identity import Schemas
    from governance.last_named import Named
    from governance.policy import Policy
    from governance.stored import Stored

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question about ``name`` is asked of.

    stored:  what answers it; ``whole`` reads all there is, for what only the runs tell that stand no longer
    catalog: as it was when last looked at; None where none is known, or the events are not the project's own
    """

    name: str
    stored: "Stored"
    whole: "Callable[[], Stored]"
    moment: datetime | None
    policy: "Policy"
    catalog: "CatalogSeen | None"

    @property
    def when(self) -> str:
        """Return the head of an answer as of a moment, a paragraph of its own; empty for one as of now."""
        from governance.last_named import instant_text

        return f"As of {instant_text(self.moment)}\n\n" if self.moment else ""

    def as_dict(self) -> dict[str, str | None]:
        """Return ``{"as_of": instant or null}``."""
        return {"as_of": self.moment.isoformat() if self.moment else None}

    def part(self, of: "Callable[[Known, str], Part]") -> Part:
        """Return the part of what is known that ``of`` takes for the name.

        Raises:
            UnknownField: nothing has the name, or nothing that stands; the message says which runs name it.
        """
        from governance.last_named import last_named, not_standing

        known = self.stored.known(self.moment)
        try:
            return of(known, self.name)
        except UnknownField:
            every = self.whole()
            named = last_named(every.runs(), self.name, every.light)
            if named is None or _stands(known, named):
                raise
            raise not_standing(named, self.moment) from None

    def gone(self, graph: "Graph") -> "tuple[Dataset, ...]":
        """Return the tables that are in events and no longer in the catalog; of the past nothing is gone."""
        if self.catalog is None or self.moment is not None:
            return ()
        return self.catalog.gone(graph, self.policy.lineage)


def _stands(known: "Known", named: "Named") -> bool:
    """Whether something that stands speaks of what was named: then its name is wrong in another way, as one of two."""
    from governance.graph.known import start_of
    from governance.last_named import whole_name

    with suppress(UnknownField):
        start_of(known, whole_name(named[1]))
        return True
    return False


def asked(project: Project, name: str, events: Path | None, as_of: str | None, snapshot: str | None) -> Asked:
    """Return what a question about ``name`` is asked of, as of a moment or of a snapshot of the table.

    Raises:
        HeadwaterError: the moment is none, the events cannot be read, or a policy file is wrong.
    """
    from governance.dataset import Field
    from governance.followed import followed_store
    from governance.graph.known import start_of
    from governance.history import moment_of
    from governance.identity import carried
    from governance.stored import read_stored

    if as_of and snapshot:
        raise HeadwaterError("--as-of and --snapshot name two moments", fix="give one of them")
    moment = _moment(as_of) if as_of else None
    policy, schemas, catalog = _policy(project, events)
    columns = dict(catalog.fields(policy.lineage.namespace)) if catalog else {}
    columns |= {} if events else _of_files(project, policy)
    path, names = events_path(project, events), (policy.lineage.spellings, schemas)
    of_now = None
    if not (events or moment or snapshot):
        of_now = followed_store(path, project.state, datetime.now(UTC), *names, catalog=columns)
    stored = of_now or read_stored(path, *names, columns)
    warn(stored.problems)

    def whole() -> "Stored":
        return read_stored(path, *names, columns) if of_now else stored

    if snapshot:
        start, _ = Asked(name, stored, whole, None, policy, catalog).part(start_of)
        moment = moment_of(stored.runs(), start.dataset if isinstance(start, Field) else start, snapshot)
    return Asked(name, stored, whole, moment, carried(policy, schemas), catalog)


def _of_files(project: Project, policy: "Policy") -> "dict[Dataset, tuple[str, ...]]":
    """Return the columns of declared datasets of files, which a question may name before any run has."""
    from governance.policy import load_sources

    declared = load_sources(project) if policy.lineage.files else ()
    return {policy.lineage.dataset(it.table): tuple(name for name, _ in it.columns) for it in declared if it.files}


def _moment(as_of: str) -> datetime:
    from governance.history import parse_moment
    from governance.last_named import instant_text

    moment = parse_moment(as_of)
    if ":" not in as_of:
        click.echo(f"note: as of {instant_text(moment)}; what that day itself brought does not count yet", err=True)
    return moment


def told_of(project: Project, events: Path | None) -> "tuple[tuple[Event, ...], Policy]":
    """Return the events in the names of now, and the policy."""
    from governance.events.reading import read_events
    from governance.identity import carried
    from governance.telling import told

    reading = read_events(events_path(project, events))
    warn(reading.problems)
    policy, schemas, _ = _policy(project, events)
    return told(reading.events, policy.lineage.spellings, schemas=schemas), carried(policy, schemas)


def events_path(project: Project, events: Path | None) -> Path:
    """Return where the events are: ``events``, else the project's own store, brought up to date.

    Raises:
        EventStoreError: there are none, or the store cannot be read.
    """
    from governance.events.place import events_folder
    from governance.events.reading import require_folder

    path = events or events_folder(project)
    if not events:
        require_folder(path)
    if not path.exists():
        raise EventStoreError(
            "there are no events yet", fix="run `headwater run` or `headwater demo`, or name some with --events"
        )
    return path


def _policy(project: Project, events: Path | None) -> "tuple[Policy, Schemas, CatalogSeen | None]":
    """Return the policy, and the catalog and its tables' schema versions where the events are the project's own."""
    from governance.policy import load_policy

    policy = load_policy(project)
    catalog = None if events else latest_look(project)
    return policy, catalog.schemas(policy.lineage.namespace) if catalog else {}, catalog


def latest_look(project: Project) -> "CatalogSeen | None":
    """Return the catalog as last looked at, anew where a file of its own tells that it changed since."""
    from governance.catalog_seen import outdated, seen
    from governance.last_named import instant_text

    catalog = seen(project.state)
    if outdated(project.state, catalog):
        from platform_assets.look import look

        try:
            return look(project, datetime.now(UTC)).seen
        except CatalogError as error:
            click.echo(f"warning: the catalog changed, and cannot be looked at: {error}", err=True)
    elif catalog is None or catalog.file:
        return catalog
    if catalog:
        said = f"columns and tables are those that the catalog had at {instant_text(catalog.at)}"
        click.echo(f"note: {said}; `headwater check` looks anew", err=True)
    return catalog


def warn(problems: "Iterable[Problem]") -> None:
    """Say on stderr what of the events could not be read."""
    from governance.report.problems import problem_lines

    for line in problem_lines(problems):
        click.echo(f"warning: {line}", err=True)
