"""The command about the files that a table has taken: ``cli`` adds ``COMMANDS`` to its own."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import chain
from typing import TYPE_CHECKING

import click

from governance.errors import CatalogError, LandingError
from governance.project import Project, find_project

if TYPE_CHECKING:
    from platform_assets.iceberg.catalog import Catalog, Table
    from platform_assets.landing.taken import Record

Found = tuple[str, str, "Record"]
"""The dataset, the file, and how it was taken."""


@click.command()
@click.argument("table", metavar="TABLE")
@click.option("--forget", "again", multiple=True, metavar="FILE", help="Let the next run take FILE again.")
@click.option("--accept", "as_is", multiple=True, metavar="FILE", help="Keep FILE as taken, as it is now.")
def taken(table: str, again: tuple[str, ...], as_is: tuple[str, ...]) -> None:
    """List the files that TABLE's insert has taken, with their sizes and the start of the run that took them.

    A file is named as the list has it. What --forget and --accept say is one commit to the table's properties; no row
    changes: those that TABLE has of a forgotten file are to be deleted before it is taken again.
    """
    from platform_assets.iceberg.catalog import open_catalog

    project = find_project()
    with open_catalog(project) as catalog:
        if again or as_is:
            _correct(project, catalog, table, again, as_is)
        else:
            click.echo(_listed(table, _found(table, _loaded(catalog, table).properties)))
    for file in again:
        click.echo(f"{table} takes {file} again with its next run: delete the rows that it has of it before")
    for file in as_is:
        click.echo(f"{table} keeps {file} as taken, as it is now: its rows stay what they are")


def _loaded(catalog: "Catalog", table: str) -> "Table":
    from platform_assets.iceberg.catalog import load_known

    known = load_known(catalog, [table])
    if table not in known:
        fix = "name one as schema.table, that headwater run has built"
        raise CatalogError(f"the catalog has no table {table}", fix=fix)
    return known[table]


def _found(table: str, properties: Mapping[str, str]) -> list[Found]:
    from platform_assets.landing.taken import taken as records
    from platform_assets.landing.taken import takers

    return [
        (dataset, file, record)
        for dataset in takers(properties)
        for file, record in sorted(records(table, properties, dataset).items())
    ]


def _listed(table: str, found: Iterable[Found]) -> str:
    from governance.last_named import instant_text
    from governance.report.table import text_table

    rows = [
        (file, "not known" if it.at is None else instant_text(it.at), _size(it), dataset) for dataset, file, it in found
    ]
    return text_table(("File", "Taken", "Bytes", "Dataset"), rows) if rows else f"{table} has taken no file"


def _size(record: "Record") -> str:
    return "not known" if record.size is None else str(record.size)


def _correct(project: Project, catalog: "Catalog", table: str, again: tuple[str, ...], as_is: tuple[str, ...]) -> None:
    """Commit what is said of the files, all or nothing.

    Raises:
        LandingError: the table has not taken a file, or one that is to stay is not there.
        CatalogError: there is no such table; the catalog refused.
    """
    from platform_assets.iceberg.properties import change_properties
    from platform_assets.landing.taken import correction, superseded

    if both := sorted(set(again) & set(as_is)):
        raise LandingError(f"{both[0]} is to be forgotten and kept", fix="say one of them")
    loaded = _loaded(catalog, table)
    found = _found(table, loaded.properties)
    _require_taken(table, found, (*again, *as_is))
    gone = ((dataset, file, None) for dataset, file, _ in found if file in again)
    kept = _as_now(project, [it for it in found if it[1] in as_is])
    said = dict(correction(table, loaded.properties, *it) for it in chain(gone, kept))
    old = set(superseded(table, loaded.properties)) - said.keys()
    change_properties(catalog, loaded, said, old)


def _require_taken(table: str, found: Iterable[Found], named: Iterable[str]) -> None:
    known = {file for _, file, _ in found}
    for file in named:
        if file not in known:
            close = get_close_matches(file, known, n=3)
            fix = f"name one of {', '.join(close)}" if close else f"`headwater taken {table}` lists what it has taken"
            raise LandingError(f"{table} has not taken {file}", fix=fix)


def _as_now(project: Project, found: Iterable[Found]) -> Iterator[tuple[str, str, "Record"]]:
    """Yield the files with what holds of them once their present content counts as taken."""
    from dataclasses import replace

    from governance.policy import load_sources
    from platform_assets.landing.content import digest_of
    from platform_assets.landing.find import find

    declared = {it.table: it.files for it in load_sources(project) if it.files is not None}
    for dataset, file, record in found:
        source = declared.get(dataset)
        if source is None:
            raise LandingError(f"{dataset} is not declared any more", fix="declare it in sources.toml")
        now = next((it for it in find(project, source) if it.shown == file), None)
        if now is None:
            raise LandingError(f"{file} is not there any more", fix="let it be: a file that is gone is no error")
        yield dataset, file, replace(record, version=now.version, digest=digest_of(now))


COMMANDS = (taken,)
"""The commands of this module."""
