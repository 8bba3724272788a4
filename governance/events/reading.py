"""Reading events back from a file, a folder of files or a store."""

from dataclasses import dataclass
from pathlib import Path

from governance.errors import EventStoreError
from governance.events.model import Event
from governance.events.pieces import Problem, pieces_of

SUFFIXES = (".ndjson", ".jsonl", ".json")
"""Names of event files in a folder."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Events in order of arrival, and what could not be read as one."""

    events: tuple[Event, ...]
    problems: tuple[Problem, ...]


def read_events(path: Path) -> Reading:
    """Read a file of events, a folder of such files in order of their names, or a store.

    A file is NDJSON, a JSON array of events or one JSON event.

    Raises:
        EventStoreError: ``path`` does not exist or cannot be read.
    """
    events: list[Event] = []
    problems: list[Problem] = []
    for file in event_files(path):
        for piece in pieces_of(file.name, _bytes(file)):
            problems += piece.problems
            if piece.event is not None:
                events.append(piece.event)
    return Reading(tuple(events), tuple(problems))


def event_files(path: Path) -> tuple[Path, ...]:
    """Return the event files that ``path`` names.

    Raises:
        EventStoreError: ``path`` does not exist.
    """
    if path.is_file():
        return (path,)
    if not path.is_dir():
        raise EventStoreError(f"{path.name} is neither a file nor a folder of events", fix="check the path")
    return tuple(sorted(file for file in path.iterdir() if file.suffix in SUFFIXES and file.is_file()))


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise EventStoreError(f"{file.name} cannot be read ({error.strerror})", fix="check its permissions") from error
