"""Files as bytes and as text, decompressed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper

import pyarrow as pa

from governance.landing.model import Option
from platform_assets.engines.landing import option

ENCODINGS = {"utf-8": "utf-8-sig", "latin-1": "latin-1", "utf-16": "utf-16"}
"""DuckDB's names of encodings, as Python's; a byte order mark is no text."""


def opened(path: str, options: Mapping[str, Option]) -> pa.NativeFile:
    """Return the file, decompressed where its name or the options say that it is compressed."""
    said = option.text(options, "compression", "detect")
    return pa.input_stream(path, compression={"none": None, "auto": "detect"}.get(said, said))


@contextmanager
def opened_text(path: str, options: Mapping[str, Option]) -> Iterator[TextIOWrapper]:
    """Open the file as text, with its line ends as they are; what is no text in its encoding is replaced."""
    said = option.text(options, "encoding", "utf-8").lower()
    with opened(path, options) as file:
        yield TextIOWrapper(file, ENCODINGS.get(said, said), "replace", newline="")
