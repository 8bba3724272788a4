"""The values of a graph.

Three kinds of evidence stand side by side:

- an ``Edge`` to a ``Field``: column lineage of one output column
- an ``Edge`` to a ``Dataset``: an input that decides which rows of the output exist, one hub edge, not one a column
- a ``Flow`` from dataset to dataset: a job read the one and wrote the other, which holds even where no column says so

Edges and flows are msgspec structs, not dataclasses: there may be millions of them, and a struct is made in a fifth of
the time and holds nothing for the collector of cycles to look at.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

import msgspec

from governance.dataset import Dataset, Field
from governance.learned import Learned
from governance.lineage.model import Transformation
from governance.runs import Job

RANK = {transformation: place for place, transformation in enumerate(Transformation)}
"""DIRECT before INDIRECT, then as OpenLineage lists them: the order in which edges are shown."""


class Edge(msgspec.Struct, frozen=True, gc=False):
    """``source`` flows into or steers ``target``; a ``Dataset`` as target means every row of it.

    masking: every way from source to target goes through a masking function
    job, run_id, at: who said so last, and when that run ended: when it was last confirmed
    learned: how it came to be known; declared edges have the run id ``""``
    """

    source: Field
    target: Field | Dataset
    transformation: Transformation
    masking: bool
    job: str
    run_id: str
    at: datetime
    learned: Learned = Learned.EMITTED

    @property
    def how(self) -> str:
        """Return ``DIRECT IDENTITY`` and the like."""
        return f"{self.transformation.type} {self.transformation.subtype}"

    def __str__(self) -> str:
        """Return ``source (TYPE SUBTYPE)``, as messages cite it."""
        return f"{self.source} ({self.how})"


class Flow(msgspec.Struct, frozen=True, gc=False):
    """A job read ``source`` and wrote ``target``: its rows depend on the source's.

    traced: whether the write carried column lineage; where not, which columns flow is unknown
    gaps:   output columns that the write's schema has and its column lineage does not mention
    """

    source: Dataset
    target: Dataset
    job: str
    run_id: str
    at: datetime
    traced: bool
    gaps: tuple[str, ...]
    learned: Learned = Learned.EMITTED

    @property
    def how(self) -> str:
        """Return the words for this step of a path."""
        return "ROWS" if self.traced else "NO COLUMN LINEAGE"


@dataclass(frozen=True, slots=True)
class Write:
    """The run that stands for one job and one output.

    inputs: datasets that the run read, sorted
    fields: the output's columns, in order, as schema and lineage name them
    traced: whether it carried column lineage
    gaps:   columns that its schema has and its column lineage does not mention
    """

    job: Job
    dataset: Dataset
    run_id: str
    at: datetime
    inputs: tuple[Dataset, ...]
    fields: tuple[str, ...]
    traced: bool
    gaps: tuple[str, ...]
    snapshot: str | None
    owners: tuple[str, ...]
    learned: Learned = Learned.EMITTED

    @property
    def told(self) -> tuple[str, ...]:
        """The columns whose inputs are known, also those known to have none."""
        return tuple(name for name in self.fields if name not in self.gaps) if self.traced else ()


@dataclass(frozen=True, slots=True, order=True)
class Tagged:
    """A tag that a producer put on a field or dataset, and which producer's word it is."""

    key: str
    value: str
    source: str
    job: str


@dataclass(frozen=True, slots=True)
class Graph:
    """What the events of all standing runs say together, each part in a fixed order.

    edges:   by target, then DIRECT before INDIRECT, then source
    flows:   by source, target, job
    writes:  by dataset, job
    fields:  the known columns of each dataset, in table order where a schema gave one
    tags:    what the latest event with a tags facet says of each dataset and its fields
    dropped: datasets whose latest change of life is DROP: their lineage stands and is stale
    """

    edges: tuple[Edge, ...]
    flows: tuple[Flow, ...]
    writes: tuple[Write, ...]
    fields: Mapping[Dataset, tuple[Field, ...]]
    tags: Mapping[Field | Dataset, tuple[Tagged, ...]] = field(default_factory=lambda: MappingProxyType({}))
    dropped: frozenset[Dataset] = frozenset()

    @property
    def targets(self) -> frozenset[Field | Dataset]:
        """What any edge leads to."""
        return frozenset(edge.target for edge in self.edges)

    @property
    def written(self) -> frozenset[Dataset]:
        """The datasets that some job is known to write."""
        return frozenset(write.dataset for write in self.writes)
