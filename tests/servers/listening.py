"""The process of ``lineage_server.py``, as a test speaks with it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests


@dataclass(frozen=True, slots=True)
class Listening:
    """A running server; ``verify`` is the file that says whom to trust, where it speaks TLS."""

    url: str
    verify: str | bool = True

    def plan(self, *answers: dict[str, Any] | int) -> None:
        """What it answers to the next events; 201 to those after."""
        told = [{"status": it} if isinstance(it, int) else it for it in answers]
        self._session().put(f"{self.url}/plan", json.dumps(told), timeout=10).raise_for_status()

    def forget(self) -> None:
        self.plan()
        self._session().delete(f"{self.url}/seen", timeout=10).raise_for_status()

    def seen(self) -> list[dict[str, Any]]:
        """Every event that came, with path, headers, size in bytes as sent, and the status it was answered."""
        found: list[dict[str, Any]] = self._session().get(f"{self.url}/seen", timeout=30).json()
        return found

    def taken(self) -> list[dict[str, Any]]:
        return [it["event"] for it in self.seen() if it["status"] == 201]

    def _session(self) -> requests.Session:
        session = requests.Session()
        session.trust_env, session.verify = False, self.verify
        return session


@contextmanager
def listening(certificate: Path | None = None) -> Iterator[Listening]:
    """Give a server that ends with the block; with a certificate and its key, in one file, it speaks TLS."""
    command = [sys.executable, str(Path(__file__).with_name("lineage_server.py"))]
    with subprocess.Popen([*command, *([str(certificate)] if certificate else [])], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout
            port = int(process.stdout.readline())
            if certificate:
                yield Listening(f"https://localhost:{port}", str(certificate))
            else:
                yield Listening(f"http://127.0.0.1:{port}")
        finally:
            process.kill()
