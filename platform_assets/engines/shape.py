"""Files against their declaration, before a query runs and after: what changed in them is said by column."""

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from types import MappingProxyType

import duckdb
import pyarrow.compute as pc

from governance.errors import LandingError
from governance.landing.model import FileSource, Format, Option
from platform_assets.engines.engine import Landing, Outcome
from platform_assets.engines.header import FIX as NAMES_FIX
from platform_assets.engines.header import header_problems
from platform_assets.engines.landing import probe
from platform_assets.engines.landing.name import without_paths
from platform_assets.engines.landing.opened import opened
from platform_assets.engines.landing.option import options_of

FILES_TOLD = 3
COLUMNS_TOLD = 10
MARK = b"\xef\xbb\xbf"
"""What says that a file is UTF-8, and is nothing of its own."""


class ShapeChanged(LandingError):
    """Files are not as they are declared: which, by which columns, and what to do."""

    def __init__(self, source: FileSource, problems: Sequence[str], fix: str = "") -> None:
        self.source = source.name
        more = f"; and {len(problems) - FILES_TOLD} more files" if len(problems) > FILES_TOLD else ""
        super().__init__("; ".join(problems[:FILES_TOLD]) + more, fix=fix or _usual_fix(source))


def _usual_fix(source: FileSource) -> str:
    if source.format in {Format.CSV, Format.JSON, Format.PARQUET} and not (source.records or source.rows):
        return f"mend the file, or look at `headwater sniff {source.name}` and change sources.toml"
    return f'mend the file, or change ["{source.name}"] in sources.toml'


Probe = Callable[[duckdb.DuckDBPyConnection, FileSource, str, Mapping[str, Option]], Iterator[str]]
"""Yields what is wrong with the file at a path; nothing of a file without a row."""

PROBES: Mapping[Format, Probe] = MappingProxyType(
    {
        Format.CSV: probe.delimited,
        Format.JSON: probe.objects,
        Format.PARQUET: probe.parquet,
        Format.FIXED: probe.lines,
    }
)


def check_shape(connection: duckdb.DuckDBPyConnection, landing: Landing) -> None:
    """Compare the beginning of each file with its declaration; ``connection`` can read the files.

    A file in which there is nothing is no whole one, but where lines without a header are declared: those are none.
    XML is compared where it is staged.

    Raises:
        ShapeChanged: columns are missing, not declared, or in another order.
        LandingError: a file cannot be read.
        EngineError: the options do not go with the declaration.
    """
    compare = PROBES.get(landing.source.format)
    if compare is None:
        return
    options = options_of(landing)
    problems = []
    fixes = set()
    for path, shown in zip(landing.paths, landing.shown, strict=True):
        try:
            lacks = _lacks(landing.source, path, options)
            nameless = list(header_problems(landing.source, path, options))
            found = [lacks] if lacks else nameless or list(compare(connection, landing.source, path, options))
        except (duckdb.Error, OSError, csv.Error, LookupError) as error:
            # what DuckDB echoes of its own text has the path of a file, and perhaps only its beginning
            said = without_paths(str(error).partition("\nLINE ")[0].strip(), [landing])
            raise LandingError(f"{shown} cannot be read: {said}", fix="mend the file, or its declaration") from None
        if found:
            problems.append(f"{shown}: {'; '.join(found)}")
            fixes.add(NAMES_FIX if nameless else "")
    if problems:
        raise ShapeChanged(landing.source, problems, _fix(landing, len(problems), fixes))


def _fix(landing: Landing, wrong: int, fixes: AbstractSet[str]) -> str:
    """Return what to do where looking at the files again does not help, an empty text where it does."""
    if len(fixes) == 1 and NAMES_FIX in fixes:
        return NAMES_FIX
    if wrong < len(landing.paths):
        return f'mend the file, or declare files of another shape apart from ["{landing.source.name}"] in sources.toml'
    return ""


def _lacks(source: FileSource, path: str, options: Mapping[str, Option]) -> str | None:
    """Return what a file in which there is nothing should have had: whoever brought it may have been cut off."""
    if source.format is Format.CSV and not source.records and options.get("header", True):
        return "it has no header line" if probe.first_record(path, options) is None else None
    whole = {Format.JSON: not _is_lines(options), Format.PARQUET: True}.get(source.format, False)
    return "it is empty" if whole and _is_empty(path, options) else None


def _is_lines(options: Mapping[str, Option]) -> bool:
    return options.get("format") in {"newline_delimited", "nd"}


def _is_empty(path: str, options: Mapping[str, Option]) -> bool:
    if Path(path).stat().st_size == 0:
        return True
    with opened(path, options) as file:
        return file.read(len(MARK) + 1) in {b"", MARK}


def require_few(landing: Landing, outcome: Outcome) -> None:
    """Raise ShapeChanged where a file has rows of which none fits, or more rows do not fit than are allowed."""
    source, rejects = landing.source, outcome.rejects
    if outcome.unfit:
        problems = []
        for file in outcome.unfit:
            own = rejects.filter(pc.equal(rejects["file"], file)).to_pylist()
            problems.append(f"{file}: none of its {len(own)} rows fits: {_by_column(own)}")
        raise ShapeChanged(source, problems)
    if source.max_rejects is not None and rejects.num_rows > source.max_rejects:
        allowed = f"max_rejects allows {source.max_rejects}"
        told = _by_column(rejects.to_pylist())
        raise ShapeChanged(source, [f"{source.name}: {rejects.num_rows} rows do not fit, {allowed}: {told}"])


def _by_column(rejects: Sequence[Mapping[str, str | None]]) -> str:
    """Return how many rows do not fit by which column, with the first reason of each."""
    counts = Counter(row["column"] for row in rejects)
    first = {row["column"]: row["reason"] for row in reversed(rejects)}
    columns = counts.most_common(COLUMNS_TOLD)
    return "; ".join(f"{name or 'the row as a whole'} ({count}): {first[name]}" for name, count in columns)
