"""The quarantine file of a segment: what was no event when the segment was written, so that nothing is lost.

One JSON object a line: ``{"line", "offset", "reasons", "base64"}``, the last being the bytes that could not be read.
"""

import base64
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import msgspec

from governance.errors import EventStoreError
from governance.events.manifest import FOLDER, Segment
from governance.events.pieces import Decode, Piece, piece


class Quarantined(msgspec.Struct, frozen=True):
    """A piece that is no event; ``base64`` are its bytes."""

    line: int
    offset: int
    reasons: tuple[str, ...]
    base64: str


def quarantine(pieces: Iterable[Piece]) -> bytes:
    """Return the quarantine file of those pieces that are no events; empty where all are."""
    kept = (
        Quarantined(it.line, it.offset, it.reasons, base64.b64encode(it.raw).decode())
        for it in pieces
        if it.event is None
    )
    return b"".join(msgspec.json.encode(it) + b"\n" for it in kept)


def torn_in(store: Path, name: str, segment: Segment, decode: Decode) -> list[Piece]:
    """Return what was no event when the segment was written, in order of arrival.

    Raises:
        EventStoreError: as for :func:`pieces_in`.
    """
    if segment.quarantine is None:
        return []
    file = store / FOLDER / segment.quarantine
    try:
        kept = msgspec.json.decode(b"[" + b",".join(file.read_bytes().splitlines()) + b"]", type=list[Quarantined])
    except (OSError, msgspec.DecodeError) as error:
        raise damaged(file, type(error).__name__) from error
    return [_judged_again(name, it, decode) for it in kept]


def _judged_again(name: str, kept: Quarantined, decode: Decode) -> Piece:
    """The piece, which may be an event by now: what is read grows with the versions."""
    again = piece(name, kept.line, kept.offset, base64.b64decode(kept.base64), decode)
    return again if again.event else replace(again, reasons=kept.reasons)


def damaged(file: Path, problem: str) -> EventStoreError:
    """Return the error of a file of a segment that is missing or cannot be read."""
    fix = "restore it from a backup: the NDJSON it was made from may be gone"
    return EventStoreError(f"{file} cannot be read ({problem})", fix=fix)
