"""What datasets of files are called."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from governance.policy import Source


def namespaces(sources: "Iterable[Source]") -> Mapping[str, str]:
    """Return the OpenLineage namespace of each declared dataset of files, by its name and in declared order."""
    return MappingProxyType({it.table: it.files.location.namespace for it in sources if it.files is not None})
