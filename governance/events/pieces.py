"""Whole events out of whatever bytes there are, and each bad piece with its place.

A local file may be torn by a crash, glued by a foreign writer or malformed by hand; what is whole is recovered, what is
not is reported by file, line and byte offset, and its content is never echoed.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import msgspec

from governance.events.model import DatasetFacetsPart, Event

Decode = Callable[[bytes], Event]
"""Reads one event, as :class:`governance.events.decode.Decoder` does; raises ``msgspec.DecodeError``."""

HEAD = 1 << 16
"""Bytes at a file's beginning that tell what it is."""

_BOM = b"\xef\xbb\xbf"
_SPREAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*(\[|\{\s*\n)")  # an array, or an object with nothing else on its first line
_TYPED = re.compile(rb'"eventType"\s*:\s*"')
_SOMETHING = re.compile(r"[^ \t\r\n]")
FOREIGN = {
    b"\x1f\x8b": "compressed by gzip: unpack it first",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: unpack it first",
    b"PK\x03\x04": "a zip archive: unpack it first",
    b"PAR1": "Parquet, and not NDJSON",
    b"\xff\xfe": "UTF-16: write it in UTF-8",
    b"\xfe\xff": "UTF-16: write it in UTF-8",
}
"""What a file is that begins so: no event begins with any of it."""
_STATES = frozenset({"START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"})
_SCANNER = json.JSONDecoder()
_FACETS = {field.encode_name: field.type for field in msgspec.structs.fields(DatasetFacetsPart)}


@dataclass(frozen=True, slots=True)
class Problem:
    """A piece of an event file that is not as it should be.

    file: name within the folder read; line: 1-based; offset: of the piece's first byte in the file; reason: no content
    """

    file: str
    line: int
    offset: int
    reason: str

    def __str__(self) -> str:
        """Return ``file:line (byte offset): reason``."""
        return f"{self.file}:{self.line} (byte {self.offset}): {self.reason}"


@dataclass(frozen=True, slots=True)
class Piece:
    """An event's own bytes and where they stand; ``event`` is None where they are no event, ``reasons`` say why."""

    file: str
    line: int
    offset: int
    raw: bytes
    event: Event | None
    reasons: tuple[str, ...] = ()

    @property
    def problems(self) -> Iterator[Problem]:
        """What is wrong with the piece."""
        return (Problem(self.file, self.line, self.offset, reason) for reason in self.reasons)


def pieces_of(name: str, file: BinaryIO, decode: Decode) -> Iterator[Piece]:
    """Return every piece of a whole file, events and bad pieces alike, in order; it is read from where it stands."""
    begin = file.tell()
    head = file.read(HEAD)
    foreign = next((what for mark, what in FOREIGN.items() if head.startswith(mark)), None)
    if foreign:
        return iter((Piece(name, 1, 0, head + file.read(), None, (f"the file is {foreign}",)),))
    found = _document(name, head + file.read(), decode) if spread(head) else None
    if found is None:
        file.seek(begin)
        return lines_of(name, file, decode)
    return found


def lines_of(name: str, lines: Iterable[bytes], decode: Decode, *, line: int = 1, offset: int = 0) -> Iterator[Piece]:
    """Return every piece of lines of NDJSON, the first being ``line`` and beginning at byte ``offset`` of its file."""
    for number, whole in enumerate(lines, start=line):
        text = whole.removesuffix(b"\n")
        mark = len(_BOM) if offset == 0 and text.startswith(_BOM) else 0
        if text and not text.isspace():
            yield from _line(name, number, offset + mark, text[mark:], decode)
        offset += len(whole)


def spread(head: bytes) -> bool:
    """Return whether a file that begins so may be one JSON document over several lines; NDJSON never begins so."""
    return _SPREAD.match(head) is not None


def _document(name: str, text: bytes, decode: Decode) -> Iterator[Piece] | None:
    """The members of a JSON array, or objects that are each spread over lines; None for all else, NDJSON above all."""
    try:
        found = msgspec.json.decode(text.removeprefix(_BOM))
    except (msgspec.DecodeError, RecursionError):
        spans = _objects(text)
        return _spanned(name, text, spans, decode) if spans else None
    members = found if isinstance(found, list) else [found]
    return (piece(name, 1, 0, msgspec.json.encode(member), decode) for member in members)


def _objects(text: bytes) -> list[tuple[int, int]] | None:
    """Where objects begin and end that follow each other with nothing but space between; None where there is more."""
    characters, spans = text.decode("latin-1"), []
    position = _begin(characters, len(_BOM) if text.startswith(_BOM) else 0)
    while position < len(characters):
        end = _end_of_object(characters, position) if characters[position] == "{" else None
        if end is None:
            return None
        spans.append((position, end))
        position = _begin(characters, end)
    return spans


def _begin(characters: str, position: int) -> int:
    found = _SOMETHING.search(characters, position)
    return found.start() if found else len(characters)


def _spanned(name: str, text: bytes, spans: Iterable[tuple[int, int]], decode: Decode) -> Iterator[Piece]:
    line, last = 1, 0
    for start, end in spans:
        line += text.count(b"\n", last, start)
        yield piece(name, line, start, text[start:end], decode)
        last = start


def _line(name: str, line: int, offset: int, text: bytes, decode: Decode) -> Iterator[Piece]:
    whole = piece(name, line, offset, text, decode)
    if whole.event is not None or _json(text) is not None:
        yield whole
    else:
        yield from _recovered(name, line, offset, text, decode)


def _json(text: bytes) -> Any:
    """The JSON value that ``text`` is, None where it is none (a bare ``null`` is no event either)."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def _recovered(name: str, line: int, offset: int, text: bytes, decode: Decode) -> Iterator[Piece]:
    """The whole events within a torn or glued line, and the stretches between them."""
    # latin-1 keeps one character a byte, so the scanner's places are byte offsets
    characters, bad, position = text.decode("latin-1"), 0, 0
    while (position := characters.find("{", position)) >= 0:
        end = _end_of_object(characters, position)
        found = piece(name, line, offset + position, text[position:end], decode) if end else None
        if end and found is not None and found.event is not None:
            if text[bad:position].strip():
                yield _torn(name, line, offset + bad, text[bad:position])
            yield found
            bad = end
        position = end or position + 1
    if text[bad:].strip():
        yield _torn(name, line, offset + bad, text[bad:])


def _torn(name: str, line: int, offset: int, raw: bytes) -> Piece:
    return Piece(name, line, offset, raw, None, (f"{len(raw)} bytes that are no whole event",))


def _end_of_object(characters: str, position: int) -> int | None:
    try:
        return _SCANNER.raw_decode(characters, position)[1]
    except (ValueError, RecursionError):
        return None


def piece(name: str, line: int, offset: int, raw: bytes, decode: Decode) -> Piece:
    """Return what ``raw`` is, whole as it stands at its place."""
    event, reasons = _event(raw, decode)
    if event is not None and event.event_time.tzinfo is None:
        reasons = (*reasons, "eventTime has no time zone, read as UTC")
    if event is not None and event.event_type not in _STATES:
        reasons = (*reasons, "eventType is none of OpenLineage's")
    if event is not None and event.event_type == "OTHER" and not event.design and not _TYPED.search(raw):
        reasons = (*reasons, "it has no eventType, so it ends no run")
    return Piece(name, line, offset, raw, event, reasons)


def _event(raw: bytes, decode: Decode) -> tuple[Event | None, tuple[str, ...]]:
    try:
        return decode(raw), ()
    except (msgspec.DecodeError, RecursionError):
        return _lenient(_json(raw))


def _lenient(document: Any) -> tuple[Event | None, tuple[str, ...]]:
    """An event of a careless producer: nulls count as absent, a malformed facet is left out and said to be."""
    if document is None:
        return None, ("not JSON",)
    bare = _without_nulls(document)
    reasons = tuple(_drop_malformed_facets(bare))
    try:
        return msgspec.convert(bare, Event), reasons
    except msgspec.ValidationError as error:
        return None, (f"not a run event: {error}",)  # msgspec names types and keys, not content


def _without_nulls(document: Any) -> Any:
    """Return the same document without its nulls; without a call a level, as a facet may be of any depth."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            for key in [key for key, member in value.items() if member is None]:
                del value[key]
            waiting.extend(value.values())
        elif isinstance(value, list):
            value[:] = [member for member in value if member is not None]
            waiting.extend(value)
    return document


def _drop_malformed_facets(document: Any) -> Iterator[str]:
    if not isinstance(document, dict):
        return
    for side in ("inputs", "outputs"):
        for place, dataset in enumerate(document.get(side, ())):
            facets = dataset.get("facets") if isinstance(dataset, dict) else None
            yield from (f"{side}[{place}]: facet {key} is malformed" for key in _drop_malformed(facets))


def _drop_malformed(facets: Any) -> list[str]:
    if not isinstance(facets, dict):
        return []
    malformed = [key for key in facets if key in _FACETS and not _converts(facets[key], _FACETS[key])]
    for key in malformed:
        del facets[key]
    return malformed


def _converts(facet: Any, kind: Any) -> bool:
    try:
        msgspec.convert(facet, kind)
    except (msgspec.ValidationError, RecursionError):
        return False
    return True
