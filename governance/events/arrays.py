"""The edges that stand, as arrays: what a graph of millions of edges is made from, read from Parquet without any JSON.

For each job and output the latest run that ended in COMPLETE stands, as in :mod:`governance.graph`. Of several events
of one run everything counts that they say of an output. Names are as producers spelled them, and declarations of job
and dataset events are not in.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from governance.events.days import days, parts_of_day
from governance.events.decode import Decoder
from governance.events.model import TERMINAL
from governance.events.pieces import Piece
from governance.events.segment import edges_in, pieces_in, tables_of, told
from governance.lineage.model import Transformation
from governance.runs import SEQUENCE

HOW = {f"{it.type} {it.subtype}": place for place, it in enumerate(Transformation)}
"""The number of each transformation in :attr:`Edges.how`: its place among :class:`Transformation`'s."""

_TYPES: dict[str, type[Any]] = {"source": np.int32, "target": np.int32, "how": np.int8, "masking": np.bool_}

_Job = tuple[str, str]
_Said = tuple[int, int]  # a part's place, a number in it


@dataclass(frozen=True, slots=True)
class Edges:
    """``source[n]`` flows into or steers ``target[n]``, which are places in ``names``.

    names: keys of fields and datasets (:mod:`governance.events.edges`)
    how:   places among :class:`Transformation`'s members
    """

    names: tuple[str, ...]
    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    how: npt.NDArray[np.int8]
    masking: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of a day: its events' rows without their bytes, and its edges when they are wanted."""

    told: list[dict[str, Any]]
    edges: Callable[[], pa.Table]


@dataclass(slots=True)
class _Run:
    """What the events of one run of one job said, in order of time until its end."""

    ended: datetime | None = None
    state: str = ""
    said: dict[str, set[_Said]] = field(default_factory=lambda: defaultdict(set))


def standing_edges(store: Path) -> Edges:
    """Return the edges that stand in the store in the folder ``store``, in no order of their own.

    Raises:
        EventStoreError: a file of the store cannot be read.
    """
    parts = [part for day in days(store) for part in _parts(store, day)]
    wanted: dict[int, list[int]] = defaultdict(list)
    for place, number in _standing(parts):
        wanted[place].append(number)
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a name that is new gets the next number
    columns = {name: bytearray() for name in _TYPES}  # they grow in place: arrays to be joined would stand there twice
    for place in sorted(wanted):
        for name, column in _columns(parts[place].edges(), wanted[place], numbers).items():
            columns[name] += column.astype(_TYPES[name]).tobytes()
    return Edges(tuple(numbers), **{name: np.frombuffer(columns[name], kind) for name, kind in _TYPES.items()})


def _parts(store: Path, day: str) -> Iterator[_Part]:
    decode = Decoder()
    segments, tail = parts_of_day(store, day, decode)
    for it in segments:
        if it.edges:
            yield _Part(told(store, it), partial(edges_in, store, it))
        else:
            yield _part_of(pieces_in(store, day, it, decode))
    yield _part_of(tail)


def _part_of(pieces: Iterable[Piece]) -> _Part:
    tables = tables_of(pieces)
    return _Part(tables.told(), lambda: tables.edges)


def _standing(parts: Iterable[_Part]) -> Iterator[_Said]:
    """Yield what the latest completed run of each job says of each output."""
    latest: dict[tuple[_Job, str], set[_Said]] = {}
    completed = [(run.ended, run_id, job, run) for (run_id, job), run in _runs(parts).items() if run.ended]
    for _, _, job, run in sorted(completed, key=lambda it: it[:3]):
        if run.state == "COMPLETE":
            latest |= {(job, output): said for output, said in run.said.items()}
    return (said for saids in latest.values() for said in saids)


def _runs(parts: Iterable[_Part]) -> Mapping[tuple[str, _Job], _Run]:
    rows = [(row, place) for place, part in enumerate(parts) for row in part.told if row["run_id"]]
    rows.sort(key=lambda it: (it[0]["event_time"], SEQUENCE.get(it[0]["event_type"], 1)))
    runs: dict[tuple[str, _Job], _Run] = defaultdict(_Run)
    for row, place in rows:
        run = runs[row["run_id"], (row["job_namespace"], row["job_name"])]
        if run.ended and row["event_type"] in TERMINAL:
            continue  # the first end stands, whatever a later one says
        if row["event_type"] in TERMINAL:
            run.ended, run.state = row["event_time"], row["event_type"]
        for output, number in zip(row["outputs"], row["said"], strict=True):
            run.said[output] |= set() if number is None else {(place, number)}
    return runs


def _columns(edges: pa.Table, wanted: list[int], numbers: Mapping[str, int]) -> dict[str, npt.NDArray[Any]]:
    """The wanted edges' columns as numbers; ``numbers`` gets the names that are new to it."""
    superseded = set(pc.unique(edges["said"]).to_pylist()) - set(wanted)
    kept = edges.filter(pc.is_in(edges["said"], value_set=pa.array(wanted, pa.int32()))) if superseded else edges
    return {
        "source": _numbered(kept["source"], numbers),
        "target": _numbered(kept["target"], numbers),
        "how": _numbered(kept["how"], HOW),
        "masking": kept["masking"].to_numpy(),
    }


def _numbered(column: pa.ChunkedArray, numbers: Mapping[str, int]) -> npt.NDArray[np.int32]:
    whole = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    named = whole.combine_chunks()
    names = named.dictionary.to_pylist()
    places: npt.NDArray[np.int32] = np.fromiter(map(numbers.__getitem__, names), np.int32, len(names))
    indices: npt.NDArray[np.int32] = np.asarray(named.indices)
    return np.take(places, indices)
