"""Another process that reads texts, from the last one on, while this one reads them from the first.

It is a fresh Python and no fork, so whoever has threads, or is somebody's daemon, may have one. A pipe tells it what to
do, and it ends when that is closed: by ``close``, or because who asked is no more. What it does not give, since it is
gone or cannot read it, this process reads itself: results and errors are the same, and come in the same order.
"""

import os
import pickle
import select
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct
from typing import IO, Any

BATCH = 12
"""Texts that it is given at once: a twentieth of a second's work."""

LENGTH = Struct(">Q")
ROOT = Path(__file__).parents[2]
PROGRAM = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from governance.remembered.reader import main; main()"


def may_be_beside() -> bool:
    """Whether there is a processor for another process."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return os.name == "posix" and bool(sys.executable) and (count or 1) > 1


@dataclass(slots=True)
class Beside:
    """The other process: ``_waiting`` is for either, ``_given`` what it has in hand, ``_done`` what it read."""

    _process: "subprocess.Popen[bytes] | None" = None
    _kind: str = ""
    _waiting: dict[str, object] = field(default_factory=dict)
    _given: frozenset[str] = frozenset()
    _done: dict[str, bytes | None] = field(default_factory=dict)

    @property
    def running(self) -> bool:
        """Whether there is such a process."""
        return self._process is not None

    def expect(self, kind: str, tasks: Mapping[str, object]) -> None:
        """Say what is going to be taken, by table, in this order; ``kind`` is one of ``reader.KINDS``."""
        while self._given:
            self._receive()
        self._kind, self._waiting, self._done = kind, dict(tasks), {}
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603  our own
                [sys.executable, "-P", "-c", PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        self._send()

    def take(self, table: str) -> bytes | None:
        """Return what it read of ``table``, None where this process has to read it."""
        if not self._given:
            return self._done.pop(table, None)
        if self._waiting.pop(table, None) is not None:
            if self._ready():
                self._receive()
            return None
        while table in self._given:
            self._receive()
        return self._done.pop(table, None)

    def close(self) -> None:
        """End it, whatever it does."""
        if self._process is not None:
            self._process.kill()
            # what it did not take of the last question has nobody to go to
            with suppress(OSError), self._process:
                pass
            self._process.wait()
        self._process, self._given = None, frozenset()

    def _ready(self) -> bool:
        pipe = self._process.stdout if self._process else None
        return pipe is not None and bool(select.select([pipe], [], [], 0)[0])

    def _send(self) -> None:
        """Give it the next ones; it has nothing in hand, so that it reads, and neither waits for the other to do so."""
        tasks = [self._waiting.popitem() for _ in range(min(BATCH, len(self._waiting) // 2))]
        pipe = self._process.stdin if self._process else None
        self._given = frozenset(table for table, _ in tasks)
        if tasks and pipe:
            try:
                write(pipe, (self._kind, tasks))
            except OSError:
                self._given = frozenset()

    def _receive(self) -> None:
        pipe = self._process.stdout if self._process else None
        found = read(pipe) if pipe else None
        if found is None:
            self.close()
            return
        self._done |= found
        self._send()


def write(pipe: IO[bytes], said: object) -> None:
    """Write one message.

    Raises:
        OSError: nobody reads it.
    """
    data = pickle.dumps(said, pickle.HIGHEST_PROTOCOL)
    pipe.write(LENGTH.pack(len(data)) + data)
    pipe.flush()


def read(pipe: IO[bytes]) -> Any:
    """Return the next message, None where there will be none; nobody but the two processes writes to their pipes."""
    with suppress(OSError):
        head = pipe.read(LENGTH.size)
        if len(head) == LENGTH.size:
            (length,) = LENGTH.unpack(head)
            data = pipe.read(length)
            if len(data) == length:
                return pickle.loads(data)  # noqa: S301  see above
    return None
