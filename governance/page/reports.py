"""Reports that are kept in the project's state, the time in each one's name."""

import os
import re
from datetime import UTC, datetime
from pathlib import Path

from governance.errors import HeadwaterError

NAME = re.compile(r"lineage-\d{8}T\d{6}Z\.html")


def reports_folder(state: Path) -> Path:
    """Return where they are."""
    return state / "reports"


def kept_reports(state: Path) -> tuple[str, ...]:
    """Return their names, the latest first."""
    folder = reports_folder(state)
    found = os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208  names are what is asked for
    return tuple(sorted((name for name in found if NAME.fullmatch(name)), reverse=True))


def keep_report(state: Path, text: str, at: datetime, kept: int) -> Path:
    """Write the report of ``at`` whole or not at all, remove all but the latest ``kept``, and return its path.

    Raises:
        HeadwaterError: the folder cannot be written.
    """
    folder = reports_folder(state)
    path = folder / f"lineage-{at.astimezone(UTC):%Y%m%dT%H%M%SZ}.html"
    beside = folder / f".{path.name}.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, "utf-8")
        beside.replace(path)
        for name in kept_reports(state)[kept:]:
            folder.joinpath(name).unlink(missing_ok=True)
    except OSError as error:
        beside.unlink(missing_ok=True)
        fix = "make the folder writable, or free space"
        raise HeadwaterError(f"the report {path} cannot be written ({error.strerror})", fix=fix) from error
    return path
