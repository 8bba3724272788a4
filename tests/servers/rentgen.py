"""A running Data.Rentgen: its packages in an environment of their own, its tables in a PostgreSQL of the test's own."""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.postgres import Postgres, free_port

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "requirements.txt"
KEY = "key-of-the-rentgen-server"
_NEWEST = (3, 14)
_OLDEST = (3, 12)


@dataclass(frozen=True, slots=True)
class Rentgen:
    """A running server; ``token`` is a user's, for its REST API."""

    url: str
    token: str

    def get(self, path: str, **query: object) -> Any:
        """What its REST API answers."""
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = requests.get(f"{self.url}/v1/{path}", query, headers=headers, timeout=30)
        answer.raise_for_status()
        return answer.json()

    def every(self, path: str) -> list[dict[str, Any]]:
        """All things of a kind: ``datasets``, ``jobs``."""
        page = self.get(path, page_size=50)
        assert not page["meta"]["has_next"]
        return [it["data"] for it in page["items"]]

    def save(self) -> None:
        """Have its consumer save all that it took."""
        requests.post(f"{self.url}/save", timeout=90).raise_for_status()

    def refusal(self, event: Mapping[str, Any]) -> str | None:
        """Why its consumer does not take an event, None where it does."""
        headers = {"Authorization": f"Bearer {KEY}"}
        sent = requests.post(f"{self.url}/api/v1/lineage", json.dumps(event), headers=headers, timeout=30)
        assert sent.status_code in {202, 422}, sent.text
        return sent.text if sent.status_code == 422 else None


@contextmanager
def rentgen_server(postgres: Postgres, log: Path) -> Iterator[Rentgen]:
    """Give a running server with an empty database, which ends with the block."""
    python, port = installed(), free_port()
    database = postgres.make("rentgen").replace("psycopg2", "asyncpg")
    settings = {
        "DATABASE__URL": database,
        "AUTH__ACCESS_TOKEN__SECRET_KEY": "none",
        "SERVER__SESSION__SECRET_KEY": "none",
        "SERVER__STATIC_FILES__ENABLED": "false",
        "SERVER__OPENAPI__ENABLED": "false",
        "SERVER__MONITORING__ENABLED": "false",
    }
    environment = {"PATH": os.environ["PATH"]} | {f"DATA_RENTGEN__{name}": value for name, value in settings.items()}
    command = [str(python), str(HERE / "rentgen_app.py"), str(port), KEY]
    with log.open("wb") as said, subprocess.Popen(command, env=environment, stdout=said, stderr=said) as process:
        try:
            yield _ready(f"http://127.0.0.1:{port}", process, log)
        finally:
            process.terminate()
            process.wait(20)


def _ready(url: str, process: "subprocess.Popen[bytes]", log: Path) -> Rentgen:
    login = {"grant_type": "password", "username": "ada", "password": "ada"}
    deadline = time.monotonic() + 180
    while True:
        try:
            return Rentgen(url, requests.post(f"{url}/v1/auth/token", login, timeout=30).json()["access_token"])
        except requests.ConnectionError:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)


def installed() -> Path:
    """Return the Python of an environment that has the packages of ``requirements.txt``; made once a machine.

    Skips the test where there is no Python that they run on, or no registry that has them.
    """
    base = _python()
    name = hashlib.sha256(REQUIREMENTS.read_bytes() + str(base).encode()).hexdigest()[:16]
    folder = _cache() / f"data-rentgen-{name}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            _install(base, folder)
    return folder / "bin" / "python"


def _install(base: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([base, "-m", "venv", folder], check=True, capture_output=True)
    # --no-deps: the list is whole, and pip need not look for what else there could be
    install = [folder / "bin" / "python", "-m", "pip", "install", "-q", "--no-deps", "-r", REQUIREMENTS]
    done = subprocess.run(install, check=False, capture_output=True, text=True)
    if done.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"data-rentgen cannot be installed: {done.stderr.strip().splitlines()[-1:]}")
    (folder / "complete").touch()


def _cache() -> Path:
    """Outside of the checkout, so that a clean one need not install them again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "headwater-tests"


def _python() -> Path:
    """Return the newest Python that runs here among those that the packages are known to run on."""
    for minor in range(_NEWEST[1], _OLDEST[1] - 1, -1):
        on_path = shutil.which(f"python3.{minor}")
        pyenv = sorted(Path("~/.pyenv/versions").expanduser().glob(f"3.{minor}.*/bin/python"))
        for found in filter(None, (on_path, *map(str, pyenv))):
            if _version(found) == (3, minor):
                return Path(found)
    pytest.skip("data-rentgen needs Python 3.12 or newer, and none is on PATH or under ~/.pyenv/versions")


def _version(python: str) -> tuple[int, ...]:
    # pyenv's shims stand on PATH for versions that do not run
    say = "import sys, venv, ensurepip; print(*sys.version_info[:2])"
    done = subprocess.run([python, "-c", say], check=False, capture_output=True, text=True)
    return tuple(map(int, done.stdout.split())) if done.returncode == 0 else ()
