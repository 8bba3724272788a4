"""Coverage over time: one NDJSON line a measurement, so that a trend can be told from a figure."""

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from governance.coverage.model import Coverage
from governance.errors import HeadwaterError

FILE = "coverage.ndjson"


class Measured(msgspec.Struct, frozen=True):
    """What one measurement came to: ``measures`` are (part, whole) by the names of ``Coverage.measures``."""

    at: datetime
    window_days: float | None
    measures: dict[str, tuple[int, int]]
    missing_tables: int
    missing_edges: int
    unreadable: int


_DECODER = msgspec.json.Decoder(Measured)


def measured(coverage: Coverage) -> Measured:
    """Return what is kept of ``coverage``."""
    days = coverage.window.length.total_seconds() / 86400 if coverage.window else None
    return Measured(
        at=coverage.at,
        window_days=days if days is None else round(days, 1),
        measures={name: (share.part, share.whole) for name, share in coverage.measures.items()},
        missing_tables=len(coverage.missing_tables),
        missing_edges=len(coverage.missing_edges),
        unreadable=coverage.unreadable,
    )


def keep(folder: Path, coverage: Coverage) -> None:
    """Append ``coverage`` to the history in ``folder``; one write, so that two at once do not mix.

    Raises:
        HeadwaterError: it cannot be written.
    """
    line = msgspec.json.encode(measured(coverage)) + b"\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / FILE).open("ab", buffering=0) as file:
            file.write(line)
            os.fsync(file.fileno())
    except OSError as error:
        fix = "check the disk and its permissions"
        raise HeadwaterError(f"the history of coverage cannot be written: {error.strerror}", fix=fix) from error


def history(folder: Path) -> tuple[Measured, ...]:
    """Return what was measured, oldest first; a line torn by a crash is left out.

    Raises:
        HeadwaterError: it cannot be read.
    """
    file = folder / FILE
    try:
        lines = file.read_bytes().split(b"\n") if file.exists() else []
    except OSError as error:
        raise HeadwaterError(f"{FILE} cannot be read: {error.strerror}", fix="check its permissions") from error
    return tuple(sorted(_whole(lines), key=lambda it: it.at))


def _whole(lines: list[bytes]) -> Iterator[Measured]:
    for line in lines:
        try:
            yield _DECODER.decode(line)
        except msgspec.DecodeError:
            continue
