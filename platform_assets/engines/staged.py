"""Data files of a store copied to a folder, for an engine that does not read through this process."""

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from platform_assets.engines.engine import Files, Relation, Stored
from platform_assets.engines.interruptible import waited

AT_ONCE = 8
"""Files that are copied at the same time: one connection of a store gives a part of what the network does."""

CHUNK = 8 * 2**20
"""Bytes that are copied at a time, and held in memory for each file."""


def staged(tables: Mapping[str, Relation], folder: Path) -> dict[str, Relation]:
    """Return ``tables`` with the files that lie in a store copied into ``folder``, which is there.

    Raises:
        HeadwaterError: the store does not give one of them.
    """
    stored = {name: it for name, it in tables.items() if isinstance(it, Stored)}
    if not stored:
        return dict(tables)
    sources = {location: it for it in stored.values() for location, _ in it.files}
    targets = {location: folder / f"{number:06}.parquet" for number, location in enumerate(sources)}
    copying = _Copying(sources, targets)
    waited(copying, copying.run)
    made = {
        name: Files(tuple(str(targets[at]) for at, _ in it.files), it.columns, it.unsure) for name, it in stored.items()
    }
    return {**tables, **made}


@dataclass(frozen=True, slots=True)
class _Copying:
    sources: Mapping[str, Stored]
    targets: Mapping[str, Path]
    stopped: threading.Event = field(default_factory=threading.Event)

    def interrupt(self) -> None:
        self.stopped.set()

    def run(self) -> None:
        with ThreadPoolExecutor(AT_ONCE, "store-copy") as pool:
            try:
                for _ in pool.map(self._copy, self.sources):
                    pass
            except BaseException:
                self.stopped.set()
                raise

    def _copy(self, location: str) -> None:
        at = 0
        with self.targets[location].open("wb") as target, closing(self.sources[location].open(location)) as source:
            while not self.stopped.is_set() and (chunk := source.read_at(CHUNK, at)):
                at += target.write(chunk)
