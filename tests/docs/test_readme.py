"""The README shows real output: every command in it is run, in its order, on a platform of the test's own."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from governance.lineage import column_lineage
from governance.pipeline import parse_pipeline
from governance.policy import load_sources
from governance.project import project_at
from governance.statement import parse, trace
from platform_assets.cli import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


class Shown(NamedTuple):
    command: str
    output: str


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)


def shown() -> list[Shown]:
    pairs = (block.split("\n", 1) for block in blocks("console"))
    return [Shown(command.removeprefix("$ "), output) for command, output in pairs]


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readme")


def environment(state: Path, words: list[str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENLINEAGE")}
    # another project has a catalog of its own
    return kept | {"HEADWATER_STATE": str(state / "other" if "--project" in words else state)}


def process(state: Path, command: str) -> str:
    """What the command prints as a user starts it."""
    words = ["headwater", "demo"] if command == "make demo" else shlex.split(command)
    done = subprocess.run(
        [str(Path(sys.executable).with_name(words[0])), *words[1:]],
        env=environment(state, words),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def here(state: Path, command: str, patch: pytest.MonkeyPatch) -> str:
    """What the command prints, called here: another process costs most of them many times their work."""
    words = shlex.split(command)
    with patch.context() as patched:
        patched.chdir(ROOT)
        patched.setenv("HEADWATER_STATE", environment(state, words)["HEADWATER_STATE"])
        for name in [name for name in os.environ if name.startswith("OPENLINEAGE")]:
            patched.delenv(name)
        return CliRunner().invoke(main, words[1:], catch_exceptions=False).stdout


def agrees(said: str, output: str) -> bool:
    """``…`` in the README stands for what differs from run to run, and for lines left out.

    A file in the state folder is told by its place in the project, where that folder is in it; here it is not.
    """
    output = re.sub(r"\.headwater/\S+/", "", output)
    pattern = ".*?".join(re.escape(part) for part in output.split("…"))
    return re.fullmatch(pattern, said, flags=re.DOTALL) is not None


def test_every_command_prints_what_the_readme_shows(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = shown()
    assert first.command == "make demo"
    assert agrees(process(state, first.command), first.output)
    for it in others:
        assert agrees(here(state, it.command, monkeypatch), it.output), f"$ {it.command}"


def test_the_pipeline_that_the_readme_adds_can_be_read() -> None:
    (sql,) = blocks("sql")
    pipeline = parse_pipeline("analytics.unfinished_courses", "unfinished_courses.sql", sql)

    lineage = trace(parse(pipeline), {source.table: dict(source.columns) for source in load_sources(project_at(ROOT))})

    assert pipeline.automation == "eager"
    assert [out.name for out in lineage.fields] == ["course_id", "title"]


def test_the_python_that_the_readme_shows_gives_what_it_says() -> None:
    example, said = blocks("python")
    scope: dict[str, object] = {"column_lineage": column_lineage}
    exec(compile(example.rsplit("\n", 2)[0], "README.md", "exec"), scope)  # noqa: S102  # the README's own text

    assert eval(f"{example.splitlines()[-1]}", scope) == eval(said, {})  # noqa: S307  # the README's own text


def test_every_command_has_a_line_in_the_readme() -> None:
    listed = re.findall(r"^\| `headwater ([a-z-]+)", README, flags=re.MULTILINE)
    offered = re.findall(
        r"^  ([a-z-]+)  ", process(Path.cwd(), "headwater --help").partition("Commands:")[2], re.MULTILINE
    )

    assert sorted({*listed}) == sorted(offered)
