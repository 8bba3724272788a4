"""The upkeep of a shared store and of this machine's mirror of it."""

from dataclasses import dataclass
from datetime import timedelta

from governance.events.compact import Compacted, compact, due
from governance.events.shared.compaction import Folded, compact_objects, due_days, loose
from governance.events.shared.ledger import GRACE, read_ledger
from governance.events.shared.names import EVENTS, MANIFEST
from governance.events.shared.shipping import tidy_marks
from governance.events.shared.store import SharedEventStore
from governance.events.store import EventStore


@dataclass(frozen=True, slots=True)
class Kept:
    """What was done to the shared store, and to the mirror."""

    shared: Folded
    mirror: Compacted

    @property
    def kept(self) -> tuple[str, ...]:
        """What could not be compacted or removed, each with the reason."""
        return (*self.shared.kept, *self.mirror.kept)

    def __str__(self) -> str:
        """Return what was done, in words."""
        return f"{self.shared}\nmirror: {self.mirror}"


def keep_shared(store: SharedEventStore, retention: timedelta) -> Kept | None:
    """Compact the shared store and the mirror; None where another host compacted meanwhile.

    Raises:
        EventStoreError: the store cannot be read or written; all events are still in it.
    """
    store.require_conditions()
    folded = compact_objects(store.bucket, store.clock())
    tidy_marks(store.bucket)
    # alone, as a sync that is killed leaves a line half written until the next one
    with store.mirror.alone() as folder:
        compacted = compact(EventStore(folder, store.clock), retention)
    return Kept(folded, compacted) if folded and compacted else None


def due_in_shared(store: SharedEventStore) -> dict[str, int]:
    """Return the days of objects and the mirror's files that are to be compacted or removed, with their sizes.

    Raises:
        EventStoreError: the store cannot be read.
    """
    ledger, _ = read_ledger(store.bucket)
    now, objects = store.clock(), loose(store.bucket, ledger)
    found = {f"{EVENTS}/{day}": sum(it.size for it in objects[day]) for day in due_days(objects, now)}
    ripe = [it for it in ledger.entries if not it.swept and it.since and it.since + GRACE <= now]
    if ripe:
        found[MANIFEST] = sum(it.segment.end - it.segment.start for it in ripe)
    looked = store.mirror.looked()
    return found | (due(EventStore(looked[0], store.clock)) if looked else {})
