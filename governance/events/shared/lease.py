"""Who does something alone, of all hosts."""

import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import uuid4

from governance.errors import EventStoreError
from governance.events.shared.bucket import Bucket, Content

AGE = timedelta(minutes=2)
"""How long whoever has a lease is believed to be alive without a sign."""

_SIGN = 30.0  # seconds between two signs
_POLL = 0.2


@dataclass(slots=True)
class Lease:
    """Who does something alone, as an object that is renewed while it goes on; old ones count as left by a kill."""

    bucket: Bucket
    name: str
    token: bytes = field(default_factory=lambda: uuid4().hex.encode())  # noqa: PLW0108  # a new one each time

    def taken(self, deadline: float) -> bool:
        """Take the lease; False where somebody else had it until ``deadline`` (of ``time.monotonic()``)."""
        while True:
            found = self.bucket.get(self.name)
            old = found is None or self.bucket.now() - found.at > AGE
            if old and self.bucket.replace(self.name, self.token, found):
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL)

    def renew(self, stop: threading.Event) -> None:
        """Say from time to time that it goes on, until ``stop``."""
        while not stop.wait(_SIGN):
            with suppress(EventStoreError):  # the next time may come through, well before the lease is old
                found = self._own()
                if found:
                    self.bucket.replace(self.name, self.token, found)

    def end(self) -> None:
        """Let others have it."""
        with suppress(EventStoreError):  # it grows old by itself
            if self._own():
                self.bucket.delete((self.name,))

    def _own(self) -> Content | None:
        found = self.bucket.get(self.name)
        return found if found is not None and found.data == self.token else None
