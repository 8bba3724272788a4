"""A segment: one stretch of a day's events as a Parquet file, each event's own bytes beside what finds it quickly.

One row an event, in order of arrival:

=============  ===================  ====================================================================
line, offset   int64                where it began in the day's NDJSON: 1-based line, byte
event_time     timestamp[us, UTC]   a naive time read as UTC
event_type     string, dictionary   START … COMPLETE
run_id         string               ``""`` for an event that is no run's
job_namespace  string, dictionary
job_name       string, dictionary
outputs        list of string       keys of the outputs (:mod:`governance.events.edges`)
said           list of int32        for each output, what is said of its columns: a number in the edges file, or null
mentioned      list of string       keys of all datasets and fields that it names
light          binary, zstd         the event without the edges of its columns (:mod:`governance.events.light`); null
                                    where it has to be read from ``raw``. A later version that needs more of an event
                                    gives this column another name, and segments without it are read from ``raw``
raw            binary, zstd         the bytes as they were appended, facets that Headwater does not read included
=============  ===================  ====================================================================

Beside it stands the edges file, the table of :mod:`governance.events.edges`.

What was no event stands beside it in the quarantine file (:mod:`governance.events.torn`).
"""

import heapq
import io
import os
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from governance.errors import EventStoreError
from governance.events.edges import NAMES as EDGE_NAMES
from governance.events.edges import Sayings
from governance.events.keys import key as thing_key
from governance.events.light import light
from governance.events.manifest import FOLDER, Segment
from governance.events.model import Event
from governance.events.pieces import Decode, Piece, piece
from governance.events.torn import damaged, torn_in
from governance.names import mentioned

EVENTS = pa.schema(
    [
        ("line", pa.int64()),
        ("offset", pa.int64()),
        ("event_time", pa.timestamp("us", "UTC")),
        ("event_type", pa.string()),
        ("run_id", pa.string()),
        ("job_namespace", pa.string()),
        ("job_name", pa.string()),
        ("outputs", pa.list_(pa.string())),
        ("said", pa.list_(pa.int32())),
        ("mentioned", pa.list_(pa.string())),
        ("light", pa.binary()),
        ("raw", pa.binary()),
    ]
)
_LIGHT = ["offset", "said", "light"]
MENTIONED = "mentioned.list.element"
_REPEATED = ["event_type", "job_namespace", "job_name", "outputs.list.element", MENTIONED, *EDGE_NAMES]
_EPOCH = datetime.fromtimestamp(0, UTC)
_END = b"PAR1"
_GROUP = 4 << 20
"""Bytes of events in a row group, which is what finding one event has to unpack."""

_NAMES = 1 << 28
"""Bytes of names that a column may repeat by number; beyond it they are written out."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The two tables of a stretch of events."""

    events: pa.Table
    edges: pa.Table


def tables_of(pieces: Iterable[Piece]) -> Tables:
    """Return the tables of those pieces that are events."""
    sayings = Sayings()
    rows = [_row(it, it.event, sayings) for it in pieces if it.event is not None]
    return Tables(pa.Table.from_pylist(rows, schema=EVENTS), sayings.table())


def parquet(table: pa.Table) -> bytes:
    """Return the Parquet file of a table, read back and compared.

    Raises:
        EventStoreError: it does not give back what was put in.
    """
    # events are looked up one by one; edges are read whole, and each row group would repeat its names
    size = max(1, table.num_rows * (_GROUP if "raw" in table.column_names else table.nbytes) // max(table.nbytes, 1))
    file = io.BytesIO()
    repeated = [name for name in _REPEATED if name.partition(".")[0] in table.column_names]
    pq.write_table(
        table,
        file,
        row_group_size=size,
        compression="zstd",
        use_dictionary=repeated,
        dictionary_pagesize_limit=_NAMES,
    )
    file.seek(0)
    if not pq.read_table(file).equals(table):
        raise EventStoreError(
            "events written as Parquet do not read back as they were",
            fix="keep the NDJSON and report pyarrow's version",
        )
    return file.getvalue()


def pieces_in(store: Path, name: str, segment: Segment, decode: Decode) -> Iterator[Piece]:
    """Return what the segment of day ``name`` holds, in order of arrival, as its NDJSON would give it.

    Raises:
        EventStoreError: a file of it is missing, damaged or cannot be read.
    """
    rows = _rows(store, segment, "line", lambda _: True)
    events = (piece(name, row["line"], row["offset"], row["raw"], decode) for row in rows)
    return heapq.merge(events, torn_in(store, name, segment, decode), key=lambda it: it.offset)


def events_behind(store: Path, segment: Segment, offset: int) -> Iterator[tuple[int, bytes]]:
    """Return the events from byte ``offset`` of the day on, each with the byte that it ends before.

    Raises:
        EventStoreError: as for :func:`pieces_in`.
    """
    for row in _rows(store, segment, "offset", lambda found: found >= offset):
        yield row["offset"] + len(row["raw"]), row["raw"]


def events_of_run(store: Path, segment: Segment, run_id: str) -> Iterator[bytes]:
    """Return the events of one run, in order of arrival; only row groups that hold one are unpacked.

    Raises:
        EventStoreError: as for :func:`pieces_in`.
    """
    for row in _rows(store, segment, "run_id", lambda found: found == run_id):
        yield row["raw"]


def events_of_runs(store: Path, segment: Segment, run_ids: Collection[str]) -> Iterator[bytes]:
    """Return the events of some runs, in order of arrival; only row groups that hold one are unpacked.

    Raises:
        EventStoreError: as for :func:`pieces_in`.
    """
    for row in _rows(store, segment, "run_id", lambda found: found in run_ids):
        yield row["raw"]


def events_of_jobs(store: Path, segment: Segment, jobs: Collection[str]) -> Iterator[bytes]:
    """Return the events of jobs of some names, in order of arrival; only row groups that hold one are unpacked.

    Raises:
        EventStoreError: as for :func:`pieces_in`.
    """
    for row in _rows(store, segment, "job_name", lambda found: found in jobs):
        yield row["raw"]


def light_rows(store: Path, segment: Segment) -> list[dict[str, Any]] | None:
    """Return ``offset``, ``said`` and ``light`` of each event; None where an earlier version wrote the segment.

    Raises:
        EventStoreError: as for :func:`pieces_in`.
    """
    file = store / FOLDER / segment.file
    if segment.edges is None or not {"light", "mentioned"} <= set(_schema(file).names):
        return None
    return list(_table(file, columns=_LIGHT).to_pylist())


def pieces_at(store: Path, name: str, segment: Segment, offsets: Collection[int], decode: Decode) -> Iterator[Piece]:
    """Return the events of the segment that begin at ``offsets`` of the day, whole, in order of arrival.

    Raises:
        EventStoreError: as for :func:`pieces_in`.
    """
    for row in _rows(store, segment, "offset", lambda found: found in offsets):
        yield piece(name, row["line"], row["offset"], row["raw"], decode)


def mentioned_in(store: Path, segment: Segment) -> pa.ChunkedArray:
    """Return the keys of what the events name, some of them several times.

    Raises:
        EventStoreError: as for :func:`pieces_in`.
    """
    lists = _table(store / FOLDER / segment.file, columns=["mentioned"], read_dictionary=[MENTIONED])["mentioned"]
    return pc.unique(pc.list_flatten(lists)).cast(pa.string())


def run_ids_in(store: Path, segment: Segment) -> pa.ChunkedArray:
    """Return the run id of each event, in order of arrival.

    Raises:
        EventStoreError: as for :func:`pieces_in`.
    """
    return _table(store / FOLDER / segment.file, columns=["run_id"])["run_id"]


def require_whole(store: Path, segment: Segment) -> None:
    """Look that the files of the segment are there and have their ends, without reading what is in them.

    Raises:
        EventStoreError: as for :func:`pieces_in`.
    """
    for name in filter(None, (segment.file, segment.edges)):
        file = store / FOLDER / name
        with _reading(file), file.open("rb") as opened:
            end = max(opened.seek(0, os.SEEK_END) - len(_END), 0)
            if os.pread(opened.fileno(), len(_END), end) != _END:
                raise damaged(file, "it is cut off")


def edges_in(store: Path, segment: Segment) -> pa.Table:
    """Return the segment's edges, names as dictionaries; the segment has some.

    Raises:
        EventStoreError: as for :func:`pieces_in`.
    """
    return _edges(store / FOLDER / str(segment.edges), None, EDGE_NAMES)


def sources_in(store: Path, segment: Segment) -> pa.Table:
    """Return ``said`` and ``source`` of the segment's edges, as :func:`edges_in` does.

    Raises:
        EventStoreError: as for :func:`pieces_in`.
    """
    return _edges(store / FOLDER / str(segment.edges), ["said", "source"], ["source"])


def _schema(file: Path) -> pa.Schema:
    with _reading(file):
        return pq.read_schema(file)


def _table(file: Path, **asked: Any) -> pa.Table:
    with _reading(file):
        return pq.read_table(file, **asked)


def _edges(file: Path, columns: list[str] | None, names: Iterable[str]) -> pa.Table:
    # read_table also reads lists of names, and starts what reads folders for it, and pandas where there is one
    with _reading(file), pq.ParquetFile(file, read_dictionary=list(names)) as opened:
        return opened.read(columns)


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise damaged(file, type(error).__name__) from error


def _row(it: Piece, event: Event, sayings: Sayings) -> dict[str, Any]:
    outputs = sayings.of(event)
    return {
        "line": it.line,
        "offset": it.offset,
        # not the datetime itself: a year that a zone's offset moves out of Python's range is still a time
        "event_time": (event.at - _EPOCH) // timedelta(microseconds=1),
        "event_type": event.event_type,
        "run_id": event.run.run_id,
        "job_namespace": event.job.namespace,
        "job_name": event.job.name,
        "outputs": [key for key, _ in outputs],
        "said": [number for _, number in outputs],
        "mentioned": sorted(map(thing_key, mentioned(event))),
        # what is to be said of a piece is not in its event
        "light": None if it.reasons else light(event),
        "raw": it.raw,
    }


def _rows(store: Path, segment: Segment, key: str, wanted: Callable[[Any], bool]) -> Iterator[dict[str, Any]]:
    """The rows whose ``key`` is wanted; raw bytes are unpacked only where a row group has one."""
    file = store / FOLDER / segment.file
    with _reading(file), pq.ParquetFile(file) as opened:
        for group in range(opened.num_row_groups):
            keys = opened.read_row_group(group, columns=[key]).column(0).to_pylist()
            places = array("q", (place for place, found in enumerate(keys) if wanted(found)))
            if places:
                # Arrow that is given Python's own numbers starts pandas where there is one
                taken = pa.Array.from_buffers(pa.int64(), len(places), [None, pa.py_buffer(places)])
                yield from opened.read_row_group(group, columns=["line", "offset", "raw"]).take(taken).to_pylist()
