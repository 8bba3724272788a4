"""``headwater report``: the page as a file, written whole or not at all."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from governance.events.reading import SUFFIXES
from governance.page import html
from governance.project import Project
from platform_assets import cli
from platform_assets.commands import page
from tests.page.made import event, table
from tests.page.test_html import embedded
from tests.page.test_server import project

__all__ = ["project"]

EARLY = event("a.a", writes=[table("a.a", {"x": ["b.b.x IDENTITY"]})])
LATE = event("c.c", "2026-11-02T02:00:00Z", writes=[table("c.c", {"x": ["a.a.x IDENTITY"]})])


@pytest.fixture
def events(tmp_path: Path) -> Path:
    path = tmp_path / f"told{SUFFIXES[0]}"
    path.write_text("".join(f"{json.dumps(it)}\n" for it in (EARLY, LATE)))
    return path


@pytest.fixture(autouse=True)
def at_home(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_ROOT", str(project.root))
    monkeypatch.setenv("HEADWATER_STATE", str(project.state))


def report(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli.main, ["report", *map(str, arguments)])


def names(page: str) -> list[str]:
    return [it["name"] for it in embedded(page)["datasets"]]


def test_it_writes_one_file(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    said = report("-o", file)
    assert said.exit_code == 0, said.output
    assert names(file.read_text("utf-8")) == ["a.a", "b.b"]
    assert [it.name for it in tmp_path.glob("*.html")] == ["page.html"]
    assert not list(tmp_path.glob(".page*"))


def test_it_may_be_of_events_from_elsewhere_and_of_a_moment(events: Path) -> None:
    assert names(report("-o", "-", "--events", events).stdout) == ["a.a", "b.b", "c.c"]
    assert names(report("-o", "-", "--events", events, "--as-of", "2026-11-01T12:00").stdout) == ["a.a", "b.b"]


def test_it_may_be_json(events: Path) -> None:
    found = json.loads(report("-o", "-", "--events", events, "--format", "json").stdout)
    assert found["version"] == 1
    assert [len(it["edges"]) for it in found["versions"]] == [1, 1]


def test_a_page_that_is_there_is_replaced_and_keeps_nothing_of_the_old(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("old" * 1_000_000)
    report("-o", file)
    assert file.read_text("utf-8").startswith("<!doctype html>")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    said = report("-o", tmp_path)
    assert said.exit_code == 1
    assert f"{tmp_path} is a folder; name a file in it" in said.output


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    said = report("-o", tmp_path / "nowhere" / "page.html")
    assert said.exit_code == 1
    assert "cannot be written (No such file or directory)" in said.output


def test_a_disk_that_fails_leaves_the_old_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "page.html"
    file.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert "No space left on device" in report("-o", file).output
    assert file.read_text() == "old"
    assert not list(tmp_path.glob(".page*"))


def test_no_events_yet_is_said(project: Project) -> None:
    for file in project.events.iterdir():
        file.unlink()
    project.events.rmdir()
    assert "there are no events yet; run `headwater run` or `headwater demo`" in report("-o", "-").output


def test_a_line_that_is_no_event_is_a_warning(events: Path) -> None:
    events.write_text(f"{events.read_text()}not an event\n")
    said = report("-o", "-", "--events", events)
    assert said.exit_code == 0
    assert "warning: " in said.stderr


def test_it_needs_neither_dagster_nor_a_catalog(events: Path) -> None:
    code = (
        "import sys, governance.page.html as html, pathlib\n"
        f"html.STATIC = pathlib.Path({str(html.STATIC)!r})\n"
        "from platform_assets.cli import main\n"
        f"main(['report', '-o', {os.devnull!r}, '--events', {str(events)!r}], standalone_mode=False)\n"
        "print(sorted({'dagster', 'pyiceberg', 'duckdb', 'pyarrow', 'starlette'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("", (3001, 3000)),
        ('page = "http://127.0.0.1:4001"\ndagster = "http://localhost:4000"', (4001, 4000)),
        ('page = "https://lineage.example.com:8443"\ndagster = "http://127.0.0.1"', (3001, 3000)),
        ("page = 1", (3001, 3000)),
    ],
)
def test_the_ports_are_those_that_links_lead_to(project: Project, settings: str, expected: tuple[int, int]) -> None:
    file = project.root / "governance/lineage.toml"
    file.write_text(f"{file.read_text().partition('[ui]')[0]}[ui]\n{settings}\n")
    assert page._ports(project) == expected
