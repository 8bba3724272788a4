"""Reading events back from a file, a folder of files or a store."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from governance.errors import EventStoreError
from governance.events.days import days, pieces_of_day, pieces_of_file
from governance.events.decode import Decoder
from governance.events.model import Event
from governance.events.pieces import Decode, Piece, Problem

SUFFIXES = (".ndjson", ".jsonl", ".json")
"""Names of event files in a folder."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Events in order of arrival, and what could not be read as one."""

    events: tuple[Event, ...]
    problems: tuple[Problem, ...]


def read_events(path: Path) -> Reading:
    """Read a file of events, a folder of such files in order of their names, or a store.

    A file is NDJSON, a JSON array of events, one JSON event or several. A pipe is read as a file.

    Raises:
        EventStoreError: ``path`` does not exist, cannot be read, or has nothing in it.
    """
    found = _read(path)
    if not found.events and not found.problems:
        raise EventStoreError(f"{path.name or path} holds no event", fix=_fix(path))
    return found


def _read(path: Path) -> Reading:
    events: list[Event] = []
    problems: list[Problem] = []
    for piece in _pieces(path, Decoder()):
        problems += piece.problems
        if piece.event is not None:
            events.append(piece.event)
    return Reading(tuple(events), tuple(problems))


def _fix(path: Path) -> str:
    if not path.is_dir():
        return "name a file that has some"
    looked = f"in files of that folder itself whose names end in {', '.join(SUFFIXES)}"
    return f"name the file or folder that has them: they were looked for {looked}"


def read_store(folder: Path) -> Reading:
    """Read a store; one that is absent is empty.

    Raises:
        EventStoreError: it is no folder, or cannot be read.
    """
    require_folder(folder)
    return _read(folder) if folder.is_dir() else Reading((), ())


def require_folder(folder: Path) -> None:
    """Raise where a store's path is taken by something that is no folder.

    Raises:
        EventStoreError: it is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise EventStoreError(f"the event store {folder} is a file, not a folder", fix="move that file away")


def _pieces(path: Path, decode: Decode) -> Iterator[Piece]:
    files = event_files(path)
    if not path.is_dir():
        yield from pieces_of_file(path, decode)
        return
    for name in sorted({file.name for file in files} | set(days(path))):
        yield from pieces_of_day(path, name, decode)


def event_files(path: Path) -> tuple[Path, ...]:
    """Return the event files that ``path`` names.

    Raises:
        EventStoreError: ``path`` does not exist.
    """
    if path.is_file() or path.is_fifo():
        return (path,)
    if not path.is_dir():
        raise EventStoreError(f"{path.name} is neither a file nor a folder of events", fix="check the path")
    return tuple(sorted(file for file in path.iterdir() if file.suffix in SUFFIXES and file.is_file()))
