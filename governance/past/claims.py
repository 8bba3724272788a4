"""What a run stands for: as long as nothing later stands for the same, its events are kept.

Each claim is what some rule or the graph asks for "the latest of": a run that holds none can change no answer, as
:mod:`governance.graph.build` and :mod:`governance.rules` take the latest of each and no others.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from governance.dataset import Dataset
from governance.events.model import DatasetPart, Event
from governance.runs import Run, ended

Claim = tuple[object, ...]
Rank = tuple[object, ...]

ALONE = frozenset({"open", "renames"})
"""Claims that only one run can make, and that it may give up."""


def claims_of(run_id: str, runs: Sequence[Run], events: Iterable[Event]) -> Mapping[Claim, Rank]:
    """Return what the runs of one id claim, by start and job; of several the one with the highest rank holds it."""
    found: dict[Claim, Rank] = {}
    for claim, rank in (it for run in runs for it in _of_run(run)):
        found[claim] = max(found.get(claim, rank), rank)
    # rules know runs by their id: of several jobs that share one, the last
    found |= dict(_of_shown(runs[-1]))
    for claim in _of_events(run_id, events):
        found[claim] = () if claim[0] in ALONE else (runs[0].began, run_id)
    return found


def _of_shown(run: Run) -> Iterator[tuple[Claim, Rank]]:
    began = run.began, run.run_id
    yield ("job", run.job), began
    for output in run.outputs:
        yield ("named", output.dataset), began
    if run.state == "COMPLETE" and run.ended:
        yield ("completed", run.job), (run.ended, run.run_id)
        yield ("began", run.job), began


def _of_run(run: Run) -> Iterator[tuple[Claim, Rank]]:
    if run.ended is None:
        yield ("open", run.run_id, run.job), ()
    elif run.state == "COMPLETE":
        at = ended(run), run.run_id
        for output in run.outputs:
            yield ("write", output.dataset, run.job), at
        for part in (*run.outputs, *run.inputs):
            yield ("seen", part.dataset, run.job), at


def _of_events(run_id: str, events: Iterable[Event]) -> Iterator[Claim]:
    for part in (part for event in events for part in parts_of(event)):
        if renames(part):
            yield "renames", run_id
        for link in part.facets.symlinks.identifiers if part.facets.symlinks else ():
            yield "link", Dataset(part.namespace, part.name), Dataset(link.namespace, link.name), link.type


def parts_of(event: Event) -> tuple[DatasetPart, ...]:
    """Return every dataset that the event describes."""
    return (*event.inputs, *event.outputs, *([event.dataset] if event.dataset else []))


def renames(part: DatasetPart) -> bool:
    """Whether it says that the dataset had another name before."""
    change = part.facets.lifecycle_state_change
    return bool(change and change.previous_identifier and change.lifecycle_state_change.upper() == "RENAME")
