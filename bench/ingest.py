"""Ten million rows of CSV into an Iceberg table, beside DuckDB's own COPY of the file to Parquet.

Goals: within 1.5 times of COPY, in 1 GB of memory. Each is a process of its own; they take turns.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from governance.events.run import Attempt
from governance.events.store import EventStore
from governance.load import load_pipelines
from governance.policy import load_policy, load_sources
from governance.project import project_at
from platform_assets.assets.factory import duckdb_resource
from platform_assets.engines.duckdb import DuckDb
from platform_assets.iceberg.catalog import open_catalog
from platform_assets.runs.materialize import materialize
from platform_assets.runs.run import Platform, Run

ROWS = 10_000_000
ROUNDS = 3

TYPES = {
    "order_id": "bigint",
    "customer_id": "bigint",
    "amount": "decimal(10, 2)",
    "status": "varchar",
    "ordered_at": "timestamp",
    "note": "varchar",
}
MADE = """select i as order_id, i * 7919 % 1000003 as customer_id, (i * 31 % 100000 / 100.0)::decimal(10, 2) as amount,
['paid', 'pending', 'shipped', 'returned'][1 + i % 4] as status,
timestamp '2026-01-01' + to_seconds(i % 20000000) as ordered_at,
'Customer note number ' || i || ', left at the door' as note
from range({rows}) t(i)"""

SOURCES = "[locations.landing]\nat = 'landing'\n\n['landing/orders.csv']\n" + "".join(
    f"columns.{name} = '{kind}'\n" for name, kind in TYPES.items()
)
LINEAGE = """
order = ["public", "internal"]
propagate_through = ["DIRECT"]
masking_functions = []
namespace = "iceberg://bench"
job_namespace = "bench"
"""
FILES = {
    "platform_assets/sources.toml": SOURCES,
    "platform_assets/pipelines/bronze/orders.sql": "create table bronze.orders as select * from 'landing/orders.csv'",
    "governance/lineage.toml": LINEAGE,
    "governance/metadata.toml": "",
    "governance/waivers.toml": "",
}


def main() -> None:
    """Print both, round for round, and what the ingest adds."""
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), ROWS)
        rounds = [(_child("copy", folder), _child("ingest", folder)) for _ in range(ROUNDS)]
    for name, side in zip(("DuckDB's COPY", "ingest"), zip(*rounds, strict=True), strict=True):
        print(f"{name}: at most {max(one['megabytes'] for one in side):,.0f} MB")
    # CPU seconds beside, which a slow moment of the machine hits less
    for clock in ("wall", "CPU"):
        pairs = [(copied[clock], ingested[clock]) for copied, ingested in rounds]
        each = ", ".join(f"{before:.2f} s and {after:.2f} s" for before, after in pairs)
        print(f"{clock}: {each}; ratio, median of {ROUNDS}: {statistics.median(b / a for a, b in pairs):.2f}")


def _write(folder: Path, rows: int) -> None:
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    landed = folder / "landing" / "orders.csv"
    landed.parent.mkdir()
    with duckdb.connect() as connection:
        connection.execute(f"copy ({MADE.format(rows=rows)}) to '{landed}'")
    print(f"{rows:,} rows of CSV, {landed.stat().st_size / 1e6:,.0f} MB")


def _child(work: str, folder: str) -> dict[str, float]:
    command = [sys.executable, "-c", f"from bench import ingest; ingest.told(ingest.{work}, {folder!r})"]
    root = Path(__file__).parent.parent
    return json.loads(subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout)


def told(work: Callable[[Path], object], folder: str) -> None:
    """Print the seconds that ``work`` takes, and the peak of this process in megabytes."""
    wall, cpu = time.perf_counter(), time.process_time()
    work(Path(folder))
    spent = {"wall": time.perf_counter() - wall, "CPU": time.process_time() - cpu}
    # of this process alone: getrusage would tell the peak of the one that it was forked from
    peak = int(Path("/proc/self/status").read_text("utf-8").partition("VmHWM:")[2].split()[0])
    print(json.dumps(spent | {"megabytes": peak / 1024}))


def copy(folder: Path) -> None:
    """Do what DuckDB alone would: read the file with the declared types and write Parquet."""
    columns = ", ".join(f"'{name}': '{kind}'" for name, kind in TYPES.items())
    with duckdb.connect() as connection:
        read = f"read_csv('{folder}/landing/orders.csv', header = true, columns = {{{columns}}})"
        connection.execute("set enable_progress_bar = false")
        connection.execute(f"copy (from {read}) to '{folder}/orders.parquet'")


def ingest(folder: Path) -> None:
    """Run the pipeline as an asset does: lineage, START, the files' shape, the rows, one commit, COMPLETE."""
    project, now = project_at(folder), datetime.now(UTC)
    (pipeline,) = load_pipelines(project)
    engine, store = DuckDb(duckdb_resource(project).get_connection), EventStore(project.events)
    with open_catalog(project) as catalog:
        policy, sources = load_policy(project), load_sources(project)
        platform = Platform(project, policy, sources, catalog, engine, store, lambda: datetime.now(UTC))
        done = materialize(platform, pipeline, Run(Attempt(pipeline.job, now, f"bench-{now.timestamp()}")))
    if done.done.commit.rows != ROWS:
        raise AssertionError(f"{done.done.commit.rows} rows of {ROWS} were committed")
