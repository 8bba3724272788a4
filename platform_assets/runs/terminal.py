"""A run's first and last event: START, and one of COMPLETE, FAIL and ABORT, whatever happens between and within them.

What decides is whether the commit landed, not how the run was left: Terminate may come between the commit and
COMPLETE, and a catalog may take a commit and lose the answer. A terminal event is written once at most
(``EventStore.end``), so trying again is safe.
"""

from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Self

from governance.errors import EventStoreError, HeadwaterError, LineageError
from governance.events.run import RunFacts, abort_event, complete_event, fail_event, start_event
from governance.events.run_facets import Statistics
from governance.events.store import EventStore
from governance.events.transport import forward
from governance.statement import Kind
from platform_assets.iceberg import publish
from platform_assets.runs.interruption import interruption
from platform_assets.runs.output import inputs_of, outputs_of, rows_read
from platform_assets.runs.run import Begun, Done, Platform

LOST = "the data is committed and its COMPLETE is not written"
CLOSED = "the run was closed before it was complete: the first terminal event stands, COMPLETE was left out"


@dataclass(slots=True)
class Ending:
    """Begins a run's events and ends them when its block is left; ``done`` is set by the block once the commit stands.

    reads: what the pipeline's text reads, as START says it
    began: the time of START
    begun: what is being computed, so that a commit whose answer was lost can still be told
    """

    platform: Platform
    facts: RunFacts
    reads: tuple[str, ...]
    began: datetime
    begun: Begun | None = None
    done: Done | None = None
    warnings: tuple[str, ...] = field(default=())

    def __enter__(self) -> Self:
        """Write START.

        Raises:
            EventStoreError: it cannot be written; nothing of it is left.
        """
        try:
            self.platform.store.begin(start_event(self.facts, self.began, self.reads, [self.facts.attempt.job]))
        except BaseException as error:
            came = interruption(error)
            if isinstance(came, Exception):
                raise
            # Terminate came while START was being written, and it may stand by now
            if self.platform.store.started(self.facts.attempt.run_id):
                self._end(came)
            raise came from None
        return self

    def begin(self, begun: Begun) -> None:
        """Take down what is being computed."""
        self.begun = begun

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write the terminal event, then bring the user's lineage server up to date; the error goes on."""
        came = interruption(error) if error else None
        self.done = self.done or (self._landed() if came else None)
        try:
            self._end(came)
        except BaseException as unended:
            stopped = interruption(unended)
            if isinstance(stopped, Exception):
                raise
            # Terminate came while the end was being written
            self._end(came)
            raise stopped from None
        if came is not None and came is not error:
            raise came from None

    def _end(self, error: BaseException | None) -> None:
        if self.done:
            self.warnings = self._complete(self.done)
        elif error:
            self._fail(error)
        self.warnings += _behind(self.platform.store)

    def _complete(self, done: Done) -> tuple[str, ...]:
        platform = self.platform
        try:
            read, written = inputs_of(platform.policy, done.begun), outputs_of(platform.policy, platform.catalog, done)
            now = platform.clock()
            event = complete_event(self.facts, now, read, written, self._statistics(done, now))
            if platform.store.end(event) or platform.store.silenced(self.facts.attempt.job):
                return ()
        except (EventStoreError, LineageError) as error:
            return (f"{LOST}: {error}; run headwater events repair",)
        return (CLOSED,)

    def _statistics(self, done: Done, now: datetime) -> Statistics:
        rejected = done.begun.rejected
        return Statistics(
            read=rows_read(done.begun),
            written=done.commit.rows,
            # what does not cast within a statement fails it as a whole: only a file's rows are left out
            rejected=sum(rejected.rows.values()) if rejected else 0,
            milliseconds=round((now - self.began).total_seconds() * 1000),
        )

    def _fail(self, error: BaseException) -> None:
        now, words = self.platform.clock(), str(error) or type(error).__name__
        if isinstance(error, Exception):
            event = fail_event(self.facts, now, words)
        else:
            # Dagster's Terminate is no Exception; nor is Ctrl-C
            event = abort_event(self.facts, now, f"the run was interrupted ({type(error).__name__})")
        try:
            self.platform.store.end(event)
        except EventStoreError as unsent:
            error.add_note(f"and its terminal event was not written: {unsent}")

    def _landed(self) -> Done | None:
        if self.begun is None:
            return None
        traced = self.begun.traced
        table, run_id = traced.statement.pipeline.table, self.facts.attempt.run_id
        try:
            commit = publish.landed(self.platform.catalog, table, run_id, _lifecycle(self.begun))
        except Exception:  # noqa: BLE001  # the catalog may be what failed: the run's own error is the one to tell
            return None
        return Done(self.begun, commit) if commit else None


def tell_unbegun(store: EventStore, facts: RunFacts, at: datetime, error: HeadwaterError) -> None:
    """Tell of a run that ``error`` let read nothing, in START and FAIL; where they cannot be written, it notes that."""
    try:
        store.begin(start_event(facts, at, (), [facts.attempt.job]))
        store.end(fail_event(facts, at, str(error)))
    except EventStoreError as unsent:
        error.add_note(f"and its events were not written: {unsent}")
    forward(store)


def _lifecycle(begun: Begun) -> str | None:
    if begun.traced.own is None:
        return publish.CREATE
    whole = begun.traced.statement.kind is Kind.REPLACE and begun.window is None
    return publish.OVERWRITE if whole else None


def _behind(store: EventStore) -> tuple[str, ...]:
    return tuple(
        f"{it.destination} does not have all events yet: {it.error}; headwater events ship sends them again"
        for it in forward(store)
        if it.error
    )
