"""The page on build servers shows real output: its commands are run in their order, on the demo's pipelines in git."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from platform_assets.cli import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"^```console\n\$ (.*?)\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
FIXTURES = re.findall(r"^```csv (\S+)\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
(CONFIG,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HEADWATER_ROOT": "."}
WHO = {f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "governance").mkdir(parents=True)
    for policy in (ROOT / "governance").glob("*.toml"):
        shutil.copy(policy, root / "governance")
    (root / "platform_assets").mkdir()
    shutil.copy(ROOT / "platform_assets" / "sources.toml", root / "platform_assets")
    shutil.copytree(ROOT / "platform_assets" / "pipelines", root / "platform_assets" / "pipelines")
    (root / "rows").mkdir()
    for table, text in FIXTURES:
        (root / "rows" / f"{table}.csv").write_text(text, encoding="utf-8")
    for command in ("git init -q -b main", "git add -A", "git commit -qm all"):
        run(root, command)
    # the page compares with main, from a branch of its own
    run(root, "git checkout -qb change")
    return root


def run(root: Path, command: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENLINEAGE", "HEADWATER"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ("bash", "-c", command),
        cwd=root,
        env=kept | WHO | QUIET | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 0, done.stderr
    return done.stdout


def here(root: Path, command: str, patch: pytest.MonkeyPatch) -> str:
    """What the command prints, called here: to start a process for it takes many times its work."""
    with patch.context() as patched:
        patched.chdir(root)
        for name in [name for name in os.environ if name.startswith(("OPENLINEAGE", "HEADWATER"))]:
            patched.delenv(name)
        for name, value in QUIET.items():
            patched.setenv(name, value)
        done = CliRunner().invoke(main, shlex.split(command)[1:], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_every_command_prints_what_the_page_shows(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for command, output in CONSOLE:
        alone = command.startswith("headwater ") and "||" not in command
        said = here(project, command, monkeypatch) if alone else run(project, command)
        assert said == output, f"$ {command}"


def test_the_configuration_of_pre_commit_says_what_the_hooks_say() -> None:
    (repo,) = yaml.safe_load(CONFIG)["repos"]
    ours = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    for hook in repo["hooks"]:
        words = ours[hook["id"]]["entry"].partition(" headwater ")[2]
        assert hook["entry"] == f".venv/bin/headwater {words}"
        assert (hook["name"], hook["files"]) == (ours[hook["id"]]["name"], ours[hook["id"]]["files"])
