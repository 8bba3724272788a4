"""Where a file stands in version control, read from the checkout's own git files; no path of this machine comes out."""

import re
from dataclasses import dataclass
from pathlib import Path

from openlineage.client import git

# ssh's short form (git@host:team/repo.git) says the same as a URL.
_SHORT = re.compile(r"^(?:[\w.-]+@)?(?P<host>[\w.-]+):(?P<path>[^/].*)$")
_URL = re.compile(r"^(?:https?|ssh|git)://(?:[^@/]+@)?(?P<host>[\w.-]+)(?::\d+)?/(?P<path>.+)$")


@dataclass(frozen=True, slots=True)
class SourceCode:
    """A file of a repository at a commit; ``repository`` is an https URL without user or password."""

    repository: str
    commit: str
    path: str

    @property
    def url(self) -> str:
        """The address of the file at its commit, as GitHub and GitLab spell it."""
        return f"{self.repository}/blob/{self.commit}/{self.path}"


def source_code(root: Path, file: str) -> SourceCode | None:
    """Return where ``file`` (relative to the checkout ``root``) stands, or None.

    None where ``root`` is not the top of a git checkout, has no commit, or has no remote with an address that means
    something elsewhere (a local path or ``file://`` does not).
    """
    if not (root / ".git").exists():
        return None
    git_dir = git._find_git_dir(str(root))  # noqa: SLF001  the client has no public name for it
    if git_dir is None:
        return None
    repository = _web_address(git.get_git_repo_url(git_dir=git_dir) or "")
    commit = git.get_git_version(git_dir)
    return SourceCode(repository, commit, file) if repository and commit else None


def _web_address(remote: str) -> str | None:
    match = _URL.match(remote) or _SHORT.match(remote)
    return f"https://{match['host']}/{match['path'].removesuffix('.git')}" if match else None
