"""How far a destination has got with the store: one small file each, replaced as a whole, and one writer at a time."""

import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_POLL = 0.02


@dataclass(frozen=True, slots=True)
class Cursor:
    """The files of one destination under ``folder`` (``<store>/.shipped``)."""

    folder: Path
    key: str

    def offsets(self) -> dict[str, int]:
        """Return, by day, how many bytes of its text have been sent; without a file that can be read, nothing has."""
        try:
            read = json.loads((self.folder / f"{self.key}.json").read_bytes())
        except (OSError, ValueError):
            # at least once: a lost cursor sends everything again, and run ids make that harmless
            return {}
        return {str(name): int(offset) for name, offset in read.items()}

    def move(self, offsets: Mapping[str, int]) -> None:
        """Store the offsets, all or none."""
        self._replace("json", json.dumps(offsets, sort_keys=True))

    def paused(self, now: float) -> str | None:
        """Return why sending is suspended at ``now`` (seconds since the epoch), None where it is not."""
        try:
            until, _, why = (self.folder / f"{self.key}.paused").read_text("utf-8").partition("\n")
            return why if now < float(until) else None
        except (OSError, ValueError):
            return None

    def pause(self, until: float, why: str) -> None:
        """Suspend sending from within pipelines, so that a server that is down costs one of them and not all."""
        self._replace("paused", f"{until}\n{why}")

    def resume(self) -> None:
        """End a suspension."""
        (self.folder / f"{self.key}.paused").unlink(missing_ok=True)

    @contextmanager
    def exclusive(self, deadline: float) -> Iterator[bool]:
        """Hold the destination until the block ends; False where another process held it until ``deadline``.

        ``deadline`` is a reading of ``time.monotonic()``.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{self.key}.lock").open("w") as lock:
            try:
                yield _taken(lock.fileno(), deadline)
            finally:
                # said aloud: closing alone would not end it where another thread has forked meanwhile
                fcntl.flock(lock, fcntl.LOCK_UN)

    def _replace(self, suffix: str, text: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        new = self.folder / f"{self.key}.{suffix}.{os.getpid()}"
        new.write_text(text, "utf-8")
        new.replace(self.folder / f"{self.key}.{suffix}")


def _taken(descriptor: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL)
        else:
            return True
