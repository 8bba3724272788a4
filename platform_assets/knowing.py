"""What rules may ask, gathered once and given again for as long as nothing has changed that it was gathered from.

A job that checks every asset has a step for each, in one process: what all of them ask is gathered once. A run that
writes tables appends events before its steps end, so each of its checks sees what was written just before.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dagster import DagsterInstance

from governance import catalog_seen
from governance.events.days import day_files
from governance.events.manifest import FOLDER, NAME
from governance.events.place import events_folder
from governance.project import Project
from governance.rules import EndedAttempt, Known

FRESH = timedelta(minutes=1)
"""How long it is given again at most: of a catalog that is no file here nothing tells that it changed."""

FILES = timedelta(seconds=1)
"""How long people's files are not looked at again: of a large project there are thousands."""

Mark = tuple[object, ...]
Ended = Callable[[DagsterInstance, datetime], tuple[EndedAttempt, ...]]
Gather = Callable[[Project, Iterable[EndedAttempt], datetime], Known]


def gathered(project: Project, ended: Iterable[EndedAttempt], now: datetime) -> Known:
    """Return what ``platform_assets.known.known`` does; loading definitions does not wait for the catalog's import."""
    from platform_assets.known import known  # noqa: PLC0415

    return known(project, ended, now)


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class _Last:
    """What was given last, and what it was gathered from: ``looked`` is when people's files were looked at."""

    known: Known
    mark: Mark
    files: Mark
    looked: datetime
    catalog: Path | None


@dataclass(slots=True)
class Knowing:
    """Gathers for one project and one process.

    ended:  the attempts that an instance saw end, as of a moment; asked every time
    gather: makes what is given
    """

    project: Project
    ended: Ended
    gather: Gather = gathered
    clock: Callable[[], datetime] = _utc_now
    _last: _Last | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, instance: DagsterInstance) -> Known:
        """Return what rules may ask, as it is now.

        Raises:
            HeadwaterError: as for :func:`platform_assets.known.known`.
        """
        with self._lock:
            now = self.clock()
            ended = self.ended(instance, now)
            last = self._last
            if last is None or not self._holds(last, now):
                # looked at before it is gathered: what changes meanwhile makes it be gathered again
                catalog = self._catalog()
                mark, files = self._mark(catalog), files_mark(self.project)
                last = self._last = _Last(self.gather(self.project, ended, now), mark, files, now, catalog)
            elif ended != last.known.ended:
                last.known = replace(last.known, ended=ended)
            return last.known

    def _holds(self, last: _Last, now: datetime) -> bool:
        if now - last.known.now >= FRESH or self._mark(last.catalog) != last.mark:
            return False
        if now - last.looked >= FILES:
            last.looked = now
            return files_mark(self.project) == last.files
        return True

    def _mark(self, catalog: Path | None) -> Mark:
        store = events_folder(self.project)
        files = [*day_files(store), store / FOLDER / NAME]
        files += [catalog, catalog.with_name(f"{catalog.name}-wal")] if catalog else []
        settings = (it for it in os.environ.items() if it[0].startswith("OPENLINEAGE"))
        return (*map(_stat, files), *sorted(settings), _stat(Path("openlineage.yml")))

    def _catalog(self) -> Path | None:
        seen = catalog_seen.seen(self.project.state)
        return Path(seen.file) if seen and seen.file else None


def files_mark(project: Project) -> Mark:
    """Return what changes with any file that people write in ``project``."""
    return tuple(map(_stat, sorted(_files(project))))


def _files(project: Project) -> Iterator[Path]:
    for folder in (*project.pipelines, project.sources.parent / "blocks", project.state / "queries"):
        yield from folder.rglob("*")
    for folder in project.policy:
        yield from folder.glob("*")
    yield project.sources


def _stat(file: Path) -> Mark:
    try:
        found = file.stat()
    except OSError:
        return str(file), None
    return str(file), found.st_size, found.st_mtime_ns, found.st_ino
