"""Work of an engine's that Ctrl-C and Terminate really end.

DuckDB on the main thread holds off signals until it returns. So an engine works in a thread of its own; the caller's
polls, which lets signals in, and ``interrupt`` ends the work wherever it is.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from math import inf
from typing import Generic, Protocol, TypeVar

from platform_assets.engines.signals import again

T = TypeVar("T")

AHEAD = 4
"""How many items may wait for the caller."""

POLL_SECONDS = 0.2
"""How long an interrupt may wait: Python runs signal handlers on the main thread only between two calls."""


class Interruptible(Protocol):
    """What works, and can be told to stop from another thread."""

    def interrupt(self) -> None:
        """End what runs, if anything does."""
        ...


@dataclass(frozen=True, slots=True)
class _Failed:
    error: BaseException


@dataclass(frozen=True, slots=True)
class _Ended:
    pass


class Stream(Generic[T]):
    """What ``make`` yields, made in a thread of its own; an error of its is raised where the items are asked for.

    An item may take ``seconds``. The thread begins when the first item is asked for: whoever is to close the stream
    has it in hand by then.
    """

    def __init__(self, connection: Interruptible, make: Iterable[T], seconds: float = inf) -> None:
        self._seconds = seconds
        self._connection = connection
        self._make = make
        self._items: queue.Queue[T | _Failed | _Ended] = queue.Queue(AHEAD)
        self._stopped = threading.Event()
        self._gate = threading.Lock()
        self._began = False
        # an event, for a signal in the midst of ``join`` makes Python 3.11 take the thread for ended
        self._over = threading.Event()
        self._worker = threading.Thread(target=self._work, name="engine-query", daemon=True)

    def __iter__(self) -> Iterator[T]:
        """Yield what is made, as it is made; once."""
        self._worker.start()
        while not isinstance(item := self._next(), _Ended):
            if isinstance(item, _Failed):
                raise item.error
            yield item

    def close(self) -> None:
        """End the work if it still runs; returns when its thread has gone."""
        with self._gate:
            self._stopped.set()
        # a thread that has not begun by now sees that it is not to
        while self._began and not self._over.is_set():
            # again and again: an interrupt that comes between two of DuckDB's tasks is forgotten
            self._connection.interrupt()
            self._over.wait(POLL_SECONDS)

    def _work(self) -> None:
        with self._gate:
            if self._stopped.is_set():
                return
            self._began = True
        try:
            for item in self._make:
                self._put(item)
            self._put(_Ended())
        except BaseException as error:  # noqa: BLE001  # it is raised again, on the thread that asked
            self._put(_Failed(error))
        finally:
            self._over.set()

    def _put(self, item: T | _Failed | _Ended) -> None:
        while not self._stopped.is_set():
            with suppress(queue.Full):
                self._items.put(item, timeout=POLL_SECONDS)
                break

    def _next(self) -> T | _Failed | _Ended:
        latest = time.monotonic() + self._seconds
        while time.monotonic() < latest:
            again()
            with suppress(queue.Empty):
                return self._items.get(timeout=POLL_SECONDS)
        raise TimeoutError


def waited(connection: Interruptible, work: Callable[[], T], seconds: float = inf) -> T:
    """Return what ``work`` returns, which any exception on this thread ends.

    Raises:
        TimeoutError: it takes longer than ``seconds``.
    """
    with closing(Stream(connection, (do() for do in (work,)), seconds)) as stream:
        return next(iter(stream))
