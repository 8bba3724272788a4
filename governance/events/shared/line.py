"""An object of the store as a line of NDJSON."""

import msgspec

from governance.events.pieces import Decode, lines_of


def line_of(data: bytes, decode: Decode) -> bytes | None:
    """Return the line, with its end, that an object stands for; None where it is not one whole event.

    Other programs may spread an event over lines: it is drawn together, its numbers and texts as they were written.
    """
    text = data.strip()
    if b"\n" in text or b"\r" in text:
        try:
            text = msgspec.json.format(text, indent=-1)
        except (msgspec.DecodeError, RecursionError):
            return None
    found = tuple(lines_of("", (text,), decode))
    whole = len(found) == 1 and found[0].event is not None and found[0].raw == text
    return text + b"\n" if whole else None
