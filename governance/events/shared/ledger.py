"""The ledger of a shared store: which segments there are, as ``manifest.json``.

It is read, changed and put back on the condition that nobody else did so meanwhile: of two hosts that compact at once
one wins, and the other's segments are no part of the store. What a segment was made of is deleted once every look that
may have begun before the ledger named it has ended: :data:`GRACE` after that, by the store's own clock.
"""

from datetime import datetime, timedelta

import msgspec

from governance.errors import EventStoreError
from governance.events.manifest import Segment
from governance.events.shared.bucket import Bucket, Content
from governance.events.shared.names import MANIFEST, compacted

VERSION = 1

GRACE = timedelta(hours=1)
"""How long the objects of a segment stay beside it. A host writes a START or an end only by a look that is much
younger, so it cannot put again what was compacted and deleted since."""


class Entry(msgspec.Struct, frozen=True):
    """A segment of the store.

    day:     the day file that it is a part of, by the store's time of arrival
    line:    whole lines of the day before it; ``lines``: those in it, one an object
    segment: its files, below ``compacted/``, and its place in the day's text
    since:   by when it was in the ledger at the latest, by the store's clock; None where it is about to be
    swept:   whether the objects that it was made of are deleted
    """

    day: str
    line: int
    lines: int
    segment: Segment
    since: datetime | None = None
    swept: bool = False

    @property
    def names(self) -> str:
        """The file of what its rows were: name and tag of each object, in order."""
        return self.segment.file.removesuffix(".parquet") + ".names"

    @property
    def files(self) -> tuple[str, ...]:
        """All its files."""
        return (*self.segment.files, self.names)


class Ledger(msgspec.Struct, frozen=True):
    """The segments of a store, those of a day in order."""

    version: int = VERSION
    entries: tuple[Entry, ...] = ()

    def of_day(self, day: str) -> tuple[Entry, ...]:
        """Return the entries of one day, in order."""
        return tuple(it for it in self.entries if it.day == day)


def read_ledger(bucket: Bucket) -> tuple[Ledger, Content | None]:
    """Return the ledger, empty where there is none, and what it was read from.

    Raises:
        EventStoreError: the store cannot be read; the ledger is damaged or of a later version.
    """
    found = bucket.get(MANIFEST)
    if found is None:
        return Ledger(), None
    where = f"{bucket.url}/{MANIFEST}"
    try:
        ledger = msgspec.json.decode(found.data, type=Ledger)
    except msgspec.DecodeError as error:
        raise EventStoreError(
            f"{where} is damaged ({error})", fix="put back an older version of that object; do not remove it"
        ) from error
    if ledger.version > VERSION:
        raise EventStoreError(f"{where} is of version {ledger.version}", fix="use the newer Headwater that wrote it")
    # whatever is in it was in it when it was put
    dated = tuple(msgspec.structs.replace(it, since=it.since or found.at) for it in ledger.entries)
    return msgspec.structs.replace(ledger, entries=dated), found


def write_ledger(bucket: Bucket, ledger: Ledger, former: Content | None) -> bool:
    """Put ``ledger`` in place of what was read as ``former``; return False where another host was faster.

    Raises:
        EventStoreError: the store cannot be written. Whether it was is not known: the next look tells.
    """
    data = msgspec.json.format(msgspec.json.encode(ledger), indent=1)
    return bucket.replace(MANIFEST, data + b"\n", former)


def names_in(bucket: Bucket, entry: Entry) -> list[tuple[str, str]]:
    """Return name and tag of the objects that a segment was made of, in order of its rows.

    Raises:
        EventStoreError: the file is missing or damaged, or the store cannot be read.
    """
    return [(name, tag) for name, tag in msgspec.json.decode(segment_file(bucket, entry.names), type=list[list[str]])]


def segment_file(bucket: Bucket, file: str) -> bytes:
    """Return a file of a segment.

    Raises:
        EventStoreError: it is missing, or the store cannot be read.
    """
    found = bucket.get(compacted(file))
    if found is None:
        raise EventStoreError(
            f"{bucket.url}/{compacted(file)} is missing",
            fix="restore that object: the events in it may be nowhere else",
        )
    return found.data
