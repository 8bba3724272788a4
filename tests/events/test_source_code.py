"""Where a pipeline stands in version control, without paths or passwords of this machine."""

from pathlib import Path

import pytest

from governance.events.source_code import source_code

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILE = "pipelines/marketing/audience.sql"


def checkout(root: Path, remote: str | None) -> Path:
    git = root / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "refs" / "heads" / "main").write_text(f"{COMMIT}\n")
    (git / "config").write_text(f'[remote "origin"]\n\turl = {remote}\n' if remote else "[core]\n\tbare = false\n")
    return root


@pytest.mark.parametrize(
    "remote",
    [
        "https://github.com/acme/platform.git",
        "https://ada:ghp_secret@github.com/acme/platform",
        "git@github.com:acme/platform.git",
        "ssh://git@github.com:22/acme/platform.git",
    ],
)
def test_a_remote_gives_an_address_without_user_or_password(tmp_path: Path, remote: str) -> None:
    found = source_code(checkout(tmp_path, remote), FILE)
    assert found is not None
    assert found.url == f"https://github.com/acme/platform/blob/{COMMIT}/{FILE}"
    assert (found.repository, found.commit, found.path) == ("https://github.com/acme/platform", COMMIT, FILE)


@pytest.mark.parametrize("remote", [None, "/srv/git/platform.git", "file:///srv/git/platform.git", "../platform"])
def test_without_an_address_that_means_something_elsewhere_there_is_none(tmp_path: Path, remote: str | None) -> None:
    assert source_code(checkout(tmp_path, remote), FILE) is None


def test_a_folder_that_is_no_checkout_has_none_even_within_one(tmp_path: Path) -> None:
    checkout(tmp_path, "https://github.com/acme/platform.git")
    (tmp_path / "inner").mkdir()
    assert source_code(tmp_path / "inner", FILE) is None


def test_a_checkout_without_a_commit_has_none(tmp_path: Path) -> None:
    root = checkout(tmp_path, "https://github.com/acme/platform.git")
    (root / ".git" / "refs" / "heads" / "main").unlink()
    assert source_code(root, FILE) is None
