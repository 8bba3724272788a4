"""What destinations have not been sent yet.

Of a store in a folder that is what stands behind a destination's cursor; of one that hosts share, see
:mod:`governance.events.shared.shipping`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from openlineage.client.event_v2 import RunEvent

from governance.events.cursor import Cursor
from governance.events.days import days, lines_behind
from governance.events.reading import require_folder
from governance.events.shared.store import SharedEventStore
from governance.events.store import EventStore
from governance.events.wire import run_event


@dataclass(frozen=True, slots=True)
class Place:
    """Where an event ends: ``end`` in what ``day`` names, which is all that a cursor has to remember of it."""

    day: str
    end: int


class Outbox(Protocol):
    """The events of a store for one destination after the other."""

    def cursor(self, key: str) -> Cursor:
        """Return how far the destination ``key`` has got."""

    def pending(self, offsets: Mapping[str, int]) -> Iterator[tuple[Place, RunEvent]]:
        """Yield the events behind ``offsets`` in order; what is no event is passed over, as readers report it."""


@dataclass(frozen=True, slots=True)
class FolderOutbox:
    """The events of a store in a folder."""

    store: EventStore

    def cursor(self, key: str) -> Cursor:
        """Return how far the destination ``key`` has got."""
        return Cursor(self.store.folder / ".shipped", key)

    def pending(self, offsets: Mapping[str, int]) -> Iterator[tuple[Place, RunEvent]]:
        """Yield the events behind the bytes of each day that were sent."""
        for day in days(self.store.folder):
            for end, line in lines_behind(self.store.folder, day, offsets.get(day, 0)):
                event = event_of(line)
                if event is not None:
                    yield Place(day, end), event


def outbox_of(store: EventStore) -> Outbox:
    """Return all that ``store`` holds, whoever wrote it.

    Raises:
        EventStoreError: the store is a file.
    """
    if isinstance(store, SharedEventStore):
        from governance.events.shared.shipping import AllOutbox  # noqa: PLC0415  # a folder needs none of it

        return AllOutbox(store)
    require_folder(store.folder)
    return FolderOutbox(store)


def own_outbox_of(store: EventStore) -> Outbox:
    """Return what a pipeline sends: all of a folder; of a store that hosts share what this process wrote."""
    if isinstance(store, SharedEventStore):
        from governance.events.shared.shipping import OwnOutbox  # noqa: PLC0415

        return OwnOutbox(store)
    return FolderOutbox(store)


def event_of(line: bytes) -> RunEvent | None:
    """Return the event that ``line`` is, None where it is none."""
    try:
        return run_event(json.loads(line))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
