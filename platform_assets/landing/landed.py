"""A file as it was found where it landed."""

from dataclasses import dataclass
from datetime import UTC, datetime

from governance.errors import LandingError


@dataclass(frozen=True, slots=True)
class Landed:
    """A file as it was found where it landed.

    shown:    its name, as it may be shown and sent: ``landing/orders/01.csv``
    path:     where it is: an absolute path of this machine, or a URL of an object store; never shown
    size:     in bytes
    modified: when it was last written, UTC
    version:  a text that is another one once the file was written again
    """

    shown: str
    path: str
    size: int
    modified: datetime
    version: str


def landed(shown: str, path: str, size: int, modified_ns: int, version: str) -> Landed:
    """Return the file that was last written so many nanoseconds after 1970.

    Raises:
        LandingError: its name cannot be sent.
    """
    try:
        shown.encode()
    except UnicodeEncodeError:
        readable = shown.encode(errors="backslashreplace").decode()
        raise LandingError(f"{readable}: the file's name is not UTF-8", fix="name the file otherwise") from None
    return Landed(shown, path, size, datetime.fromtimestamp(modified_ns / 1e9, UTC), version)


def unlike(shown: str) -> LandingError:
    """Return the error of a file that is not the one that was listed."""
    return LandingError(f"{shown}: the file changed while it was read", fix="run again, once nobody writes it")
