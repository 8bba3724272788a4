"""A small shop of its own: one source, two pipelines, a policy; and Dagster on it, in process or as real processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from dagster import AssetCheckEvaluation, DagsterInstance, Definitions, ExecuteInProcessResult

from governance.events.model import Event
from governance.events.store import EventStore
from governance.project import Project, project_at
from platform_assets.iceberg.catalog import open_catalog
from platform_assets.iceberg.publish import replace, target

CHECKOUT = Path(__file__).parents[2]
DAGSTER = Path(sys.executable).with_name("dagster")

FILES = {
    "platform_assets/sources.toml": """
        ["shop.orders"]
        description = "Orders as the till writes them."
        columns.order_id = "bigint"
        columns.email = "varchar"
        columns.paid = "boolean"
    """,
    "governance/lineage.toml": """
        order = ["public", "internal", "personal", "sensitive"]
        propagate_through = ["DIRECT", "INDIRECT"]
        masking_functions = []
        namespace = "iceberg://platform"
        job_namespace = "headwater"
    """,
    "governance/waivers.toml": "",
    "governance/metadata.toml": """
        ["shop.orders"]
        owner = "team:shop"
        columns.order_id = { classification = "internal" }
        columns.email = { classification = "personal" }
        columns.paid = { classification = "internal" }

        ["mart.paid_orders"]
        owner = "team:mart"
        columns.order_id = { classification = "internal" }
        columns.email = { classification = "personal" }

        ["mart.mailing"]
        owner = "team:mart"
        columns.email = { classification = "personal" }
    """,
    "platform_assets/pipelines/mart/paid_orders.sql": """
        -- description: Orders that are paid.
        -- owner: team:mart
        create table mart.paid_orders as
        select o.order_id, o.email from shop.orders o where o.paid
    """,
    "platform_assets/pipelines/mart/mailing.sql": """
        -- description: Whom to write to.
        -- owner: team:mart
        create table mart.mailing as
        select p.email from mart.paid_orders p
    """,
}

ENDLESS = """
    create table mart.endless as
    select sum(a.order_id + b.order_id + c.order_id + d.order_id) as total
    from shop.orders a, shop.orders b, shop.orders c, shop.orders d
"""
"""Hours of work in little memory."""

HANG = 300
"""Seconds that only what hangs takes, on however busy a machine."""


@dataclass(frozen=True, slots=True)
class Shop:
    """The project and its files, and what can be asked of it."""

    project: Project

    @property
    def store(self) -> EventStore:
        return EventStore(self.project.events)

    def write(self, file: str, text: str) -> None:
        path = self.project.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(line.strip() for line in text.splitlines()), "utf-8")

    def rewrite(self, file: str, old: str, new: str) -> None:
        path = self.project.root / file
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")

    def pipeline(self, table: str, sql: str) -> None:
        self.write(f"platform_assets/pipelines/{table.replace('.', '/')}.sql", sql)

    def definitions(self) -> Definitions:
        from platform_assets.definitions import build_definitions  # noqa: PLC0415  Dagster takes seconds to import

        return build_definitions(self.project)

    def run(self, job: str, instance: DagsterInstance, tags: Mapping[str, str] | None = None) -> ExecuteInProcessResult:
        resolved = self.definitions().resolve_job_def(job)
        return resolved.execute_in_process(instance=instance, raise_on_error=False, tags=dict(tags or {}))

    def told(self, job: str) -> list[str]:
        return [event.event_type for event in self.events(job)]

    def events(self, job: str) -> list[Event]:
        return [event for event in self.store.read().events if event.job.name == job]

    def environment(self, home: Path, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENLINEAGE")}
        return kept | {
            "HEADWATER_ROOT": str(self.project.root),
            "HEADWATER_STATE": str(self.project.state),
            "DAGSTER_HOME": str(home),
            **more,
        }


def make_shop(root: Path) -> Shop:
    made = Shop(project_at(root))
    for file, text in FILES.items():
        made.write(file, text)
    fill(made)
    return made


def fill(shop: Shop, rows: int = 3000) -> None:
    orders = pa.table(
        {
            "order_id": pa.array(range(rows), pa.int64()),
            "email": pa.array([f"buyer{number}@example.com" for number in range(rows)]),
            "paid": pa.array([number % 2 == 0 for number in range(rows)]),
        }
    )
    with open_catalog(shop.project) as catalog:
        replace(catalog, target("shop.orders", None), orders.to_reader(), {}, {})


def red(result: ExecuteInProcessResult) -> set[tuple[str, str]]:
    return {
        (".".join(it.asset_key.path), it.check_name) for it in result.get_asset_check_evaluations() if not it.passed
    }


def failed(result: ExecuteInProcessResult) -> list[AssetCheckEvaluation]:
    return [it for it in result.get_asset_check_evaluations() if not it.passed]


def built(result: ExecuteInProcessResult) -> set[str]:
    return {".".join(event.asset_key.path) for event in result.get_asset_materialization_events() if event.asset_key}


def until(happens: Callable[[], bool], seconds: float) -> None:
    """Wait for ``happens``, and fail by name where it does not."""
    deadline = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.1)


@contextmanager
def process(*command: str | Path, env: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command in a session of its own; whatever is left of it is killed at the end, of the tests as well."""
    with log.open("wb") as out:
        started = subprocess.Popen(
            [str(part) for part in command],
            env=env,
            cwd=CHECKOUT,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        with ended_with_us(started):
            yield started


@contextmanager
def ended_with_us(started: subprocess.Popen[bytes]) -> Iterator[None]:
    """Kill the session of ``started`` at the end, or when this process is killed: its queries run for hours."""
    watch = ("sh", "-c", f"read -r _; kill -9 -{started.pid}")
    with subprocess.Popen(watch, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as watching:
        try:
            yield
        finally:
            end_session(started)
            watching.kill()


def end_session(started: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(started.pid, signal.SIGKILL)
    started.wait(HANG)
