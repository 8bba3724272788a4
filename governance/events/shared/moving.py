"""Events of a folder put into a shared store: whoever grows out of one machine takes the past along."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from governance.events.days import days, pieces_of_day
from governance.events.decode import Decoder
from governance.events.model import TERMINAL
from governance.events.pieces import Piece
from governance.events.shared.bucket import AT_ONCE
from governance.events.shared.line import line_of
from governance.events.shared.names import END, START, once, several
from governance.events.shared.store import SharedEventStore

_OURS = "urn:headwater:"  # of whatever version
_MOST = 512


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of the events of a folder.

    put:   events that are in the shared store now and were not before
    there: events that it had
    left:  what is no event, and stays in the folder
    """

    put: int
    there: int
    left: int

    def __str__(self) -> str:
        """Return what was done, in words."""
        torn = f", {self.left} torn pieces left where they are" if self.left else ""
        return f"{self.put} events put into the shared store, {self.there} were there{torn}"


def move_in(folder: Path, store: SharedEventStore) -> Moved:
    """Put every event of the store in ``folder`` into ``store``; the folder stays as it is, and twice does no harm.

    Raises:
        EventStoreError: the folder cannot be read, or the store not be written.
    """
    store.require_conditions()
    named = (_named(it) for name in days(folder) for it in pieces_of_day(folder, name, Decoder()))
    put = there = left = 0
    with ThreadPoolExecutor(AT_ONCE) as threads:
        for some in _chunks(named):
            left += some.count(None)
            found = dict(reversed([it for it in some if it is not None]))  # of one name the first stands
            made = list(threads.map(lambda it: store.bucket.create(*it), found.items()))
            put += made.count(True)
            there += len(some) - some.count(None) - made.count(True)
    return Moved(put, there, left)


def _named(it: Piece) -> tuple[str, bytes] | None:
    """The object that an event becomes: of a pipeline's own the first end stands, others may send several of each."""
    event = it.event
    data = line_of(it.raw, Decoder()) if event is not None else None
    if event is None or data is None:
        return None
    run_id = event.run.run_id
    own = event.producer.startswith(_OURS)
    if own and event.event_type in TERMINAL:
        return once(run_id, END), data
    if own and event.event_type == START:
        return once(run_id, START), data
    return several(run_id, event.event_type, data), data


def _chunks(named: Iterator[tuple[str, bytes] | None]) -> Iterator[list[tuple[str, bytes] | None]]:
    while some := list(islice(named, _MOST)):
        yield some
