"""The files that a run is about to read: found where they land; an INSERT and a MERGE read those that are new."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from governance.errors import LandingError
from governance.landing.model import FileSource
from governance.project import Project
from platform_assets.landing.content import digest_at, digest_of
from platform_assets.landing.find import find
from platform_assets.landing.taken import Record, forgotten, property_of, taken, untaken
from platform_assets.runs.run import Arrived, Traced


def arrivals(project: Project, traced: Traced) -> tuple[Arrived, ...]:
    """Return what the statement reads of files, each dataset once, by name.

    A CREATE TABLE AS reads every file, an INSERT or a MERGE those that its table has not taken.

    Raises:
        LandingError: a file is not there or cannot be read; a pattern stands for none; one that was taken has changed.
        CatalogError: what the table has taken cannot be told.
    """
    sources = {it.files.name: it.files for it in traced.files.values() if it.files is not None}
    return tuple(_arrived(project, traced, sources[name]) for name in sorted(sources))


def contents(traced: Traced, arrived: tuple[Arrived, ...], paths: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return the digest of each file that is taken once, by its name; ``paths`` are where its datasets are read.

    Raises:
        LandingError: a file cannot be read.
    """
    if not traced.statement.kind.keeps:
        return {}
    here = ((path, it) for own in arrived for path, it in zip(paths[own.source.name], own.files, strict=True))
    return {it.shown: digest_at(path, it.shown) for path, it in here}


def kept_properties(
    traced: Traced, arrived: tuple[Arrived, ...], digests: Mapping[str, str], run_id: str
) -> dict[str, str]:
    """Return the table's own properties that a commit of these files by the run changes."""
    if traced.statement.kind.keeps:
        return dict(_additions(traced, arrived, digests, run_id))
    own = traced.own.properties if traced.own else {}
    # what was taken before went with the rows
    return dict.fromkeys(forgotten(own), "{}")


def _arrived(project: Project, traced: Traced, source: FileSource) -> Arrived:
    found = find(project, source)
    if traced.statement.kind.keeps:
        table = traced.statement.pipeline.table
        return Arrived(source, *untaken(table, found, _taken(traced, source.name), digest_of))
    if not found:
        # an empty table in place of a full one is seldom what was meant
        raise LandingError(
            f"{source.name}: no file of such a name is there",
            fix="let one land, or correct the pattern in sources.toml; an insert into waits for files without an error",
        )
    return Arrived(source, found)


def _additions(
    traced: Traced, arrived: tuple[Arrived, ...], digests: Mapping[str, str], run_id: str
) -> Iterator[tuple[str, str]]:
    for it in arrived:
        before = _taken(traced, it.source.name)
        new = {file.shown: Record(file.version, digests[file.shown], run_id) for file in it.files}
        touched = {file.shown: replace(before[file.shown], version=file.version) for file in it.touched}
        if new or touched:
            yield property_of(it.source.name, before, new | touched)


def _taken(traced: Traced, dataset: str) -> Mapping[str, Record]:
    return taken(traced.statement.pipeline.table, traced.own.properties, dataset) if traced.own else {}
