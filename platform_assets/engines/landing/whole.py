"""Whether DuckDB's reader of CSV has gone through the whole of large files.

It reads parts of a large file at once. Where a part begins with rows that do not fit, DuckDB 2.0.1 may take the part
for empty, and says nothing: its rows are neither read nor rejected. So rows are counted once more, by the ends of
lines, and where quoted values have line ends in them by DuckDB in one piece. One part, or ``parallel = false``, loses
nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from governance.errors import RowsLeftOut
from governance.landing.model import Option
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing import option
from platform_assets.engines.landing.opened import PIECE

PART = 8_000_000
"""Bytes that DuckDB reads as one part."""

COMPRESSED = (".gz", ".zst")


def in_one_piece(paths: Sequence[str], options: Mapping[str, Option]) -> Mapping[str, str]:
    """Return the argument by which files are read in one piece that are decompressed or decoded in one piece anyway."""
    if "parallel" in options:
        return {"parallel": option.sql_of(options["parallel"])}
    slow = any(it.endswith(COMPRESSED) for it in paths) or "compression" in options or "encoding" in options
    return {"parallel": "false"} if slow else {}


def may_lose(paths: Sequence[str], options: Mapping[str, Option]) -> bool:
    """Return whether one of the files is read in several parts."""
    if in_one_piece(paths, options):
        return option.sql_of(options.get("parallel", False)) == "true"
    part = min(PART, option.number(options, "buffer_size") or PART)
    return any(Path(it).stat().st_size > part for it in paths)


def lines_in(path: str) -> int:
    """Return how many lines a file has, its last one whether it ends or not."""
    count, last = 0, b"\n"
    with Path(path).open("rb", buffering=0) as file:
        while piece := file.read(PIECE):
            count += piece.count(b"\n")
            last = piece[-1:]
    return count + (last != b"\n")


def require_whole(
    landing: Landing, paths: Sequence[str], before: int, found: Callable[[], int], in_one_piece: Callable[[], int]
) -> None:
    """Raise RowsLeftOut where files have more rows than are found, those that do not fit among them.

    ``before`` are a file's lines before its rows; ``in_one_piece`` counts the rows as DuckDB then does.
    """
    seen = found()
    if seen == sum(max(lines_in(it) - before, 0) for it in paths):
        return
    rows = in_one_piece()
    if rows != seen:
        raise RowsLeftOut(
            f"{landing.source.name}: DuckDB's reader left out {rows - seen} of {rows} rows: "
            "one that does not fit stands where a part of a file begins",
            fix="mend the row, or add parallel = false to the options by which it is read",
        )
