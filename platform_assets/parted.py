"""Rows → files of a partitioned table, each with the rows of one partition.

A few files are open at once and take rows as they come. Rows of further partitions wait in memory, and beyond a bound
on the disk, until those files are closed: so there is one file to a partition (several where it is large), however the
rows are ordered, and memory does not grow with them.
"""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

import numpy as np
import pyarrow as pa
from pyiceberg.io import FileIO
from pyiceberg.io.fileformat import FileFormatFactory, FileFormatWriter
from pyiceberg.io.pyarrow import _to_requested_schema, pyarrow_to_schema
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.schema import sanitize_column_names
from pyiceberg.table.locations import load_location_provider
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.typedef import Record
from pyiceberg.types import BinaryType, FixedType, StringType, UUIDType

from platform_assets.transforms import transformed

Key = tuple[object, ...]
"""The values of a partition, as Iceberg's metadata holds them, in the order of the table's spec."""

HELD_BYTES = 128 * 2**20
"""Arrow bytes of rows that wait in memory."""

FILE_BYTES = 1536 * 2**20
"""Arrow bytes of one file; Parquet makes a tenth to a third of them."""

MOST_OPEN = 64
"""Files that are written at once."""

MODEL = FileFormatFactory.get(FileFormat.PARQUET)


def write_parted(storage: FileIO, metadata: TableMetadata, reader: pa.RecordBatchReader) -> Iterator[DataFile]:
    """Write the rows of ``reader`` to files of the table's partitions, and yield each file when it is complete.

    Raises:
        OverflowError, ValueError: a row has no partition, or the table does not take its values.
    """
    shaped = _Shaped(metadata, reader.schema)
    with tempfile.TemporaryDirectory(prefix="headwater-") as folder:
        files = _Files(storage, metadata, Path(folder))
        try:
            for batch in reader:
                for key, rows in shaped.parts(batch):
                    yield from files.take(key, rows)
                files.relieve(HELD_BYTES)
            yield from files.finish()
        finally:
            files.drop()


@dataclass(frozen=True, slots=True)
class _Shaped:
    """How batches of the schema ``given`` become rows of the table, every column there is among them."""

    metadata: TableMetadata
    given: pa.Schema

    def parts(self, batch: pa.RecordBatch) -> Iterator[tuple[Key, pa.RecordBatch]]:
        """Yield the rows of each partition with its key."""
        if not batch.num_rows:
            return
        metadata = self.metadata
        rows = _to_requested_schema(
            requested_schema=sanitize_column_names(metadata.schema()),
            file_schema=pyarrow_to_schema(
                self.given, name_mapping=metadata.schema().name_mapping, format_version=metadata.format_version
            ),
            batch=batch,
            include_field_ids=True,
            format_model=MODEL,
        )
        for key, chosen in _grouped(self._keys(rows)):
            yield key, rows if len(chosen) == rows.num_rows else rows.take(pa.array(chosen))

    def _keys(self, rows: pa.RecordBatch) -> list[pa.Array]:
        """Return, of each field of the spec, the value of each row."""
        schema = self.metadata.schema()
        places = {it.field_id: place for place, it in enumerate(schema.fields)}
        return [
            transformed(it.transform, schema.find_field(it.source_id).field_type, rows.column(places[it.source_id]))
            for it in self.metadata.spec().fields
        ]


def _grouped(keys: list[pa.Array]) -> Iterator[tuple[Key, np.ndarray]]:
    """Yield each combination of ``keys`` that there is, with the rows that have it, in their order."""
    groups = np.zeros(len(keys[0]), dtype=np.int64)
    for values in keys:
        told = values.dictionary_encode(null_encoding="encode")
        codes = told.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        # renumbered after each column, so that many of them cannot overflow
        _, groups = np.unique(groups * max(len(told.dictionary), 1) + codes, return_inverse=True)
    order = np.argsort(groups, kind="stable")
    for chosen in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        yield tuple(values[int(chosen[0])].as_py() for values in keys), chosen


@dataclass(slots=True)
class _File:
    """A file that is being written."""

    location: str
    writer: FileFormatWriter
    bytes: int = 0


@dataclass(slots=True)
class _Files:
    """The files of a write: open ones, rows that wait in memory, and rows that wait on the disk, all by partition."""

    storage: FileIO
    metadata: TableMetadata
    folder: Path
    open: dict[Key, _File] = field(default_factory=dict)
    waiting: dict[Key, list[pa.RecordBatch]] = field(default_factory=dict)
    spilt: dict[Key, Path] = field(default_factory=dict)
    held: int = 0
    made: int = 0
    run: str = field(default_factory=lambda: str(uuid4()))

    def take(self, key: Key, rows: pa.RecordBatch) -> Iterator[DataFile]:
        """Take rows of one partition; a file that is large enough is complete."""
        self.waiting.setdefault(key, []).append(rows)
        self.held += rows.nbytes
        if key in self.open and self.open[key].bytes >= FILE_BYTES:
            yield self._close(key)

    def relieve(self, most: int) -> None:
        """Write rows down, those of the largest partitions first, where more than ``most`` bytes wait."""
        if self.held <= most:
            return
        sizes = {key: sum(it.nbytes for it in batches) for key, batches in self.waiting.items()}
        for key in sorted(sizes, key=lambda it: -sizes[it]):
            if self.held <= most // 2:
                return
            self._down(key)

    def finish(self) -> Iterator[DataFile]:
        """Complete every file, one partition after the other."""
        for key in list(self.open):
            self._write(key, self._waited(key))
            yield self._close(key)
        for key, path in self.spilt.items():
            yield from self._whole(key, chain(_spilt(path), self._waited(key)))
        for key in list(self.waiting):
            yield from self._whole(key, self._waited(key))

    def drop(self) -> None:
        """Close what is still open after an error."""
        for file in self.open.values():
            with suppress(Exception):  # the error that goes on is the one to tell
                file.writer.close()

    def _down(self, key: Key) -> None:
        if key in self.open or (key not in self.spilt and len(self.open) < MOST_OPEN):
            self._write(key, self._waited(key))
            return
        batches = self._waited(key)
        path = self.spilt.setdefault(key, self.folder / f"{len(self.spilt)}.arrows")
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with path.open("ab") as sink, pa.ipc.new_stream(sink, batches[0].schema, options=options) as stream:
            for batch in batches:
                stream.write_batch(batch)

    def _waited(self, key: Key) -> list[pa.RecordBatch]:
        batches = self.waiting.pop(key, [])
        self.held -= sum(it.nbytes for it in batches)
        return batches

    def _whole(self, key: Key, batches: Iterable[pa.RecordBatch]) -> Iterator[DataFile]:
        for gathered in _gathered(batches, HELD_BYTES // 4):
            self._write(key, gathered)
            if self.open[key].bytes >= FILE_BYTES:
                yield self._close(key)
        if key in self.open:
            yield self._close(key)

    def _write(self, key: Key, batches: list[pa.RecordBatch]) -> None:
        if not batches:
            return
        file = self.open.get(key) or self._opened(key)
        table = pa.Table.from_batches(batches)
        file.writer.write(table)
        file.bytes += table.nbytes

    def _opened(self, key: Key) -> _File:
        provider = load_location_provider(self.metadata.location, self.metadata.properties)
        folder = _folder(self.metadata, key)
        location = provider.new_data_location(f"{folder}{self.made:05}-{self.run}.parquet")
        self.made += 1
        schema = sanitize_column_names(self.metadata.schema())
        writer = MODEL.create_writer(self.storage.new_output(location), schema, self.metadata.properties)
        self.open[key] = file = _File(location, writer)
        return file

    def _close(self, key: Key) -> DataFile:
        file = self.open.pop(key)
        statistics = file.writer.close()
        return DataFile.from_args(
            content=DataFileContent.DATA,
            file_path=file.location,
            file_format=FileFormat.PARQUET,
            partition=Record(*key),
            file_size_in_bytes=len(self.storage.new_input(file.location)),
            sort_order_id=None,
            spec_id=self.metadata.default_spec_id,
            equality_ids=None,
            key_metadata=None,
            **statistics.to_serialized_dict(),
        )


def _folder(metadata: TableMetadata, key: Key) -> str:
    """Return the folder that tells people of the partition: ``paid_at_day=2026-01-01/``.

    Texts are left out: they may be longer than a name may be, and what they hold is for whoever may read the table.
    """
    schema = metadata.schema()
    named = []
    for part, value in zip(metadata.spec().fields, key, strict=True):
        kind = schema.find_field(part.source_id).field_type
        if not isinstance(part.transform.result_type(kind), StringType | BinaryType | FixedType | UUIDType):
            shown = part.transform.to_human_string(kind, value)
            named.append(f"{quote(part.name, safe='')}={quote(shown, safe='')}/")
    return "".join(named)


def _gathered(batches: Iterable[pa.RecordBatch], most: int) -> Iterator[list[pa.RecordBatch]]:
    gathered: list[pa.RecordBatch] = []
    held = 0
    for batch in batches:
        gathered.append(batch)
        held += batch.nbytes
        if held >= most:
            yield gathered
            gathered, held = [], 0
    if gathered:
        yield gathered


def _spilt(path: Path) -> Iterator[pa.RecordBatch]:
    """Yield the batches of the streams that stand one after the other in a file."""
    with path.open("rb") as source:
        while source.peek(1):
            yield from pa.ipc.open_stream(source)
