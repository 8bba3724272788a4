"""The memory of texts: the same values as without it, only what changed is read, and nothing damaged is believed."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.large_project import pipeline_file
from bench.large_table import Table
from bench.large_tables import tables
from governance.errors import HeadwaterError
from governance.project import Project, find_project, project_at
from governance.remembered import memory as remembered
from governance.remembered.pieces import MARK, PATIENCE, UNFINISHED, sweep
from platform_assets.side import side_of_project
from tests.large.remembering import large, loaded, plain

ROOT = Path(__file__).parents[2]
FORTY = 40


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return large(tmp_path, FORTY)


def pieces(project: Project) -> list[Path]:
    assert project.cache
    return sorted(project.cache.glob("*.piece"))


def readers(platform: tuple[Table, ...], name: str) -> set[str]:
    return {it.name for it in platform if any(one.name == name for one in it.inputs)}


@pytest.mark.parametrize("root", [ROOT, ROOT / "examples" / "orders"], ids=["demo", "orders"])
def test_a_project_reads_the_same_with_and_without_its_memory(root: Path, tmp_path: Path) -> None:
    project = project_at(root, tmp_path)
    first, _ = loaded(project)
    again, read = loaded(project)
    assert first == again == plain(project)
    assert not read.parsed
    assert not read.traced


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1000), pipelines=st.integers(1, 25), edited=st.integers(0, 1000))
def test_any_platform_reads_the_same_with_and_without_also_after_an_edit(
    seed: int, pipelines: int, edited: int, tmp_path: Path
) -> None:
    root = tmp_path / f"{seed}-{pipelines}-{edited}"
    project = large(root, pipelines, seed)
    assert loaded(project)[0] == loaded(project)[0] == plain(project)
    built = [it for it in tables(pipelines, seed) if it.form]
    file = pipeline_file(root, built[edited % len(built)])
    # every form writes this column of some alias
    file.write_text(re.sub(r"(\w+\.id) as id|(a\.id)(?=,?\n)", r"\1\2 + 1 as id", file.read_text()))
    assert loaded(project)[0] == loaded(project)[0] == plain(project)


def test_a_load_reads_each_text_once_and_the_next_one_none(project: Project) -> None:
    _, first = loaded(project)
    assert set(first.parsed.values()) == set(first.traced.values()) == {1}
    assert len(first.parsed) == len(first.traced) == FORTY
    _, again = loaded(project)
    assert not again.parsed
    assert not again.traced


@pytest.mark.parametrize("pipelines", [20, 80])
def test_the_work_of_a_load_is_as_many_reads_as_there_are_pipelines(tmp_path: Path, pipelines: int) -> None:
    _, read = loaded(large(tmp_path, pipelines))
    assert read.parsed.total() == read.traced.total() == pipelines


def test_an_edit_that_keeps_the_columns_has_one_text_read(project: Project) -> None:
    loaded(project)
    table = next(it for it in tables(FORTY) if it.form and readers(tables(FORTY), it.name))
    file = pipeline_file(project.root, table)
    file.write_text(file.read_text() + "-- and so on\n")
    program, read = loaded(project)
    assert set(read.parsed) == set(read.traced) == {table.name}
    assert program == plain(project)


def test_a_new_column_has_those_read_again_that_read_the_table(project: Project) -> None:
    loaded(project)
    platform = tables(FORTY)
    table = next(it for it in platform if it.form == "copy" and readers(platform, it.name))
    file = pipeline_file(project.root, table)
    file.write_text(file.read_text().replace("\nfrom ", ",\n    a.id as one_more\nfrom ", 1))
    program, read = loaded(project)
    assert set(read.parsed) == {table.name}
    assert {table.name} | readers(platform, table.name) <= set(read.traced)
    assert len(read.traced) < FORTY
    assert program == plain(project)


def test_what_masks_is_on_every_edge(project: Project) -> None:
    loaded(project)
    masking = frozenset({"trim"})
    program, read = loaded(project, masking=masking)
    assert not read.parsed
    assert len(read.traced) == FORTY
    assert program == plain(project, masking=masking)


def test_what_cannot_be_read_is_said_each_time_and_read_once_it_is_mended(project: Project) -> None:
    file = pipeline_file(project.root, next(it for it in tables(FORTY) if it.form == "copy"))
    good = file.read_text()
    loaded(project)
    file.write_text(good.replace("\nfrom ", ",\n    a.nothing as nothing\nfrom ", 1))
    said = [{table: str(error) for table, error in loaded(project)[0].unreadable.items()} for _ in range(2)]
    assert said[0] == said[1]
    assert len(said[0]) == 1
    file.write_text(good)
    assert loaded(project)[0] == plain(project)
    assert not loaded(project)[0].unreadable


def test_a_pipeline_that_is_gone_is_forgotten(project: Project) -> None:
    loaded(project)
    whole = sum(it.stat().st_size for it in pieces(project))
    read = {one.name for it in tables(FORTY) for one in it.inputs}
    ends = [it for it in tables(FORTY) if it.form and it.name not in read]
    for it in ends:
        pipeline_file(project.root, it).unlink()
    loaded(project)
    kept = b"".join(it.read_bytes() for it in pieces(project))
    assert sum(it.stat().st_size for it in pieces(project)) < whole
    assert not [it.name for it in ends if it.name.encode() in kept]


def test_what_is_too_large_is_read_each_time(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "LARGEST", 10)
    loaded(project)
    program, read = loaded(project)
    assert read.parsed.total() == FORTY
    assert program == plain(project)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut off": lambda it: it[: len(it) // 2],
    "one byte": lambda it: it[:-9] + bytes([it[-9] ^ 1]) + it[-8:],
    "a foreign file": lambda _: b"SQLite format 3\0" + bytes(500),
    "another edition": lambda it: it[: len(MARK)] + bytes(16) + it[len(MARK) + 16 :],
    "longer": lambda it: it + b"\0",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_memory_is_none(project: Project, damage: Callable[[bytes], bytes]) -> None:
    loaded(project)
    for it in pieces(project):
        it.write_bytes(damage(it.read_bytes()))
    program, read = loaded(project)
    assert program == plain(project)
    assert read.parsed.total() == FORTY
    assert not loaded(project)[1].parsed


def test_a_memory_that_cannot_be_written_keeps_nothing(project: Project) -> None:
    assert project.cache
    project.cache.write_text("a file where the folder would be")
    assert loaded(project)[0] == plain(project)
    assert loaded(project)[1].parsed.total() == FORTY


def test_a_project_without_a_state_folder_is_left_without_one(project: Project) -> None:
    project.state.rmdir()
    assert loaded(project)[0] == plain(project)
    assert loaded(project)[1].parsed.total() == FORTY
    assert not project.state.exists()


def test_processes_that_load_at_once_keep_what_can_be_believed(project: Project) -> None:
    script = "from tests.large.remembering import loaded; from governance.project import project_at; import sys; "
    script += "from pathlib import Path; [loaded(project_at(Path(sys.argv[1]))) for _ in range(3)]"
    command = [sys.executable, "-c", script, str(project.root)]
    running = [subprocess.Popen(command, cwd=ROOT) for _ in range(2)]
    for _ in range(5):
        shutil.rmtree(project.cache or "", ignore_errors=True)
        assert loaded(project)[0] == plain(project)
    assert [it.wait(60) for it in running] == [0, 0]
    program, _ = loaded(project)
    assert program == plain(project)


def test_what_a_killed_writer_left_goes_after_an_hour(project: Project) -> None:
    loaded(project)
    assert project.cache
    old, new = (project.cache / f".{name}{UNFINISHED}" for name in ("old", "new"))
    for it in (old, new):
        it.write_bytes(b"half")
    then = old.stat().st_mtime - PATIENCE - 1
    os.utime(old, (then, then))
    sweep(project.cache)
    assert not old.exists()
    assert new.exists()


def test_version_control_does_not_see_the_memory(project: Project) -> None:
    loaded(project)
    assert project.cache
    assert (project.cache / ".gitignore").read_text() == "*\n"


def test_the_memory_can_be_switched_off(project: Project) -> None:
    env = {"HEADWATER_ROOT": str(project.root)}
    off = side_of_project(find_project(env | {"HEADWATER_CACHE": "off"}))
    assert not pieces(project)
    assert side_of_project(find_project(env)) == off
    assert pieces(project)
    with pytest.raises(HeadwaterError, match="write on or off"):
        find_project(env | {"HEADWATER_CACHE": "no"})


def test_a_load_that_reads_nothing_writes_nothing(project: Project) -> None:
    loaded(project)
    before = {it: it.stat().st_ino for it in pieces(project)}
    loaded(project)
    assert {it: it.stat().st_ino for it in pieces(project)} == before
