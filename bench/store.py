"""The event store at size: 2,000 events of 76 KB, 660,000 edges.

Goal: at least 2,500 events per CPU-second from NDJSON. Seconds are of CPU, all threads of the process together.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from governance.events.compact import compact
from governance.events.manifest import FOLDER, Day, Segment, read_manifest, write_manifest
from governance.events.model import (
    ColumnLineagePart,
    DatasetFacetsPart,
    DatasetPart,
    Event,
    FieldLineagePart,
    InputFieldPart,
    JobPart,
    RunPart,
    SchemaFieldPart,
    SchemaPart,
    TransformationPart,
)
from governance.events.pieces import Piece
from governance.events.reading import read_events
from governance.events.segment import parquet, tables_of
from governance.events.store import EventStore

EVENTS = 2_000
EDGES = 330
"""Edges of one event; with its SQL and schema that makes 76 KB."""

ROUNDS = 3
_SEGMENTS, _EACH = 30, 1_000
_LARGE, _COLUMNS = "warehouse", 33
_MADE = datetime(2026, 10, 1, 2, tzinfo=UTC)
_DAY = "events-2026-10-01.ndjson"


def main() -> None:
    """Print reading, compaction and looking up: of jobs that all differ, then of twenty that run again and again."""
    for title, jobs in (("2,000 jobs, one run each", EVENTS), ("20 jobs, 100 runs each", 20)):
        with tempfile.TemporaryDirectory() as folder:
            _store(Path(folder), title, jobs)
    _large()


def _large() -> None:
    """A store of ten million edges as compaction leaves it, asked by whole processes."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder)
        (store / FOLDER).mkdir()
        for segment in range(_SEGMENTS):
            _put(store, segment)
        _say(f"{_SEGMENTS * _EACH:,} jobs, {_SEGMENTS * _EACH * EDGES:,} edges, compacted")
        for question in ("impact", f"{_LARGE}.t29800.c0"), ("trace", f"{_LARGE}.t200.c0"):
            _ask(store, *question)


def _ask(store: Path, *question: str) -> None:
    command = (sys.executable, "-m", "platform_assets.cli", *question, "--events", str(store), "--format", "json")
    script = f"import resource, subprocess; subprocess.run({command!r}, check=True, stdout=subprocess.DEVNULL); "
    script += "it = resource.getrusage(resource.RUSAGE_CHILDREN); print(it.ru_utime + it.ru_stime, it.ru_maxrss / 1024)"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    seconds, megabytes = map(float, done.stdout.split())
    _say(f"  headwater {' '.join(question)}: {seconds:.1f} s of CPU, {megabytes:.0f} MB")


def _put(store: Path, number: int) -> None:
    """One day: the COMPLETE of 1,000 jobs, each of which writes a table from five that were written before it."""
    begun = _MADE + timedelta(days=number)
    events = (_large_event(number * _EACH + place, begun + timedelta(seconds=place)) for place in range(_EACH))
    tables = tables_of(Piece("", 1, place, b"{}", event) for place, event in enumerate(events))
    stem = f"events-{begun.date()}"
    files = f"{stem}.0.parquet", f"{stem}.0.edges.parquet"
    for file, table in zip(files, (tables.events, tables.edges), strict=True):
        (store / FOLDER / file).write_bytes(parquet(table))
    day = Day(0, _EACH, _EACH, (Segment(files[0], 0, _EACH, _EACH, 0, "", files[1]),))
    write_manifest(store, read_manifest(store).with_day(f"{stem}.ndjson", day))


def _large_event(number: int, at: datetime) -> Event:
    random = Random(number)  # noqa: S311  # the same tables each time
    # five tables of the two hundred before it in its domain, one of ten
    before = range(max(number % 10, number - 2_000), number, 10) or (number + 1_000_000,)
    read = [f"{_LARGE}.t{random.choice(before)}" for _ in range(5)]
    how = (TransformationPart("DIRECT", "TRANSFORMATION"),)
    fields = {f"c{place}": FieldLineagePart(tuple(_column(random, read, how))) for place in range(_COLUMNS)}
    schema = SchemaPart(tuple(SchemaFieldPart(name) for name in fields))
    facets = DatasetFacetsPart(schema=schema, column_lineage=ColumnLineagePart(fields))
    name = f"{_LARGE}.t{number}"
    output = DatasetPart("iceberg://platform", name, facets)
    return Event(at, RunPart(_run_id(number)), JobPart("headwater", name), "COMPLETE", outputs=(output,))


def _column(random: Random, read: list[str], how: tuple[TransformationPart]) -> Iterator[InputFieldPart]:
    for _ in range(EDGES // _COLUMNS):
        yield InputFieldPart("iceberg://platform", random.choice(read), f"c{random.randrange(_COLUMNS)}", how)


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
