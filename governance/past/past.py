"""The past as it is worked on: events go in, and what can change no answer any more goes out.

Law: whatever the order of appends, compactions, late events and losses of the file, what stands here answers every rule
as the whole store read anew does (``tests/history``).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain

import msgspec
import numpy as np

from governance.events.decode import Decoder
from governance.events.model import Event
from governance.explicit import explicit
from governance.past.claims import ALONE, Claim, Rank, claims_of, parts_of, renames
from governance.past.model import Over, Told, mark
from governance.past.names import Names
from governance.past.news import Heard, event_of
from governance.runs import Run, read_runs

DESIGN = ""
"""In place of a run id: events of no run."""


class Demoted(Exception):  # no error: the past is made anew
    """A run no longer stands for what it stood for, and what stood before it is not known any more."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        super().__init__(run_id)


@dataclass(slots=True)
class Marks:
    """A growing set of marks: many sorted ones and a few new ones."""

    many: np.ndarray
    new: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, data: bytes) -> "Marks":
        """Return those that :meth:`data` gave."""
        return cls(np.frombuffer(data, "<u8"))

    def data(self) -> bytes:
        """Return all of them, sorted, eight bytes each."""
        fresh = np.array(sorted(self.new), "<u8")
        return (np.union1d(self.many, fresh) if len(fresh) else self.many).astype("<u8").tobytes()

    def __contains__(self, it: int) -> bool:
        """Whether ``it`` is among them."""
        place = int(np.searchsorted(self.many, np.uint64(it)))
        return it in self.new or (place < len(self.many) and int(self.many[place]) == it)

    def __len__(self) -> int:
        """Return how many there are, of which some may be there twice."""
        return len(self.many) + len(self.new)


@dataclass(slots=True)
class Past:
    """Kept runs by id, each with its events, and what they hold.

    unclaimed: ids of runs that were kept: what they hold is asked only where there is news
    late:    ids of runs whose events wait until all are there, as they had stood for what they stand for no longer
    waiting: ids of runs that have been told of and not yet been looked at again
    renamed: whether any event said that a table had another name before
    """

    horizon: datetime
    names: Names
    gone: Marks
    snapshots: Marks
    over: dict[str, tuple[Over, ...]] = field(default_factory=dict)
    told: dict[str, dict[tuple[str, int], Heard]] = field(default_factory=dict)
    runs: dict[str, tuple[Run, ...]] = field(default_factory=dict)
    held: dict[Claim, tuple[Rank, str]] = field(default_factory=dict)
    holds: dict[str, set[Claim]] = field(default_factory=lambda: defaultdict(set))
    unclaimed: set[str] = field(default_factory=set)
    late: frozenset[str] = frozenset()
    waiting: set[str] = field(default_factory=set)
    renamed: bool = False

    def forgotten(self, run_ids: Iterable[str]) -> set[str]:
        """Return those of which there were events that are not here."""
        fresh = (it for it in run_ids if it and it not in self.told)
        return {it for it in fresh if it in self.over or (len(self.gone) and mark(it) in self.gone)}

    def load(self, told: Iterable[tuple[str, Iterable[Told]]]) -> None:
        """Take what was kept."""
        decode = Decoder()
        for run_id, events in told:
            self.told[run_id] = {it.place: (it, event_of(it, decode)) for it in events}
            if run_id != DESIGN:
                self.runs[run_id] = read_runs(event for _, event in self.told[run_id].values())
                self.unclaimed.add(run_id)

    def every_run(self) -> tuple[Run, ...]:
        """Return the runs of all events that are kept, in the order of :func:`governance.runs.read_runs`."""
        return tuple(sorted(chain.from_iterable(self.runs.values()), key=lambda it: (it.began, it.run_id, it.job)))

    def _claim_kept(self) -> None:
        if not self.unclaimed:
            # asked with every segment, of which a year has thousands
            return
        waiting, self.unclaimed = self.unclaimed, set()
        for run_id in waiting:
            runs, events = self.runs[run_id], [event for _, event in self.told[run_id].values()]
            for claim, rank in claims_of(run_id, runs, events).items():
                before = self.held.get(claim)
                if before is None or before[0] < rank:
                    self.held[claim] = rank, run_id
        for claim, (_, run_id) in self.held.items():
            self.holds[run_id].add(claim)

    def hear(self, heard: Iterable[Heard], recalled: Iterable[Heard] = ()) -> tuple[str, ...]:
        """Take new events, those of one run at once; return the ids of runs that lost what they stood for.

        recalled: all events of those runs that are forgotten
        """
        self._claim_kept()
        fresh, before = _by_run(heard), _by_run(recalled)
        lost: list[str] = []
        for run_id in fresh:
            of_run = self.told.setdefault(run_id, {})
            of_run.update((it[0].place, it) for it in (*before.get(run_id, ()), *fresh[run_id]))
        self.waiting = set(fresh) - self.late
        for run_id in sorted(self.waiting):
            self.waiting.discard(run_id)
            try:
                self._require_snapshots(run_id, before.get(run_id, ()), fresh[run_id])
                self._claim(run_id)
            except Demoted:
                lost.append(run_id)
        return tuple(lost)

    def _require_snapshots(self, run_id: str, before: Collection[Heard], fresh: Collection[Heard]) -> None:
        """Refuse that a run which was forgotten did not complete what it completed: marks are not taken back."""
        if not before:
            return
        added = {it[0].place for it in fresh}
        had = _snapshots_of(event for told, event in before if told.place not in added)
        if not had <= _snapshots_of(event for _, event in (*before, *fresh)):
            raise Demoted(run_id)

    def close(self) -> tuple[str, ...]:
        """Take the runs that waited; return as :meth:`hear` does."""
        waiting, self.late = self.late, frozenset()
        return self.hear(it for run_id in sorted(waiting) for it in tuple(self.told.get(run_id, {}).values()))

    def settle(self, told: Iterable[Told]) -> None:
        """Take other forms of events that are kept."""
        decode, run_of = Decoder(), {it: run_id for run_id, of_run in self.told.items() for it in of_run}
        for it in told:
            self.told[run_of[it.place]][it.place] = it, event_of(it, decode)

    def _claim(self, run_id: str) -> None:
        if run_id == DESIGN:
            self.told[DESIGN] = {it[0].place: it for it in _standing(tuple(self.told[DESIGN].values()))}
            return
        events = [event for _, event in self.told[run_id].values()]
        self.over.pop(run_id, None)
        runs = self.runs[run_id] = read_runs(events)
        claims = claims_of(run_id, runs, events)
        for claim in tuple(self.holds[run_id]):
            if claim in claims and claims[claim] >= self.held[claim][0]:
                continue
            if claim[0] not in ALONE:
                raise Demoted(run_id)
            self.holds[run_id].discard(claim)
            del self.held[claim]
        self._hold(run_id, claims.items())

    def _hold(self, run_id: str, claims: Iterable[tuple[Claim, Rank]]) -> None:
        beaten: set[str] = set()
        for claim, rank in claims:
            holder = self.held.get(claim)
            if holder is not None and holder[1] != run_id:
                if holder[0] >= rank:
                    continue
                self.holds[holder[1]].discard(claim)
                beaten.add(holder[1])
            self.held[claim] = rank, run_id
            self.holds[run_id].add(claim)
        for it in {*beaten, run_id} - self.waiting:
            if not self.holds[it]:
                self._forget(it)

    def _forget(self, run_id: str) -> None:
        runs = self.runs.pop(run_id)
        del self.told[run_id], self.holds[run_id]
        lasting = tuple(_over(it) for it in runs)
        if any(it.heard >= self.horizon for it in lasting):
            self.over[run_id] = lasting
        else:
            self.gone.new.add(mark(run_id))
        for run in runs:
            self.snapshots.new.update(_snapshots(run))

    def age(self) -> None:
        """Let go of what was heard before the horizon."""
        for run_id in [it for it, over in self.over.items() if all(one.heard < self.horizon for one in over)]:
            del self.over[run_id]
            self.gone.new.add(mark(run_id))


def _by_run(heard: Iterable[Heard]) -> dict[str, list[Heard]]:
    found: dict[str, list[Heard]] = defaultdict(list)
    for it in heard:
        found[it[1].run.run_id].append(it)
    return found


def _over(run: Run) -> Over:
    if run.ended is None or run.heard is None:
        raise Demoted(run.run_id)
    return Over(run.run_id, run.job.namespace, run.job.name, run.state, run.began, run.ended, run.heard)


def _snapshots_of(events: Iterable[Event]) -> set[int]:
    return {it for run in read_runs(events) for it in _snapshots(run)}


def _snapshots(run: Run) -> Iterator[int]:
    for it in run.outputs if run.state == "COMPLETE" else ():
        if it.snapshot is not None:
            yield mark(it.dataset.namespace, it.dataset.name, it.snapshot)


def _standing(declared: Collection[Heard]) -> Iterator[Heard]:
    """Yield the latest events of each declarer, the first of all, and those that say how datasets hang together."""
    latest: dict[tuple[str, str], list[Heard]] = {}
    first = min(declared, key=lambda it: it[1].at, default=None)
    for it in declared:
        told = explicit(it[1])
        named = told.dataset or told.job
        own = (named.namespace, named.name)
        best = latest.get(own)
        if best is None or it[1].at > best[0][1].at:
            latest[own] = [it]
        elif it[1].at == best[0][1].at and not any(_alike(it[1], other) for _, other in best):
            best.append(it)
    kept = {id(it) for of in latest.values() for it in of}
    for it in declared:
        if id(it) in kept or it is first or any(renames(part) or part.facets.symlinks for part in parts_of(it[1])):
            yield it


def _alike(one: Event, other: Event) -> bool:
    return msgspec.json.encode(one) == msgspec.json.encode(other)
