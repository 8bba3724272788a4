"""The values of an impact answer, and its public JSON form."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from governance.dataset import Dataset, Field
from governance.graph import Edge, Flow
from governance.impact.change import ADVICE, Change

NONE_FOUND = "no consumers found among these sources over this window"
"""What may be said of nothing found; never that nothing uses it."""


class Touch(Enum):
    """How a change arrives at a column or table."""

    VALUE = "value"
    POPULATION = "population"
    ROWS = "rows"
    UNKNOWN = "unknown"
    CONDITION = "condition"
    """Of a start only: not the column changes, but a condition that it takes part in."""


Hop = Edge | Flow

LONGEST = 32
"""Hops of a path that are told whole: in a chain of tables each path holds all shorter ones, so that they grow with
the square of its length."""


def ends(path: tuple[Hop, ...]) -> tuple[tuple[Hop, ...], tuple[Hop, ...]]:
    """Return a path's hops in two parts; between those of one longer than ``LONGEST`` some are left out."""
    half = LONGEST // 2
    return (path[:half], path[-half:]) if len(path) > LONGEST else (path, ())


@dataclass(frozen=True, slots=True)
class Reached:
    """A column or table that a change can reach.

    path: the shortest way from the start, one hop an edge; of equally short ones the first in the graph's order
    by:   every hop that arrives at it from something reached
    """

    what: Field | Dataset
    path: tuple[Hop, ...]
    by: tuple[Hop, ...]

    @property
    def dataset(self) -> Dataset:
        """The table it is or is in."""
        return self.what.dataset if isinstance(self.what, Field) else self.what


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change of ``start`` can reach, nearest first, then by name.

    values:     columns whose values can change
    population: columns that can change with the rows behind them, or are steered; disjoint from ``values``
    tables:     tables whose rows can change
    unknown:    tables and columns whose job read something touched and told no column lineage, what reads those,
                and nothing that the first two list
    downstream: every table that a job derives, directly or not, from the start's table, whichever columns it reads
    kinds:      the kinds of record of a file that is changed, which change along with it
    change:     the kind of change; None for any
    stale:      tables among those reached that were dropped: their lineage is of what was
    """

    start: Field | Dataset
    values: tuple[Reached, ...]
    population: tuple[Reached, ...]
    tables: tuple[Reached, ...]
    unknown: tuple[Reached, ...]
    downstream: tuple[Dataset, ...]
    kinds: tuple[Dataset, ...] = ()
    change: Change | None = None
    stale: frozenset[Dataset] = frozenset()

    @property
    def assets(self) -> tuple[Dataset, ...]:
        """The tables with a column that is reached, sorted; compare ``downstream``, what table lineage would say."""
        return tuple(sorted({reached.dataset for reached in (*self.values, *self.population)}))

    @property
    def statement(self) -> str:
        """The one sentence that the answer allows where it is empty, else how much was found."""
        found = {it.dataset for it in (*self.values, *self.population, *self.tables, *self.unknown)}
        count = f"{len(found)} table{'s' * (len(found) != 1)} reached, among the runs whose events were read"
        return count if found else NONE_FOUND

    def as_dict(self) -> dict[str, Any]:
        """Return the public JSON form.

        ``field`` and ``dataset`` are names without namespace. Each entry has beside them ``namespace``, ``distance``
        (hops), ``edges`` (types of the hops that arrive), ``learned`` (how those came to be known), ``stale`` (the
        table was dropped) and ``path``, a list of ``{"from", "to", "how", "job", "run", "learned", "confirmed"}``: of
        a path that is longer than ``LONGEST`` its two ends; the path of what lies between has the rest.
        ``downstream`` lists all tables derived from the start's, ``kinds`` the kinds of record that change along with
        a file, by name, ``change`` is null or ``{"kind", "breaks", "shows",
        "cannot_tell", "needs"}``, ``statement`` says in one sentence what may be concluded.
        """
        return {
            "start": str(self.start),
            "values": [self._field_entry(reached) for reached in self.values],
            "population": [self._field_entry(reached) for reached in self.population],
            "tables": [self._entry(reached) for reached in self.tables],
            "unknown": [
                self._field_entry(reached) if isinstance(reached.what, Field) else self._entry(reached)
                for reached in self.unknown
            ],
            "downstream": [{"dataset": dataset.name, "namespace": dataset.namespace} for dataset in self.downstream],
            "kinds": [str(dataset) for dataset in self.kinds],
            "change": {"kind": self.change.value, **ADVICE[self.change].as_dict()} if self.change else None,
            "statement": self.statement,
        }

    def _field_entry(self, reached: Reached) -> dict[str, Any]:
        return {"field": str(reached.what), **self._entry(reached)}

    def _entry(self, reached: Reached) -> dict[str, Any]:
        return {
            "dataset": reached.dataset.name,
            "namespace": reached.dataset.namespace,
            "distance": len(reached.path),
            "edges": sorted({hop.how for hop in reached.by}),
            "learned": sorted({hop.learned.value for hop in reached.by}),
            "stale": reached.dataset in self.stale,
            "path": [_hop(hop) for part in ends(reached.path) for hop in part],
        }


def _hop(hop: Hop) -> dict[str, str]:
    return {
        "from": str(hop.source),
        "to": str(hop.target),
        "how": hop.how,
        "job": hop.job,
        "run": hop.run_id,
        "learned": hop.learned.value,
        "confirmed": hop.at.isoformat(),
    }
