"""What is kept of a store between two questions: few events whole, of all other runs how they ended, then their ids."""

import hashlib
from datetime import datetime

import msgspec

from governance.events.pieces import Problem
from governance.runs import Job, Run

VERSION = 4
"""Of what is kept, and of what it is taken to mean; what another version kept is made anew."""

WHOLE = ""
"""In place of a segment: an event that no segment has in a light form."""

BESIDE = "."
"""In place of a segment: a light form whose edges stand in :attr:`Kept.edges`."""


class Told(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An event that is kept, and where it stands.

    segment: file of the segment of which ``raw`` is the light form; None for a whole event that only NDJSON has as yet
    said:    by output what the edges, the segment's or those beside, say of it (:mod:`governance.events.segment`)
    """

    day: str
    offset: int
    raw: bytes
    segment: str | None = None
    said: tuple[int | None, ...] = ()

    @property
    def place(self) -> tuple[str, int]:
        """Where it stands in the store, which no other event does."""
        return self.day, self.offset


class Over(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A run that has ended and that nothing standing is of: how it ended, without what it read and wrote."""

    run_id: str
    namespace: str
    job: str
    state: str
    began: datetime
    ended: datetime
    heard: datetime

    def run(self) -> Run:
        """Return it as a run that names no dataset."""
        job = Job(self.namespace, self.job)
        return Run(self.run_id, job, self.state, self.began, self.ended, None, (), (), heard=self.heard)


class Consumed(msgspec.Struct, frozen=True, array_like=True):
    """How far a day has been read, and what tells that it was not changed behind that.

    end:      bytes of the day's whole text
    segments: digests of the segments that it had, in order
    begin:    where the stretch begins that only NDJSON had
    digest:   of that stretch, up to ``end``
    file:     inode, size and time of change of the NDJSON file then; None where there was none
    lines:    whole lines before ``end``
    """

    end: int = 0
    segments: tuple[str, ...] = ()
    begin: int = 0
    digest: bytes = b""
    file: tuple[int, int, int] | None = None
    lines: int = 0


class Kept(msgspec.Struct, frozen=True):
    """The state file.

    store:     folder of the store that it is of
    told:      events by run id; those of no run by ``""``
    over:      runs heard of lately that nothing standing is of
    gone:      sorted marks of the ids of all earlier ones (:func:`mark`), little-endian, eight bytes each
    snapshots: likewise of the snapshots that those completed
    names:     keys of everything that any event named, as an Arrow file
    linked:    whether any event said that two datasets are one
    twins:     whether something is spelled in several ways, so that the past has to be read whole
    renamed:   whether any event said that a table had another name before, so that it has to be read whole
    problems:  what was no event, or one with something wrong
    edges:     of light events that only NDJSON has (:mod:`governance.past.stretches`), as are ``end`` and ``sayings``
    """

    version: int = VERSION
    store: str = ""
    days: dict[str, Consumed] = {}
    told: dict[str, tuple[Told, ...]] = {}
    over: tuple[Over, ...] = ()
    gone: bytes = b""
    snapshots: bytes = b""
    names: bytes = b""
    linked: bool = False
    twins: bool = False
    renamed: bool = False
    problems: tuple[Problem, ...] = ()
    edges: tuple[bytes, ...] = ()
    end: int = 0
    sayings: int = 0


def mark(*words: str) -> int:
    """Return eight bytes that stand for ``words``: two that share them are as rare as a disk that errs."""
    digest = hashlib.blake2b("\x1f".join(words).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
