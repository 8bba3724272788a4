"""The event store at size: 2,000 events of 76 KB, 660,000 edges.

Goal: at least 2,500 events per CPU-second from NDJSON. Seconds are of CPU, all threads of the process together.
"""

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa

from governance.events.arrays import HOW, Edges, standing_edges
from governance.events.compact import compact
from governance.events.edges import EDGES as EDGES_SCHEMA
from governance.events.edges import SEPARATOR
from governance.events.manifest import FOLDER, Day, Segment, read_manifest, write_manifest
from governance.events.reading import read_events
from governance.events.segment import EVENTS as EVENTS_SCHEMA
from governance.events.segment import parquet
from governance.events.store import EventStore

EVENTS = 2_000
EDGES = 330
"""Edges of one event; with its SQL and schema that makes 76 KB."""

ROUNDS = 3
_SEGMENTS, _EACH = 40, 250_000
_MADE = datetime(2026, 10, 1, 2, tzinfo=UTC)
_DAY = "events-2026-10-01.ndjson"


def main() -> None:
    """Print reading, compaction and looking up: of jobs that all differ, then of twenty that run again and again."""
    for title, jobs in (("2,000 jobs, one run each", EVENTS), ("20 jobs, 100 runs each", 20)):
        with tempfile.TemporaryDirectory() as folder:
            _store(Path(folder), title, jobs)
    _arrays()


def _arrays() -> None:
    """Ten million edges of 40 segments, as compaction writes them, to arrays of int32."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder)
        (store / FOLDER).mkdir()
        for segment in range(_SEGMENTS):
            _put(store, segment)
        begun, cpu = time.perf_counter(), time.process_time()
        edges = standing_edges(store)
        took, spent = time.perf_counter() - begun, time.process_time() - cpu
        _say(f"{len(edges.source):,} edges between {len(edges.names):,} fields, as arrays from Parquet")
        _say(f"  {took:.2f} s, {spent:.2f} s of CPU, {_megabytes(edges):.0f} MB of arrays")


def _put(store: Path, number: int) -> None:
    """One day with the COMPLETE of one job, whose 250,000 edges lead from 20,000 fields to 5,000."""
    random = np.random.default_rng(number)
    sources = [f"iceberg://platform{SEPARATOR}s.t{place // 20}{SEPARATOR}f{place % 20}" for place in range(20_000)]
    output = f"iceberg://platform{SEPARATOR}out.t{number}{SEPARATOR}"
    columns = (
        np.zeros(_EACH, np.int32),
        pa.array(sources).take(pa.array(random.integers(0, 20_000, _EACH))),
        pa.array([f"{output}f{place}" for place in range(5_000)]).take(pa.array(random.integers(0, 5_000, _EACH))),
        pa.array(list(HOW)).take(pa.array(random.integers(0, len(HOW), _EACH))),
        random.random(_EACH) < 0.1,  # noqa: PLR2004  # one in ten is masked
    )
    edges = pa.table(
        [pa.array(it, kind) for it, kind in zip(columns, EDGES_SCHEMA.types, strict=True)], schema=EDGES_SCHEMA
    )
    row = {"event_time": number, "event_type": "COMPLETE", "run_id": f"r{number}", "job_namespace": "j"}
    rows = [row | {"job_name": f"job{number}", "outputs": [output], "said": [0], "line": 1, "offset": 0, "raw": b"{}"}]
    stem = f"events-{_MADE.date() + timedelta(days=number)}"
    files = f"{stem}.0.parquet", f"{stem}.0.edges.parquet"
    for file, table in zip(files, (pa.Table.from_pylist(rows, schema=EVENTS_SCHEMA), edges), strict=True):
        (store / FOLDER / file).write_bytes(parquet(table))
    day = Day(0, 1, 1, (Segment(files[0], 0, 1, 1, 0, "", files[1]),))
    write_manifest(store, read_manifest(store).with_day(f"{stem}.ndjson", day))


def _megabytes(edges: Edges) -> float:
    return sum(it.nbytes for it in (edges.source, edges.target, edges.how, edges.masking)) / 1e6


def _store(folder: Path, title: str, jobs: int) -> None:
    day = folder / _DAY
    day.write_bytes(b"".join(_lines(jobs)))
    size = day.stat().st_size
    _say(f"{title}: {EVENTS} events of {size / EVENTS / 1000:.0f} KB, {EVENTS * EDGES:,} edges")
    plain = _cpu(lambda: [json.loads(line) for line in day.read_bytes().splitlines()])
    _rate("json.loads, for comparison", plain)
    _rate("read from NDJSON", _cpu(lambda: read_events(folder)))
    store = EventStore(folder, clock=lambda: _MADE + timedelta(days=30))
    spare = folder.with_name(f"{folder.name}-spare")
    shutil.copytree(folder, spare)
    try:
        _rate("compact", _once(lambda: compact(EventStore(spare, clock=store.clock))))
    finally:
        shutil.rmtree(spare)
    compact(store)
    packed = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    _say(f"  {size / 1e6:.0f} MB of NDJSON became {packed / 1e6:.1f} MB ({size / packed:.0f} : 1)")
    _rate("read from Parquet", _cpu(lambda: read_events(folder)))
    ends = [_run_id(number) for number in range(0, EVENTS, EVENTS // 20)]
    _say(f"  the end of one run: {_cpu(lambda: [store.terminal(run) for run in ends]) / len(ends) * 1000:.1f} ms")


def _lines(jobs: int) -> Iterator[bytes]:
    for number in range(EVENTS):
        yield json.dumps(_event(number % jobs, number)).encode() + b"\n"


def _run_id(number: int) -> str:
    return f"0199a000-0000-7000-8000-{number:012d}"


def _input(random: Random) -> dict[str, object]:
    return {
        "namespace": "iceberg://platform",
        "name": f"schema_{random.randrange(30)}.source_table_{random.randrange(50)}",
        "field": f"input_column_{random.randrange(60)}",
        "transformations": [{"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "", "masking": False}],
    }


def _event(job: int, number: int) -> dict[str, object]:
    """The COMPLETE of the ``number``-th run, of a job that says the same of its columns each time."""
    random = Random(job)  # noqa: S311  # the same table each time
    source = {"_producer": "https://github.com/acme/platform", "_schemaURL": "https://openlineage.io/spec/facets"}
    fields = {
        f"output_column_{place:02d}": {"inputFields": [_input(random) for _ in range(11)]}
        for place in range(EDGES // 11)
    }
    columns = [{"name": name, "type": "string", "description": "What it means, in words."} for name in fields]
    name = f"schema.table_{job}"
    return {
        "eventTime": (_MADE + timedelta(seconds=number)).isoformat(),
        "eventType": "COMPLETE",
        "producer": source["_producer"],
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": _run_id(number), "facets": {}},
        "job": {
            "namespace": "headwater",
            "name": name,
            "facets": {"sql": source | {"query": f"select {'a, ' * 1100}b"}},
        },
        "inputs": [
            {"namespace": "iceberg://platform", "name": f"schema_{table}.t", "facets": {}} for table in range(10)
        ],
        "outputs": [
            {
                "namespace": "iceberg://platform",
                "name": name,
                "facets": {
                    "schema": source | {"fields": columns},
                    "version": source | {"datasetVersion": str(number)},
                    "columnLineage": source | {"fields": fields},
                },
            }
        ],
    }


def _cpu(work: Callable[[], object]) -> float:
    return min(_once(work) for _ in range(ROUNDS))


def _once(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _rate(what: str, seconds: float) -> None:
    _say(f"  {what}: {EVENTS / seconds:,.0f} events per CPU-second ({seconds:.2f} s)")


def _say(text: str) -> None:
    print(text, flush=True)
