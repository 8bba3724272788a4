"""docs/partitions.md shows a pipeline and what its runs print."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from governance.project import ROOT, Project
from platform_assets.cli import main
from tests.partitions.conftest import PAID

PAGE = (Path(__file__).parents[2] / "docs" / "partitions.md").read_text("utf-8")


@pytest.mark.usefixtures("catalog")
def test_the_commands_print_what_the_page_shows(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (sql,), (console,) = (re.findall(f"```{kind}\n(.*?)```", PAGE, re.DOTALL) for kind in ("sql", "console"))
    assert sql == PAID
    monkeypatch.setenv(ROOT, str(project.root))
    for shown in re.split(r"^\$ headwater ", console, flags=re.MULTILINE)[1:]:
        command, _, output = shown.partition("\n")
        said = CliRunner().invoke(main, command.split(), catch_exceptions=False).output
        assert re.fullmatch(".*?".join(map(re.escape, output.split("…"))), said), said
