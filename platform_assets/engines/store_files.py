"""Files of a store as fsspec has them, which DuckDB reads through; imported by those who have such files."""

import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from fsspec import AbstractFileSystem

from governance.errors import HeadwaterError
from platform_assets.engines.engine import Opened

NEVER = datetime(2000, 1, 1, tzinfo=UTC)


class Store(AbstractFileSystem):  # type: ignore[misc]  # fsspec has no types
    """The files that DuckDB names so; ``failed`` are the errors of opening and reading them, which DuckDB hides."""

    protocol = "stored"
    cachable = False

    def __init__(self, files: Mapping[str, tuple[Callable[[], Opened], int]]) -> None:
        super().__init__()
        self.files = files
        self.failed: list[HeadwaterError] = []

    def open(self, path: str, *_: Any, **__: Any) -> "_File":
        """Open one of the files, to be read: to write one DuckDB is never asked."""
        opener, size = self.files[path]
        return _File(self._tried(opener), size, self._tried)

    def size(self, path: str) -> int:
        """Return the bytes of ``path`` without asking the store."""
        return self.files[path][1]

    def glob(self, path: str, *_: Any, **__: Any) -> list[str]:
        """Return ``path`` where it is one of the files; no name of them has a sign of a glob's."""
        return [path] if path in self.files else []

    def modified(self, _: str) -> datetime:
        """Say that no file ever changes: Iceberg writes each once."""
        return NEVER

    def _tried(self, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except HeadwaterError as error:
            self.failed.append(error)
            raise


class _File:
    """A file that each thread reads at a place of its own: DuckDB seeks and reads in two steps, in several at once."""

    def __init__(self, opened: Opened, size: int, tried: Callable[[Callable[[], Any]], Any]) -> None:
        self.size = size
        self._opened = opened
        self._tried = tried
        self._place = threading.local()

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to byte ``place``, from the start, from here, or from the end."""
        self._place.at = place + (0, self.tell(), self.size)[whence]
        return self.tell()

    def tell(self) -> int:
        """Return the byte that this thread is at."""
        return int(getattr(self._place, "at", 0))

    def read(self, size: int) -> bytes:
        """Return the next ``size`` bytes."""
        at = self.tell()
        found: bytes = self._tried(lambda: self._opened.read_at(size, at))
        self._place.at = at + len(found)
        return found

    def close(self) -> None:
        """Let go of the file."""
        self._opened.close()

    def __del__(self) -> None:
        # DuckDB lets go of a file that it read without closing it
        self.close()
