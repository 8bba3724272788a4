"""The edges of a store as arrays, read from Parquet without any JSON: what a walk in bulk is made from."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from governance.dataset import Dataset, Field
from governance.events.beside import Place, edges_in, sources_in
from governance.events.keys import SEPARATOR, field_of, key, thing
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

Thing = TypeVar("Thing", bound=Field | Dataset)

Saying = tuple[int, int]
"""What a run said of the columns of one output: the place of a segment among those asked, and a number in it."""


@dataclass(frozen=True, slots=True)
class Edges:
    """``source[n]`` flows into or steers ``target[n]``, which are places in ``names``.

    names: keys of fields and datasets (:mod:`governance.events.edges`), as texts of Arrow, each once
    how:   places among :class:`Transformation`'s members
    of:    places among the sayings that were asked for
    """

    names: pa.Array
    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    how: npt.NDArray[np.int8]
    masking: npt.NDArray[np.bool_]
    of: npt.NDArray[np.int32]

    def sources(self) -> Iterator[Field]:
        """Yield the fields that are read, each once."""
        return map(field_of, at(self.names, once(self.source, len(self.names))).to_pylist())

    def targets(self) -> Iterator[Field | Dataset]:
        """Yield what is written, each once."""
        return map(thing, at(self.names, once(self.target, len(self.names))).to_pylist())

    def rows(self, marked: npt.NDArray[np.bool_]) -> Iterator[tuple[Field, Field | Dataset, int, bool, int]]:
        """Yield source, target, ``how``, ``masking`` and ``of`` of the edges marked; further marks are ignored."""
        places = np.flatnonzero(marked[: len(self.source)])
        fields, things = self._named(self.source[places], field_of), self._named(self.target[places], thing)
        how = (column[places].tolist() for column in (self.how, self.masking, self.of))
        return zip(fields, things, *how, strict=True)

    def _named(self, places: npt.NDArray[np.int32], made: Callable[[str], Thing]) -> Iterator[Thing]:
        """Yield what stands at each of ``places``, made once."""
        used = once(places, len(self.names))
        things = dict(zip(used.tolist(), map(made, at(self.names, used).to_pylist()), strict=True))
        return map(things.__getitem__, places.tolist())


def fields_in(edges: Edges, datasets: Iterable[Dataset]) -> Iterator[Field]:
    """Yield the fields of ``datasets`` that ``edges`` read, each once; no value of Python is made of the others."""
    names = at(edges.names, once(edges.source, len(edges.names)))
    owners = pc.replace_substring_regex(names, pattern=rf"[^{SEPARATOR}]*$", replacement="")
    yield from map(field_of, names.filter(pc.is_in(owners, value_set=texts([*map(key, datasets)]))).to_pylist())


def read_edges(store: Path, segments: Sequence[Place], sayings: Sequence[Saying]) -> Edges:
    """Return the edges of ``sayings``, of which none is twice.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    wanted: dict[int, dict[int, int]] = defaultdict(dict)
    for place, (segment, number) in enumerate(sayings):
        wanted[segment][number] = place
    names = _Names()
    # they grow in place: arrays to be joined would stand there twice
    columns = {name: bytearray() for name in _TYPES}
    for segment in sorted(wanted):
        table = edges_in(store, segments[segment])
        for name, column in _columns(table, wanted[segment], names).items():
            columns[name] += column.astype(_TYPES[name]).tobytes()
    read = {name: np.frombuffer(columns[name], kind) for name, kind in _TYPES.items()}
    every, places = names.once()
    return Edges(every, **read | {end: places[read[end]] for end in ("source", "target")})


@dataclass(slots=True)
class _Names:
    """Names as they are told, some of them several times; no value of Python is made of any: there are millions."""

    told: list[pa.Array] = field(default_factory=list)
    size: int = 0

    def places(self, names: pa.Array) -> npt.NDArray[np.int32]:
        """Take ``names``; return the places that they have among all that are told."""
        self.told.append(names)
        self.size += len(names)
        return np.arange(self.size - len(names), self.size, dtype=np.int32)

    def once(self) -> tuple[pa.Array, npt.NDArray[np.int32]]:
        """Return each name once, and for each place of one that was told the place there."""
        found = pa.concat_arrays([pa.nulls(0, pa.string()), *self.told]).dictionary_encode()
        return found.dictionary, numbers_in(found.indices)


def read_sources(
    store: Path, segments: Sequence[Place], sayings: Iterable[Saying], datasets: Iterable[Dataset]
) -> frozenset[Field]:
    """Return the fields of ``datasets`` that ``sayings`` read.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    tables = tuple(key(dataset) for dataset in datasets)
    return frozenset(field_of(name) for name in _sources(store, segments, sayings) if name.startswith(tables))


def read_all_sources(
    store: Path, segments: Sequence[Place], sayings: Iterable[Saying]
) -> dict[Dataset, tuple[str, ...]]:
    """Return the names of all fields that ``sayings`` read, each once, in no order.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    found: dict[str, list[str]] = defaultdict(list)
    # there are millions of them, and a field of each would cost ten times as much
    for name in _sources(store, segments, sayings):
        owner, _, column = name.rpartition(SEPARATOR)
        found[owner].append(column)
    return {Dataset(*owner.split(SEPARATOR)): tuple(columns) for owner, columns in found.items()}


def _sources(store: Path, segments: Sequence[Place], sayings: Iterable[Saying]) -> set[str]:
    wanted: dict[int, list[int]] = defaultdict(list)
    for segment, number in sayings:
        wanted[segment].append(number)
    found: set[str] = set()
    for segment, numbers in wanted.items():
        read = _only(sources_in(store, segments[segment]), numbers)["source"]
        found.update(pc.unique(read).to_pylist())
    return found


def _only(edges: pa.Table, wanted: Sequence[int]) -> pa.Table:
    superseded = set(pc.unique(edges["said"]).to_pylist()) - set(wanted)
    return (
        edges.filter(pc.is_in(edges["said"], value_set=_numbers(np.array(wanted, np.int32)))) if superseded else edges
    )


def _columns(edges: pa.Table, wanted: Mapping[int, int], names: _Names) -> dict[str, npt.NDArray[Any]]:
    """The wanted edges' columns as numbers; ``names`` gets those that they use."""
    kept = _only(edges, tuple(wanted))
    places = np.zeros(max(wanted) + 1, np.int32)
    places[list(wanted)] = list(wanted.values())
    return {
        "source": _numbered(kept["source"], names.places),
        "target": _numbered(kept["target"], names.places),
        "how": _numbered(kept["how"], _how),
        "masking": numbers_in(kept["masking"].combine_chunks().cast(pa.int32())),
        "of": np.take(places, numbers_in(kept["said"].combine_chunks())),
    }


def _how(names: pa.Array) -> npt.NDArray[np.int32]:
    return np.array([HOW[name] for name in names.to_pylist()], np.int32)


def _numbered(column: pa.ChunkedArray, numbers: Callable[[pa.Array], npt.NDArray[np.int32]]) -> npt.NDArray[np.int32]:
    whole = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    named = whole.combine_chunks()
    indices: npt.NDArray[np.int32] = numbers_in(named.indices)
    used = once(indices, len(named.dictionary))
    places = np.zeros(len(named.dictionary), np.int32)
    places[used] = numbers(at(named.dictionary, used))
    return np.take(places, indices)


def once(places: npt.NDArray[np.int32], size: int) -> npt.NDArray[np.int32]:
    """Return ``places``, all below ``size``, each once and in order; to sort millions of them takes longer."""
    marks = np.zeros(size, np.bool_)
    marks[places] = True
    return np.flatnonzero(marks).astype(np.int32)


def numbers_in(numbers: pa.Array) -> npt.NDArray[np.int32]:
    """Return ``numbers``, of which none is null, as an array of numpy; as for :func:`texts`."""
    found: npt.NDArray[np.int32] = np.asarray(np.from_dlpack(numbers), np.int32)
    return found


def at(names: pa.Array, places: npt.NDArray[np.int32]) -> pa.Array:
    """Return the names at ``places``."""
    return names.take(_numbers(places))


def _numbers(numbers: npt.NDArray[np.int32]) -> pa.Array:
    # as for texts
    return pa.Array.from_buffers(pa.int32(), len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])


def texts(values: Sequence[str]) -> pa.Array:
    """Return ``values`` as texts of Arrow.

    Where Arrow is given Python's own, it starts pandas if there is any, which takes longer than most questions.
    """
    data = [it.encode() for it in values]
    ends = np.cumsum([0, *map(len, data)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(data), pa.py_buffer(ends), pa.py_buffer(b"".join(data)))
