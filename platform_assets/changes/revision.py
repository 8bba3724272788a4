"""The project's files as a git revision has them, laid out in a folder of their own; the checkout is not touched."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from governance.errors import HeadwaterError

FOLDERS = ("platform_assets/pipelines", "platform_assets/blocks")
"""What pipelines are read from, whatever is in there."""

WANTED = ("governance/*.toml", "platform_assets/sources.toml")
"""What sources and policy are read from."""

FILES = frozenset({"100644", "100755"})
"""Modes of files; a symbolic link would lead out of the revision."""


@contextmanager
def revision(root: Path, name: str) -> Iterator[Path]:
    """Give a folder with the project's files as of the revision ``name``; it is gone afterwards.

    Raises:
        HeadwaterError: no git checkout, or no such revision.
    """
    commit = _commit(root, name)
    with TemporaryDirectory(prefix="headwater-") as folder:
        top = Path(folder)
        # a revision from before the first pipeline has none
        (top / "platform_assets" / "pipelines").mkdir(parents=True)
        (top / "governance").mkdir()
        _lay_out(root, commit, top)
        yield top


def _commit(root: Path, name: str) -> str:
    found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if found.returncode:
        inside = _git(root, "rev-parse", "--is-inside-work-tree").returncode == 0
        if not inside:
            raise HeadwaterError(f"{root} is no git checkout", fix="name two event files, or run it in a checkout")
        raise HeadwaterError(
            f"git knows no revision {name}", fix="name a branch, tag or commit that is here: git fetch brings others"
        )
    return found.stdout.decode().strip()


def _lay_out(root: Path, commit: str, top: Path) -> None:
    listed = _git(root, "ls-tree", "-r", "-z", commit, "--", "governance", "platform_assets")
    wanted: list[tuple[str, str]] = []
    for entry in listed.stdout.decode("utf-8", "surrogateescape").split("\0"):
        if entry:
            head, _, path = entry.partition("\t")
            mode, _, blob = head.split()
            if mode in FILES and _is_wanted(path):
                wanted.append((blob, path))
    for path, content in zip((path for _, path in wanted), _blobs(root, [blob for blob, _ in wanted]), strict=True):
        target = top / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _is_wanted(path: str) -> bool:
    pure = PurePosixPath(path)
    return ".." not in pure.parts and (
        any(map(pure.is_relative_to, FOLDERS)) or any(pure.match(pattern) for pattern in WANTED)
    )


def _blobs(root: Path, blobs: list[str]) -> Iterator[bytes]:
    """Yield the contents of ``blobs``, read by one process."""
    answer = _git(root, "cat-file", "--batch", given="".join(f"{blob}\n" for blob in blobs).encode()).stdout
    at = 0
    for _ in blobs:
        end = answer.index(b"\n", at)
        size = int(answer[at:end].split()[2])
        yield answer[end + 1 : end + 1 + size]
        at = end + 1 + size + 1


def _git(root: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = ("git", "-C", str(root), *arguments)
    try:
        # no shell; pagers and hooks, which a user's configuration may name, are not asked for by these commands
        return subprocess.run(command, input=given, capture_output=True, check=False)  # noqa: S603
    except FileNotFoundError as error:
        raise HeadwaterError("git is not installed", fix="install git, or name two event files") from error
