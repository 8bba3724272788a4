"""A store as a question asks it: what stands of its events as of a moment, their edges unread where they can be."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from governance.dataset import Dataset
from governance.events.manifest import read_manifest
from governance.events.model import Event
from governance.events.pieces import Problem
from governance.events.reading import read_events
from governance.graph.build import standing_of
from governance.graph.known import Known
from governance.history import until
from governance.identity import Schemas, moved
from governance.names import Spelling, aliases, respelled
from governance.runs import Run, read_declared, read_runs
from governance.telling import told

if TYPE_CHECKING:
    from governance.events.light_store import Light


Catalog = Mapping[Dataset, tuple[str, ...]]
"""The columns of each table, nested ones as dotted paths."""

NO_CATALOG: Catalog = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Stored:
    """Events, and by which names they are to be known.

    light:   where the edges of light events stand; None where all events are whole
    catalog: the columns that the catalog's tables have now
    read:    the runs of the events as they are now, where somebody has them
    """

    events: tuple[Event, ...]
    problems: tuple[Problem, ...]
    spellings: Mapping[str, Spelling]
    schemas: Schemas
    light: "Light | None" = None
    catalog: Catalog = field(default_factory=lambda: NO_CATALOG)
    read: tuple[Run, ...] | None = None

    def runs(self, as_of: datetime | None = None) -> tuple[Run, ...]:
        """Return the runs as of a moment; those of light events have columns without inputs."""
        return read_runs(self._told(as_of))

    def known(self, as_of: datetime | None = None) -> Known:
        """Return what stands as of a moment."""
        return self.runs_and_known(as_of)[1]

    def runs_and_known(self, as_of: datetime | None = None) -> tuple[tuple[Run, ...], Known]:
        """Return :meth:`runs` and :meth:`known`, for whoever needs both."""
        events = self._told(as_of)
        runs = read_runs(events) if as_of or self.read is None else self.read
        known = Known(
            standing=standing_of(runs, read_declared(events)),
            light=self.light,
            catalog=self._columns(as_of),
            # a store in which every thing has one name has no other
            aliases={} if self.light and self.light.steady else aliases(self.events, self.spellings),
        )
        return runs, known

    def _told(self, as_of: datetime | None) -> tuple[Event, ...]:
        if self.light and self.light.steady:
            return self.events if as_of is None else until(self.events, as_of)
        return told(self.events, self.spellings, as_of=as_of, schemas=self.schemas)

    def _columns(self, as_of: datetime | None) -> Catalog:
        """Return the columns that each table has now or had then; of those that never changed there are no versions."""
        before = {it: [one for one in of if as_of is None or one.at <= as_of] for it, of in self.schemas.items()}
        changed = {dataset: tuple(versions[-1].names.values()) for dataset, versions in before.items() if versions}
        return {dataset: columns for dataset, columns in self.catalog.items() if dataset not in self.schemas} | changed


def read_stored(
    path: Path, spellings: Mapping[str, Spelling], schemas: Schemas, catalog: Catalog = NO_CATALOG
) -> Stored:
    """Read a file of events, a folder of such files or a store.

    Raises:
        EventStoreError: ``path`` does not exist or cannot be read.
    """
    if not path.is_dir() or not read_manifest(path).days:
        reading = read_events(path)
        return Stored(reading.events, reading.problems, spellings, schemas, catalog=catalog)
    from governance.events.light_store import read_light_store  # noqa: PLC0415  # pyarrow is slow to start

    def odd(events: Iterable[Event]) -> frozenset[Dataset]:
        read = tuple(events)
        return respelled(read, spellings) | moved(read, schemas)

    light = read_light_store(path, odd)
    return Stored(light.events, light.problems, spellings, schemas, light, catalog)
