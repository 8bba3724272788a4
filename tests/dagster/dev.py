"""`dagster dev` as a process, asked by GraphQL as its own UI does."""

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import psutil

from tests.dagster.shop import DAGSTER, Shop, process

LOCATION = "platform_assets.definitions"

LAUNCH = """
mutation ($params: ExecutionParams!) {
  launchRun(executionParams: $params) {
    __typename
    ... on LaunchRunSuccess { run { runId } }
    ... on PythonError { message }
  }
}
"""
STATUS = "query ($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"
TERMINATE = "mutation ($id: String!) { terminateRun(runId: $id) { __typename } }"
LOADED = (
    "{ workspaceOrError { ... on Workspace { locationEntries { loadStatus locationOrLoadError { __typename } } } } }"
)


@dataclass(frozen=True, slots=True)
class Dev:
    """A running `dagster dev`; ``start_up_work`` is the processor time of all its processes until it was ready."""

    url: str
    shop: Shop
    process: subprocess.Popen[bytes]
    start_up_work: float

    def ask(self, query: str, **variables: object) -> Any:
        body = json.dumps({"query": query, "variables": variables}).encode()
        asked = Request(f"{self.url}/graphql", body, {"Content-Type": "application/json"})  # noqa: S310  our own server
        with urlopen(asked, timeout=300) as answer:  # noqa: S310
            said = json.load(answer)
        assert "errors" not in said, said["errors"]
        return said["data"]

    def launch(self, table: str) -> str:
        """Materialize a table with its checks, as the UI's button does; return the Dagster run's id."""
        selector = {
            "repositoryLocationName": LOCATION,
            "repositoryName": "__repository__",
            "jobName": "__ASSET_JOB",
            "assetSelection": [{"path": table.split(".")}],
        }
        said = self.ask(LAUNCH, params={"selector": selector, "mode": "default", "runConfigData": {}})["launchRun"]
        assert said["__typename"] == "LaunchRunSuccess", said
        return str(said["run"]["runId"])

    def status(self, run_id: str) -> str:
        return str(self.ask(STATUS, id=run_id)["runOrError"]["status"])

    def terminate(self, run_id: str) -> None:
        assert self.ask(TERMINATE, id=run_id)["terminateRun"]["__typename"] == "TerminateRunSuccess"


@contextmanager
def dagster_dev(shop: Shop, home: Any) -> Iterator[Dev]:
    port = free_port()
    command = (DAGSTER, "dev", "--host", "127.0.0.1", "--port", str(port))
    with process(*command, env=shop.environment(home), log=shop.project.state / "dev.log") as started:
        begun = time.monotonic()
        dev = Dev(f"http://127.0.0.1:{port}", shop, started, 0)
        while not loaded(dev):
            assert started.poll() is None, (shop.project.state / "dev.log").read_text()
            assert time.monotonic() - begun < 600, (shop.project.state / "dev.log").read_text()
            time.sleep(0.2)
        yield Dev(dev.url, shop, started, processor_seconds(started.pid))


def processor_seconds(pid: int) -> float:
    root = psutil.Process(pid)
    times = [one.cpu_times() for one in (root, *root.children(recursive=True))]
    return sum(one.user + one.system for one in times)


def loaded(dev: Dev) -> bool:
    try:
        entries = dev.ask(LOADED)["workspaceOrError"]["locationEntries"]
    except (URLError, OSError):
        return False
    assert all((it["locationOrLoadError"] or {}).get("__typename") != "PythonError" for it in entries), entries
    return all(it["loadStatus"] == "LOADED" for it in entries)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
