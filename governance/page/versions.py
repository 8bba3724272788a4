"""Runs → versions: what each job said of each table it writes, once for as long as it said the same."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from governance.dataset import Dataset
from governance.events.file_parts import ReadFilesPart
from governance.graph import Edge, Write, graph_of
from governance.learned import Learned
from governance.runs import Job, Run, RunDataset, ended

RUNS_KEPT = 2000
"""Runs that are listed one by one, the latest; of earlier ones those stay with which something changed."""


@dataclass(frozen=True, slots=True)
class Version:
    """What one job said of one table, over one or more runs.

    slot:  which versions take each other's place: of the runs of one slot the latest stands
    write: of the first run that said so
    edges: in the graph's order
    said:  the table as that run's events describe it
    """

    slot: int
    write: Write
    edges: tuple[Edge, ...]
    said: RunDataset


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A run that said a version again, or first; ``version`` is its place, ``files`` are those that it read."""

    version: int
    run_id: str
    at: datetime
    snapshot: str | None
    files: tuple[ReadFilesPart, ...] = ()


@dataclass(frozen=True, slots=True)
class Past:
    """Every version, and the runs by time."""

    versions: tuple[Version, ...]
    runs: tuple[Confirmed, ...]


Slot = tuple[Dataset, Job, bool]


def past_of(runs: Iterable[Run], declared: Iterable[Run], kept: int = RUNS_KEPT) -> Past:
    """Return what completed ``runs`` and declarations said, such that the graph of any moment can be made from it.

    At a moment the latest run of each slot up to then stands. A declaration has a slot of its own, beside the runs of
    its job, where it has column lineage; where it has none it holds only until a run of the job tells more.
    """
    found = _Found()
    for run in sorted((it for it in runs if it.state == "COMPLETE" and it.ended), key=_order):
        for output in run.outputs:
            found.add((output.dataset, run.job, False), run, output)
    for run in sorted((it for it in declared if it.learned is Learned.DECLARED), key=_order):
        for output in run.outputs:
            slot = output.dataset, run.job, output.lineage is not None
            if slot[2] or not found.holds(slot, before=ended(run)):
                found.add(slot, run, output)
    listed = sorted(found.runs, key=lambda it: (it.at, it.run_id, it.version))
    return Past(tuple(found.versions), tuple(_kept(listed, found.versions, kept)))


def _order(run: Run) -> tuple[datetime, str]:
    return ended(run), run.run_id


class _Found:
    """The versions found so far, and the runs that confirm them."""

    def __init__(self) -> None:
        self.versions: list[Version] = []
        self.runs: list[Confirmed] = []
        self._slots: dict[Slot, int] = {}
        self._places: dict[object, int] = {}
        self._read: dict[object, int] = {}

    def holds(self, slot: Slot, before: datetime) -> bool:
        """Whether a run up to ``before`` wrote into ``slot``."""
        number = self._slots.get(slot)
        return any(self.versions[it.version].slot == number and it.at <= before for it in self.runs)

    def add(self, slot: Slot, run: Run, output: RunDataset) -> None:
        """Add what ``run`` said of ``output``."""
        # a facet that a job sends again is the same value again, and is not read again
        facets = id(output.lineage), id(output.expressions)
        said = slot, run.learned, tuple(it.dataset for it in run.inputs), output.fields, facets
        if said not in self._read:
            self._read[said] = self._place(slot, run, output)
        files = tuple(it.files for it in run.inputs if it.files)
        self.runs.append(Confirmed(self._read[said], run.run_id, ended(run), output.snapshot, files))

    def _place(self, slot: Slot, run: Run, output: RunDataset) -> int:
        alone = [replace(run, outputs=(output,))]
        graph = graph_of((), alone) if run.state == "DECLARED" else graph_of(alone)
        (write,) = graph.writes
        edges = tuple((it.source, it.target, it.transformation, it.masking) for it in graph.edges)
        lists = write.inputs, write.fields, write.gaps
        content = slot, run.learned, write.traced, *lists, edges, output.expressions
        place = self._places.setdefault(content, len(self.versions))
        if place == len(self.versions):
            self.versions.append(Version(self._slots.setdefault(slot, len(self._slots)), write, graph.edges, output))
        return place


def _kept(listed: list[Confirmed], versions: list[Version], kept: int) -> Iterator[Confirmed]:
    """Yield the latest ``kept`` runs, and of those before them each with which its slot came to say something else."""
    standing: dict[int, int] = {}
    late = len(listed) - kept
    last = {versions[it.version].slot: place for place, it in enumerate(listed)}
    for place, it in enumerate(listed):
        slot = versions[it.version].slot
        if place >= late or last[slot] == place or standing.get(slot) != it.version:
            yield it
        standing[slot] = it.version
