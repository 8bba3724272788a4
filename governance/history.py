"""What stood when: the events up to a moment, and the runs that wrote a table, one after the other."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from governance.dataset import Dataset
from governance.errors import HeadwaterError, UnknownField
from governance.events.file_parts import ReadFilesPart
from governance.events.model import Event
from governance.graph import Edge, Write, graph_of
from governance.landing.kinds import base_of
from governance.runs import PATIENCE, Run, ended


@dataclass(frozen=True, slots=True)
class Past:
    """One completed write of a table.

    added, removed: dependencies, without job and run, that it has beside or short of the same job's write before it
    files: those that its run read, by the dataset that stood for them
    """

    write: Write
    added: tuple[str, ...]
    removed: tuple[str, ...]
    files: Mapping[str, ReadFilesPart] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Attempt:
    """A run that was to write a table and has not completed, in its state at some moment (``Run.state_at``)."""

    run: Run
    state: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A run that read a dataset of files, in its state at some moment, and which files they were."""

    run: Run
    state: str
    files: ReadFilesPart


def until(events: Iterable[Event], moment: datetime) -> tuple[Event, ...]:
    """Return the events up to and at ``moment``: a run that ended later had not ended then, and adds nothing."""
    return tuple(event for event in events if event.at <= moment)


def parse_moment(text: str) -> datetime:
    """Return the instant that ``text`` names, ``2026-10-01`` or ``2026-10-01T02:00:00+00:00``; without zone it is UTC.

    Raises:
        HeadwaterError: it names none.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        fix = "write 2026-10-01 or 2026-10-01T02:00:00+00:00"
        raise HeadwaterError(f"{text!r} is no instant", fix=fix) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def moment_of(runs: Iterable[Run], dataset: Dataset, snapshot: str) -> datetime:
    """Return when the run ended that wrote ``snapshot`` of ``dataset``, as its version facet says.

    Raises:
        UnknownField: no completed run names it; the message says which snapshots are known.
    """
    writes = list(_writes(runs, dataset))
    found = [write.at for write in writes if write.snapshot == snapshot]
    if found:
        return min(found)
    known = [write.snapshot for write in writes if write.snapshot]
    fix = f"known are {', '.join(known[-5:])}" if known else "no run's event names a snapshot of this table"
    raise UnknownField(f"no completed run wrote snapshot {snapshot} of {dataset}", fix=fix)


def history(runs: Iterable[Run], dataset: Dataset) -> tuple[Past, ...]:
    """Return every completed write of ``dataset``, the oldest first, and how its dependencies changed."""
    found: list[Past] = []
    before: dict[str, frozenset[str]] = {}
    for run, write, said in _told(runs, dataset):
        last = before.get(str(write.job), frozenset())
        files = {str(it.dataset): it.files for it in run.inputs if it.files}
        found.append(Past(write, tuple(sorted(said - last)), tuple(sorted(last - said)), files))
        before[str(write.job)] = said
    return tuple(found)


def attempts(
    runs: Iterable[Run], dataset: Dataset, now: datetime, patience: timedelta = PATIENCE
) -> tuple[Attempt, ...]:
    """Return the runs that were to write ``dataset`` and have not completed, the oldest first.

    One that began longer than ``patience`` ago, and was not heard of since, is ABANDONED.
    """
    writing = [run for run in runs if any(output.dataset == dataset for output in run.outputs)]
    states = ((run, run.state_at(now, patience)) for run in writing)
    found = (Attempt(run, state) for run, state in states if state != "COMPLETE")
    return tuple(sorted(found, key=lambda it: (it.run.began, it.run.run_id)))


def readings(
    runs: Iterable[Run], dataset: Dataset, now: datetime, patience: timedelta = PATIENCE
) -> tuple[Reading, ...]:
    """Return the runs that told which files ``dataset`` stood for, the oldest first; one kind of record is its file's.

    States are as for :func:`attempts`.
    """
    told = {dataset, base_of(dataset)}
    reading = [run for run in runs if any(it.dataset == dataset for it in run.inputs)]
    found = (
        Reading(run, run.state_at(now, patience), it.files)
        for run in reading
        for it in run.inputs
        if it.dataset in told and it.files
    )
    return tuple(sorted(found, key=lambda it: (ended(it.run), it.run.run_id)))


def _writes(runs: Iterable[Run], dataset: Dataset) -> Iterator[Write]:
    return (write for _, write, _ in _told(runs, dataset))


def _told(runs: Iterable[Run], dataset: Dataset) -> Iterator[tuple[Run, Write, frozenset[str]]]:
    writing = [run for run in runs if any(output.dataset == dataset for output in run.outputs)]
    for run in sorted(writing, key=lambda run: (ended(run), run.run_id)):
        graph = graph_of([run])
        for write in graph.writes:
            if write.dataset == dataset:
                yield run, write, frozenset(_said(edge) for edge in graph.edges if _table(edge) == dataset)


def _table(edge: Edge) -> Dataset:
    return edge.target if isinstance(edge.target, Dataset) else edge.target.dataset


def _said(edge: Edge) -> str:
    target = edge.target.name if not isinstance(edge.target, Dataset) else "every row"
    return f"{target} from {edge}"
