"""Events → Graph as a project reads them: by its names, as of a moment, and by what its columns are called now."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType

from governance.events.model import Event
from governance.graph.build import build_graph
from governance.graph.model import Graph
from governance.history import until
from governance.identity import Schemas, present
from governance.names import Spelling, canonical

NO_SPELLINGS: Mapping[str, Spelling] = MappingProxyType({})
NO_SCHEMAS: Schemas = MappingProxyType({})


def told(
    events: Iterable[Event],
    spellings: Mapping[str, Spelling] = NO_SPELLINGS,
    *,
    as_of: datetime | None = None,
    schemas: Schemas = NO_SCHEMAS,
) -> tuple[Event, ...]:
    """Return the events that a question is about, in the names of ``spellings`` and of ``schemas``.

    as_of:   the moment whose knowledge counts, None for all there is; names stay those of that moment too
    schemas: the tables' schema versions, for columns that were renamed or made again
    """
    counting = tuple(events) if as_of is None else until(events, as_of)
    if as_of is not None:
        known = {dataset: tuple(it for it in versions if it.at <= as_of) for dataset, versions in schemas.items()}
        schemas = {dataset: versions for dataset, versions in known.items() if versions}
    return present(canonical(counting, spellings), schemas)


def read_graph(
    events: Iterable[Event],
    spellings: Mapping[str, Spelling] = NO_SPELLINGS,
    *,
    as_of: datetime | None = None,
    schemas: Schemas = NO_SCHEMAS,
) -> Graph:
    """Return the graph of :func:`told` events."""
    return build_graph(told(events, spellings, as_of=as_of, schemas=schemas))
