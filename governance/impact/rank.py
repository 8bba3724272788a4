"""Which reached tables to look at first, and why: an order over the whole list, which leaves nothing out.

Ranking is a heuristic: it orders, and takes nobody's duty to look away. In order of weight: how critical the table's
consumers are, how the change arrives, how far away it is, and how often it is read.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from governance.dataset import Dataset, Field
from governance.impact.model import Impact, Reached, ends

CRITICALITY = ("critical", "high", "medium", "low")
UNSTATED = "medium"
"""What counts for a table of which nobody says how critical it is."""
ARRIVES: Mapping[str, str] = MappingProxyType(
    {
        "value": "values change",
        "rows": "rows change",
        "population": "columns are steered, or change with the rows behind them",
        "unknown": "no column lineage: it may be touched",
    }
)
"""How a change arrives at a table, what weighs most first."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of tables beside their lineage; a table that is not in a mapping is one of which it is not known.

    criticality: of the most critical consumer that depends on it, one of ``CRITICALITY``
    reads:       in the query log's window
    consumers:   names of those declared to read it
    """

    owners: Mapping[Dataset, str] = field(default_factory=lambda: MappingProxyType({}))
    criticality: Mapping[Dataset, str] = field(default_factory=lambda: MappingProxyType({}))
    reads: Mapping[Dataset, int] = field(default_factory=lambda: MappingProxyType({}))
    consumers: Mapping[Dataset, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Ranked:
    """A reached table with its place in the order.

    arrives:  a key of ``ARRIVES``, the heaviest that holds for anything in the table
    first:    what is reached so by the shortest path
    columns:  how many of its columns are reached
    reasons:  why it stands where it stands, the heaviest first
    """

    rank: int
    dataset: Dataset
    arrives: str
    first: Reached
    columns: int
    owner: str | None
    criticality: str | None
    reads: int | None
    consumers: tuple[str, ...]
    stale: bool
    reasons: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the public JSON form; ``path`` has names only, of a very long one its ends."""
        near = ends(self.first.path)
        return {
            "rank": self.rank,
            "dataset": self.dataset.name,
            "namespace": self.dataset.namespace,
            "arrives": self.arrives,
            "distance": len(self.first.path),
            "edges": sorted({hop.how for hop in self.first.by}),
            "columns": self.columns,
            "owner": self.owner,
            "criticality": self.criticality,
            "reads": self.reads,
            "consumers": list(self.consumers),
            "stale": self.stale,
            "path": [str(self.first.path[0].source), *(str(hop.target) for part in near for hop in part)],
            "reasons": list(self.reasons),
        }


NO_FACTS = Facts()


def ranked(impact: Impact, facts: Facts = NO_FACTS) -> tuple[Ranked, ...]:
    """Return every table in which something is reached, what to look at first first."""
    arrivals = _arrivals(impact)
    found = [_unranked(dataset, arrivals[dataset], impact, facts) for dataset in sorted(arrivals)]
    places = list(ARRIVES)

    def weight(it: Ranked) -> tuple[object, ...]:
        criticality = CRITICALITY.index(it.criticality or UNSTATED)
        return criticality, places.index(it.arrives), len(it.first.path), -(it.reads or 0), it.dataset

    return tuple(_placed(place, it) for place, it in enumerate(sorted(found, key=weight), start=1))


def _arrivals(impact: Impact) -> dict[Dataset, dict[str, list[Reached]]]:
    arrivals: dict[Dataset, dict[str, list[Reached]]] = {}
    lists: Iterable[tuple[str, tuple[Reached, ...]]] = (
        ("value", impact.values),
        ("rows", impact.tables),
        ("population", impact.population),
        ("unknown", impact.unknown),
    )
    for arrives, reached in lists:
        for it in reached:
            arrivals.setdefault(it.dataset, {}).setdefault(arrives, []).append(it)
    return arrivals


def _unranked(dataset: Dataset, arrivals: Mapping[str, list[Reached]], impact: Impact, facts: Facts) -> Ranked:
    arrives = next(iter(arrivals))
    # the lists are nearest first
    first = arrivals[arrives][0]
    columns = {it.what for of_kind in arrivals.values() for it in of_kind if isinstance(it.what, Field)}
    return Ranked(
        rank=0,
        dataset=dataset,
        arrives=arrives,
        first=first,
        columns=len(columns),
        owner=facts.owners.get(dataset),
        criticality=facts.criticality.get(dataset),
        reads=facts.reads.get(dataset),
        consumers=facts.consumers.get(dataset, ()),
        stale=dataset in impact.stale,
        reasons=(),
    )


def _placed(place: int, it: Ranked) -> Ranked:
    hops = len(it.first.path)
    reasons = (
        f"criticality {it.criticality}" if it.criticality else f"criticality not stated, taken as {UNSTATED}",
        f"{ARRIVES[it.arrives]} ({', '.join(dict.fromkeys(hop.how for hop in it.first.by))})",
        f"{hops} hop{'s' * (hops != 1)} away",
        f"{it.reads} reads in the log" if it.reads is not None else "no log of its reads",
        *([f"read by {', '.join(it.consumers)}"] if it.consumers else []),
        *(["stale: the table was dropped"] if it.stale else []),
    )
    return replace(it, rank=place, reasons=reasons)
