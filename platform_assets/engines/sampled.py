"""How many rows of large delimited files may not fit, by pieces out of them: whether it is worth counting at all."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from governance.landing.model import Option
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing import csv
from platform_assets.engines.landing.name import NOT_KEPT
from platform_assets.engines.landing.option import number
from platform_assets.engines.landing.whole import COMPRESSED

PIECES, PIECE = 16, 1 << 16
"""How many pieces of a file are looked at, and bytes of each."""
FILES = 32
"""How many files are looked at."""


def likely_misfits(
    connection: duckdb.DuckDBPyConnection, landing: Landing, options: Mapping[str, Option]
) -> float | None:
    """Return about how many rows of the files do not fit, None where their text cannot be read in pieces.

    A line end within a quoted value counts as a row that does not fit: what is told is no less than what there is in
    the pieces.
    """
    if {"compression", "encoding"} & options.keys() or any(it.endswith(COMPRESSED) for it in landing.paths):
        return None
    size = sum(Path(it).stat().st_size for it in landing.paths)
    lines = [line for path in _spread(landing.paths) for line in _lines(Path(path), options)]
    if not lines:
        return 0.0
    with TemporaryDirectory(prefix="headwater-") as folder:
        sample = Path(folder) / "sample.csv"
        sample.write_bytes(b"".join(lines))
        given = {**options, "header": False, "skip": 0}
        files = replace(landing, paths=(str(sample),), shown=("sample",))
        ((fit, _),) = connection.execute(csv.count(NOT_KEPT, files, given)).fetchall()
    return (len(lines) - int(fit)) * size / sum(map(len, lines))


def _spread(paths: Sequence[str]) -> Iterable[str]:
    return paths[:: max(len(paths) // FILES, 1)]


def _lines(path: Path, options: Mapping[str, Option]) -> Iterator[bytes]:
    """Yield whole lines of the file, from all over it; its first ones are no rows."""
    size = path.stat().st_size
    with path.open("rb") as file:
        for _ in range(number(options, "skip") + bool(options.get("header", True))):
            file.readline()
        begin = file.tell()
        step = max((size - begin) // PIECES, PIECE)
        for start in range(begin, size, step):
            if start > max(file.tell(), begin):
                file.seek(start)
                file.readline()
            while file.tell() < min(start + PIECE, size) and (line := file.readline(PIECE)):
                if line.strip():
                    yield line if line.endswith(b"\n") else line + b"\n"
