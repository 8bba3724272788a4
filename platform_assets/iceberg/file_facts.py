"""A data file as a manifest tells of it, and what that says of NaN.

The min and max of a real or double column pass over NaN, in Parquet's footers as in a manifest's bounds. What tells
that there is none is ``nan_value_counts`` (https://iceberg.apache.org/spec/#manifests): Spark writes them, pyiceberg
and Sail do not. Files that are made here have them for the columns without NaN, and no min and no max where NaN is.
"""

import dataclasses
import logging
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

import pyarrow.parquet as pq
from pyiceberg.io.fileformat import DataFileStatistics
from pyiceberg.io.pyarrow import (
    compute_statistics_plan,
    data_file_statistics_from_parquet_metadata,
    parquet_path_to_id_mapping,
)
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.typedef import Record
from pyiceberg.types import DoubleType, FloatType, ListType, MapType, NestedField, StructType

PHYSICAL = frozenset({"FLOAT", "DOUBLE"})


def _is_news(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("PyArrow statistics missing for column")


# a column with NaN is written without statistics here on purpose, and nobody can do anything about that warning
logging.getLogger("pyiceberg.io.pyarrow").addFilter(_is_news)


def hiding_nan(fields: Iterable[NestedField], files: Collection[DataFile]) -> frozenset[int]:
    """Return the ids of those of ``fields`` that have a real or double within, whose min and max may pass over NaN.

    Sure are only columns that all ``files`` say to be without; what a file does not have is NULL.
    """
    leaves = {it.field_id: tuple(floats_in(it)) for it in fields}
    asked = {number for of in leaves.values() for number in of}
    open_to_it = {number for number in asked if any(_may_hold(file, number) for file in files)}
    return frozenset(number for number, of in leaves.items() if not open_to_it.isdisjoint(of))


def _may_hold(file: DataFile, number: int) -> bool:
    sizes, values = file.column_sizes or {}, file.value_counts or {}
    if sizes and number not in sizes and number not in values:
        return False
    if (file.nan_value_counts or {}).get(number) == 0:
        return False
    nulls = (file.null_value_counts or {}).get(number)
    return nulls is None or nulls != values.get(number)


def floats_in(field: NestedField) -> Iterator[int]:
    """Yield the field ids of the real and double values within ``field``, its own among them."""
    match field.field_type:
        case FloatType() | DoubleType():
            yield field.field_id
        case StructType() as kind:
            yield from chain.from_iterable(map(floats_in, kind.fields))
        case ListType() as kind:
            yield from floats_in(kind.element_field)
        case MapType() as kind:
            yield from floats_in(kind.key_field)
            yield from floats_in(kind.value_field)


def of_footer(metadata: TableMetadata, told: pq.FileMetaData) -> DataFileStatistics:
    """Return what a file's footer tells of its columns; its min and max pass over no NaN.

    Raises:
        ValueError: a value is none of its column's type.
    """
    schema = metadata.schema()
    ids = parquet_path_to_id_mapping(schema)
    plan = compute_statistics_plan(schema, metadata.properties)
    found = data_file_statistics_from_parquet_metadata(told, plan, ids)
    return without_nan(found, {ids[path] for path in _sure(told)})


def _sure(told: pq.FileMetaData) -> Iterator[str]:
    """Yield the paths of the real and double columns whose every row group has a min and a max, or nothing but NULL."""
    groups = [told.row_group(at) for at in range(told.num_row_groups)]
    for place in range(told.num_columns):
        if told.schema.column(place).physical_type in PHYSICAL:
            chunks = [it.column(place) for it in groups]
            if all(map(_is_sure, chunks)):
                yield told.schema.column(place).path


def _is_sure(chunk: pq.ColumnChunkMetaData) -> bool:
    found = chunk.statistics
    return found is not None and (found.has_min_max or (found.has_null_count and found.null_count == chunk.num_values))


def without_nan(statistics: DataFileStatistics, ids: Iterable[int]) -> DataFileStatistics:
    """Return the statistics of a file of which the columns ``ids`` hold no NaN."""
    return dataclasses.replace(statistics, nan_value_counts=dict.fromkeys(sorted(ids), 0))


def data_file(
    metadata: TableMetadata, location: str, size: int, statistics: DataFileStatistics, partition: Record
) -> DataFile:
    """Return the Parquet file at ``location`` of ``size`` bytes, of the table's present spec."""
    return DataFile.from_args(
        content=DataFileContent.DATA,
        file_path=location,
        file_format=FileFormat.PARQUET,
        partition=partition,
        file_size_in_bytes=size,
        sort_order_id=None,
        spec_id=metadata.default_spec_id,
        equality_ids=None,
        key_metadata=None,
        **statistics.to_serialized_dict(),
    )
