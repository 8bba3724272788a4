"""What a table or column was called when an event spoke of it, and what it is called now.

Iceberg gives each column a field id that a rename keeps and a re-added column lacks
(https://iceberg.apache.org/spec/#schema-evolution), so with a table's schemas at hand each name in an event is followed
to the present: a renamed column carries its edges and tags along, and a new one of an old name starts clean. A column
that was dropped is ``name#id``: what was read from it stays known, and nothing new is mistaken for it. Tables are
followed likewise through lifecycleStateChange RENAME.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from types import MappingProxyType

from governance.dataset import Dataset, Field
from governance.events.model import Event
from governance.policy import Policy, TablePolicy
from governance.rename import renamed


@dataclass(frozen=True, slots=True)
class SchemaVersion:
    """A table's columns since an instant: dotted paths by field id; ``snapshot`` is the one made with them, if any."""

    at: datetime
    snapshot: str | None
    names: Mapping[int, str]


Schemas = Mapping[Dataset, Sequence[SchemaVersion]]
"""The schema versions of tables, the oldest first."""


@dataclass(frozen=True, slots=True)
class _TableRename:
    former: Dataset
    present: Dataset
    at: datetime


def present(events: Iterable[Event], schemas: Schemas = MappingProxyType({})) -> tuple[Event, ...]:
    """Return ``events`` with each table and column by the name that it has now."""
    read = tuple(events)
    renames = _renames(read)
    if not renames and not schemas:
        return read
    return tuple(renamed(event, _Present(renames, schemas, event.at, _snapshots(event))) for event in read)


def moved(events: Iterable[Event], schemas: Schemas) -> frozenset[Dataset]:
    """Return the datasets of which :func:`present` may give another name, or one to a column; perhaps some more."""
    tables = frozenset(it for rename in _renames(events) for it in (rename.former, rename.present))
    return tables | {dataset for dataset, versions in schemas.items() if any(map(_differ, versions, versions[1:]))}


def _differ(before: SchemaVersion, after: SchemaVersion) -> bool:
    return any(followed((before, after), 0, path) != path for path in before.names.values())


def _renames(events: Iterable[Event]) -> tuple[_TableRename, ...]:
    found: set[tuple[datetime, Dataset, Dataset]] = set()
    for event in events:
        for part in (*event.inputs, *event.outputs, *([event.dataset] if event.dataset else [])):
            change = part.facets.lifecycle_state_change
            if change and change.lifecycle_state_change.upper() == "RENAME" and change.previous_identifier:
                former = Dataset(change.previous_identifier.namespace, change.previous_identifier.name)
                found.add((event.at, former, Dataset(part.namespace, part.name)))
    return tuple(_TableRename(former, new, at) for at, former, new in sorted(found) if former != new)


def _snapshots(event: Event) -> Mapping[Dataset, str]:
    parts = (*event.inputs, *event.outputs)
    return {
        Dataset(part.namespace, part.name): part.facets.version.dataset_version for part in parts if part.facets.version
    }


@dataclass(frozen=True, slots=True)
class _Present:
    """The names of now for those of one event."""

    renames: tuple[_TableRename, ...]
    schemas: Schemas
    at: datetime
    snapshots: Mapping[Dataset, str]

    def dataset(self, dataset: Dataset) -> Dataset:
        for rename in self.renames:
            # at the instant of its own event the table has its new name already, and its readers perhaps not yet
            if rename.at >= self.at and rename.former == dataset:
                dataset = rename.present
        return dataset

    def field(self, dataset: Dataset, path: str) -> str:
        versions = self.schemas.get(self.dataset(dataset), ())
        if not versions:
            return path
        return followed(versions, _version(versions, self.at, self.snapshots.get(dataset)), path)


def _version(versions: Sequence[SchemaVersion], at: datetime, snapshot: str | None) -> int:
    """Return the place of the version that held: of the snapshot that the event names, else of the time."""
    by_snapshot = next((place for place, it in enumerate(versions) if snapshot and it.snapshot == snapshot), None)
    if by_snapshot is not None:
        return by_snapshot
    return max((place for place, it in enumerate(versions) if it.at <= at), default=0)


def followed(versions: Sequence[SchemaVersion], place: int, path: str) -> str:
    """Return the present name of the column that the version at ``place`` calls ``path``; a dropped one as ``path#id``.

    A column replaced under its name in one step, as a table that is built anew does, stays the same column; one that
    was gone in between does not.
    """
    ids = {name: number for number, name in versions[place].names.items()}
    if path not in ids:
        return path
    number = ids[path]
    for later in versions[place + 1 :]:
        again = next((other for other, name in later.names.items() if name == path), None)
        if number in later.names:
            path = later.names[number]
        elif again is not None:
            number = again
        else:
            return f"{path}#{number}"
    return path


def carried(policy: Policy, schemas: Schemas) -> Policy:
    """Return ``policy`` with the declaration of each renamed column under its present name.

    A declaration names a column and no id. It is of the column that bore the name first; where that one bears another
    name now, and the file says nothing of that name, the declaration goes along, and a newer column of the old name
    has none. A file that declares the new name knows of the rename, and is taken as it is.
    """
    tables = dict(policy.tables)
    for dataset, versions in schemas.items():
        if dataset.namespace == policy.lineage.namespace and dataset.name in tables:
            tables[dataset.name] = _carried(tables[dataset.name], versions)
    return replace(policy, tables=MappingProxyType(tables))


def _carried(table: TablePolicy, versions: Sequence[SchemaVersion]) -> TablePolicy:
    columns = dict(table.columns)
    for name in table.columns:
        first = next((place for place, it in enumerate(versions) if name in it.names.values()), None)
        now = name if first is None else followed(versions, first, name)
        if now != name and "#" not in now and now not in table.columns:
            columns[now] = columns.pop(name)
    return replace(table, columns=MappingProxyType(columns))


def dropped(fields: Iterable[Field], schemas: Schemas) -> frozenset[Field]:
    """Return the fields that their table, as its latest schema says, no longer has."""
    gone: set[Field] = set()
    for dataset, of_dataset in groupby(sorted(fields), key=lambda field: field.dataset):
        versions = schemas.get(dataset)
        if versions:
            now = frozenset(versions[-1].names.values())
            gone |= {field for field in of_dataset if field.name not in now}
    return frozenset(gone)
