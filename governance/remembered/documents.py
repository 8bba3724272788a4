"""What a large TOML file says, kept as it was read: Python's parser takes half a second for a megabyte."""

import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec

from governance.remembered.edition import edition
from governance.remembered.pieces import DIGEST, digest, read_body, write_body

LARGE = 20_000
"""Characters from which on a text is worth a file."""


def document(text: str, file: str, folder: Path | None) -> Mapping[str, Any]:
    """Return what ``text``, that of ``file``, says as TOML; what it said before stands in ``folder``, if there is one.

    Raises:
        tomllib.TOMLDecodeError: it is not TOML.
    """
    if folder is None or len(text) < LARGE:
        return tomllib.loads(text)
    place, key = folder / f"{crc32(file.encode()):08x}.document", digest(text.encode(errors="surrogatepass"))
    body = read_body(place, edition())
    if body is not None and body[:DIGEST] == key:
        with suppress(msgspec.DecodeError):
            return said_by(body[DIGEST:])
    said = tomllib.loads(text)
    _keep(place, key, said)
    return said


def _keep(place: Path, key: bytes, said: Mapping[str, Any]) -> None:
    """Write what comes back as it was, where there is a state folder: a day, say, does not."""
    body = kept_form(said) if place.parent.parent.is_dir() else None
    with suppress(OSError):
        if body is not None:
            write_body(place, edition(), key + body)


def kept_form(said: Mapping[str, Any]) -> bytes | None:
    """Return what ``said_by`` makes ``said`` of, None where there is no such."""
    with suppress(OverflowError, UnicodeError, msgspec.DecodeError):
        body = msgspec.msgpack.encode(said)
        # by its letters too: to Python 1 is 1.0 is true
        if repr(said_by(body)) == repr(said):
            return body
    return None


def said_by(body: bytes) -> dict[str, Any]:
    """Return what a file says that was kept as ``body``.

    Raises:
        msgspec.DecodeError: nothing was kept so.
    """
    return msgspec.msgpack.decode(body, type=dict[str, Any])
