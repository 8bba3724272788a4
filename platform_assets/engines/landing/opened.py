"""Files as bytes and as text, decompressed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper

import pyarrow as pa

from governance.landing.model import Option
from platform_assets.engines.landing import option

ENCODINGS = {"utf-8": "utf-8-sig", "latin-1": "latin-1", "utf-16": "utf-16"}
"""DuckDB's names of encodings, as Python's; a byte order mark is no text."""

PIECE = 1 << 22


def opened(path: str, options: Mapping[str, Option]) -> pa.NativeFile:
    """Return the file, decompressed where its name or the options say that it is compressed."""
    said = option.text(options, "compression", "detect")
    return pa.input_stream(path, compression={"none": None, "auto": "detect"}.get(said, said))


def opened_utf8(path: str, options: Mapping[str, Option]) -> Iterator[bytes]:
    """Yield the file in pieces, as DuckDB counts its bytes: in UTF-8, with its byte order mark."""
    if _encoding(options) == "utf-8-sig":
        with opened(path, options) as file:
            while piece := file.read(PIECE):
                yield piece
    else:
        if _encoding(options) == "utf-16":
            yield b"\xef\xbb\xbf"
        with opened_text(path, options) as text:
            while characters := text.read(PIECE):
                yield characters.encode()


def _encoding(options: Mapping[str, Option]) -> str:
    said = option.text(options, "encoding", "utf-8").lower()
    return ENCODINGS.get(said, said)


@contextmanager
def opened_text(path: str, options: Mapping[str, Option]) -> Iterator[TextIOWrapper]:
    """Open the file as text, with its line ends as they are; what is no text in its encoding is replaced."""
    with opened(path, options) as file:
        yield TextIOWrapper(file, _encoding(options), "replace", newline="")
