"""What the rules look at: all that is known of the platform at one moment, gathered by a shell."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from governance.consumers.declared import Declarations
from governance.consumers.records import Records
from governance.errors import HeadwaterError
from governance.events.attempt import Attempt
from governance.events.pieces import Problem
from governance.graph import Graph
from governance.landing.names import quarantine_of
from governance.policy import Policy
from governance.queries.model import QueryLog
from governance.runs import Run


class Snapshots(Protocol):
    """A collection of pairs of a dataset and the id of a snapshot."""

    def __contains__(self, asked: object, /) -> bool:
        """Whether ``asked`` is among them."""


@dataclass(frozen=True, slots=True)
class EndedAttempt:
    """One attempt to build ``table`` that the scheduler saw end, as SUCCESS, FAILURE or CANCELED."""

    attempt: Attempt
    table: str
    status: str


@dataclass(frozen=True, slots=True)
class Head:
    """The catalog's current snapshot of a table, as last written: one that only rearranges files is passed over.

    run_id: the OpenLineage run that the snapshot says wrote it, None where it says nothing
    """

    snapshot: str
    at: datetime
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """Everything that rules may ask; rules read it and nothing else.

    graph, runs: from the event store; runs by their OpenLineage run id
    ended:       attempts the scheduler saw end
    inventory:   tables that the catalog has
    sources:     tables declared as read and not built
    pipelines:   tables that assets own
    unreadable:  pipelines whose SQL or file cannot be read, by table
    silenced:    why events are switched off, in words to show; None where nothing says so
    filtered:    by job, the user's filter that drops its events
    now:         the moment of asking, with a zone
    heads:       current snapshots of the tables that jobs write, read before the events were
    damaged:     why tables of the catalog cannot be read, of those whose metadata is damaged or gone
    log:         reads that query logs show
    declarations: consumers that people and BI tools declare
    columns:     by table, the columns that sources.toml, the pipelines' SQL and the catalog give it, nested ones as
                 dotted paths; no key where it is not known yet which it will have
    rules:       the rules that there are
    problems:    what of the events could not be read
    snapshots:   (dataset, snapshot) that completed runs wrote beside those that ``runs`` name
    """

    policy: Policy
    graph: Graph
    runs: Mapping[str, Run]
    ended: tuple[EndedAttempt, ...]
    inventory: frozenset[str]
    sources: frozenset[str]
    pipelines: frozenset[str]
    unreadable: Mapping[str, HeadwaterError]
    silenced: str | None
    now: datetime
    filtered: Mapping[str, str] = field(default_factory=dict)
    heads: Mapping[str, Head] = field(default_factory=dict)
    damaged: Mapping[str, HeadwaterError] = field(default_factory=dict)
    log: QueryLog = field(default_factory=QueryLog)
    declarations: Declarations = field(default_factory=Declarations)
    columns: Mapping[str, frozenset[str]] = field(default_factory=dict)
    rules: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()
    snapshots: Snapshots = frozenset()

    @property
    def quarantines(self) -> Mapping[str, str]:
        """By the table that keeps what its runs rejected, the pipeline."""
        return {quarantine_of(table): table for table in self.pipelines}

    @property
    def records(self) -> Records:
        """What is asked about consumers and coverage."""
        return Records(self.graph, self.log, self.declarations, self.policy)
