"""Two processes side by side: they begin together and end together, whoever is told to or dies."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

from governance.project import Project
from platform_assets import cli
from platform_assets.pages.dev import side_by_side
from tests.page.test_server import project

__all__ = ["project"]

CHECKOUT = Path(__file__).parents[2]
ENDLESS = (sys.executable, "-c", "import time; time.sleep(600)")
IGNORES = """
import pathlib, signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
pathlib.Path("ready").touch()
time.sleep(600)
"""


def test_when_one_dies_the_other_ends_and_the_exit_code_says_so() -> None:
    said: list[str] = []
    dead = (sys.executable, "-c", "raise SystemExit(3)")
    # a server that other tests keep is no child of what is tested
    others = psutil.Process().children()
    assert side_by_side({"one": ENDLESS, "the page": dead}, os.environ, said.append) == 1
    assert said == ["the page ended with exit code 3: the other ends too"]
    assert psutil.Process().children() == others


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_told_to_end_it_ends_both(number: signal.Signals) -> None:
    code = (
        "import os, sys\n"
        "from platform_assets.pages.dev import side_by_side\n"
        f"sys.exit(side_by_side({{'a': {ENDLESS!r}, 'b': {ENDLESS!r}}}, os.environ, print))\n"
    )
    started = subprocess.Popen([sys.executable, "-c", code], cwd=CHECKOUT)
    try:
        children = until_it_has_two(started)
        started.send_signal(number)
        assert started.wait(300) == 0
        assert not [it for it in children if it.is_running()]
    finally:
        started.kill()
        started.wait()


def until_it_has_two(started: subprocess.Popen[bytes]) -> list[psutil.Process]:
    for _ in range(6000):
        children = psutil.Process(started.pid).children()
        if len(children) == 2:
            return children
        time.sleep(0.05)
    raise AssertionError("it did not start both")


def test_what_does_not_end_when_told_to_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = psutil.Process().children()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("platform_assets.pages.dev.PATIENCE", 0.2)
    waits = (sys.executable, "-c", "import os, time\nwhile not os.path.exists('ready'): time.sleep(0.05)")
    assert side_by_side({"stubborn": (sys.executable, "-c", IGNORES), "short": waits}, os.environ, str) == 1
    assert psutil.Process().children() == others


LEAVES = """
import os, pathlib, signal, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path("child").write_text(str(child.pid))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_one_had_started_ends_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("platform_assets.pages.dev.GRACE", 1.0)
    assert side_by_side({"Dagster": (sys.executable, "-c", LEAVES), "the page": ENDLESS}, os.environ, str) == 1
    left = int((tmp_path / "child").read_text())
    assert not psutil.pid_exists(left) or psutil.Process(left).status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("option", ["--port", "--page-port"])
def test_a_port_that_is_taken_is_said_before_anything_starts(
    project: Project, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.chdir(project.root)
    monkeypatch.setattr("platform_assets.pages.dev.side_by_side", lambda *_: pytest.fail("it started"))
    monkeypatch.setenv("HEADWATER_ROOT", str(project.root))
    monkeypatch.setenv("HEADWATER_STATE", str(project.state))
    with socket.create_server(("127.0.0.1", 0)) as taken, socket.create_server(("127.0.0.1", 0)) as probe:
        port, free = taken.getsockname()[1], probe.getsockname()[1]
        probe.close()
        other = {"--port": "--page-port", "--page-port": "--port"}[option]
        said = CliRunner().invoke(cli.main, ["dev", option, str(port), other, str(free)])
    assert said.exit_code != 0
    assert f"port {port} of 127.0.0.1 is in use" in said.output
    assert f"choose another with {option}" in said.output


@pytest.mark.parametrize("located", [(), ("-m", "platform_assets.definitions")])
def test_the_command_starts_dagster_and_the_page_on_this_project(
    project: Project, monkeypatch: pytest.MonkeyPatch, located: tuple[str, ...]
) -> None:
    started: dict[str, list[str]] = {}
    if not located:  # what the project itself says of it stands
        (project.root / "workspace.yaml").touch()

    def record(commands: dict[str, tuple[str, ...]], env: dict[str, str], _: object) -> int:
        started.update({name: [Path(program).name, *rest] for name, (program, *rest) in commands.items()})
        started["home"] = [env["DAGSTER_HOME"]]
        started["at"] = [env.get("HEADWATER_PAGE", ""), env["HEADWATER_DAGSTER"]]
        started["root"] = [env["HEADWATER_ROOT"]]
        return 0

    monkeypatch.chdir(project.root)
    monkeypatch.setattr("platform_assets.pages.dev.side_by_side", record)
    monkeypatch.setattr("platform_assets.pages.listen.listening", lambda *_: socket.socket())
    monkeypatch.setenv("HEADWATER_ROOT", str(project.root))
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.delenv("HEADWATER_PAGE", raising=False)
    monkeypatch.delenv("HEADWATER_STATE", raising=False)
    said = CliRunner().invoke(cli.main, ["dev", "--page-port", "4001"])
    assert said.exit_code == 0, said.output
    assert started == {
        "Dagster": ["dagster", "dev", *located, "--host", "127.0.0.1", "--port", "3000"],
        "the page": ["headwater", "ui", "--host", "127.0.0.1", "--port", "4001"],
        "home": [str(project.state / "dagster")],
        "at": ["", "http://127.0.0.1:3000"],
        "root": [str(project.root)],
    }


@pytest.mark.parametrize(
    ("ui", "host", "at"),
    [
        ("", "127.0.0.1", ("http://127.0.0.1:4001", "http://127.0.0.1:4000")),
        ("", "0.0.0.0", ("http://127.0.0.1:4001", "http://127.0.0.1:4000")),  # noqa: S104  a name, not listened at
        ("", "::1", ("http://[::1]:4001", "http://[::1]:4000")),
        ("", "10.0.0.7", ("http://10.0.0.7:4001", "http://10.0.0.7:4000")),
        ('dagster = "http://localhost/prod"', "127.0.0.1", ("http://127.0.0.1:4001", "http://127.0.0.1:4000/prod")),
        ('page = "https://lineage.example.com"', "127.0.0.1", (None, "http://127.0.0.1:4000")),
    ],
)
def test_each_is_linked_where_it_listens_unless_it_is_had_elsewhere(
    project: Project, monkeypatch: pytest.MonkeyPatch, ui: str, host: str, at: tuple[str | None, str]
) -> None:
    env: dict[str, str] = {}
    settings = project.policy[0] / "lineage.toml"
    settings.write_text(f"{settings.read_text().partition('[ui]')[0]}\n[ui]\n{ui}\n")
    monkeypatch.chdir(project.root)
    monkeypatch.setattr("platform_assets.pages.dev.side_by_side", lambda _, given, __: env.update(given) or 0)
    monkeypatch.setattr("platform_assets.pages.listen.listening", lambda *_: socket.socket())
    monkeypatch.setenv("HEADWATER_ROOT", str(project.root))
    monkeypatch.setenv("HEADWATER_STATE", str(project.state))
    for name in ("HEADWATER_PAGE", "HEADWATER_DAGSTER"):
        monkeypatch.delenv(name, raising=False)
    said = CliRunner().invoke(cli.main, ["dev", "--host", host, "--port", "4000", "--page-port", "4001"])
    assert said.exit_code == 0, said.output
    assert (env.get("HEADWATER_PAGE"), env.get("HEADWATER_DAGSTER")) == at
