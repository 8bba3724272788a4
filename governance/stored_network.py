"""From the edges that the store keeps as arrays to a network to walk: no event is decoded and no value is made."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from governance.dataset import Dataset, Field
from governance.events.arrays import HOW, Edges
from governance.events.edges import SEPARATOR, key
from governance.network import Ids, Network, network

DIRECT = np.array([how.startswith("DIRECT ") for how in HOW], np.bool_)
"""For each number in ``Edges.how`` whether it carries a value."""


@dataclass(frozen=True, slots=True)
class StoredNetwork:
    """A network whose vertex ``n`` is the column or table of the key ``names[n]``."""

    net: Network
    names: tuple[str, ...]

    def number(self, thing: Field | Dataset) -> int:
        """Return the vertex of a column or table.

        Raises:
            ValueError: no stored edge names it.
        """
        return self.names.index(key(thing))

    def things_of(self, ids: Ids) -> tuple[Field | Dataset, ...]:
        """Return what ``ids`` are, in their order."""
        return tuple(_thing(self.names[number]) for number in ids.tolist())


def stored_network(edges: Edges, flows: Iterable[tuple[Dataset, Dataset]] = ()) -> StoredNetwork:
    """Return the network of ``edges``, where rows flow from each table that an edge reads.

    ``flows`` are further tables that jobs read and wrote, also where no column says so (``count(*)``): edges do not
    tell of those.
    """
    numbers = {name: number for number, name in enumerate(edges.names)}
    tables = [f"{name.rpartition(SEPARATOR)[0]}{SEPARATOR}" for name in edges.names]
    owners = [numbers.setdefault(table, len(numbers)) for table in tables]
    further = [tuple(numbers.setdefault(key(it), len(numbers)) for it in (source, target)) for source, target in flows]
    # tables that were first named here own themselves
    owner = np.array([*owners, *range(len(owners), len(numbers))], np.int32)
    between = owner[edges.source].astype(np.int64) << 32 | owner[edges.target]
    pairs = np.unique(np.concatenate((between, [source << 32 | target for source, target in further])).astype(np.int64))
    flowing = (pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32)
    net = network((edges.source, edges.target), DIRECT[edges.how], owner, flowing)
    return StoredNetwork(net, tuple(numbers))


def _thing(name: str) -> Field | Dataset:
    namespace, table, field = name.split(SEPARATOR)
    dataset = Dataset(namespace, table)
    return Field(dataset, field) if field else dataset
