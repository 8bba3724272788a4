"""Where tables' files lie: on this machine, or in a store that pyiceberg's settings or the catalog open."""

import pyarrow as pa
from pyiceberg.io import FileIO

from governance.errors import CatalogError
from platform_assets.iceberg.error import store_failed


def local_path(location: str) -> str:
    """Return the path of ``location`` on this machine, an empty text where it lies elsewhere."""
    # not urlsplit: pyiceberg takes what follows the scheme as it is, "#" and "%" included
    path = location.removeprefix("file://")
    return path if path.startswith("/") else ""


class Opened:
    """A file of a store, read from several threads at once; what fails says which table it is of."""

    def __init__(self, io: FileIO, location: str, table: str) -> None:
        self._table = table
        try:
            opened = io.new_input(location).open()
            # that of fsspec's stores has one place for all threads; Arrow lets them in one by one
            self._file = opened if isinstance(opened, pa.NativeFile) else pa.PythonFile(opened, mode="r")
        except OSError as error:
            raise self._failed(error) from None

    def read_at(self, size: int, at: int) -> bytes:
        """Return ``size`` bytes from byte ``at`` on, fewer at the end.

        Raises:
            CatalogError: the store does not give them.
        """
        try:
            return bytes(self._file.read_at(size, at))
        except OSError as error:
            raise self._failed(error) from None

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _failed(self, error: OSError) -> CatalogError:
        return store_failed(error, f"a data file of {self._table} cannot be read")
