"""Which reading of texts this is: what another one remembered is not to be believed."""

import os
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from governance.remembered.pieces import DIGEST

PACKAGE = Path(__file__).parent.parent
READERS = ("sqlglot", "sqlglotc", "msgspec")


@cache
def edition() -> bytes:
    """Return a digest of all that decides what is read of a text: this package's files, the parser, and Python."""
    whole = blake2b(digest_size=DIGEST)
    whole.update(repr([(name, _version(name)) for name in READERS] + [("python", sys.version)]).encode())
    for path in sorted(_files(str(PACKAGE))):
        data = Path(path).read_bytes()
        whole.update(f"{path.removeprefix(str(PACKAGE))}\0{len(data)}\0".encode() + data)
    return whole.digest()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def _files(folder: str) -> Iterator[str]:
    """Yield the package's modules and the lists of words beside them."""
    with os.scandir(folder) as found:
        for it in found:
            if it.is_dir(follow_symlinks=False):
                yield from _files(it.path)
            elif it.name.endswith((".py", ".txt")):
                yield it.path
