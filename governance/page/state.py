"""A digest of the files that the page is made from, which tells whether there is something newer."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from governance import catalog_seen, findings_seen
from governance.blocks import FOLDER
from governance.events.place import events_folder
from governance.project import Project


def state_of(project: Project, events: Path | None = None) -> str:
    """Return the digest, of names, sizes and times of change; ``events`` stand in for the project's own store."""
    digest = hashlib.sha256()
    for path in _inputs(project, events):
        for file, stat in _files(path):
            digest.update(f"{file}\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode(errors="surrogateescape"))
    return digest.hexdigest()[:32]


def _inputs(project: Project, events: Path | None) -> Iterator[Path]:
    yield events or events_folder(project)
    yield from project.pipelines
    yield project.root / "platform_assets" / FOLDER
    for folder in project.policy:
        yield from sorted(folder.glob("*.toml"))
    yield project.sources
    yield from (project.state / name for name in (catalog_seen.FILE, findings_seen.FILE, "queries"))


def _files(path: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the file that ``path`` is, or all in that folder; what goes while it is looked at is passed over."""
    found = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in found:
        try:
            stat = file.stat()
        except FileNotFoundError:
            continue
        if file.is_file():
            yield str(file), stat
