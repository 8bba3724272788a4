"""The end of a run from outside, in the midst of what it does."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Terminated(BaseException):
    """As Dagster's interrupt: no Exception."""


@contextmanager
def terminated_after(seconds: float) -> Iterator[None]:
    """Raise Terminated in the main thread after so many seconds, unless the block has ended by then."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise Terminated

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
