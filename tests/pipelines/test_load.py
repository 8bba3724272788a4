import re
from pathlib import Path

import pytest

from governance.errors import PipelineError
from governance.load import load_pipelines
from governance.project import Project, project_at

FIX = "name it <schema>/<table>.sql in lower-case letters, digits and underscores, each beginning with a letter"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = project_at(tmp_path)
    project.pipelines[0].mkdir(parents=True)
    return project


def write(folder: Path, name: str, sql: str = "select 1") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(sql, encoding="utf-8")
    return path


def test_the_path_names_table_job_and_file(project: Project) -> None:
    write(project.pipelines[0], "marketing/audience.sql")
    write(project.pipelines[0], "ai/review_corpus.sql")
    assert [(it.table, it.file) for it in load_pipelines(project)] == [
        ("ai.review_corpus", "platform_assets/pipelines/ai/review_corpus.sql"),
        ("marketing.audience", "platform_assets/pipelines/marketing/audience.sql"),
    ]


def test_an_overlay_adds_and_replaces(project: Project) -> None:
    write(project.pipelines[0], "a/one.sql", "select 1")
    write(project.pipelines[0], "a/two.sql", "select 2")
    write(project.pipelines[1], "a/two.sql", "select 22")
    write(project.pipelines[1], "b/three.sql", "select 3")
    loaded = {it.table: it for it in load_pipelines(project)}
    assert {table: it.sql for table, it in loaded.items()} == {
        "a.one": "select 1",
        "a.two": "select 22",
        "b.three": "select 3",
    }
    assert loaded["a.two"].file == ".headwater/scenario/pipelines/a/two.sql"


def test_other_and_hidden_files_are_left_alone(project: Project) -> None:
    for name in ("README.md", "a/notes.txt", "a/.#two.sql", ".git/a/b.sql", "a/one.sql"):
        write(project.pipelines[0], name)
    assert [it.table for it in load_pipelines(project)] == ["a.one"]


def test_a_byte_order_mark_is_no_text(project: Project) -> None:
    write(project.pipelines[0], "a/one.sql", "\ufeff-- owner: team:x\nselect 1")
    assert load_pipelines(project)[0].owner == "team:x"


@pytest.mark.parametrize(
    "name", ["one.sql", "a/b/one.sql", "a/One.sql", "a/my table.sql", "a/1.sql", "a/b.c.sql", "é/b.sql", "a/b.SQL"]
)
def test_an_odd_path_is_refused_with_the_form_it_should_have(project: Project, name: str) -> None:
    write(project.pipelines[0], name)
    with pytest.raises(PipelineError, match=re.escape("<schema>/<table>.sql")) as caught:
        load_pipelines(project)
    assert caught.value.where() == f"platform_assets/pipelines/{name}"


def test_a_link_out_of_the_folder_is_refused(project: Project, tmp_path: Path) -> None:
    outside = write(tmp_path, "elsewhere.sql")
    (project.pipelines[0] / "a").mkdir()
    (project.pipelines[0] / "a" / "b.sql").symlink_to(outside)
    with pytest.raises(PipelineError, match="outside the pipelines folder"):
        load_pipelines(project)


def test_a_file_whose_text_or_header_is_wrong_loads_with_its_problem_beside_the_others(project: Project) -> None:
    folder = project.pipelines[0]
    write(folder, "a/latin.sql").write_bytes(b"-- owner: team:x\n-- description: caf\xe9\nselect 1")
    write(folder, "a/misspelt.sql", "-- owner: team:x\n-- descripton: y\nselect 1")
    write(folder, "a/right.sql")
    (folder / "a" / "unreadable.sql").mkdir()

    latin, misspelt, right, unreadable = load_pipelines(project)

    assert right.problem is None
    said = {it.table: it.problem for it in (latin, misspelt, unreadable)}
    assert {table: (it.where(), it.problem) for table, it in said.items() if it} == {
        "a.latin": ("platform_assets/pipelines/a/latin.sql:2", "the text is not UTF-8"),
        "a.misspelt": ("platform_assets/pipelines/a/misspelt.sql:2", "unknown header word 'descripton'"),
        "a.unreadable": ("platform_assets/pipelines/a/unreadable.sql", "it cannot be read: Is a directory"),
    }
    assert misspelt.sql.endswith("select 1")


def test_a_project_without_pipeline_folders_says_so(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="no such folder"):
        load_pipelines(project_at(tmp_path))


def test_all_paths_that_name_no_table_are_told_at_once(project: Project) -> None:
    for name in ("odd schema/reader.sql", "a/fine.sql", "a/My.sql"):
        write(project.pipelines[0], name)
    write(project.pipelines[1], "deep/er/one.sql")
    with pytest.raises(PipelineError) as caught:
        load_pipelines(project)
    assert [line.split(": ")[:2] for line in str(caught.value).splitlines()] == [
        [file, f"the path does not name a table; {FIX}"]
        for file in (
            "platform_assets/pipelines/a/My.sql",
            "platform_assets/pipelines/odd schema/reader.sql",
            ".headwater/scenario/pipelines/deep/er/one.sql",
        )
    ]
