"""The past as rules and questions are given it: what stands, with its edges where they are, and runs by their id."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from governance.dataset import Dataset
from governance.events.beside import Beside, Place
from governance.events.decode import Decoder
from governance.events.light_store import Day, Row, light_of
from governance.events.manifest import read_manifest
from governance.events.pieces import Piece
from governance.graph.known import Known
from governance.identity import Schemas, moved
from governance.names import Spelling, aliases, respelled
from governance.past.follow import Followed, recalled
from governance.past.model import BESIDE, Over, mark
from governance.past.news import Changed
from governance.past.past import Marks, Past
from governance.runs import Run, read_runs
from governance.stored import NO_CATALOG, Catalog, Stored


@dataclass(frozen=True, slots=True)
class Stands:
    """What rules may ask of a store of which most is forgotten.

    known:     what stands, its edges unread
    runs:      every run by its id; those that nothing standing is of name no dataset
    snapshots: the snapshots that runs completed which name none any more
    """

    known: Known
    runs: "Runs"
    snapshots: "Snapshots"


def stands(followed: Followed, store: Path, spellings: Mapping[str, Spelling], schemas: Schemas) -> Stands:
    """Return what stands in ``store``, in the names of now.

    Raises:
        Changed: a segment that was read is not there.
        EventStoreError: a file of the store is missing or damaged.
    """
    stored = stored_of(followed, store, spellings, schemas)
    others: dict[Dataset, set[Dataset]] = defaultdict(set)
    for told, one in (aliases(stored.events, spellings) if followed.past.names.linked else {}).items():
        others[one].add(told)
    runs, known = stored.runs_and_known()
    own = {run.run_id: run for run in runs}
    return Stands(known, Runs(own, followed.past, store), Snapshots(followed.past.snapshots, dict(others)))


def stored_of(
    followed: Followed,
    store: Path,
    spellings: Mapping[str, Spelling],
    schemas: Schemas,
    catalog: Catalog = NO_CATALOG,
) -> Stored:
    """Return the events that are kept, as a store is read: what is asked of now is answered from them as from all.

    Raises:
        Changed: a segment that was read is not there.
        EventStoreError: a file of the store is missing or damaged.
    """
    segments: dict[str, Place] = {}
    read = _days(followed, store, segments)
    past = followed.past
    events = tuple(event for of_run in past.told.values() for _, event in of_run.values())
    if not segments:
        return Stored(events, followed.problems, spellings, schemas, catalog=catalog)
    # no table was renamed and nothing is spelled in two ways, or it would not be followed
    odd = (respelled(events, spellings) if past.names.linked else frozenset()) | moved((), schemas)
    rows = sum(len(day.rows) for day in read)
    light = light_of(store, read, list(segments.values()), odd)
    as_read = light.steady and rows == sum(len(day.rows) for day in read)
    runs = past.every_run() if as_read else None
    return Stored(light.events, followed.problems, spellings, schemas, light, catalog, runs)


def _days(followed: Followed, store: Path, segments: dict[str, Place]) -> list[Day]:
    there: dict[str, Place] = {it.file: it for day in read_manifest(store).days.values() for it in day.segments}
    where: dict[str, list[tuple[str, int]]] = defaultdict(list)
    there[BESIDE] = Beside(followed.beside.table(), where)
    places: dict[str, int] = {}
    found: dict[str, Day] = {}
    for run_id, of_run in followed.past.told.items():
        for told, event in of_run.values():
            day = found.setdefault(told.day, Day(told.day, [], []))
            if not told.segment:
                day.whole.append(Piece(told.day, 1, told.offset, told.raw, event))
                continue
            if told.segment not in there:
                raise Changed
            segments.setdefault(told.segment, there[told.segment])
            place = places.setdefault(told.segment, len(places))
            day.rows.append(Row(place, told.offset, event, list(told.said)))
            if told.segment == BESIDE:
                where[run_id].append(told.place)
    return [found[name] for name in sorted(found)]


@dataclass(frozen=True, slots=True)
class Runs(Mapping[str, Run]):
    """Every run of a store by its id; one that is forgotten is looked up in the store when it is asked for.

    Only those that are remembered are counted and given in turn.
    """

    own: Mapping[str, Run]
    past: Past
    store: Path
    _recalled: dict[str, Run | None] = field(default_factory=dict)

    def __getitem__(self, run_id: str) -> Run:
        """Return the run.

        Raises:
            KeyError: the store has no event of it.
            EventStoreError: a file of the store is missing or damaged.
        """
        if run_id in self.own:
            return self.own[run_id]
        over = self.past.over.get(run_id)
        run = _last(over) if over else self._recall(run_id) if self.past.forgotten([run_id]) else None
        if run is None:
            raise KeyError(run_id)
        return run

    def __iter__(self) -> Iterator[str]:
        """Yield the ids of the runs that are remembered."""
        yield from self.own
        yield from (it for it in self.past.over if it not in self.own)

    def __len__(self) -> int:
        """Return how many are remembered."""
        return sum(1 for _ in self)

    def _recall(self, run_id: str) -> Run | None:
        if run_id not in self._recalled:
            events = (event for _, event in recalled(self.store, [run_id], Decoder()))
            self._recalled[run_id] = max(read_runs(events), key=_order, default=None)
        return self._recalled[run_id]


def _last(over: tuple[Over, ...]) -> Run:
    return over[0].run() if len(over) == 1 else max((it.run() for it in over), key=_order)


def _order(run: Run) -> tuple[object, ...]:
    return run.began, run.job


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Snapshots of datasets that completed runs wrote which are forgotten or name no dataset any more.

    others: by a dataset's one name those that events have called it by
    """

    marks: Marks
    others: Mapping[Dataset, set[Dataset]]

    def __contains__(self, asked: object) -> bool:
        """Whether ``asked``, a dataset and the id of a snapshot, is among them."""
        if not isinstance(asked, tuple):
            return False
        dataset, snapshot = asked
        return any(
            mark(it.namespace, it.name, snapshot) in self.marks for it in (dataset, *self.others.get(dataset, ()))
        )
