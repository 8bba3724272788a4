"""Events that only NDJSON has, in the form of a segment: light, with their edges in a table beside the store.

Whoever reads edges and whole events of segments asks here, and need not know which stand where.
"""

import io
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from governance.errors import EventStoreError
from governance.events import segment as parquet
from governance.events.days import opened_day
from governance.events.decode import Decoder
from governance.events.edges import EDGES, NAMES
from governance.events.manifest import Segment
from governance.events.pieces import Decode, Piece, piece

_TABLE = pa.schema(
    [(it.name, pa.dictionary(pa.int32(), it.type) if it.name in NAMES else it.type) for it in EDGES],
)


@dataclass(frozen=True, slots=True)
class Beside:
    """Light events whose whole ones stand in NDJSON.

    edges: a table of :mod:`governance.events.edges`, names as dictionaries
    where: by run id the days of its events, and where in the day each begins
    """

    edges: pa.Table
    where: Mapping[str, Collection[tuple[str, int]]]


Place = Segment | Beside
"""Where light events have their edges."""


def edges_in(store: Path, place: Place) -> pa.Table:
    """Return all edges that stand there, names as dictionaries.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    return place.edges if isinstance(place, Beside) else parquet.edges_in(store, place)


def sources_in(store: Path, place: Place) -> pa.Table:
    """Return ``said`` and ``source`` of the edges that stand there.

    Raises:
        EventStoreError: as for :func:`edges_in`.
    """
    return place.edges.select(["said", "source"]) if isinstance(place, Beside) else parquet.sources_in(store, place)


def events_of_runs(store: Path, place: Place, run_ids: Collection[str]) -> Iterator[bytes]:
    """Return the events of some runs, in order of arrival.

    Raises:
        EventStoreError: as for :func:`edges_in`.
    """
    if isinstance(place, Segment):
        yield from parquet.events_of_runs(store, place, run_ids)
        return
    offsets: dict[str, set[int]] = defaultdict(set)
    for name, offset in (it for run_id in run_ids for it in place.where.get(run_id, ())):
        offsets[name].add(offset)
    for name in sorted(offsets):
        yield from (it.raw for it in pieces_at(store, name, place, offsets[name], Decoder()))


def pieces_at(store: Path, name: str, place: Place, offsets: Collection[int], decode: Decode) -> Iterator[Piece]:
    """Return the events of day ``name`` that begin at ``offsets``, whole, in order of arrival.

    Raises:
        EventStoreError: as for :func:`edges_in`.
    """
    if isinstance(place, Segment):
        yield from parquet.pieces_at(store, name, place, offsets, decode)
        return
    with opened_day(store, name) as (day, file):
        for it in day.segments:
            yield from parquet.pieces_at(store, name, it, offsets, decode)
        behind = sorted(it for it in offsets if it >= day.end)
        for offset in behind:
            yield _piece(name, file, offset - day.base, offset, decode)


def _piece(name: str, file: BinaryIO | None, place: int, offset: int, decode: Decode) -> Piece:
    found = None
    if file:
        file.seek(place)
        found = piece(name, 1, offset, file.readline().removesuffix(b"\n"), decode)
    if found is None or found.event is None:
        raise EventStoreError(f"{name} was changed while it was read", fix="run it again")
    return found


def table_of(stretches: Collection[bytes]) -> pa.Table:
    """Return the edges of what :func:`packed` gave, names as dictionaries."""
    tables = [pa.ipc.open_file(pa.py_buffer(it)).read_all() for it in stretches]
    # an empty table of a schema starts pandas where there is one
    empty = pa.Table.from_arrays([pa.nulls(0, it.type) for it in _TABLE], schema=_TABLE)
    return pa.concat_tables([empty, *tables]).unify_dictionaries().combine_chunks()


def packed(edges: pa.Table) -> bytes:
    """Return a table of edges as an Arrow file."""
    sink = io.BytesIO()
    table = edges.cast(_TABLE) if edges.schema != _TABLE else edges
    with pa.ipc.new_file(sink, _TABLE, options=pa.ipc.IpcWriteOptions(compression="zstd")) as file:
        file.write_table(table.unify_dictionaries().combine_chunks())
    return sink.getvalue()
