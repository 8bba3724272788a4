"""What ends, in the event store, the runs that died in Dagster without saying so.

Its imports are those of who writes events: loading definitions does not wait for them.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from dagster import DagsterInstance

from governance import errors
from governance.events.model import TERMINAL
from governance.events.redact import secrets_of
from governance.events.run import DAGSTER_RUN_ID, Naming, RunFacts, abort_event, fail_event, start_event, started_by
from governance.events.store import EventStore
from governance.runs import read_runs
from governance_checks.scheduler import WINDOW, Ended, ended_attempts

ENDING = {"FAILURE": fail_event, "CANCELED": abort_event}
"""How an attempt ends in OpenLineage. A success is not among them: its COMPLETE is rebuilt from its snapshot."""

UNCOMMITTED = frozenset(
    name for name, it in vars(errors).items() if isinstance(it, type) and issubclass(it, errors.LineageError)
)
"""The errors of a step that certainly committed nothing: its SQL was refused. All others may come after a commit."""


@dataclass(frozen=True, slots=True)
class Unasked:
    """What became of open attempts while the catalog could not be asked: ``ended`` here, and ``left`` open."""

    ended: tuple[Ended, ...]
    left: tuple[Ended, ...]


@dataclass(frozen=True, slots=True)
class Closer:
    """What is needed to speak for a run that died.

    reads: the tables each job of this platform reads, by job; runs of other jobs are closed only where they sent START
    mend:  gives runs that died after their commit the COMPLETE that they are owed, before any is ended as failed
    clock: the time now, in UTC
    """

    store: EventStore
    naming: Naming
    reads: Mapping[str, Collection[str]]
    mend: Callable[[], object]
    clock: Callable[[], datetime]

    def close(self, instance: DagsterInstance) -> tuple[Ended, ...]:
        """End every attempt that ended in Dagster and is open in the store; return those that were ended here.

        All of the window is looked at, not one run: an end that could not be written (a full disk) is made up for
        when the next run fails.

        Raises:
            EventStoreError: the store cannot be read or written.
        """
        attempts = ended_attempts(instance, self.clock() - WINDOW)
        if self._open(attempts):
            self.mend()
        open_ones = self._open(attempts)
        return tuple(ended for ended, started in open_ones if self._end(ended, started=started))

    def close_unasked(self, instance: DagsterInstance) -> Unasked:
        """End, without the catalog, the open attempts that certainly committed nothing; all others stay open.

        One that was killed may have committed: FAIL would stand against its data, for the first end of a run stays.

        Raises:
            EventStoreError: the store cannot be read or written.
        """
        attempts = self._open(ended_attempts(instance, self.clock() - WINDOW))
        ours = [it for it in attempts if it[1] or it[0].known.attempt.job in self.reads]
        sure = [it for it in ours if it[0].error in UNCOMMITTED]
        left = tuple(ended for ended, _ in ours if ended.error not in UNCOMMITTED)
        return Unasked(tuple(ended for ended, started in sure if self._end(ended, started=started)), left)

    def _open(self, attempts: Collection[Ended]) -> list[tuple[Ended, bool]]:
        runs = {run.run_id: run.state for run in read_runs(self.store.read().events)}
        return [
            (ended, ended.known.attempt.run_id in runs)
            for ended in attempts
            if ended.known.status in ENDING and runs.get(ended.known.attempt.run_id) not in TERMINAL
        ]

    def _end(self, ended: Ended, *, started: bool) -> bool:
        attempt, now = ended.known.attempt, self.clock()
        if not started and attempt.job not in self.reads:
            return False
        parent = started_by(attempt.instant, attempt.dagster_run_id, ended.dagster_job)
        tags = ((DAGSTER_RUN_ID, attempt.dagster_run_id),)
        facts = RunFacts(attempt, self.naming, parent=parent, secrets=secrets_of(), tags=tags)
        if not started:
            # killed before its first event, or the store was full: the run did begin, and an end needs its beginning
            self.store.begin(start_event(facts, ended.started, self.reads[attempt.job], (ended.known.table,)))
        return self.store.end(ENDING[ended.known.status](facts, now, ended.reason))
