"""The upkeep of a project's event store, wherever it is: what its sensor and ``headwater events compact`` ask for."""

from datetime import timedelta
from typing import Protocol

from governance.events.compact import RETENTION, compact, due
from governance.events.shared.store import SharedEventStore
from governance.events.shared.upkeep import due_in_shared, keep_shared
from governance.events.store import EventStore


class Done(Protocol):
    """What was done, as text; ``kept`` is what could not be compacted or removed, each with the reason."""

    @property
    def kept(self) -> tuple[str, ...]:
        """What was not done."""


def keep(store: EventStore, retention: timedelta = RETENTION) -> Done | None:
    """Compact all that is due; None where another process or host compacts this store.

    Raises:
        EventStoreError: the store cannot be read or written, or the disk is full; all events are still in it.
    """
    return keep_shared(store, retention) if isinstance(store, SharedEventStore) else compact(store, retention)


def due_now(store: EventStore) -> dict[str, int]:
    """Return what is to be compacted or removed, with its size in bytes: a look that reads no event.

    Raises:
        EventStoreError: the store cannot be read.
    """
    return due_in_shared(store) if isinstance(store, SharedEventStore) else due(store)
