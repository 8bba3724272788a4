"""Which files of a folder a dataset is, and where they are read."""

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from governance.errors import LandingError
from governance.landing.model import FileColumn, FileSource, Format, Location
from governance.project import Project, project_at
from platform_assets.landing.find import Landed, find, require_unchanged, staged


def source(name: str, at: str = "in") -> FileSource:
    return FileSource(name, Location("landing", at), Format.CSV, (FileColumn("x", "bigint"),))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "project" / "in").mkdir(parents=True)
    return project_at(tmp_path / "project")


def put(project: Project, *names: str) -> None:
    for name in names:
        path = project.root / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def shown(project: Project, name: str) -> list[str]:
    return [it.shown.removeprefix("landing/") for it in find(project, source(f"landing/{name}"))]


def refused(project: Project, name: str) -> str:
    with pytest.raises(LandingError) as caught:
        find(project, source(name))
    assert caught.value.fix
    assert str(project.root) not in str(caught.value)
    return str(caught.value)


def test_a_file_is_told_with_size_time_and_version(project: Project) -> None:
    put(project, "a.csv")
    path = project.root / "in" / "a.csv"
    os.utime(path, (1, 1_700_000_000))
    (found,) = find(project, source("landing/a.csv"))
    assert found == Landed("landing/a.csv", str(path), 5, datetime.fromtimestamp(1_700_000_000, UTC), found.version)
    with staged(project, [found]) as paths:
        assert paths == (str(path),)
    assert path.exists()
    path.write_text("longer than before")
    assert find(project, source("landing/a.csv"))[0].version != found.version


def test_a_location_may_lie_anywhere(project: Project, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.csv").touch()
    for at in (str(tmp_path / "elsewhere"), "../elsewhere"):
        assert [it.shown for it in find(project, source("landing/*.csv", at))] == ["landing/a.csv"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.csv", ["a.csv", "b1.csv", "b2.csv"]),
        ("b?.csv", ["b1.csv", "b2.csv"]),
        ("b[!1].csv", ["b2.csv"]),
        ("*/*.csv", ["2024/c.csv", "2025/c.csv"]),
        ("**/*.csv", ["2024/c.csv", "2024/deep/d.csv", "2025/c.csv", "a.csv", "b1.csv", "b2.csv"]),
        ("2024/**/*.csv", ["2024/c.csv", "2024/deep/d.csv"]),
        ("**/deep/**/*.csv", ["2024/deep/d.csv"]),
        ("**/**/d.csv", ["2024/deep/d.csv"]),
        ("*/deep/d.csv", ["2024/deep/d.csv"]),
        ("*.json", []),
        ("2024/*.json", []),
        ("nothing*/*.csv", []),
    ],
)
def test_globs_are_matched_and_sorted(project: Project, pattern: str, found: list[str]) -> None:
    put(project, "b2.csv", "b1.csv", "a.csv", "2024/c.csv", "2024/deep/d.csv", "2025/c.csv", "a.txt")
    (project.root / "in" / "folder.csv").mkdir()
    assert shown(project, pattern) == found


def test_hidden_and_unfinished_files_are_left_out_unless_asked_for(project: Project) -> None:
    put(project, ".h.csv", "a.csv.tmp", "a.csv.PART", "_temporary/0/a.csv", ".git/a.csv", "_SUCCESS", "a.csv", "_b.csv")
    assert shown(project, "*") == ["_b.csv", "a.csv"]
    assert shown(project, "**/*") == ["_b.csv", "a.csv"]
    assert shown(project, ".*.csv") == [".h.csv"]
    assert shown(project, "*.tmp") == ["a.csv.tmp"]
    assert shown(project, "_temporary/*/*.csv") == ["_temporary/0/a.csv"]
    assert shown(project, ".h.csv") == [".h.csv"]


def test_a_name_with_brackets_is_also_itself(project: Project) -> None:
    put(project, "a[1].csv", "a1.csv", "[x]/b.csv", "x/b.csv", "*.csv")
    assert shown(project, "a[1].csv") == ["a1.csv", "a[1].csv"]
    assert shown(project, "a[[]1].csv") == ["a[1].csv"]
    assert shown(project, "[x]/b.csv") == ["[x]/b.csv", "x/b.csv"]
    assert shown(project, "*.csv") == ["*.csv", "a1.csv", "a[1].csv"]


def test_a_plain_name_must_be_a_file(project: Project) -> None:
    put(project, "folder/a.csv")
    assert "landing/a.csv: there is no such file" in refused(project, "landing/a.csv")
    assert "landing/folder/a.csv/x" in refused(project, "landing/folder/a.csv/x")
    assert 'landing/folder: it is a folder; declare its files: ["landing/folder/*.csv"]' in refused(
        project, "landing/folder"
    )
    os.mkfifo(project.root / "in" / "pipe.csv")
    assert "landing/pipe.csv: it is no regular file" in refused(project, "landing/*.csv")


def test_a_folder_that_a_pattern_begins_with_must_be_there(project: Project) -> None:
    put(project, "a.csv", "2024/c.csv")
    assert "landing/nothing/*.csv: there is no folder landing/nothing; make the folder" in refused(
        project, "landing/nothing/*.csv"
    )
    assert "there is no folder landing/2024/deep" in refused(project, "landing/2024/deep/*/x/*.csv")
    assert "there is no folder landing/a.csv" in refused(project, "landing/a.csv/*.csv")


def test_a_location_must_be_there(project: Project) -> None:
    (project.root / "in").rmdir()
    assert "landing: the location's folder is not there" in refused(project, "landing/*.csv")
    (project.root / "in").touch()
    assert "landing: the location's folder is a file, not a folder" in refused(project, "landing/*.csv")


def test_links_stay_within_their_location(project: Project, tmp_path: Path) -> None:
    put(project, "real/a.csv")
    folder = project.root / "in"
    (folder / "linked").symlink_to(folder / "real")
    (folder / "real" / "round").symlink_to(folder)
    (folder / "b.csv").symlink_to(folder / "real" / "a.csv")
    assert shown(project, "**/*.csv") == ["b.csv", "real/a.csv"]
    assert shown(project, "linked/*.csv") == ["linked/a.csv"]
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.csv").touch()
    (folder / "README").symlink_to(outside / "secret.csv")
    assert shown(project, "**/*.csv") == ["b.csv", "real/a.csv"]
    (folder / "c.csv").symlink_to(outside / "secret.csv")
    assert "landing/c.csv: the link leads out of its location" in refused(project, "landing/*.csv")
    (folder / "c.csv").unlink()
    (folder / "way").symlink_to(outside)
    for name in ("way/secret.csv", "way/*.csv", "**/*.csv", "*/*.csv"):
        assert "landing/way: the link leads out of its location" in refused(project, f"landing/{name}")


def test_broken_links_are_named(project: Project) -> None:
    folder = project.root / "in"
    (folder / "a.csv").symlink_to(folder / "gone.csv")
    assert "landing/a.csv: the link leads nowhere" in refused(project, "landing/*.csv")
    (folder / "a.csv").unlink()
    (folder / "a.csv").symlink_to(folder / "a.csv")
    assert "landing/a.csv: the link cannot be followed" in refused(project, "landing/a.csv")


def test_a_folder_of_another_name_is_not_a_link_out(project: Project, tmp_path: Path) -> None:
    put(project, "a.csv")
    (tmp_path / "link").symlink_to(project.root / "in")
    assert len(find(project, source("landing/a.csv", str(tmp_path / "link")))) == 1


def test_what_cannot_be_read_is_named(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    put(project, "a.csv", "deep/b.csv")

    def deny(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(project.root))

    # who runs the tests may read everything
    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", deny)
        assert "landing/a.csv: the file cannot be read: Permission denied" in refused(project, "landing/a.csv")
    with monkeypatch.context() as patched:
        patched.setattr(os, "listdir", deny)
        assert "landing/deep: the folder cannot be listed: Permission denied" in refused(project, "landing/deep/*.csv")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "is_symlink", deny)
        assert "landing/deep: it cannot be looked at: Permission denied" in refused(project, "landing/deep/*.csv")


def test_a_name_that_cannot_be_sent_is_refused(project: Project) -> None:
    (project.root / "in" / os.fsdecode(b"caf\xe9.csv")).touch()
    assert "landing/caf\\udce9.csv: the file's name is not UTF-8" in refused(project, "landing/*.csv")


def test_a_file_that_changed_since_it_was_listed_is_not_read(project: Project) -> None:
    put(project, "a.csv", "b.csv")
    found = find(project, source("landing/*.csv"))
    require_unchanged(found)
    (project.root / "in" / "b.csv").write_text("more than before")
    with pytest.raises(LandingError, match=r"landing/b\.csv: the file changed"), staged(project, found):
        pytest.fail("it is not read")
    (project.root / "in" / "a.csv").unlink()
    with pytest.raises(LandingError, match=r"landing/a\.csv: the file changed"):
        require_unchanged(found)


def test_a_path_that_an_engine_would_take_for_a_glob_is_read_by_a_link(project: Project) -> None:
    put(project, "a[1].csv.gz", "b.csv")
    found = find(project, source("landing/*"))
    with staged(project, found) as (linked, itself):
        assert Path(linked).read_text() == "a[1].csv.gz"
        assert linked.endswith(".csv.gz")
        assert "[" not in linked.removeprefix(str(project.root))
        assert itself == found[1].path
    assert not Path(linked).exists()
    assert (project.root / "in" / "a[1].csv.gz").exists()


def test_a_state_folder_that_reads_as_a_glob_is_refused_where_it_would_matter(project: Project) -> None:
    put(project, "a[1].csv", "b.csv")
    odd = replace(project, state=project.root / "[x]")
    with staged(odd, find(project, source("landing/b.csv"))) as (path,):
        assert Path(path).exists()
    with pytest.raises(LandingError, match="set HEADWATER_STATE"), staged(odd, find(project, source("landing/*"))):
        pytest.fail("it is not read")
