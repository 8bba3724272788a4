"""``headwater --project FOLDER``: any folder that is a project, from wherever the command is typed."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from platform_assets import cli

LINEAGE = """
order = ["public", "internal"]
propagate_through = ["DIRECT"]
masking_functions = []
namespace = "iceberg://shop"
job_namespace = "shop"
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "my shop"
    (root / "governance").mkdir(parents=True)
    (root / "governance" / "lineage.toml").write_text(LINEAGE)
    (root / "governance" / "metadata.toml").touch()
    (root / "platform_assets" / "pipelines" / "gold").mkdir(parents=True)
    (root / "platform_assets" / "pipelines" / "gold" / "days.sql").write_text(
        "create table gold.days as select 1 as day"
    )
    (root / "platform_assets" / "sources.toml").touch()
    return root


def headwater(*words: str) -> Result:
    return CliRunner().invoke(cli.main, words)


def test_it_stands_before_the_command_and_names_the_project(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop.parent)
    said = headwater("--project", shop.name, "lineage", "--all", "--format", "text")
    assert said.exit_code == 0, said.output
    assert "gold.days" in said.output


def test_it_goes_before_the_variable_which_stands_again_afterwards(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_ROOT", "elsewhere")
    said = headwater("--project", str(shop), "lineage", "--all", "--format", "text")
    assert said.exit_code == 0, said.output
    assert os.environ["HEADWATER_ROOT"] == "elsewhere"


@pytest.mark.parametrize("command", ["run", "check", "demo", "ui", "dev"])
def test_a_folder_that_is_none_is_an_error_that_says_where_one_is(
    shop: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(shop.parent)
    said = headwater("--project", f"{shop.name}/governance", command)
    assert said.exit_code == 1
    assert said.output == (
        "Error: my shop/governance is no project: it has no platform_assets folder; "
        "name a folder that has platform_assets and governance in it, perhaps my shop\n"
    )


def test_what_is_not_there_is_no_project_either(tmp_path: Path) -> None:
    said = headwater("--project", str(tmp_path / "nowhere"), "run")
    assert said.exit_code == 1
    assert "is no project" in said.output


def test_the_demo_is_made_only_where_its_sources_are_declared(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADWATER_STATE", raising=False)
    said = headwater("--project", str(shop), "demo")
    assert said.exit_code == 1
    assert "none of the demo platform's tables; build it with `headwater run`" in said.output
