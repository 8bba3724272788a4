"""Signals that end a run, kept until it has ended.

What a handler raises is raised wherever the main thread is at that moment. Where that is the callback of a weak
reference or a finalizer, of which every import has some, Python prints the exception and drops it, and a run that was
terminated would go on. So it is kept, and whoever waits for an engine raises it again.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)

_raised: list[BaseException] = []
"""What handlers raised in the block of :func:`kept`: one list, for handlers are the process's own."""


@contextmanager
def kept() -> Iterator[None]:
    """Keep what signals raise within the block; where nobody has got it by the block's end, it is raised there."""
    if threading.current_thread() is not threading.main_thread():
        # signals reach the main thread alone
        yield
        return
    before = {number: action for number in SIGNALS if callable(action := signal.getsignal(number))}
    try:
        for number, action in before.items():
            signal.signal(number, partial(_keep, action))
        yield
        again()
    finally:
        for number, action in before.items():
            signal.signal(number, action)
        _raised.clear()


def again() -> None:
    """Raise what a signal raised and nobody has got; nothing where there is none."""
    if _raised and threading.current_thread() is threading.main_thread():
        raise _raised[0]


def _keep(action: Callable[[int, FrameType | None], object], number: int, frame: FrameType | None) -> None:
    try:
        action(number, frame)
    except BaseException as error:
        _raised.append(error)
        raise
