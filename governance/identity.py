"""What a table or column was called when an event spoke of it, and what it is called now.

Iceberg gives each column a field id that a rename keeps and a re-added column lacks
(https://iceberg.apache.org/spec/#schema-evolution), so with a table's schemas at hand each name in an event is followed
to the present: a renamed column carries its edges and tags along, and a new one of an old name starts clean. A column
that was dropped is ``name#id``: what was read from it stays known, and nothing new is mistaken for it. Tables are
followed likewise through lifecycleStateChange RENAME.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    began = _began(read)
    return tuple(
        renamed(event, _Present(renames, schemas, event.at, _looks(event, began.get(event.run.run_id, event.at))))
        for event in read
    )


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


def _began(events: Iterable[Event]) -> Mapping[str, datetime]:
    found: dict[str, datetime] = {}
    for event in events:
        found[event.run.run_id] = min(event.at, found.get(event.run.run_id, event.at))
    return found


@dataclass(frozen=True, slots=True)
class _Look:
    """How an event saw a table: what tells which of the table's schemas its names are of.

    schema: the columns that it says the table has; empty where it does not
    named:  those that it names at all
    """

    at: datetime
    snapshot: str | None = None
    schema: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()


def _looks(event: Event, began: datetime) -> Mapping[Dataset, _Look]:
    """Return how ``event`` saw each table: what it read as when its run ``began``, what it wrote as at its own time."""
    named: dict[Dataset, set[str]] = defaultdict(set)
    for part in event.outputs:
        lineage = part.facets.column_lineage
        if lineage:
            named[Dataset(part.namespace, part.name)] |= lineage.fields.keys()
            for it in (*lineage.dataset, *(it for said in lineage.fields.values() for it in said.input_fields)):
                named[Dataset(it.namespace, it.name)].add(it.field)
    looks = {dataset: _Look(began, None, frozenset(), frozenset(columns)) for dataset, columns in named.items()}
    told = [(part, event.at) for part in (*event.outputs, *([event.dataset] if event.dataset else []))]
    for part, at in (*((part, began) for part in event.inputs), *told):
        dataset, facets = Dataset(part.namespace, part.name), part.facets
        schema = frozenset(it.name for it in facets.schema.fields) if facets.schema else frozenset()
        snapshot = facets.version.dataset_version if facets.version else None
        looks[dataset] = _Look(at, snapshot, schema, schema | named.get(dataset, set()))
    return looks


@dataclass(frozen=True, slots=True)
class _Present:
    """The names of now for those of one event."""

    renames: tuple[_TableRename, ...]
    schemas: Schemas
    at: datetime
    looks: Mapping[Dataset, _Look]

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
        return followed(versions, _version(versions, self.looks.get(dataset, _Look(self.at))), path)


def _version(versions: Sequence[SchemaVersion], look: _Look) -> int:
    """Return the place of the version whose names the event uses.

    Of the versions that may have stood with the snapshot that it names, and that have the columns that it names, it is
    the one that held at the time of the look.
    """
    possible = _fitting(versions, _beside(versions, look.snapshot), look)
    return max((place for place in possible if versions[place].at <= look.at), default=possible[0])


def _beside(versions: Sequence[SchemaVersion], snapshot: str | None) -> Sequence[int]:
    """Return the places of ``snapshot`` and of what changed the schema before the next: a reader takes the present one.

    A reader of an earlier snapshot, of a time long gone by, takes that one's own.
    """
    made = next((place for place, it in enumerate(versions) if snapshot and it.snapshot == snapshot), None)
    if made is None:
        return range(len(versions))
    until = next((place for place in range(made + 1, len(versions)) if versions[place].snapshot), len(versions))
    return range(made, until)


def _fitting(versions: Sequence[SchemaVersion], places: Sequence[int], look: _Look) -> Sequence[int]:
    """Return those of ``places`` that have exactly the columns told, else all that are named; else all of ``places``.

    Only who names a snapshot may look back: a schema that misses a column else is of an emitter that leaves out some.
    """
    exact = [place for place in places if look.snapshot and _columns(versions[place]) == look.schema]
    return exact or [place for place in places if look.named <= _names(versions[place])] or places


def _names(version: SchemaVersion) -> frozenset[str]:
    return frozenset(version.names.values())


def _columns(version: SchemaVersion) -> frozenset[str]:
    """Return the columns without the members of nested ones."""
    names = _names(version)
    return frozenset(name for name in names if not any(name[:at] in names for at in _dots(name)))


def _dots(name: str) -> Iterator[int]:
    return (at for at, letter in enumerate(name) if letter == ".")


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
