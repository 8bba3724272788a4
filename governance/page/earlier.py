"""Runs of some jobs before those that stand: what a part of a long store's graph was made by, of the last days."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from pathlib import Path

from governance.dataset import Dataset
from governance.events.days import PREFIX, SUFFIX, days, parts_of_day
from governance.events.decode import Decoder
from governance.events.model import Event
from governance.events.reading import event_files
from governance.identity import Schemas
from governance.names import Spelling
from governance.runs import Job, Run, ended, read_runs
from governance.telling import told

BEFORE = timedelta(days=2)
"""How long before it ended a run may have begun, or sent what it said: its first events are of an earlier day."""


Slot = tuple[Dataset, Job]
"""A table and a job that writes it: of its runs the latest stands at each moment."""


def runs_since(
    store: Path, slots: Collection[Slot], since: datetime, spellings: Mapping[str, Spelling], schemas: Schemas
) -> tuple[Run, ...]:
    """Return as :func:`since_then` what the store's own events tell, in the names of now.

    Only the days since then are read and as many before as it takes to know what stood, and of those that are compacted
    only what holds an event of the jobs.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """

    def completed(jobs: Collection[Job], begin: datetime) -> tuple[Run, ...]:
        read = _completed(store, frozenset(jobs), begin)
        return tuple(_since(read_runs(told(read, spellings, schemas=schemas)), jobs, begin))

    found, untold, back = completed({job for _, job in slots}, since), set(slots), timedelta(days=1)
    first = min((day for name in _names(store) if (day := _day(name))), default=since.date())
    while untold:
        before = _last(completed({job for _, job in untold}, since - back), untold, since)
        found, untold = (*before.values(), *found), untold - before.keys()
        if (since - back).date() < first:
            break
        back *= 4
    return tuple(found)


def since_then(runs: Iterable[Run], slots: Collection[Slot], since: datetime) -> tuple[Run, ...]:
    """Return the runs of ``slots`` that completed since then, and what of each slot stood before."""
    read, jobs = tuple(runs), {job for _, job in slots}
    return (*_last(read, slots, since).values(), *_since(read, jobs, since))


def _since(runs: Iterable[Run], jobs: Collection[Job], begin: datetime) -> Iterator[Run]:
    return (run for run in runs if run.job in jobs and run.state == "COMPLETE" and ended(run) >= begin)


def _last(runs: Iterable[Run], slots: Collection[Slot], since: datetime) -> dict[Slot, Run]:
    found: dict[Slot, Run] = {}
    for run in sorted(runs, key=lambda run: (ended(run), run.run_id)):
        if run.state == "COMPLETE" and ended(run) < since:
            found |= {(it.dataset, run.job): run for it in run.outputs if (it.dataset, run.job) in slots}
    return found


def _completed(store: Path, jobs: Collection[Job], begin: datetime) -> Iterator[Event]:
    decode, names, first = Decoder(), frozenset(job.name for job in jobs), (begin - BEFORE).date()
    for name in _names(store):
        day = _day(name)
        # a file that is no day's may hold anything
        if day is None or day >= first:
            yield from _events(store, name, names, decode)


def _events(store: Path, name: str, jobs: frozenset[str], decode: Decoder) -> Iterator[Event]:
    segments, tail = parts_of_day(store, name, decode)
    if segments:
        from governance.events.segment import events_of_jobs  # noqa: PLC0415  # pyarrow is slow to start
    for segment in segments:
        yield from map(decode, events_of_jobs(store, segment, jobs))
    yield from (it.event for it in tail if it.event and it.event.job.name in jobs)


def _names(store: Path) -> list[str]:
    return sorted({file.name for file in event_files(store)} | set(days(store)))


def _day(name: str) -> date | None:
    try:
        return date.fromisoformat(name.removeprefix(PREFIX).removesuffix(SUFFIX))
    except ValueError:
        return None
