"""Rows → files of a table, each with the rows of one partition; a table without partitions has one.

Rows are sorted by partition in pieces of bounded size. The first partitions have their files open and take rows as they
come; rows of further ones wait on the disk until those files are closed. So there is one file to a partition (several
where it is large), however the rows are ordered, and memory does not grow with them.
"""

import tempfile
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, pairwise
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyiceberg.io import FileIO
from pyiceberg.io.fileformat import FileFormatFactory, FileFormatWriter
from pyiceberg.io.pyarrow import ParquetFormatWriter, _to_requested_schema, pyarrow_to_schema
from pyiceberg.manifest import DataFile, FileFormat
from pyiceberg.schema import Schema, sanitize_column_names
from pyiceberg.table.locations import LocationProvider, load_location_provider
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.typedef import Record
from pyiceberg.types import BinaryType, FixedType, StringType, UUIDType

from platform_assets.engines.parquet import has_nan, stated
from platform_assets.iceberg.far_off import require_years
from platform_assets.iceberg.file_facts import data_file, floats_in, without_nan
from platform_assets.iceberg.transforms import transformed

Key = tuple[object, ...]
"""The values of a partition, as Iceberg's metadata holds them, in the order of the table's spec."""

HELD_BYTES = 48 * 2**20
"""Arrow bytes of a piece that is sorted in memory, and of a row group at most."""

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
    provider = load_location_provider(metadata.location, metadata.properties)
    shaped = _Shaped(metadata, sanitize_column_names(metadata.schema()), reader.schema)
    with tempfile.TemporaryDirectory(prefix="headwater-") as folder:
        files = _Files(storage, metadata, provider, shaped.wanted, Path(folder))
        try:
            for batches, last in _with_last(in_lists(reader, HELD_BYTES)):
                for key, rows in shaped.parts(pa.Table.from_batches(batches)):
                    yield from files.take(key, rows, last=last)
            yield from files.finish()
        finally:
            files.drop()


@dataclass(frozen=True, slots=True)
class _Shaped:
    """How rows of the schema ``given`` become rows of the table: ``wanted`` columns, every one of them."""

    metadata: TableMetadata
    wanted: Schema
    given: pa.Schema

    def parts(self, given: pa.Table) -> Iterator[tuple[Key, pa.RecordBatch]]:
        """Yield the rows of each partition with its key."""
        schema = self.metadata.schema()
        (batch,) = given.combine_chunks().to_batches()
        require_years(batch)
        rows = _to_requested_schema(
            requested_schema=self.wanted,
            file_schema=pyarrow_to_schema(
                self.given, name_mapping=schema.name_mapping, format_version=self.metadata.format_version
            ),
            batch=batch,
            include_field_ids=True,
            format_model=MODEL,
        )
        keys = self._keys(rows)
        if not keys:
            yield (), rows
            return
        groups = _numbered(keys)
        order = np.argsort(groups, kind="stable")
        begins = [0, *(np.flatnonzero(np.diff(groups[order])) + 1).tolist(), len(order)]
        rows = rows.take(pa.array(order)) if len(begins) > 2 else rows  # noqa: PLR2004  one partition
        for begin, end in pairwise(begins):
            yield tuple(values[int(order[begin])].as_py() for values in keys), rows.slice(begin, end - begin)

    def _keys(self, rows: pa.RecordBatch) -> list[pa.Array]:
        """Return, of each field of the spec, the value of each row."""
        schema = self.metadata.schema()
        places = {it.field_id: place for place, it in enumerate(schema.fields)}
        return [
            transformed(it.transform, schema.find_field(it.source_id).field_type, rows.column(places[it.source_id]))
            for it in self.metadata.spec().fields
        ]


def _numbered(keys: list[pa.Array]) -> npt.NDArray[np.int64]:
    """Return a number for each row, the same for rows whose keys are the same."""
    groups = np.zeros(len(keys[0]), dtype=np.int64)
    for values in keys:
        told = values.dictionary_encode(null_encoding="encode")
        codes = told.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        # renumbered after each column, so that many of them cannot overflow
        _, groups = np.unique(groups * max(len(told.dictionary), 1) + codes, return_inverse=True)
    return groups


@dataclass(slots=True)
class _File:
    """A file that is being written, with the Arrow bytes that it has.

    nan:   columns that may hold NaN, of which Parquet gets no statistics
    nulls: how many NULLs the plain ones of them have
    """

    location: str
    writer: FileFormatWriter
    nan: AbstractSet[str]
    bytes: int = 0
    nulls: dict[str, int] = field(default_factory=dict)

    def write(self, table: pa.Table) -> None:
        """Write rows."""
        self.writer.write(table)
        self.bytes += table.nbytes
        for name in self.nan:
            if pa.types.is_floating((values := table[name]).type):
                self.nulls[name] = self.nulls.get(name, 0) + values.null_count


@dataclass(slots=True)
class _Files:
    """The files of a write: those that are open, and rows that wait on the disk, by partition."""

    storage: FileIO
    metadata: TableMetadata
    provider: LocationProvider
    schema: Schema
    folder: Path
    open: dict[Key, _File] = field(default_factory=dict)
    spilt: dict[Key, Path] = field(default_factory=dict)
    made: int = 0
    run: str = field(default_factory=lambda: str(uuid4()))

    def take(self, key: Key, rows: pa.RecordBatch, *, last: bool) -> Iterator[DataFile]:
        """Take rows of one partition, the ``last`` ones there are; a file that is large enough is complete."""
        if last:
            yield from self._whole(key, [rows])
        elif key in self.open or (key not in self.spilt and len(self.open) < MOST_OPEN):
            yield from self._write(key, [rows])
            if self.open[key].bytes >= FILE_BYTES:
                yield self._close(key)
        else:
            self._spill(key, rows)

    def finish(self) -> Iterator[DataFile]:
        """Complete the files of partitions that had no rows among the last ones."""
        for key in [*self.open, *self.spilt]:
            yield from self._whole(key, [])

    def drop(self) -> None:
        """Close what is still open after an error."""
        for file in self.open.values():
            with suppress(Exception):  # the error that goes on is the one to tell
                file.writer.close()

    def _whole(self, key: Key, rows: Iterable[pa.RecordBatch]) -> Iterator[DataFile]:
        """Complete the partition: what waits of it, and ``rows``."""
        waited = _spilt(self.spilt.pop(key)) if key in self.spilt else ()
        for gathered in in_lists(chain(waited, rows), HELD_BYTES):
            yield from self._write(key, gathered)
            if self.open[key].bytes >= FILE_BYTES:
                yield self._close(key)
        if key in self.open:
            yield self._close(key)

    def _write(self, key: Key, batches: list[pa.RecordBatch]) -> Iterator[DataFile]:
        """Write rows to the partition's file; one whose statistics would pass over NaN in them is complete before."""
        nan = {name for it in batches for name in it.schema.names if has_nan(it.column(name))}
        if key in self.open and not nan <= self.open[key].nan:
            # or NaN now in one column and now in another would make a file of each piece
            nan |= self.open[key].nan
            yield self._close(key)
        table = pa.Table.from_batches(batches)
        file = self.open.get(key) or self._opened(key, table.schema, nan)
        file.write(table)

    def _spill(self, key: Key, rows: pa.RecordBatch) -> None:
        path = self.spilt.setdefault(key, self.folder / f"{len(self.spilt)}.arrows")
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with path.open("ab") as sink, pa.ipc.new_stream(sink, rows.schema, options=options) as stream:
            stream.write_batch(rows)

    def _opened(self, key: Key, schema: pa.Schema, nan: AbstractSet[str]) -> _File:
        name = f"{_folder(self.metadata, key)}{self.made:05}-{self.run}.parquet"
        location = self.provider.new_data_location(name)
        self.made += 1
        writer = ParquetFormatWriter(self.storage.new_output(location), self.schema, self.metadata.properties)
        if nan:
            # a writer of pyiceberg's knows of no other way
            writer._parquet_writer_kwargs["write_statistics"] = stated(schema, nan)  # noqa: SLF001
        self.open[key] = file = _File(location, writer, nan)
        return file

    def _close(self, key: Key) -> DataFile:
        file = self.open.pop(key)
        statistics = file.writer.close()
        sure = {number for it in self.schema.fields if it.name not in file.nan for number in floats_in(it)}
        statistics.null_value_counts.update((self.schema.find_field(it).field_id, n) for it, n in file.nulls.items())
        size = len(self.storage.new_input(file.location))
        return data_file(self.metadata, file.location, size, without_nan(statistics, sure), Record(*key))


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


def in_lists(batches: Iterable[pa.RecordBatch], most: int) -> Iterator[list[pa.RecordBatch]]:
    """Yield the batches that have rows in lists of about ``most`` bytes, none of them empty."""
    gathered: list[pa.RecordBatch] = []
    held = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        gathered.append(batch)
        held += batch.nbytes
        if held >= most:
            yield gathered
            gathered, held = [], 0
    if gathered:
        yield gathered


def _with_last(pieces: Iterator[list[pa.RecordBatch]]) -> Iterator[tuple[list[pa.RecordBatch], bool]]:
    """Yield each piece and whether it is the last one."""
    piece = next(pieces, None)
    while piece is not None:
        after = next(pieces, None)
        yield piece, after is None
        piece = after


def _spilt(path: Path) -> Iterator[pa.RecordBatch]:
    """Yield the batches of the streams that stand one after the other in a file."""
    with path.open("rb") as source:
        while source.peek(1):
            yield from pa.ipc.open_stream(source)
    path.unlink()
