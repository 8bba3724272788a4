"""Events on their way to the user's own lineage server, after the local append and never instead of it.

Delivery is at least once and in order: each destination has a cursor into the store, moved after the server has taken
an event. A server that is down, slow or hanging costs a pipeline a bounded moment; what it missed is sent later. A
destination that is new to the store gets it from its beginning.
"""

import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from openlineage.client.event_v2 import RunEvent
from openlineage.client.transport import Transport

from governance.errors import EventStoreError
from governance.events.client import disabled
from governance.events.cursor import Cursor
from governance.events.destination import Destination, destinations
from governance.events.failure import SETTINGS, status_of, told, wait_of
from governance.events.outbox import Outbox, outbox_of, own_outbox_of
from governance.events.store import EventStore

MOMENT = 0.4
"""Seconds that :func:`forward` may take; a pipeline calls it twice, so it costs less than one second in all."""

PAUSE = 60.0
"""Seconds during which pipelines do not try a destination that failed them."""

_LONGEST_PAUSE = 3600.0  # however long a server asks to be left alone
_CHOOSY = 20
"""Refusals after which a server that never took an event counts as set up wrongly: passing over would lose them all."""
_BEHIND = 30.0  # seconds that a thread goes on in the background of a pipeline that no longer waits for it
_CLOSE = 5.0
# The server has read the event and will never take it; sending it again would block all that come after.
_REFUSED_FOR_GOOD = frozenset({400, 409, 413, 422})


@dataclass(frozen=True, slots=True)
class Shipped:
    """What became of the events for one destination.

    sent:    events that it took now
    refused: events that it answered it will never take; they are passed over, and ``error`` says why
    left:    events still to be sent; None where that was not looked at
    error:   in words, without secrets; empty where all is well
    """

    destination: str
    sent: int = 0
    refused: int = 0
    left: int | None = None
    error: str = ""


def ship(store: EventStore, seconds: float = 60.0) -> tuple[Shipped, ...]:
    """Send every destination what it has missed, for at most ``seconds``; nothing where the user has set none.

    Raises:
        EventStoreError: the OpenLineage settings, or the store, cannot be read.
    """
    if disabled():
        return ()
    outbox = outbox_of(store)
    sendings = [_Sending(outbox, destination, time.monotonic() + seconds) for destination in destinations()]
    _run(sendings, seconds)
    for sending in sendings:
        if not sending.done and not sending.report.error:
            sending.report = replace(sending.report, error=_silence(seconds))
    return tuple(replace(sending.report, left=sending.left()) for sending in sendings)


def forward(store: EventStore) -> tuple[Shipped, ...]:
    """Do as :func:`ship` from within a pipeline: for :data:`MOMENT` at most, and never raise.

    A destination that fails, or takes nothing in that time, is left alone for :data:`PAUSE`; meanwhile its report says
    why. Sending goes on in the background while the process lives.
    """
    if disabled():
        return ()
    try:
        found = destinations()
    except EventStoreError as error:
        return (Shipped("OpenLineage settings", error=str(error)),)
    outbox = own_outbox_of(store)
    sendings = [_Sending(outbox, destination, time.monotonic() + _BEHIND) for destination in found]
    ready = [sending for sending in sendings if not sending.paused()]
    _run(ready, MOMENT)
    for sending in ready:
        sending.pause_if_stuck()
    return tuple(sending.report for sending in sendings)


def _run(sendings: list["_Sending"], seconds: float) -> None:
    """Run all at once in threads that nobody has to wait for: a hanging socket cannot be interrupted."""
    deadline = time.monotonic() + seconds
    threads = [threading.Thread(target=sending.run, name="lineage", daemon=True) for sending in sendings]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))


@dataclass(slots=True)
class _Sending:
    """One attempt to bring a destination up to date; ``report`` is replaced as it goes, and read by another thread."""

    outbox: Outbox
    destination: Destination
    deadline: float
    report: Shipped = field(init=False)
    cursor: Cursor = field(init=False)
    done: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.report = Shipped(self.destination.name)
        self.cursor = self.outbox.cursor(self.destination.key)

    def run(self) -> None:
        try:
            with self.cursor.exclusive(self.deadline) as held:
                if held:
                    self._send_all()
        except Exception as error:  # noqa: BLE001  a transport may be anybody's class; no pipeline fails by it
            self._suspend(told(error, self.destination.secrets), wait_of(error, datetime.now(UTC)) or 0.0)
        self.done = True

    def paused(self) -> bool:
        """Whether it is left alone now; then its report says why."""
        why = self.cursor.paused(time.time())
        if why is not None:
            self.report = replace(self.report, error=why or "it failed a moment ago")
        return why is not None

    def pause_if_stuck(self) -> None:
        if not self.done and not self.report.sent:
            self._suspend(_silence(MOMENT))

    def left(self) -> int:
        return sum(1 for _ in self.outbox.pending(self.cursor.offsets()))

    def _send_all(self) -> None:
        start = self.cursor.offsets()
        offsets, transport = dict(start), self.destination.open()
        try:
            for place, event in self.outbox.pending(start):
                if time.monotonic() >= self.deadline:
                    break
                self._send(transport, event)
                offsets[place.day] = place.end
                if start or self.report.sent:
                    self.cursor.move(offsets)
                elif self.report.refused >= _CHOOSY:
                    break
        finally:
            if not transport.close(_CLOSE):
                # something that was taken was not delivered, and nobody says what
                self.cursor.move(start)
        if self.report.sent:
            self.cursor.resume()
        elif self.report.refused and not start:
            self._suspend(f"{self.report.error}; it has not taken an event yet, so none was passed over")
            self.report = replace(self.report, refused=0)

    def _send(self, transport: Transport, event: RunEvent) -> None:
        while (wait := self._try(transport, event)) is not None:
            time.sleep(wait)

    def _try(self, transport: Transport, event: RunEvent) -> float | None:
        """Return after how many seconds to try again, None where the server has answered for good."""
        try:
            transport.emit(event)
        except Exception as error:
            if status_of(error) in _REFUSED_FOR_GOOD:
                error_text = told(error, self.destination.secrets)
                self.report = replace(self.report, refused=self.report.refused + 1, error=error_text)
                return None
            wait = wait_of(error, datetime.now(UTC))
            if wait is None or time.monotonic() + wait >= self.deadline:
                raise
            return wait
        self.report = replace(self.report, sent=self.report.sent + 1)
        return None

    def _suspend(self, error: str, seconds: float = 0.0) -> None:
        self.report = replace(self.report, error=error)
        with suppress(OSError):
            self.cursor.pause(time.time() + min(max(seconds, PAUSE), _LONGEST_PAUSE), error)


def _silence(seconds: float) -> str:
    return f"no answer within {seconds:g} s; see whether the server is well, or correct its address in {SETTINGS}"
