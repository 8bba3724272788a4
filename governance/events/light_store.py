"""A store read without the edges of its columns, which stay where they stand until somebody asks for some of them.

Most events of a store stand in segments, which have beside each event's bytes a light form of it and its edges as rows
(:mod:`governance.events.segment`). Where the light form does not tell all, because an event is odd or a run told of one
output in two ways, the event itself is read; so does what stands in NDJSON only. Whether an event is light or whole,
the graph of it is the same.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from governance.dataset import Dataset, Field
from governance.events.arrays import Edges, Saying, read_all_sources, read_edges, read_sources
from governance.events.beside import Place, events_of_runs, pieces_at
from governance.events.days import days, parts_of_day
from governance.events.decode import Decoder
from governance.events.keys import SEPARATOR, key
from governance.events.light import read_light
from governance.events.manifest import Segment
from governance.events.model import TERMINAL, DatasetPart, Event
from governance.events.pieces import Piece, Problem
from governance.events.reading import event_files
from governance.events.segment import light_rows, mentioned_in, pieces_in
from governance.events.torn import torn_in
from governance.names import mentioned
from governance.runs import SEQUENCE, Job

Output = tuple[str, Job, Dataset]
"""A run by its id and job, and what it wrote."""


@dataclass(frozen=True, slots=True)
class Light:
    """The events of a store, in no order, each light or whole, and where the edges of the light ones stand.

    steady: whether every thing has one name, so that no event is to be told anew
    """

    events: tuple[Event, ...]
    problems: tuple[Problem, ...]
    said: Mapping[Output, Saying]
    store: Path
    segments: tuple[Place, ...]
    steady: bool

    def edges(self, sayings: Sequence[Saying]) -> Edges:
        """Return the edges of ``sayings``, of which none is twice.

        Raises:
            EventStoreError: a file of the store is missing or damaged.
        """
        return read_edges(self.store, self.segments, sayings)

    def events_of(self, sayings: Iterable[tuple[str, Saying]]) -> Iterator[Event]:
        """Yield the events of runs, by id, whole, as far as they stand in the segments of what the runs said.

        Raises:
            EventStoreError: a file of the store is missing or damaged.
        """
        wanted: dict[int, set[str]] = defaultdict(set)
        for run_id, (segment, _) in sayings:
            wanted[segment].add(run_id)
        decode = Decoder()
        for segment, runs in sorted(wanted.items()):
            yield from map(decode, events_of_runs(self.store, self.segments[segment], runs))

    def sources(self, sayings: Iterable[Saying], datasets: Iterable[Dataset]) -> frozenset[Field]:
        """Return the fields of ``datasets`` that ``sayings`` read.

        Raises:
            EventStoreError: a file of the store is missing or damaged.
        """
        return read_sources(self.store, self.segments, sayings, datasets)

    def all_sources(self, sayings: Iterable[Saying]) -> dict[Dataset, tuple[str, ...]]:
        """Return the names of all fields that ``sayings`` read, each once, in no order.

        Raises:
            EventStoreError: a file of the store is missing or damaged.
        """
        return read_all_sources(self.store, self.segments, sayings)


@dataclass(frozen=True, slots=True)
class Row:
    """An event of a segment as its light form has it; ``said`` is by output."""

    segment: int
    offset: int
    event: Event
    said: list[int | None]


@dataclass(slots=True)
class Day:
    """What is read of one day: light rows, and pieces that are whole."""

    name: str
    rows: list[Row]
    whole: list[Piece]


Odd = Callable[[Iterable[Event]], Collection[Dataset]]
"""The datasets of ``events`` of which a light form does not tell all, beside those of names that are :func:`_alike`."""


def read_light_store(path: Path, odd: Odd) -> Light:
    """Read a store, or a folder of events; events that name a dataset of ``odd`` are read whole.

    Raises:
        EventStoreError: a file cannot be read.
    """
    segments: list[Segment] = []
    decode = Decoder()
    names = sorted({file.name for file in event_files(path)} | set(days(path)))
    read = [_day(path, name, segments, decode) for name in names]
    events = [row.event for day in read for row in day.rows]
    whole = [piece.event for day in read for piece in day.whole if piece.event is not None]
    unsteady = frozenset(odd((*events, *whole))) | _alike(whole, (mentioned_in(path, it) for it in segments))
    return light_of(path, read, segments, unsteady)


def light_of(path: Path, read: Sequence[Day], segments: Sequence[Place], unsteady: Collection[Dataset]) -> Light:
    """Return what ``read`` holds, events that name a dataset of ``unsteady`` whole; rows name their place in segments.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    decode = Decoder()
    heavy = _heavy(read, unsteady)
    for day in read:
        day.whole += _whole(path, day, segments, heavy, decode)
        day.rows = [row for row in day.rows if _place(row) not in heavy]
    pieces = [it for day in read for it in sorted(day.whole, key=attrgetter("offset"))]
    kept = [row for day in read for row in day.rows]
    return Light(
        events=(*(it.event for it in kept), *(it.event for it in pieces if it.event)),
        problems=tuple(problem for piece in pieces for problem in piece.problems),
        said={output: saying for row in kept for output, saying in _sayings(row)},
        store=path,
        segments=tuple(segments),
        steady=not unsteady,
    )


def _alike(whole: Iterable[Event], segments: Iterable[pa.Array]) -> frozenset[Dataset]:
    """Return the datasets of names that differ by case alone or are not of plain letters.

    They are a superset of those in which any rule of a namespace could rename a field.
    """
    keys = [key(it) for it in frozenset(it for event in whole for it in mentioned(event))]
    spelled = pc.unique(pa.chunked_array([pa.array(keys, pa.string()), *segments], pa.string()))
    folded = pc.utf8_lower(spelled)
    counts = pc.value_counts(folded)
    twice = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
    plain = pc.and_(pc.string_is_ascii(spelled), pc.invert(pc.match_substring(spelled, '"')))
    found = spelled.filter(pc.or_(pc.is_in(folded, value_set=twice), pc.invert(plain))).to_pylist()
    return frozenset(Dataset(*name.split(SEPARATOR)[:2]) for name in found)


def _day(path: Path, name: str, segments: list[Segment], decode: Decoder) -> Day:
    of_day, tail = parts_of_day(path, name, decode)
    day = Day(name, [], list(tail))
    for segment in of_day:
        rows = light_rows(path, segment)
        if rows is None:
            day.whole += pieces_in(path, name, segment, decode)
            continue
        day.whole += torn_in(path, name, segment, decode)
        if untold := {row["offset"] for row in rows if row["light"] is None}:
            day.whole += pieces_at(path, name, segment, untold, decode)
        place = len(segments)
        day.rows += (Row(place, it["offset"], read_light(it["light"]), it["said"]) for it in rows if it["light"])
        segments.append(segment)
    return day


def _heavy(read: Iterable[Day], odd: Collection[Dataset]) -> frozenset[tuple[int, int]]:
    """Return the places of the rows whose event has to be read whole, all of a run's or none."""
    runs: dict[tuple[str, str, str], _Told] = defaultdict(_Told)
    for day in read:
        for row in day.rows:
            runs[_run_of(row.event)].light(row)
        for piece in day.whole:
            if piece.event is not None:
                runs[_run_of(piece.event)].whole(piece.event)
    heavy = (run for run in runs.values() if run.several or (odd and any(_named(row.event, odd) for row in run.rows)))
    return frozenset(_place(row) for run in heavy for row in run.rows)


def _place(row: Row) -> tuple[int, int]:
    return row.segment, row.offset


class _Told:
    """What one run told in which events."""

    __slots__ = ("_places", "_said", "rows", "several")

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.several = False
        self._said: dict[tuple[str, str], object] = {}
        self._places: set[tuple[object, int]] = set()

    def light(self, row: Row) -> None:
        """Note an event by its light form."""
        self.rows.append(row)
        # what a declaration says stands in its event, which is light and whole
        for part, number in zip(row.event.outputs, () if row.event.design else row.said, strict=not row.event.design):
            self._say(part, None if number is None else (row.segment, number))
        self._place(row.event)

    def whole(self, event: Event) -> None:
        """Note an event that is read whole."""
        for part in event.outputs:
            self._say(part, part.facets.column_lineage)
        self._place(event)

    def _say(self, part: DatasetPart, said: object) -> None:
        if said is not None and self._said.setdefault((part.namespace, part.name), said) != said:
            self.several = True

    def _place(self, event: Event) -> None:
        # events of one kind at one instant are ordered by their content, which the light form has not; of two ends one
        # does not count
        at = None if event.event_type in TERMINAL else event.at
        place = at, SEQUENCE.get(event.event_type, 1) if at else 0
        self.several |= place in self._places
        self._places.add(place)


def _run_of(event: Event) -> tuple[str, str, str]:
    return event.run.run_id, event.job.namespace, event.job.name


def _named(event: Event, odd: Collection[Dataset]) -> bool:
    parts = (*event.inputs, *event.outputs)
    lineages = (part.facets.column_lineage for part in parts)
    read = (it for lineage in lineages if lineage for it in lineage.dataset)
    return any(Dataset(it.namespace, it.name) in odd for its in (parts, read) for it in its)


def _whole(
    path: Path, day: Day, segments: Sequence[Place], heavy: Collection[tuple[int, int]], decode: Decoder
) -> Iterator[Piece]:
    offsets: dict[int, set[int]] = defaultdict(set)
    for row in day.rows:
        if _place(row) in heavy:
            offsets[row.segment].add(row.offset)
    for segment, of_segment in offsets.items():
        yield from pieces_at(path, day.name, segments[segment], of_segment, decode)


def _sayings(row: Row) -> Iterator[tuple[Output, Saying]]:
    event = row.event
    if event.design:
        return
    job = Job(event.job.namespace, event.job.name)
    for part, number in zip(event.outputs, row.said, strict=True):
        if number is not None:
            yield (event.run.run_id, job, Dataset(part.namespace, part.name)), (row.segment, number)
