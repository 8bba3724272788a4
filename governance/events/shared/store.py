"""The event store on shared storage: written by many hosts, each event an object, and read through a mirror.

It promises what the store in a folder promises. An event is whole and acknowledged by the object store when ``append``
returns, or ``append`` raises. A run has one START and one end: the name of either follows from the run's id, and of
all hosts that put it on the condition that nothing is there the first one does. Whoever tries again after an answer
that was lost puts the same bytes under the same name, or finds them there.

What was compacted is an object no more, so a run is looked for before its START or end is put: in the mirror, where it
was synced within :data:`LOOK`, a fraction of the time that compacted objects stay; else among the names of what the
segments of the run's days were made of.
"""

from dataclasses import KW_ONLY, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from openlineage.client.event_v2 import RunEvent
from openlineage.client.serde import Serde
from openlineage.client.transport import Transport

from governance.events.client import client_for, disabled
from governance.events.days import PREFIX, SUFFIX
from governance.events.decode import Decoder
from governance.events.model import TERMINAL, Event
from governance.events.reading import Reading
from governance.events.redact import redact_event, secrets_of
from governance.events.shared.bucket import Bucket
from governance.events.shared.ledger import GRACE, names_in, read_ledger
from governance.events.shared.mirror import Mirror
from governance.events.shared.names import END, START, once, several
from governance.events.store import STARTED, EventStore, instant_of

LOOK = GRACE / 4
"""How old a look may be by which a START or an end is put."""

_OWN = 1000
"""Events that a process keeps to send them itself; what it wrote before them is left to whoever ships."""


@dataclass(frozen=True, slots=True)
class SharedEventStore(EventStore):
    """The events below ``bucket``; ``folder`` is where this machine's mirror is.

    written: what this process wrote last, by name, for it to send; ``marked``: what of it each destination was sent
    """

    _: KW_ONLY
    bucket: Bucket
    written: dict[str, bytes] = field(default_factory=dict, repr=False, compare=False)
    marked: dict[str, dict[str, int]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def mirror(self) -> Mirror:
        """The mirror on this machine."""
        return Mirror(self.bucket, self.folder, self.clock)

    def append(self, event: RunEvent) -> bool:
        """Write ``event``, durably; return False only where the user's own settings silence it.

        Raises:
            EventStoreError: the store cannot be written. A request whose answer was lost may have arrived: the event
                is there once at the most, however often it is appended.
        """
        data = self._data(event)
        if data is None:
            return False
        kind = event.eventType.value if event.eventType else "OTHER"
        self.require_conditions()
        name = several(event.run.runId, kind, data)
        self.bucket.create(name, data)
        self._wrote(name, data)
        return True

    def begin(self, event: RunEvent) -> bool:
        """Write a START unless its run has one; return whether it was written.

        It was as well where the very same event is there: of an attempt whose answer was lost.

        Raises:
            EventStoreError: as for :meth:`append`.
        """
        return self._put_once(event, START, STARTED)

    def end(self, event: RunEvent) -> bool:
        """Write a terminal ``event`` unless its run has one; return whether it was written.

        Of a run's own end and of what sensors of any host say, the first that arrives stands.

        Raises:
            EventStoreError: as for :meth:`append`.
        """
        return self._put_once(event, END, TERMINAL)

    def refresh(self) -> Path:
        """Bring the mirror up to date and return its folder.

        Raises:
            EventStoreError: the store cannot be read, or the mirror not be written.
        """
        return self.mirror.refresh()

    def read(self) -> Reading:
        """Return all events in order of arrival and what could not be read.

        Raises:
            EventStoreError: the store cannot be read, or the mirror not be written.
        """
        return self._local(self.refresh()).read()

    def started(self, run_id: str) -> bool:
        """Return whether the run's START is in the store.

        Raises:
            EventStoreError: as for :meth:`read`.
        """
        return self._local(self.refresh()).started(run_id)

    def terminal(self, run_id: str) -> Event | None:
        """Return the event that ended the run, None while there is none.

        Raises:
            EventStoreError: as for :meth:`read`.
        """
        return self._local(self.refresh()).terminal(run_id)

    def files(self) -> tuple[Path, ...]:
        """Return the mirror's NDJSON files as they stand, oldest first."""
        looked = self.mirror.looked()
        return self._local(looked[0]).files() if looked else ()

    def require_conditions(self) -> None:
        """Try, before this host writes for the first time, whether the store keeps the conditions of a put.

        Raises:
            EventStoreError: it does not, or it cannot be written.
        """
        proved = self.folder / "conditions"
        if not proved.exists():
            self.bucket.require_conditions()
            self.folder.mkdir(parents=True, exist_ok=True)
            proved.touch()

    def _put_once(self, event: RunEvent, what: str, states: frozenset[str]) -> bool:
        data = self._data(event)
        if data is None:
            return False
        run_id, began = event.run.runId, self.clock()
        if self._said(run_id, what, states):
            return False
        self.require_conditions()
        name = once(run_id, what)
        put = self.bucket.create(name, data) or self._is(name, data)
        if put and self.clock() - began > LOOK:
            # this process or its machine stood still so long that the look says nothing any more
            first = self._local(self.refresh()).first(run_id, states)
            if first is not None and first != Decoder()(data):
                self.bucket.delete((name,))
                return False
        if put:
            self._wrote(name, data)
        return put

    def _wrote(self, name: str, data: bytes) -> None:
        self.written[name] = data
        for old in tuple(self.written)[:-_OWN]:
            del self.written[old]

    def _is(self, name: str, data: bytes) -> bool:
        """Whether the object is what was to be put: its own first answer was lost."""
        found = self.bucket.get(name)
        return found is not None and found.data == data

    def _said(self, run_id: str, what: str, states: frozenset[str]) -> bool:
        """Whether the run has said it already, as far as that may be an object no more."""
        looked, now, begun = self.mirror.looked(), self.clock(), instant_of(run_id)
        if looked and timedelta() <= now - looked[1] < LOOK:
            return self._local(looked[0]).first(run_id, states) is not None
        if begun is None:
            return self._local(self.refresh()).first(run_id, states) is not None
        # by names alone: a host without a mirror, such as a pod, need not make one before its first START
        first = f"{PREFIX}{(min(begun, now) - timedelta(days=1)).date().isoformat()}{SUFFIX}"
        ledger, _ = read_ledger(self.bucket)
        entries = (it for it in ledger.entries if it.day >= first)
        return any(once(run_id, what) == name for entry in entries for name, _ in names_in(self.bucket, entry))

    def _local(self, folder: Path) -> EventStore:
        return EventStore(folder, self.clock)

    def _data(self, event: RunEvent) -> bytes | None:
        """The object that ``event`` is, None where the user's own settings silence it."""
        if disabled():
            return None
        kept = _Kept()
        client_for(kept).emit(event)
        return kept.data


class _Kept(Transport):
    """A transport that keeps the event as bytes, redacted with whatever the client added to it."""

    kind = "kept"

    def __init__(self) -> None:
        self.data: bytes | None = None

    def emit(self, event: Any) -> None:
        """Keep ``event``; the client calls it unless a filter of the user's drops it."""
        self.data = Serde.to_json(redact_event(Serde.to_dict(event), secrets_of())).encode() + b"\n"
