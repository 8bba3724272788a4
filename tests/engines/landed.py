"""What tests of landing files share: a declaration, its files, and both read under the engine's lock."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb

from governance.landing.model import FileColumn, FileSource, Format, Location
from platform_assets.engines.duckdb import LOCK, SETTINGS
from platform_assets.engines.engine import Landing, Outcome
from platform_assets.engines.landing import create_landing, outcomes
from platform_assets.engines.sql import literal, quoted

LOCATION = Location("landing", "landing")


def source(name: str, form: Format, columns: Mapping[str, str | FileColumn], **more: Any) -> FileSource:
    return FileSource(f"landing/{name}", LOCATION, form, columns_of(columns), **more)


def columns_of(columns: Mapping[str, str | FileColumn]) -> tuple[FileColumn, ...]:
    return tuple(
        FileColumn(name, of) if isinstance(of, str) else replace(of, name=name) for name, of in columns.items()
    )


def landed(folder: Path, declared: FileSource, files: Mapping[str, bytes | str], **more: Any) -> Landing:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    paths = tuple(str(folder / name) for name in files)
    return Landing(declared, paths, tuple(f"landing/{name}" for name in files), **more)


def read(
    query: str, *landings: Landing, names: tuple[str, ...] = ()
) -> tuple[list[tuple[Any, ...]], Mapping[str, Outcome]]:
    """Return the rows of ``query`` and the outcome of each landing, under the lock of the engine."""
    called = dict(zip(names or [it.source.name for it in landings], landings, strict=True))
    with duckdb.connect() as connection:
        for statement in SETTINGS:
            connection.execute(statement)
        for name, landing in called.items():
            create_landing(connection, f'"main".{quoted(name)}', landing)
        paths = ", ".join(literal(path) for it in landings for path in (*it.paths, *(part.path for part in it.parts)))
        connection.execute(f"set allowed_paths = [{paths}]")
        for statement in LOCK:
            connection.execute(statement)
        reader = connection.sql(query).to_arrow_reader(1000)
        rows = [tuple(row.values()) for batch in reader for row in batch.to_pylist()]
        return rows, outcomes(connection, called)


def told(outcome: Outcome) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in outcome.rejects.to_pylist()]
