"""Lost COMPLETE events, rebuilt from the snapshots that carry their run's id.

A full disk, a killed worker or events that were switched off leave a committed table without its COMPLETE. The snapshot
knows what was written, the START (where there is one) what was meant to be read; the lineage is handed in.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from governance.errors import LineageError
from governance.events.facets import Column, Input, Naming, Output
from governance.events.model import TERMINAL, Event
from governance.events.run import Recorded, RunFacts, complete_event, start_event
from governance.events.store import EventStore

REBUILT = (("rebuilt_from", "snapshot"),)
"""The run tag of a rebuilt event, so that nobody takes it for the run's own word."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot of ``table`` that a run wrote; ``run_id`` is OpenLineage's, ``rows`` and ``bytes`` what it added."""

    table: str
    snapshot_id: int
    run_id: str
    at: datetime
    schema: tuple[Column, ...]
    rows: int | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """A committed snapshot whose run has no end in the store; ``started`` is its START, None where that is lost too."""

    snapshot: Snapshot
    started: Event | None

    @property
    def job(self) -> str:
        """The job's name; without a START that of its table, as jobs are named."""
        return self.started.job.name if self.started else self.snapshot.table

    @property
    def sql(self) -> str | None:
        """The SQL that ran, as START holds it: literals may be masked, which changes no column's lineage."""
        facet = self.started.job.facets.sql if self.started else None
        return facet.query if facet else None


@dataclass(frozen=True, slots=True)
class Described:
    """What can be said again of a run that was lost.

    output: the table of its snapshot, with its lineage and what policy says of it
    others: what it wrote besides, as it is now
    inputs: what is known of what it read, beyond the names that its lineage has
    """

    output: Output
    others: tuple[Output, ...] = ()
    inputs: tuple[Input, ...] = ()


@dataclass(frozen=True, slots=True)
class Repaired:
    """What became of one lost event; ``problem`` is empty where its COMPLETE is in the store now."""

    lost: Lost
    problem: str = ""


def lost_completes(events: Iterable[Event], snapshots: Iterable[Snapshot]) -> tuple[Lost, ...]:
    """Return the snapshots whose runs have no terminal event, oldest first."""
    started: dict[str, Event] = {}
    ended: set[str] = set()
    for event in events:
        if event.event_type in TERMINAL:
            ended.add(event.run.run_id)
        elif event.event_type == "START":
            started.setdefault(event.run.run_id, event)
    wanting = (snapshot for snapshot in snapshots if snapshot.run_id not in ended)
    ordered = sorted(wanting, key=lambda snapshot: (snapshot.at, snapshot.table))
    return tuple(Lost(snapshot, started.get(snapshot.run_id)) for snapshot in ordered)


def repair(
    store: EventStore, snapshots: Iterable[Snapshot], describe: Callable[[Lost], Described], naming: Naming
) -> tuple[Repaired, ...]:
    """Write the COMPLETE of every snapshot whose run has no end, and its START where that is lost as well.

    ``describe`` tells of a lost run: its lineage is traced from :attr:`Lost.sql` or from the pipeline of today. What
    the snapshot knows replaces what it says. An error of one leaves the others.

    Raises:
        EventStoreError: the store cannot be read or written.
    """
    lost = lost_completes(store.read().events, snapshots)
    return tuple(Repaired(one, _mend(store, one, describe, naming)) for one in lost)


def _mend(store: EventStore, lost: Lost, describe: Callable[[Lost], Described], naming: Naming) -> str:
    silenced = store.silenced(lost.job)
    if silenced:
        return f"{silenced}, so it cannot be written"
    try:
        told = describe(lost)
    except LineageError as error:
        return str(error)
    facts = RunFacts(Recorded(lost.job, lost.snapshot.run_id), _naming(lost, naming), tags=REBUILT)
    outputs = (_as_committed(told.output, lost.snapshot), *told.others)
    complete = complete_event(facts, lost.snapshot.at, told.inputs, outputs)
    if lost.started is None:
        store.begin(start_event(facts, lost.snapshot.at, told.output.lineage.inputs, (told.output.name,)))
    return "" if store.end(complete) else "its run was ended meanwhile"


def _as_committed(output: Output, snapshot: Snapshot) -> Output:
    return replace(
        output,
        schema=output.schema or snapshot.schema,
        snapshot_id=snapshot.snapshot_id,
        rows=snapshot.rows,
        bytes=snapshot.bytes,
    )


def _naming(lost: Lost, naming: Naming) -> Naming:
    """The job's namespace as START had it, which settings may have changed since."""
    return replace(naming, job_namespace=lost.started.job.namespace) if lost.started else naming
