"""A PostgreSQL server of a test's own: Debian's programs, a folder of its own, a password, a port that was free."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from tempfile import mkdtemp

import psycopg2
import pytest

USER = "headwater"
SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "listen_addresses": "127.0.0.1",
    "max_connections": "60",
    "shared_buffers": "16MB",
    "synchronous_commit": "off",
}


@dataclass(frozen=True, slots=True)
class Postgres:
    """A running server; ``password`` is that of its one user, a superuser."""

    port: int
    password: str
    process: "subprocess.Popen[bytes]"

    def uri(self, database: str) -> str:
        return f"postgresql+psycopg2://{USER}:{self.password}@127.0.0.1:{self.port}/{database}"

    def variables(self, database: str) -> dict[str, str]:
        """Return what ``deploy/dagster.yaml`` asks for."""
        prefix = "DAGSTER_POSTGRES_"
        at = {"HOST": "127.0.0.1", "PORT": str(self.port), "USER": USER, "PASSWORD": self.password, "DB": database}
        return {f"{prefix}{name}": value for name, value in at.items()}

    def make(self, database: str) -> str:
        """Make an empty database and return its URI."""
        self.ask("postgres", f'create database "{database}"')
        return self.uri(database)

    def make_schema(self) -> str:
        """Make an empty schema in the database that there is, which is quicker, and return a URI that means it."""
        name = f"s{secrets.token_hex(8)}"
        self.ask("postgres", f"create schema {name}")
        return f"{self.uri('postgres')}?options=-csearch_path%3D{name}"

    def ask(self, database: str, sql: str) -> list[tuple[object, ...]]:
        at = {"host": "127.0.0.1", "port": self.port, "user": USER, "password": self.password, "dbname": database}
        with closing(psycopg2.connect(**at)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(sql)
                return cursor.fetchall() if cursor.description else []


def programs() -> Path:
    """Return the folder of initdb and postgres; without one the test is skipped, and fails in CI."""
    found = sorted(glob("/usr/lib/postgresql/*/bin/initdb"))  # noqa: PTH207  # Debian has them nowhere else
    on_path = shutil.which("initdb")
    if not found and not on_path and not os.environ.get("CI"):
        pytest.skip("no PostgreSQL on this machine: apt-get install postgresql")
    assert found or on_path, "CI needs Debian's postgresql"
    return Path(found[-1] if found else str(on_path)).parent


@contextmanager
def postgres_server() -> Iterator[Postgres]:
    """Give a running server that is gone with all of its files afterwards, and that dies with this process."""
    bin_folder = programs()
    # beside pytest's folder, not in it: the server must get into it as another user, and a socket's path is short
    folder = Path(mkdtemp(prefix="headwater-pg-", dir=os.environ.get("PYTEST_DEBUG_TEMPROOT")))
    try:
        password, port = secrets.token_hex(8), free_port()
        secret = folder / "password"
        secret.write_text(password)
        as_user = unprivileged(folder)
        # a server that its test left behind would stay for ever
        tied = (*(as_user or ("setpriv",)), "--pdeathsig", "INT")
        data = folder / "data"
        made = (bin_folder / "initdb", "-D", data, "-U", USER, "-A", "scram-sha-256", f"--pwfile={secret}")
        subprocess.run(
            [*as_user, *map(str, made), "--no-sync", "--locale=C", "-E", "UTF8"], check=True, capture_output=True
        )
        options = [text for name, value in SETTINGS.items() for text in ("-c", f"{name}={value}")]
        command = [*tied, str(bin_folder / "postgres"), "-D", str(data), "-k", str(folder), "-p", str(port), *options]
        with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
            started = Postgres(port, password, process)
            try:
                wait_until_ready(started, folder / "log")
                yield started
            finally:
                process.send_signal(signal.SIGQUIT)
                process.wait(20)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def unprivileged(folder: Path) -> tuple[str, ...]:
    """Return what a command begins with that must not run as root, with ``folder`` its own."""
    if os.geteuid() != 0:
        return ()
    user = next(name for name in ("postgres", "nobody") if known(name))
    for path in (folder, *folder.iterdir()):
        shutil.chown(path, user)
    return ("setpriv", f"--reuid={user}", "--clear-groups", "--inh-caps=-all")


def known(user: str) -> bool:
    return subprocess.run(["id", user], capture_output=True, check=False).returncode == 0


def wait_until_ready(server: Postgres, log: Path) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            server.ask("postgres", "select 1")
        except psycopg2.OperationalError:
            assert server.process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        else:
            return


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
