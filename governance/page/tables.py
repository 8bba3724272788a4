"""The tables of a graph and which reads which: what finds one among a hundred thousand, and what is near it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from heapq import nsmallest

from governance.dataset import Dataset
from governance.errors import UnknownField
from governance.events.redact import redact_url
from governance.graph.model import Write

WHOLE_TABLES, WHOLE_COLUMNS = 2_000, 200_000
"""What one page shows whole. At 1,000 tables of 50 columns it is painted within 2 s (``python -m bench page``)."""


@dataclass(frozen=True, slots=True)
class Tables:
    """All tables.

    inputs:  by table what the jobs that write it read; none for one that no job writes
    readers: by table those that jobs write from it
    columns: by table those that are known, as far as a search needs them
    places:  what a name leads to, with or without its namespace
    """

    names: tuple[Dataset, ...]
    inputs: Mapping[Dataset, tuple[Dataset, ...]]
    readers: Mapping[Dataset, tuple[Dataset, ...]]
    columns: Mapping[Dataset, tuple[str, ...]]
    places: Mapping[str, Dataset]

    @classmethod
    def of(
        cls, writes: Iterable[Write], columns: Mapping[Dataset, tuple[str, ...]], own: Collection[Dataset]
    ) -> "Tables":
        """Return the tables of ``columns`` and ``writes``; of those that share a name the project's ``own`` has it."""
        inputs: dict[Dataset, dict[Dataset, None]] = defaultdict(dict)
        readers: dict[Dataset, dict[Dataset, None]] = defaultdict(dict)
        for write in writes:
            inputs[write.dataset].update(dict.fromkeys(write.inputs))
            for source in write.inputs:
                readers[source][write.dataset] = None
        names = tuple(sorted({*columns, *inputs, *readers}))
        places: dict[str, Dataset] = {}
        for it in (*(it for it in names if it in own), *names):
            places.setdefault(redact_url(it.name), it)
            places.setdefault(redact_url(f"{it.namespace}/{it.name}"), it)
        return cls(names, _tuples(inputs), _tuples(readers), columns, places)

    @property
    def large(self) -> bool:
        """Whether they are more than one page shows."""
        return len(self.names) > WHOLE_TABLES or sum(map(len, self.columns.values())) > WHOLE_COLUMNS

    def named(self, name: str) -> Dataset:
        """Return the table that ``name``, a table's or a column's, leads to.

        Raises:
            UnknownField: there is none.
        """
        end = len(name)
        while end > 0:
            if found := self.places.get(name[:end]):
                return found
            end = name.rfind(".", 0, end)
        near = nsmallest(3, (it for it in self.places if _last(name) in it.casefold()), key=lambda it: (len(it), it))
        fix = f"perhaps {' or '.join(near)}" if near and _last(name) else "write schema.table as events name it"
        raise UnknownField(f"no table here is called {name[:200]!r}", fix=fix)

    def address(self, dataset: Dataset) -> str:
        """Return the name that leads to ``dataset`` and to no other."""
        name = redact_url(dataset.name)
        return name if self.places.get(name) == dataset else redact_url(f"{dataset.namespace}/{dataset.name}")

    def most_read(self) -> Dataset | None:
        """Return the table that the most others are written from, the first by name; None where there is none."""
        return min(self.names, key=lambda it: (-len(self.readers.get(it, ())), it), default=None)


def _tuples(found: Mapping[Dataset, Iterable[Dataset]]) -> Mapping[Dataset, tuple[Dataset, ...]]:
    return {dataset: tuple(others) for dataset, others in found.items()}


def _last(name: str) -> str:
    return name.rpartition(".")[2].casefold()
