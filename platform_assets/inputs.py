"""The fixed set of data that a validation builds on: the catalog's current snapshots, or rows out of fixture files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from governance.errors import CatalogError
from governance.project import Project
from platform_assets.catalog import load_known, open_catalog, plan
from platform_assets.engines.engine import Relation
from platform_assets.engines.rows import READERS, rows_of

Find = Callable[[Iterable[str]], Mapping[str, Relation]]


@contextmanager
def pinned_rows(project: Project) -> Iterator[Find]:
    """Give what finds tables' rows as of their current snapshots: files of a snapshot never change.

    Raises:
        CatalogError: the catalog cannot be read.
    """
    with open_catalog(project) as catalog:
        yield lambda tables: {name: plan(name, table).relation for name, table in load_known(catalog, tables).items()}


@contextmanager
def fixture_rows(folder: Path, columns: Mapping[str, Sequence[tuple[str, str]]]) -> Iterator[Find]:
    """Give what finds tables' rows in ``folder``: ``schema.table.csv``, ``.json``, ``.ndjson`` or ``.parquet``.

    ``columns`` are the declared ones of sources, as (name, SQL type); any other table has those of its file.
    """

    def find(tables: Iterable[str]) -> Mapping[str, Relation]:
        return {table: rows_of(file, columns.get(table, ())) for table in tables for file in _files(folder, table)}

    yield find


def _files(folder: Path, table: str) -> list[Path]:
    found = [path for ending in READERS if (path := folder / f"{table}{ending}").is_file()]
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise CatalogError(f"{table} has several fixtures: {names}", fix="keep one")
    return found
