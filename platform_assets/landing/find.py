"""Files where they land: which there are, and where this machine can read them."""

import fcntl
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from governance.errors import LandingError
from governance.landing.locations import is_glob
from governance.landing.model import FileSource
from governance.project import Project
from platform_assets.landing import store
from platform_assets.landing.folder import in_folder, version_now
from platform_assets.landing.landed import Landed, unlike

__all__ = ["Landed", "find", "require_unchanged", "staged"]

ENDING = re.compile(r"(?:\.[A-Za-z0-9]{1,8}){0,2}$")
"""What tells a reader how a file is packed."""


def find(project: Project, source: FileSource) -> tuple[Landed, ...]:
    """Return the files that ``source`` stands for, sorted by name; a glob may stand for none.

    A glob leaves out hidden files and those that somebody still writes, unless it asks for them by name.

    Raises:
        LandingError: a file or folder is not there, cannot be read, or lies outside the location.
    """
    at = source.location.at
    found = store.in_store(source, os.environ) if "://" in at else in_folder(project.root / at, source)
    if not found and not is_glob(source.name):
        fix = "let it land there, or correct its name in sources.toml"
        raise LandingError(f"{source.name}: there is no such file", fix=fix)
    return found


def require_unchanged(files: Sequence[Landed]) -> None:
    """Raise LandingError where one of the files is no longer what was listed, or the store does not tell."""
    for file in files:
        now = store.version_now(file, os.environ) if "://" in file.path else version_now(file.path)
        if now != file.version:
            raise unlike(file.shown)


@contextmanager
def staged(project: Project, files: Sequence[Landed]) -> Iterator[tuple[str, ...]]:
    """Yield a path of this machine for each of ``files``, in their order.

    A local file is read where it lies; one whose path an engine would take for a glob, by a link to it. One of an
    object store is copied. Links and copies stand in the project's state folder under names of their own, which end
    alike, and are gone afterwards.

    Raises:
        LandingError: a file cannot be read, or is not the one that was listed.
    """
    require_unchanged([it for it in files if "://" not in it.path])
    if all(_is_here(it) for it in files):
        yield tuple(it.path for it in files)
        return
    if is_glob(str(project.state)):
        fix = "move the project, or set HEADWATER_STATE to a folder without them"
        raise LandingError("the path of the project's state folder has *, ? or [, which an engine expands", fix=fix)
    with _folder(project.state / "staged") as folder:
        yield tuple(_path_here(folder, number, it) for number, it in enumerate(files))


def _is_here(file: Landed) -> bool:
    """Whether an engine can be given the path itself."""
    return "://" not in file.path and not is_glob(file.path)


def _path_here(folder: Path, number: int, file: Landed) -> str:
    if _is_here(file):
        return file.path
    ending = ENDING.search(file.path.rpartition("/")[2])
    target = folder / f"{number:06}{ending[0] if ending else ''}"
    if "://" in file.path:
        store.copy(file, target, os.environ)
    else:
        target.symlink_to(file.path)
    return str(target)


@contextmanager
def _folder(parent: Path) -> Iterator[Path]:
    """Yield a new folder that only this user reads and that is gone afterwards, by the next run where this one dies."""
    parent.mkdir(parents=True, exist_ok=True)
    with (parent / ".lock").open("w") as one_at_a_time:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        _sweep(parent)
        folder = Path(mkdtemp(dir=parent))
        held = (folder / ".lock").open("w")
        fcntl.flock(held, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        held.close()


def _sweep(parent: Path) -> None:
    """Remove what runs left that were killed: nobody holds their locks."""
    for folder in parent.iterdir():
        if folder.is_dir() and not _held(folder / ".lock"):
            shutil.rmtree(folder, ignore_errors=True)


def _held(lock: Path) -> bool:
    try:
        with lock.open() as tried:
            fcntl.flock(tried, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
