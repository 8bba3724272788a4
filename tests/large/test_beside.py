"""Texts read by two processes: the same values and errors as by one, whatever becomes of the other."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from dagster import AssetKey, AssetSpec

from bench.large_project import pipeline_file
from bench.large_tables import tables
from governance.project import Project
from governance.remembered import beside, open_memory
from governance.remembered import memory as remembered
from governance.statement import Program
from platform_assets.definitions import build_definitions
from platform_assets.side import side_of_project
from tests.large.remembering import Read, large, loaded, plain, read_by

ROOT = Path(__file__).parents[2]
FORTY = 40


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setattr(remembered, "MANY", 2)
    monkeypatch.setattr(remembered, "MANY_AT_HAND", 2)
    monkeypatch.setattr(beside, "may_be_beside", lambda: True)
    monkeypatch.setattr(remembered, "may_be_beside", lambda: True)
    # what other tests started for all of theirs, as a server, is not meant
    before = children()
    yield large(tmp_path, FORTY)
    assert children() <= before


def children() -> set[psutil.Process]:
    return set(psutil.Process().children())


def by_two(project: Project) -> tuple[Program, Read]:
    assert project.cache
    memory, read = open_memory(project.cache), Read()
    with closing(memory):
        program = read_by(project, memory.reading(read.reading()))
    memory.keep()
    return program, read


def test_two_processes_read_what_one_reads(project: Project) -> None:
    program, read = by_two(project)
    assert program == plain(project)
    # what it was given first it reads, however late it comes
    assert 0 < read.parsed.total() <= FORTY - beside.BATCH
    assert 0 < read.traced.total() < FORTY
    again, none = loaded(project)
    assert again == program
    assert not none.parsed
    assert not none.traced


def described(project: Project) -> dict[AssetKey, AssetSpec]:
    return {it.key: it for it in build_definitions(project).resolve_all_asset_specs()}


def test_lineage_and_definitions_are_the_same_by_two_by_one_remembered_and_not(project: Project) -> None:
    by_two = side_of_project(project), described(project)
    remembered_ = side_of_project(project), described(project)
    not_remembered = replace(project, cache=None)
    by_one = side_of_project(not_remembered), described(not_remembered)
    assert by_two == remembered_ == by_one
    assert len(by_one[1]) > FORTY


def test_what_cannot_be_read_is_said_as_by_one(project: Project) -> None:
    for table in [it for it in tables(FORTY) if it.form == "copy"]:
        file = pipeline_file(project.root, table)
        file.write_text(file.read_text().replace("\nfrom ", ",\n    a.nothing as nothing\nfrom ", 1))
    last = pipeline_file(project.root, [it for it in tables(FORTY) if it.form][-1])
    last.write_text(last.read_text() + "and ( of")
    program, _ = by_two(project)
    one = plain(project)
    said, expected = ({table: str(error) for table, error in it.unreadable.items()} for it in (program, one))
    assert said == expected
    assert [*said] == [*expected]
    assert len(said) > 1
    assert (program.statements, program.schemas, program.lineages) == (one.statements, one.schemas, one.lineages)


def test_one_that_dies_is_done_without(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "PROGRAM", "import sys; sys.stdin.buffer.read(9)")
    program, read = by_two(project)
    assert program == plain(project)
    assert read.parsed.total() == read.traced.total() == FORTY


def test_one_that_is_killed_at_work_is_done_without(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"import os, signal; from governance.remembered import reader; {beside.PROGRAM.rpartition(';')[0]};"
    program += "reader.KINDS = {**reader.KINDS, 'trace': lambda task: os.kill(os.getpid(), signal.SIGKILL)}; main()"
    monkeypatch.setattr(
        beside, "PROGRAM", program.replace("import os", f"import sys; sys.path.insert(0, {str(ROOT)!r}); import os")
    )
    found, read = by_two(project)
    assert found == plain(project)
    assert read.parsed.total() < FORTY
    assert read.traced.total() == FORTY


def test_an_interrupted_load_leaves_no_process(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    before = children()

    def interrupted(*_: object, **__: object) -> None:
        assert children() > before
        raise KeyboardInterrupt

    monkeypatch.setattr("governance.statement.program._in_order", interrupted)
    with pytest.raises(KeyboardInterrupt):
        side_of_project(project)
    assert children() <= before


def test_it_ends_with_who_asked() -> None:
    script = "from governance.remembered.beside import Beside; import os, time; it = Beside(); it.expect('parse', {});"
    script += "print(it._process.pid, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE) as asking:
        assert asking.stdout
        other = psutil.Process(int(asking.stdout.readline()))
        os.kill(asking.pid, signal.SIGKILL)
        other.wait(60)


def test_few_texts_are_read_by_one(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "MANY", FORTY + 1)
    _, read = by_two(project)
    assert read.parsed.total() == read.traced.total() == FORTY
