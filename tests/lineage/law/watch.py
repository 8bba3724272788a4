"""The end of what runs too long, by one thread for thousands of queries: a timer for each costs as much as it."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

NEVER = float("inf")


class Watch:
    """Ends what takes more than ``patience`` seconds; it may take a quarter more."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._until = NEVER
        self._end: Callable[[], object] = int
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    @contextmanager
    def over(self, end: Callable[[], object]) -> Iterator[None]:
        """Call ``end`` where the block takes too long."""
        with self._lock:
            self._until, self._end = time.monotonic() + self._patience, end
        try:
            yield
        finally:
            with self._lock:
                self._until = NEVER

    def close(self) -> None:
        """End the thread."""
        self._closed.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._closed.wait(self._patience / 4):
            # under the lock, so that it never ends the block after the one that is too long
            with self._lock:
                if time.monotonic() > self._until:
                    self._end()
                    self._until = NEVER
