"""Files that land in a folder of this machine."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from governance.errors import LandingError
from governance.landing.locations import is_glob
from governance.landing.model import FileSource
from governance.landing.patterns import FOLDERS, fixed_parts, left_out, part_matches, parts_of
from platform_assets.landing.landed import Landed, landed


def in_folder(root: Path, source: FileSource) -> tuple[Landed, ...]:
    """Return the files below ``root``, the location's folder, that ``source`` stands for, sorted by name.

    Raises:
        LandingError: the folder, or one that a pattern begins with, is not there; a file or folder is not readable, no
            regular file, or outside.
    """
    name = source.location.name
    if not root.is_dir():
        fix = f"make the folder, or correct at of [locations.{name}] in sources.toml"
        wrong = "is a file, not a folder" if root.exists() else "is not there"
        raise LandingError(f"{name}: the location's folder {wrong}", fix=fix)
    found = {it.shown: it for it in _walk(root.resolve(), root, name, parts_of(source.name))}
    if not found and not is_glob(source.name) and root.joinpath(*parts_of(source.name)).is_dir():
        raise LandingError(f"{source.name}: it is a folder", fix=f'declare its files: ["{source.name}/*.csv"]')
    if not found and is_glob(source.name):
        _require_folders(root, source)
    return tuple(found[shown] for shown in sorted(found))


def _require_folders(root: Path, source: FileSource) -> None:
    """Check that the folders are there that a pattern begins with: in one that is not, nothing can land."""
    folder, shown = root, source.location.name
    for part in fixed_parts(parts_of(source.name)):
        folder, shown = folder / part, f"{shown}/{part}"
        if not folder.is_dir():
            fix = f'make the folder, or correct ["{source.name}"] in sources.toml'
            raise LandingError(f"{source.name}: there is no folder {shown}", fix=fix)


def version_now(path: str) -> str | None:
    """Return the version of the file at ``path``, None where there is none any more."""
    try:
        seen = os.stat(path)  # noqa: PTH116  # a path as text, asked once a file
    except FileNotFoundError:
        return None
    return _version(seen)


def _walk(root: Path, folder: Path, shown: str, pattern: tuple[str, ...]) -> Iterator[Landed]:
    """Yield the matches of ``pattern`` below ``folder``, which lies in ``root`` and is called ``shown``."""
    head, rest = pattern[0], pattern[1:]
    if head == FOLDERS:
        yield from _walk(root, folder, shown, rest)
        for name in _names(folder, shown):
            # a link to a folder could lead round in a circle; the folder itself is found where it stands
            if not left_out(name, "") and _is_folder(root, folder / name, f"{shown}/{name}", follow=False):
                yield from _walk(root, folder / name, f"{shown}/{name}", pattern)
        return
    for name in [head] if not is_glob(head) else [it for it in _names(folder, shown) if part_matches(it, head)]:
        below, called = folder / name, f"{shown}/{name}"
        if not rest:
            yield from _file(root, below, called)
        elif _is_folder(root, below, called, follow=True):
            yield from _walk(root, below, called, rest)


def _names(folder: Path, shown: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208  # names alone: a large folder has many
    except OSError as error:
        raise _unreadable(shown, "the folder cannot be listed", error) from None


def _is_folder(root: Path, path: Path, shown: str, *, follow: bool) -> bool:
    try:
        folder, link = path.is_dir(), path.is_symlink()
    except OSError as error:
        raise _unreadable(shown, "it cannot be looked at", error) from None
    if folder and link:
        _require_inside(root, path, shown)
    return folder and (follow or not link)


def _file(root: Path, path: Path, shown: str) -> Iterator[Landed]:
    """Yield the file at ``path``; nothing where that is a folder, or there is no file."""
    try:
        if path.is_symlink():
            _require_inside(root, path, shown)
        seen = path.stat()
        if stat.S_ISDIR(seen.st_mode):
            return
        if not stat.S_ISREG(seen.st_mode):
            raise LandingError(f"{shown}: it is no regular file", fix="let a file land in its place")
        path.open("rb").close()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise _unreadable(shown, "the file cannot be read", error) from None
    yield landed(shown, str(path), seen.st_size, seen.st_mtime_ns, _version(seen))


def _require_inside(root: Path, path: Path, shown: str) -> None:
    try:
        real = path.resolve(strict=True)
    except FileNotFoundError:
        raise LandingError(f"{shown}: the link leads nowhere", fix="take the link away, or mend it") from None
    except (OSError, RuntimeError):  # Python 3.11 and 3.12 tell of a loop by RuntimeError
        raise LandingError(f"{shown}: the link cannot be followed", fix="take the link away, or mend it") from None
    if not real.is_relative_to(root):
        fix = "put the file itself there, or declare a location where it lies"
        raise LandingError(f"{shown}: the link leads out of its location", fix=fix)


def _unreadable(shown: str, problem: str, error: OSError) -> LandingError:
    return LandingError(f"{shown}: {problem}: {error.strerror}", fix="let whoever runs this read it")


def _version(seen: os.stat_result) -> str:
    return f"{seen.st_size}-{seen.st_mtime_ns}"
