"""The values of an answer about consumers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governance.queries.model import Window

GRAPH, LOG = "lineage graph", "query log"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one source knows of one consumer.

    last_read: when it was last seen to read, or its job last completed; None where the source cannot tell
    reads:     how often in ``window``; None where the source does not count
    columns:   that it reads, ``table.column``; None where unknown or the table as a whole
    """

    source: str
    how: str
    window: Window | None = None
    last_read: datetime | None = None
    reads: int | None = None
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Consumer:
    """One that reads the table.

    registered: it is declared, or a job whose lineage is known
    shared:     an account of many, not resolved to a person, report or job yet
    notes:      what the evidence cannot tell
    """

    name: str
    kind: str
    evidence: tuple[Evidence, ...]
    owner: str | None = None
    contact: str | None = None
    criticality: str | None = None
    registered: bool = True
    shared: bool = False
    notes: tuple[str, ...] = ()

    @property
    def reads(self) -> int:
        """How often the log saw it read."""
        return sum(it.reads or 0 for it in self.evidence)

    @property
    def last_read(self) -> datetime | None:
        """When the log last saw it read."""
        return max((it.last_read for it in self.evidence if it.source == LOG and it.last_read), default=None)

    def as_dict(self) -> dict[str, Any]:
        """Return the consumer's part of the public JSON form."""
        return {
            "name": self.name,
            "kind": self.kind,
            "owner": self.owner,
            "contact": self.contact,
            "criticality": self.criticality,
            "registered": self.registered,
            "shared": self.shared,
            "notes": list(self.notes),
            "evidence": [_evidence_dict(it) for it in self.evidence],
        }


@dataclass(frozen=True, slots=True)
class Gap:
    """A line of the reconciliation: a read that no edge explains, or an edge of which the log has no read.

    owner: who is to settle it: the consumer's, else the table's
    """

    consumer: str
    table: str
    owner: str | None
    said: str

    def as_dict(self) -> dict[str, str | None]:
        """Return ``{"consumer", "table", "owner", "said"}``."""
        return {"consumer": self.consumer, "table": self.table, "owner": self.owner, "said": self.said}


@dataclass(frozen=True, slots=True)
class Consumers:
    """The consumers of one table or column, most critical and most read first.

    sources:  what was asked, each with its window (None: it speaks of no span of time)
    log_only: reads with no edge; ``graph_only``: edges with no read in the window
    unplaced: consumers whose columns are unknown where one column was asked for; they may read it
    derived:  tables that jobs derive from it, however far: their consumers read it too, in a way
    """

    asked: str
    at: datetime
    sources: tuple[tuple[str, Window | None], ...]
    consumers: tuple[Consumer, ...]
    log_only: tuple[Gap, ...]
    graph_only: tuple[Gap, ...]
    unreadable: int
    unplaced: frozenset[str] = frozenset()
    derived: tuple[str, ...] = ()

    @property
    def statement(self) -> str:
        """The one sentence that the answer allows."""
        found = (
            f"{len(self.consumers)} consumer{'s' * (len(self.consumers) != 1)}" if self.consumers else "no consumers"
        )
        return f"{found} found among these sources over this window"

    def as_dict(self) -> dict[str, Any]:
        """Return the public JSON form.

        ``sources`` are ``{"source", "window": {"from", "to"} or null}``; each of ``consumers`` has ``name``, ``kind``,
        ``owner``, ``contact``, ``criticality``, ``registered``, ``shared``, ``notes`` and ``evidence``, a list of
        ``{"source", "how", "window", "last_read", "reads", "columns"}``; ``derived`` names tables. ``reconciliation``
        has ``reads_without_edge`` and ``edges_without_reads``, lists of ``{"consumer", "table", "owner", "said"}``.
        """
        return {
            "asked": self.asked,
            "at": self.at.isoformat(),
            "statement": self.statement,
            "sources": [
                {"source": name, "window": window.as_dict() if window else None} for name, window in self.sources
            ],
            "consumers": [consumer.as_dict() for consumer in self.consumers],
            "unplaced": sorted(self.unplaced),
            "derived": list(self.derived),
            "reconciliation": {
                "reads_without_edge": [gap.as_dict() for gap in self.log_only],
                "edges_without_reads": [gap.as_dict() for gap in self.graph_only],
            },
            "unreadable": self.unreadable,
        }


def _evidence_dict(evidence: Evidence) -> dict[str, Any]:
    return {
        "source": evidence.source,
        "how": evidence.how,
        "window": evidence.window.as_dict() if evidence.window else None,
        "last_read": evidence.last_read.isoformat() if evidence.last_read else None,
        "reads": evidence.reads,
        "columns": list(evidence.columns) if evidence.columns is not None else None,
    }
