"""One table, one name: events of several producers brought to the names that the graph uses.

Producers spell one table ``shop.Orders``, ``orders`` or ``SHOP.ORDERS``, as their SQL did; whether that is one table is
for the namespace to say, so each namespace has its rule: the one that ``lineage.toml`` gives it, else that of its kind
of database, else names compare exactly. A producer may also say itself that a path and a table are one (the symlinks
facet); then the table's name stands.

This comes before the graph and knows nothing of it: ``build_graph(canonical(events, spellings))``.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from governance.dataset import Dataset
from governance.events.model import Event
from governance.explicit import explicit
from governance.rename import renamed


class Spelling(Enum):
    """How a namespace compares names; quoted parts are in double quotes."""

    EXACT = "exact"
    LOWER = "lower"
    """Unquoted names fold to lower case, quoted ones stay (Postgres)."""
    UPPER = "upper"
    """Unquoted names fold to upper case, quoted ones stay (Snowflake)."""
    INSENSITIVE = "insensitive"
    """Case never matters, quoted or not (DuckDB, Spark)."""


FOLDS: Mapping[Spelling, Callable[[str], str]] = {
    Spelling.EXACT: str,
    Spelling.LOWER: str.lower,
    Spelling.UPPER: str.upper,
    Spelling.INSENSITIVE: str.lower,
}
KINDS: Mapping[str, Spelling] = {
    "postgres": Spelling.LOWER,
    "redshift": Spelling.LOWER,
    "snowflake": Spelling.UPPER,
    "oracle": Spelling.UPPER,
    "duckdb": Spelling.INSENSITIVE,
    "hive": Spelling.INSENSITIVE,
    "awsglue": Spelling.INSENSITIVE,
    "trino": Spelling.INSENSITIVE,
    "sqlserver": Spelling.INSENSITIVE,
}
"""What a namespace's scheme says (https://openlineage.io/docs/spec/naming), where no policy does."""
PART = re.compile(r'"(?:[^"]|"")*"|[^."]+')


def canonical(events: Iterable[Event], spellings: Mapping[str, Spelling]) -> tuple[Event, ...]:
    """Return ``events`` with every dataset and field by its one name.

    ``spellings`` gives the rule of each namespace that does not go by its scheme.
    """
    read = tuple(explicit(event) for event in events)
    folded = _Spelled(spellings, {})
    same = _symlinks(read, folded)
    names = _Spelled(spellings, same)
    exact = not same and all(folded.spelling(it) is Spelling.EXACT for it in _namespaces(read))
    return read if exact else tuple(renamed(event, names) for event in read)


def fold(name: str, spelling: Spelling) -> str:
    """Return ``name`` as ``spelling`` stores it; a quoted part that stores differently keeps its quotes."""
    if spelling is Spelling.EXACT:
        return name
    return PART.sub(lambda part: _part(part[0], spelling), name)


def _part(part: str, spelling: Spelling) -> str:
    change = FOLDS[spelling]
    if not part.startswith('"'):
        return change(part)
    inner = part[1:-1].replace('""', '"')
    same = spelling is Spelling.INSENSITIVE or change(inner) == inner
    return change(inner) if same and '"' not in inner and "." not in inner else part


@dataclass(frozen=True, slots=True)
class _Spelled:
    """The one name of each dataset and field; ``same`` are datasets by another name."""

    spellings: Mapping[str, Spelling]
    same: Mapping[Dataset, Dataset]

    def dataset(self, dataset: Dataset) -> Dataset:
        found = Dataset(dataset.namespace, fold(dataset.name, self.spelling(dataset.namespace)))
        return self.same.get(found, found)

    def field(self, dataset: Dataset, path: str) -> str:
        return fold(path, self.spelling(self.dataset(dataset).namespace))

    def spelling(self, namespace: str) -> Spelling:
        return self.spellings.get(namespace) or KINDS.get(namespace.partition(":")[0].lower(), Spelling.EXACT)


def _namespaces(events: Iterable[Event]) -> frozenset[str]:
    found = {part.namespace for event in events for part in (*event.inputs, *event.outputs)}
    found |= {event.dataset.namespace for event in events if event.dataset}
    lineages = (part.facets.column_lineage for event in events for part in event.outputs)
    for lineage in (it for it in lineages if it):
        inputs = (*lineage.dataset, *(it for said in lineage.fields.values() for it in said.input_fields))
        found |= {it.namespace for it in inputs}
    return frozenset(found)


def _symlinks(events: Iterable[Event], names: _Spelled) -> dict[Dataset, Dataset]:
    """Return for each dataset that has other identities the one that stands: a TABLE's, else the first by name."""
    group: dict[Dataset, set[Dataset]] = {}
    tables: set[Dataset] = set()
    own = (event.dataset for event in events if event.dataset)
    for part in (*(part for event in events for part in (*event.inputs, *event.outputs)), *own):
        for link in part.facets.symlinks.identifiers if part.facets.symlinks else ():
            one, other = (names.dataset(Dataset(it.namespace, it.name)) for it in (part, link))
            tables |= {other} if link.type == "TABLE" else set()
            together = group.get(one, {one}) | group.get(other, {other})
            group.update(dict.fromkeys(together, together))
    standing = {id(together): min(together, key=lambda it: (it not in tables, it)) for together in group.values()}
    return {dataset: standing[id(together)] for dataset, together in group.items()}
