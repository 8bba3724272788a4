"""The values of a measurement of coverage."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from governance.consumers.model import Gap
from governance.consumers.observed import Observed
from governance.queries.model import Window


@dataclass(frozen=True, slots=True)
class Share:
    """``part`` of ``whole``; weighted shares have sums of weights in both."""

    part: int
    whole: int

    @property
    def ratio(self) -> float | None:
        """Between 0 and 1; None where there is nothing to measure against."""
        return self.part / self.whole if self.whole else None

    def __str__(self) -> str:
        """Return ``430 of 500, 86.0 %``."""
        return "not measured" if self.ratio is None else f"{self.part:,} of {self.whole:,}, {self.ratio:.1%}"

    def as_dict(self) -> dict[str, Any]:
        """Return ``{"part", "whole", "ratio"}``, the ratio null where nothing was measured."""
        return {"part": self.part, "whole": self.whole, "ratio": self.ratio}


class Told(Enum):
    """What lineage knows of a table's columns; to know that a column has no input is to know it."""

    COLUMNS = "every column"
    SOME = "some columns"
    TABLES = "tables only"
    ABSENT = "not in the graph"


@dataclass(frozen=True, slots=True)
class Weighted:
    """One measure: plain, weighted by reads of the log, and by the criticality of the consumers."""

    plain: Share
    by_reads: Share
    by_criticality: Share


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the inventory with what it counts: ``weight`` is that of the most critical consumer downstream."""

    name: str
    told: Told
    owner: str | None
    reads: int
    weight: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was measured at one moment.

    window:     by which the log's silence is judged; None without a log, and then ``edges`` is not measured
    windows:    of every log that reads come from
    columns_of: columns of the tables that jobs write: with inputs, known to have none, unknown
    flows:      the graph's edges between tables that carry column lineage
    typed:      column-level inputs that came with type and subtype; None where the events were not looked at
    tables:     of the inventory, the most read and most critical first
    observed:   pairs of the log on tables of the inventory; ``outside``: pairs on other tables
    unread:     edges of which the log has no read, with owners; none without a log
    unreadable: logged queries that read nobody knows what
    log_ended:  when the log ends, where it is older than the window that was asked for
    """

    at: datetime
    window: Window | None
    windows: tuple[Window, ...]
    nodes: Weighted
    columns: Weighted
    edges: Weighted
    flows: Share
    typed: Share | None
    columns_of: Mapping[str, int]
    tables: tuple[Table, ...]
    observed: tuple[Observed, ...]
    unread: tuple[Gap, ...]
    outside: int
    unreadable: int
    log_ended: datetime | None = None

    @property
    def missing_tables(self) -> tuple[Table, ...]:
        """The tables of the inventory that the graph does not have."""
        return tuple(table for table in self.tables if table.told is Told.ABSENT)

    @property
    def untraced_tables(self) -> tuple[Table, ...]:
        """The tables that the graph has, and not every column of them."""
        return tuple(table for table in self.tables if table.told in (Told.SOME, Told.TABLES))

    @property
    def missing_edges(self) -> tuple[Observed, ...]:
        """The reads that nothing explains, most reads first."""
        missing = (pair for pair in self.observed if not pair.explained)
        return tuple(sorted(missing, key=lambda pair: (-pair.reads, pair.table, pair.who.name)))

    @property
    def explained_by(self) -> Mapping[str, int]:
        """How many pairs each of edge, path and declared explains."""
        return Counter(pair.explained for pair in self.observed if pair.explained)

    @property
    def measures(self) -> Mapping[str, Share]:
        """The measures that a threshold can be set for, by the names that ``lineage.toml`` has for them."""
        return {
            "nodes": self.nodes.plain,
            "columns": self.columns.plain,
            "edges": self.edges.plain,
            "nodes_by_reads": self.nodes.by_reads,
            "columns_by_reads": self.columns.by_reads,
            "edges_by_reads": self.edges.by_reads,
            "nodes_by_criticality": self.nodes.by_criticality,
            "columns_by_criticality": self.columns.by_criticality,
            "edges_by_criticality": self.edges.by_criticality,
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the public JSON form.

        ``at`` and the ends of ``windows`` (``log``, ``from``, ``to``) are ISO times; ``measures`` are shares (``part``,
        ``whole``, ``ratio``) by name; ``columns`` counts columns with inputs, from none, unknown. ``missing_tables``,
        ``untraced_tables``, ``missing_edges`` and ``unread_edges`` are lists with owners, ``outside`` counts pairs on
        tables that the inventory lacks.
        """
        return {
            "at": self.at.isoformat(),
            "windows": [window.as_dict() for window in self.windows],
            "measures": {name: share.as_dict() for name, share in self.measures.items()}
            | {"column_level_edges": self.flows.as_dict()}
            | ({"typed": self.typed.as_dict()} if self.typed else {}),
            "columns": dict(self.columns_of),
            "explained_by": dict(sorted(self.explained_by.items())),
            "missing_tables": [_table_dict(table) for table in self.missing_tables],
            "untraced_tables": [_table_dict(table) for table in self.untraced_tables],
            "missing_edges": [_pair_dict(pair, self._owner(pair.table)) for pair in self.missing_edges],
            "unread_edges": [gap.as_dict() for gap in self.unread],
            "outside": self.outside,
            "unreadable": self.unreadable,
        }

    def _owner(self, name: str) -> str | None:
        return next((table.owner for table in self.tables if table.name == name), None)


def _table_dict(table: Table) -> dict[str, Any]:
    return {"table": table.name, "known": table.told.value, "owner": table.owner, "reads": table.reads}


def _pair_dict(pair: Observed, owner: str | None) -> dict[str, Any]:
    return {
        "consumer": pair.who.name,
        "table": pair.table,
        "owner": owner,
        "reads": pair.reads,
        "last_read": pair.last.isoformat(),
        "columns": list(pair.columns) if pair.whole else None,
        "shared": pair.who.shared,
    }
