"""Rows → data files where the table lies, before a commit tells of them.

An engine writes Parquet by itself, and its files are moved here, or uploaded where the table is not on this machine.
Rows that come as Arrow batches, and those of a partitioned table, are written by ``parted``.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.io import FileIO, InputFile, OutputFile
from pyiceberg.io.pyarrow import _check_pyarrow_schema_compatible
from pyiceberg.manifest import DataFile
from pyiceberg.table import StagedTable, Table, Transaction
from pyiceberg.table.locations import load_location_provider
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.typedef import Record

from platform_assets.engines.engine import Result
from platform_assets.iceberg.columns import columns_of
from platform_assets.iceberg.far_off import require_years_in
from platform_assets.iceberg.file_facts import data_file, of_footer
from platform_assets.iceberg.parted import write_parted
from platform_assets.iceberg.warehouse import local_path

PART_BYTES = 16 * 2**20
"""How much of a file is held in memory while it is uploaded."""


class Storage(FileIO):
    """A table's storage that knows what was written through it, so that it can be taken back."""

    def __init__(self, io: FileIO) -> None:
        super().__init__(io.properties)
        self._io = io
        self._written: list[str] = []

    def new_input(self, location: str) -> InputFile:
        """Open a file to be read."""
        return self._io.new_input(location)

    def new_output(self, location: str) -> OutputFile:
        """Open a file to be written."""
        self._written.append(location)
        return self._io.new_output(location)

    def delete(self, location: str | InputFile | OutputFile) -> None:
        """Remove a file."""
        self._io.delete(location)

    def put(self, file: Path, location: str) -> None:
        """Let ``file`` of this machine be the one at ``location``."""
        if local := local_path(location):
            self._written.append(location)
            Path(local).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(file, local)
            return
        with file.open("rb") as source, self.new_output(location).create() as sink:
            shutil.copyfileobj(source, sink, PART_BYTES)

    @contextmanager
    def taken_back_on(self, *errors: type[BaseException]) -> Iterator[None]:
        """Remove what was written if one of ``errors`` leaves the block."""
        try:
            yield
        except errors:
            for location in self._written:
                # what is not there any more needs no removal, and the error that goes on is the one to tell
                with suppress(Exception):
                    self._io.delete(location)
            raise


def storage_of(transaction: Transaction) -> Storage:
    """Return the storage of the table that the transaction is about, also where that is still to be made."""
    table: Table | StagedTable = transaction._table  # noqa: SLF001  # a transaction that creates has no other way to it
    return Storage(table.io)


def write(storage: Storage, metadata: TableMetadata, rows: Result | pa.RecordBatchReader) -> Iterator[DataFile]:
    """Write ``rows`` as the table of ``metadata`` has its columns, and yield the files, none of them without a row.

    Raises:
        ValueError: the table does not take these columns.
        OverflowError: a time is too far off.
        QueryError: the query failed.
    """
    _check_pyarrow_schema_compatible(metadata.schema(), rows.schema, format_version=metadata.format_version)
    if isinstance(rows, pa.RecordBatchReader):
        yield from write_parted(storage, metadata, rows)
    elif metadata.spec().is_unpartitioned():
        yield from _moved(storage, metadata, rows)
    else:
        with rows.batches() as reader:
            yield from write_parted(storage, metadata, reader)


def _moved(storage: Storage, metadata: TableMetadata, rows: Result) -> Iterator[DataFile]:
    columns = {column.name: column for column in columns_of(metadata.schema().fields)}
    provider = load_location_provider(metadata.location, metadata.properties)
    run = uuid4()
    for place, file in enumerate(rows.write([columns[name] for name in rows.schema.names])):
        told = pq.read_metadata(file)
        require_years_in(told)
        if told.num_rows:
            location = provider.new_data_location(f"{place:05}-{run}.parquet")
            facts, size = of_footer(metadata, told), file.stat().st_size
            storage.put(file, location)
            yield data_file(metadata, location, size, facts, Record())
