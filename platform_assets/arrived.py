"""The files that a run is about to read: found where they land, and of those an INSERT the ones that are new."""

from collections.abc import Iterator, Mapping

from governance.errors import LandingError
from governance.landing.model import FileSource
from governance.project import Project
from governance.statement import Kind
from platform_assets.landed import Landed
from platform_assets.landing import find
from platform_assets.run import Arrived, Traced
from platform_assets.taken import forgotten, property_of, taken, untaken


def arrivals(project: Project, traced: Traced) -> tuple[Arrived, ...]:
    """Return what the statement reads of files, each dataset once, by name.

    A CREATE TABLE AS reads every file, an INSERT those that its table has not taken.

    Raises:
        LandingError: a file is not there or cannot be read; a pattern stands for none; one that was taken has changed.
        CatalogError: what the table has taken cannot be told.
    """
    sources = {it.files.name: it.files for it in traced.files.values() if it.files is not None}
    return tuple(Arrived(sources[name], _read(project, traced, sources[name])) for name in sorted(sources))


def _read(project: Project, traced: Traced, source: FileSource) -> tuple[Landed, ...]:
    found = find(project, source)
    if traced.statement.kind is Kind.APPEND:
        table, before = traced.statement.pipeline.table, _taken(traced, source.name)
        new = frozenset(untaken(table, source.name, _versions(found), before))
        return tuple(it for it in found if it.shown in new)
    if not found:
        # an empty table in place of a full one is seldom what was meant
        raise LandingError(
            f"{source.name}: no file of such a name is there",
            fix="let one land, or correct the pattern in sources.toml; an insert into waits for files without an error",
        )
    return found


def kept_properties(traced: Traced, arrived: tuple[Arrived, ...]) -> dict[str, str]:
    """Return the table's own properties that a commit of these files changes."""
    if traced.statement.kind is Kind.APPEND:
        return dict(_additions(traced, arrived))
    own = traced.own.properties if traced.own else {}
    # what was taken before went with the rows
    return dict.fromkeys(forgotten(own), "{}")


def _additions(traced: Traced, arrived: tuple[Arrived, ...]) -> Iterator[tuple[str, str]]:
    for it in arrived:
        if it.files:
            yield property_of(it.source.name, _taken(traced, it.source.name), _versions(it.files))


def _taken(traced: Traced, dataset: str) -> Mapping[str, str]:
    return taken(traced.statement.pipeline.table, traced.own.properties, dataset) if traced.own else {}


def _versions(files: tuple[Landed, ...]) -> dict[str, str]:
    return {it.shown: it.version for it in files}
