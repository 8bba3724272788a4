"""The fixed set of data that a validation builds on: what is there now, or rows out of fixture files.

Now: the catalog's current snapshots, and the files where they land.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from governance.errors import CatalogError, LandingError
from governance.landing.model import FileSource
from governance.project import Project
from platform_assets.changes.validate import Given
from platform_assets.engines.engine import Relation
from platform_assets.engines.rows import READERS, rows_of
from platform_assets.iceberg.catalog import load_known, open_catalog, plan
from platform_assets.landing.find import find, staged


@contextmanager
def pinned_rows(project: Project) -> Iterator[Given]:
    """Give what finds tables' rows as of their current snapshots, whose files never change, and files as they are now.

    Raises:
        CatalogError: the catalog cannot be read.
    """
    with open_catalog(project) as catalog, ExitStack() as held:

        def find(tables: Iterable[str]) -> Mapping[str, Relation]:
            return {name: plan(name, table).relation for name, table in load_known(catalog, tables).items()}

        yield Given(find, partial(_landed, project, held))


@contextmanager
def fixture_rows(project: Project, folder: Path, columns: Mapping[str, Sequence[tuple[str, str]]]) -> Iterator[Given]:
    """Give what finds tables' rows in ``folder``: ``schema.table.csv``, ``.json``, ``.ndjson`` or ``.parquet``.

    ``columns`` are the declared ones of sources, as (name, SQL type); any other table has those of its file. Files that
    land lie there by their names: ``landing/orders.csv``.
    """

    def find(tables: Iterable[str]) -> Mapping[str, Relation]:
        return {table: rows_of(file, columns.get(table, ())) for table in tables for file in _files(folder, table)}

    def files(source: FileSource) -> tuple[tuple[str, ...], tuple[str, ...]]:
        location = replace(source.location, at=str(folder.resolve() / source.location.name))
        try:
            return _landed(project, held, replace(source, location=location))
        except LandingError as error:
            fix = f"put it into the folder of --fixtures as {source.name}, or leave --fixtures out"
            raise LandingError(error.problem, fix=fix) from error

    with ExitStack() as held:
        yield Given(find, files)


def _landed(project: Project, held: ExitStack, source: FileSource) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files that there are of ``source``: where this machine can read them, and as they may be shown.

    Raises:
        LandingError: there is none, or it cannot be read.
    """
    found = find(project, source)
    if not found:
        fix = "let one land, or correct the pattern in sources.toml"
        raise LandingError(f"{source.name}: no file of such a name is there", fix=fix)
    return held.enter_context(staged(project, found)), tuple(it.shown for it in found)


def _files(folder: Path, table: str) -> list[Path]:
    found = [path for ending in READERS if (path := folder / f"{table}{ending}").is_file()]
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise CatalogError(f"{table} has several fixtures: {names}", fix="keep one")
    return found
