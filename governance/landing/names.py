"""What datasets of files are called, and in which order they are told."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from governance.sources import Source


def namespaces(sources: Iterable[Source]) -> Mapping[str, str]:
    """Return the OpenLineage namespace of each declared dataset of files, by its name and in declared order."""
    return MappingProxyType({it.table: it.files.location.namespace for it in sources if it.files is not None})


def quarantine_of(table: str) -> str:
    """Return what the table is called that keeps the rows which a run of ``table`` rejected."""
    return f"quarantine.{table.replace('.', '_')}"


def in_order(names: Iterable[str], declared: Iterable[str]) -> tuple[str, ...]:
    """Return ``names`` sorted, but a file's kinds of record after it in the order of ``declared``, files' names."""
    place = {name: number for number, name in enumerate(declared)}
    return tuple(sorted(names, key=lambda name: (name.partition("#")[0], place.get(name, -1), name)))
