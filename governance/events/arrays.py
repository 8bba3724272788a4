"""The edges of a store as arrays, read from Parquet without any JSON: what a walk in bulk is made from."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from governance.dataset import Dataset, Field
from governance.events.keys import field_of, key, thing
from governance.events.manifest import Segment
from governance.events.segment import edges_in, sources_in
from governance.lineage.model import Transformation

HOW = {f"{it.type} {it.subtype}": place for place, it in enumerate(Transformation)}
"""The number of each transformation in :attr:`Edges.how`: its place among :class:`Transformation`'s."""

_TYPES: dict[str, type[Any]] = {
    "source": np.int32,
    "target": np.int32,
    "how": np.int8,
    "masking": np.bool_,
    "of": np.int32,
}

Saying = tuple[int, int]
"""What a run said of the columns of one output: the place of a segment among those asked, and a number in it."""


@dataclass(frozen=True, slots=True)
class Edges:
    """``source[n]`` flows into or steers ``target[n]``, which are places in ``names``.

    names: keys of fields and datasets (:mod:`governance.events.edges`)
    how:   places among :class:`Transformation`'s members
    of:    places among the sayings that were asked for
    """

    names: tuple[str, ...]
    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    how: npt.NDArray[np.int8]
    masking: npt.NDArray[np.bool_]
    of: npt.NDArray[np.int32]

    def sources(self) -> Iterator[Field]:
        """Yield the fields that are read, each once."""
        return (field_of(self.names[place]) for place in np.unique(self.source).tolist())

    def rows(self, marked: npt.NDArray[np.bool_]) -> Iterator[tuple[Field, Field | Dataset, int, bool, int]]:
        """Yield source, target, ``how``, ``masking`` and ``of`` of the edges marked; further marks are ignored."""
        places = np.flatnonzero(marked[: len(self.source)])
        source, target, *how = (
            column[places].tolist() for column in (self.source, self.target, self.how, self.masking, self.of)
        )
        fields = {place: field_of(self.names[place]) for place in set(source)}
        things = {place: thing(self.names[place]) for place in set(target)}
        return zip(map(fields.__getitem__, source), map(things.__getitem__, target), *how, strict=True)


def read_edges(store: Path, segments: Sequence[Segment], sayings: Sequence[Saying]) -> Edges:
    """Return the edges of ``sayings``, of which none is twice.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    wanted: dict[int, dict[int, int]] = defaultdict(dict)
    for place, (segment, number) in enumerate(sayings):
        wanted[segment][number] = place
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a name that is new gets the next number
    # they grow in place: arrays to be joined would stand there twice
    columns = {name: bytearray() for name in _TYPES}
    for segment in sorted(wanted):
        table = edges_in(store, segments[segment])
        for name, column in _columns(table, wanted[segment], numbers).items():
            columns[name] += column.astype(_TYPES[name]).tobytes()
    return Edges(tuple(numbers), **{name: np.frombuffer(columns[name], kind) for name, kind in _TYPES.items()})


def read_sources(
    store: Path, segments: Sequence[Segment], sayings: Iterable[Saying], datasets: Iterable[Dataset]
) -> frozenset[Field]:
    """Return the fields of ``datasets`` that ``sayings`` read.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    tables = tuple(key(dataset) for dataset in datasets)
    return frozenset(field_of(name) for name in _sources(store, segments, sayings) if name.startswith(tables))


def read_all_sources(store: Path, segments: Sequence[Segment], sayings: Iterable[Saying]) -> frozenset[Field]:
    """Return all fields that ``sayings`` read.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    return frozenset(map(field_of, _sources(store, segments, sayings)))


def _sources(store: Path, segments: Sequence[Segment], sayings: Iterable[Saying]) -> set[str]:
    wanted: dict[int, list[int]] = defaultdict(list)
    for segment, number in sayings:
        wanted[segment].append(number)
    found: set[str] = set()
    for segment, numbers in wanted.items():
        read = _only(sources_in(store, segments[segment]), numbers)["source"]
        found.update(pc.unique(read).to_pylist())
    return found


def _only(edges: pa.Table, wanted: Collection[int]) -> pa.Table:
    superseded = set(pc.unique(edges["said"]).to_pylist()) - set(wanted)
    return edges.filter(pc.is_in(edges["said"], value_set=pa.array(wanted, pa.int32()))) if superseded else edges


def _columns(edges: pa.Table, wanted: Mapping[int, int], numbers: Mapping[str, int]) -> dict[str, npt.NDArray[Any]]:
    """The wanted edges' columns as numbers; ``numbers`` gets the names that are new to it."""
    kept = _only(edges, tuple(wanted))
    places = np.zeros(max(wanted) + 1, np.int32)
    places[list(wanted)] = list(wanted.values())
    return {
        "source": _numbered(kept["source"], numbers),
        "target": _numbered(kept["target"], numbers),
        "how": _numbered(kept["how"], HOW),
        "masking": kept["masking"].to_numpy(),
        "of": np.take(places, kept["said"].to_numpy()),
    }


def _numbered(column: pa.ChunkedArray, numbers: Mapping[str, int]) -> npt.NDArray[np.int32]:
    whole = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    named = whole.combine_chunks()
    indices: npt.NDArray[np.int32] = np.asarray(named.indices)
    used = np.unique(indices)
    places = np.zeros(len(named.dictionary), np.int32)
    places[used] = [numbers[name] for name in named.dictionary.take(used).to_pylist()]
    return np.take(places, indices)
