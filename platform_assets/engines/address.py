"""How a Spark server is told of a file: Spark takes a path as it stands, Sail decodes it as any URL.

Signs that are nothing special to either stay as they are. A file with another in its path, such as a partition's folder
whose value has ``%``, is told by a link of a plain name.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from platform_assets.engines.engine import Files, Relation

SPECIAL = re.compile(r"[%\[\]{}*?\\]")
"""What begins a code of a URL, and what Spark and Sail take for a pattern of paths."""


def address(path: Path) -> str:
    """Return the URL of ``path`` as a server reads it."""
    text = path.as_posix()
    return path.as_uri() if SPECIAL.search(text) else f"file://{text}"


def linked(tables: Mapping[str, Relation], folder: Path) -> dict[str, Relation]:
    """Return ``tables``, files of theirs that cannot be told as they are by links in ``folder``."""
    return {
        name: replace(it, paths=tuple(_plain(path, folder) for path in it.paths)) if isinstance(it, Files) else it
        for name, it in tables.items()
    }


def _plain(path: str, folder: Path) -> str:
    if not SPECIAL.search(path):
        return path
    link = folder / f"link-{sum(1 for _ in folder.glob('link-*')):06}.parquet"
    link.symlink_to(path)
    return str(link)
