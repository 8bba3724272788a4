"""A store of a year of nightly runs, made up: ``python -m bench.history_store FOLDER PIPELINES DAYS``.

Each pipeline reads sources of its own and tables of others, runs every night and says the same of its columns. Events
are made by the project's own functions, one night by its own compaction; every other night is that night's Parquet with
other run ids, times and snapshots. What no question of history reads, an event's whole bytes, stands for the last two
nights alone: before them an event has in its place what it says beside its edges, as the disk would not hold the rest.

The same sizes make the same store.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from openlineage.client.serde import Serde

from governance.events.compact import compact
from governance.events.facets import Column, Input, Naming, Output
from governance.events.manifest import FOLDER, Day, Manifest, Segment, read_manifest, write_manifest
from governance.events.run import Attempt, RunFacts, complete_event, start_event
from governance.events.segment import parquet
from governance.events.store import EventStore
from governance.lineage.model import ColumnLineage, InputField, OutputField, Transformation

NAMESPACE, JOBS = "iceberg://large", "large"
NAMING = Naming(NAMESPACE, JOBS, {})
LAST = datetime(2026, 11, 29, tzinfo=UTC)
"""The last night; the morning after is today."""
WHOLE = 2
"""Nights whose events are kept whole."""
FAILED = 0.01
"""The share of runs that fail."""
GONE = 0.02
"""The share of pipelines that were taken out of service at some time."""
VALUES = (Transformation.IDENTITY,) * 5 + (Transformation.TRANSFORMATION, Transformation.AGGREGATION)
ROWS = (Transformation.JOIN, Transformation.FILTER)


@dataclass(frozen=True, slots=True)
class Size:
    """A platform: a pipeline has ``sources`` tables of its own and writes ``columns`` columns from ``inputs`` each."""

    pipelines: int
    sources: int = 9
    columns: int = 48
    inputs: int = 10
    rows: int = 20

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return self.pipelines * (1 + self.sources)

    @property
    def edges(self) -> int:
        """How many column edges stand, about."""
        return self.pipelines * (self.columns * self.inputs + self.rows)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """One of them: its table, which is its job's name, and what it says of it."""

    table: str
    reads: tuple[str, ...]
    lineage: ColumnLineage


def sources_of(size: Size, place: int) -> tuple[str, ...]:
    """Return the source tables of a pipeline."""
    return tuple(f"raw.source_{place * size.sources + it:06}" for it in range(size.sources))


def table_of(place: int) -> str:
    """Return the table of a pipeline."""
    return f"area_{place % 40:02}.table_{place:05}"


def pipeline(size: Size, place: int) -> Pipeline:
    """Return the pipeline at ``place``, which reads tables of lower places."""
    random = Random(place)  # noqa: S311  figures, no secrets
    near = sorted({random.randrange(max(0, place - 500), place) for _ in range(2)} if place else ())
    reads = (*sources_of(size, place), *map(table_of, near))

    def source(kinds: tuple[Transformation, ...]) -> InputField:
        table = random.choice(reads)
        columns = size.columns if table.startswith("area") else 10
        return InputField(table, f"column_{random.randrange(columns):02}", random.choice(kinds))

    fields = tuple(
        OutputField(f"column_{it:02}", tuple(dict.fromkeys(source(VALUES) for _ in range(size.inputs))))
        for it in range(size.columns)
    )
    lineage = ColumnLineage(table_of(place), fields, tuple(source(ROWS) for _ in range(size.rows)), reads)
    return Pipeline(table_of(place), reads, lineage)


@cache
def stopped(size: Size, days: int) -> Mapping[int, int]:
    """Return the nights, counted back from the last, since which some pipelines run no more."""
    random = Random(days)  # noqa: S311  figures, no secrets
    places = random.sample(range(size.pipelines), int(size.pipelines * GONE))
    return {place: random.randrange(days) for place in places}


def attempt(place: int, back: int) -> Attempt:
    """Return a pipeline's attempt of the night that is so many before the last."""
    return _attempt(table_of(place), LAST - timedelta(days=back), f"00000000-0000-4000-8000-{back:012}")


def _attempt(table: str, instant: datetime, run: str) -> Attempt:
    return Attempt(table, instant, run)


def lines(size: Size, place: int, back: int) -> Iterator[bytes]:
    """Yield the two events of a run, as the client writes them."""
    it = pipeline(size, place)
    run = RunFacts(attempt(place, back), NAMING)
    begun = run.attempt.instant if isinstance(run.attempt, Attempt) else LAST
    schema = tuple(Column(name=f"column_{column:02}", type="string") for column in range(size.columns))
    output = Output(it.table, schema, it.lineage, snapshot_id=snapshot(place, back), rows=1000, owner="team:data")
    events = (
        start_event(run, begun, it.reads, (it.table,)),
        complete_event(run, begun + timedelta(minutes=1), tuple(Input(name) for name in it.reads), (output,)),
    )
    for event in events:
        yield Serde.to_json(event).encode() + b"\n"


def snapshot(place: int, back: int) -> int:
    """Return the id of the snapshot of a run, of as many digits as every other."""
    return 1_000_000_000 + back * 100_000 + place


def write_history(folder: Path, size: Size, days: int, today: int) -> None:
    """Write the store of so many nights, and the events of ``today`` runs of this morning as NDJSON.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True)
    store = EventStore(folder, clock=lambda: LAST + timedelta(days=9))
    night = f"events-{LAST.date()}.ndjson"
    with (folder / night).open("wb") as file:
        for place in range(size.pipelines):
            file.writelines(lines(size, place, 0))
    compact(store, retention=timedelta(0))
    last = read_manifest(folder).day(night)
    made = {night: last}
    template = _Night.of(folder, size, last)
    for back in range(1, days):
        made |= {f"events-{(LAST - timedelta(days=back)).date()}.ndjson": template.written(folder, back, days)}
    write_manifest(folder, Manifest(days=dict(sorted(made.items()))))
    with (folder / f"events-{(LAST + timedelta(days=1)).date()}.ndjson").open("wb") as file:
        for place in range(today):
            file.writelines(lines(size, place, -1))


@dataclass(frozen=True, slots=True)
class _Night:
    """The segments of one night, to be written again as another's; ``places`` are the pipelines of their rows."""

    size: Size
    segments: tuple[Segment, ...]
    tables: tuple[pa.Table, ...]
    places: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, folder: Path, size: Size, day: Day) -> "_Night":
        tables = tuple(pq.read_table(folder / FOLDER / it.file) for it in day.segments)
        places = tuple(tuple(int(name[-5:]) for name in it["job_name"].to_pylist()) for it in tables)
        return cls(size, day.segments, tables, places)

    def written(self, folder: Path, back: int, days: int) -> Day:
        """Write the night that is so many before the last, without the pipelines that had ended by then."""
        segments = tuple(self._written(folder, it, back, days) for it in range(len(self.segments)))
        size = self.segments[-1].end
        return Day(base=size, end=size, lines=sum(it.events for it in segments), segments=segments)

    def _written(self, folder: Path, number: int, back: int, days: int) -> Segment:
        segment, table = self.segments[number], self._table(number, back, days)
        name = f"events-{(LAST - timedelta(days=back)).date()}"
        stem = f"{name}.{segment.start:012d}"
        (folder / FOLDER / f"{stem}.parquet").write_bytes(parquet(table))
        # what is said of columns is the same every night
        os.link(folder / FOLDER / str(segment.edges), folder / FOLDER / f"{stem}.edges.parquet")
        digest = sha256(stem.encode()).hexdigest()
        file, edges = f"{stem}.parquet", f"{stem}.edges.parquet"
        return Segment(file, segment.start, segment.end, table.num_rows, 0, digest, edges)

    def _table(self, number: int, back: int, days: int) -> pa.Table:
        random = Random(back * 1000 + number)  # noqa: S311  figures, no secrets
        ended = stopped(self.size, days)
        table, places = self.tables[number], self.places[number]
        failed = {place: random.random() < FAILED for place in dict.fromkeys(places)}
        now = [attempt(place, back).run_id for place in places]
        columns = {name: table[name] for name in table.column_names}
        columns["run_id"] = pa.array(now, pa.string())
        columns["event_time"] = pc.subtract(table["event_time"], pa.scalar(timedelta(days=back), pa.duration("us")))
        for name in ("light", "raw"):
            whole = table["raw"] if name == "raw" and back < WHOLE else table["light"]
            texts = zip(whole.to_pylist(), table["run_id"].to_pylist(), now, places, strict=True)
            columns[name] = pa.array([self._text(it, failed, back) for it in texts], pa.binary())
        types = zip(table["event_type"].to_pylist(), places, strict=True)
        ends = ["FAIL" if kind == "COMPLETE" and failed[place] else kind for kind, place in types]
        columns["event_type"] = pa.array(ends, pa.string())
        kept = pa.array([back >= ended.get(place, 0) for place in places])
        return pa.table(columns, schema=table.schema).filter(kept)

    @staticmethod
    def _text(it: tuple[bytes, str, str, int], failed: Mapping[int, bool], back: int) -> bytes:
        text, before, after, place = it
        day = (LAST - timedelta(days=back)).date().isoformat().encode()
        text = text.replace(before.encode(), after.encode()).replace(LAST.date().isoformat().encode(), day)
        text = text.replace(str(snapshot(place, 0)).encode(), str(snapshot(place, back)).encode())
        return text.replace(b'"COMPLETE"', b'"FAIL"') if failed[place] else text


if __name__ == "__main__":
    write_history(Path(sys.argv[1]), Size(int(sys.argv[2])), int(sys.argv[3]), today=min(int(sys.argv[2]), 200))
