"""Values kept as files in the project's state, for commands that do not ask again: whole or not at all."""

from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TypeVar

import msgspec

Value = TypeVar("Value")


def keep(file: Path, value: msgspec.Struct) -> None:
    """Write ``value`` as JSON into ``file``, in place of what it held.

    Raises:
        OSError: the folder cannot be written to, or the disk is full; what the file held is still there.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as beside:
        beside.write(msgspec.json.encode(value))
    Path(beside.name).replace(file)


def seen(file: Path, kind: type[Value]) -> Value | None:
    """Return what was last kept; None where nothing was, or by a version that wrote it otherwise."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
