"""Files that are written whole or not at all."""

from pathlib import Path
from shutil import copymode


def replace_file(path: Path, content: bytes) -> None:
    """Let ``path``, which is there, hold ``content``: a half-written policy file would stop every command."""
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.write_bytes(content)
        copymode(path, beside)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
