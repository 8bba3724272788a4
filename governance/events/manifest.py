"""The manifest: which part of each day's file stands in Parquet.

What it names is whole and on the disk; a file that it does not name is no part of the store.

``<store>/compacted/manifest.json``, replaced as a whole under the store's lock::

    {"version": 1,
     "days": {"events-2026-11-29.ndjson": {
        "base": 0,                      where the NDJSON file as it stands begins in the day's whole text, in bytes
        "end": 61234567, "lines": 812,  how far the segments reach, in bytes and in whole lines
        "segments": [{"file": "events-2026-11-29.000000000000.parquet", "start": 0, "end": 61234567,
                      "events": 811, "quarantined": 1, "edges": "events-2026-11-29.000000000000.edges.parquet",
                      "quarantine": "events-2026-11-29.000000000000.quarantine", "sha256": "…"}]}}}

Places count bytes and lines of everything that was ever appended on that day, so they stay true after the NDJSON is
removed (``base`` is then ``end``) and after an old clock appends to that day once more.
"""

import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import msgspec

from governance.errors import EventStoreError

FOLDER = "compacted"
"""The folder of manifest, segments and quarantine within a store."""

VERSION = 1
NAME = "manifest.json"


class Segment(msgspec.Struct, frozen=True, rename="camel"):
    """A stretch of a day in Parquet.

    file:       Parquet file of the whole events, in ``<store>/compacted``
    start, end: bytes of the day's text
    events:     rows in it; ``quarantined``: pieces that are no events
    sha256:     of those bytes, as they stood in the NDJSON file
    edges:      Parquet file of what the events say of columns; None where an earlier version wrote the segment
    quarantine: file of the pieces that are no events; None where all are
    """

    file: str
    start: int
    end: int
    events: int
    quarantined: int
    sha256: str
    edges: str | None = None
    quarantine: str | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """Names of all its files."""
        return tuple(name for name in (self.file, self.edges, self.quarantine) if name)


class Day(msgspec.Struct, frozen=True, rename="camel"):
    """What is in Parquet of one day, in places of the day's whole text.

    base:  byte where the NDJSON file as it stands begins
    end:   byte that the segments reach; ``lines`` whole lines stand before it
    """

    base: int = 0
    end: int = 0
    lines: int = 0
    segments: tuple[Segment, ...] = ()

    @property
    def covered(self) -> int:
        """Bytes at the beginning of the NDJSON file that stand in segments as well."""
        return self.end - self.base

    def over(self, size: int) -> "Day":
        """Return the day for an NDJSON file whose ``size`` bytes all stand in segments as well."""
        return msgspec.structs.replace(self, base=self.end - size)

    def reaching(self, segment: Segment, lines: int) -> "Day":
        """Return the day with one more segment, of ``lines`` whole lines."""
        return msgspec.structs.replace(
            self, end=segment.end, lines=self.lines + lines, segments=(*self.segments, segment)
        )


class Manifest(msgspec.Struct, frozen=True):
    """The days of a store that stand in Parquet wholly or in part, by the name of their NDJSON file."""

    version: int = VERSION
    days: dict[str, Day] = {}

    def day(self, name: str) -> Day:
        """Return what is in Parquet of the day, an empty ``Day`` where nothing is."""
        return self.days.get(name, Day())

    def with_day(self, name: str, day: Day) -> "Manifest":
        """Return the manifest with ``day`` in place of its namesake."""
        return Manifest(self.version, dict(sorted((self.days | {name: day}).items())))


def read_manifest(store: Path) -> Manifest:
    """Return the manifest of the store in the folder ``store``; an empty one where nothing was ever compacted.

    Raises:
        EventStoreError: it cannot be read, is damaged or of a later version.
    """
    file = store / FOLDER / NAME
    try:
        found = _decoded(file.read_bytes())
    except FileNotFoundError:
        return Manifest()
    except OSError as error:
        raise EventStoreError(f"{file} cannot be read ({error.strerror})", fix="check its permissions") from error
    except msgspec.DecodeError as error:
        raise EventStoreError(
            f"{file} is damaged ({error})", fix="restore it from a backup; do not remove it"
        ) from error
    if found.version > VERSION:
        raise EventStoreError(f"{file} is of version {found.version}", fix="use the newer Headwater that wrote it")
    return found


@lru_cache(maxsize=2)
def _decoded(data: bytes) -> Manifest:
    # a reading of a year's days asks for the same manifest twice for each day
    return msgspec.json.decode(data, type=Manifest)


def write_manifest(store: Path, manifest: Manifest) -> None:
    """Put ``manifest`` in place of the store's, durably, all or nothing; the caller holds the store's lock.

    Raises:
        OSError: it cannot be written; the former one stands.
    """
    write_durably(store / FOLDER / NAME, msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")


def write_durably(file: Path, data: bytes) -> None:
    """Write a file so that it is there whole, after a crash as well, or not at all.

    Raises:
        OSError: it cannot be written; nothing of it is left.
    """
    new = file.with_name(f"{file.name}.{os.getpid()}.new")
    try:
        with new.open("wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
        new.replace(file)
    except OSError:
        with suppress(OSError):
            new.unlink()
        raise
    sync(file.parent)


def sync(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk.

    Raises:
        OSError: the disk refuses.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
