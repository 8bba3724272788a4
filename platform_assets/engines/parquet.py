"""Parquet files that another program wrote, as a table's own: its columns' types and field ids."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from governance.errors import EngineError
from platform_assets.engines.engine import Column

FIELD_ID = b"PARQUET:field_id"
ROWS = 100_000
NO_ID = -1

HONEST = {b"headwater.statistics": b"none where NaN is"}
"""In a file's footer: no min and no max in it passes over NaN."""


def field_id(field: pa.Field) -> int:
    """Return the Parquet field id that ``field`` bears, ``NO_ID`` where it bears none."""
    return int((field.metadata or {}).get(FIELD_ID, NO_ID))


def with_ids(schema: pa.Schema, columns: Sequence[Column]) -> pa.Schema:
    """Return ``schema`` with the field ids of ``columns``, those of nested ones too; every column may be NULL."""
    return pa.schema([_with_id(field, column) for field, column in zip(schema, columns, strict=True)])


def _with_id(field: pa.Field, column: Column) -> pa.Field:
    kind = field.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        kind = pa.list_(_with_id(kind.value_field, column.fields[0]).with_name("element"))
    elif pa.types.is_map(kind):
        key, value = (_with_id(it, of) for it, of in zip((kind.key_field, kind.item_field), column.fields, strict=True))
        kind = pa.map_(key.with_nullable(False), value)  # noqa: FBT003  # pyarrow's own way
    elif pa.types.is_struct(kind):
        kind = pa.struct([_with_id(kind.field(place), it) for place, it in enumerate(column.fields)])
    return pa.field(field.name, kind, nullable=True, metadata={FIELD_ID: str(column.field_id)})


@contextmanager
def opened(path: str) -> Iterator[pq.ParquetFile]:
    """Give the data file at ``path``, open within the block.

    Raises:
        EngineError: it cannot be read, or what is made of it cannot be written.
    """
    try:
        with pq.ParquetFile(path) as given:
            yield given
    except (OSError, pa.ArrowException) as error:
        name = Path(path).name
        problem = f"the data file {name} cannot be read: {error}".replace(path, name)
        raise EngineError(problem, fix="run again") from None


def stated(schema: pa.Schema, nan: Collection[str]) -> list[str]:
    """Return the paths of the columns whose statistics are written: not of real and double ones within ``nan``.

    Arrow's min and max pass over NaN, and engines that go by them (DuckDB and Sail) would miss rows or change values.
    """
    return [
        path
        for it in schema
        for path, kind in _leaves(it.name, it.type)
        if it.name not in nan or not pa.types.is_floating(kind)
    ]


def has_nan(values: pa.Array) -> bool:
    """Whether NaN is among ``values``, or within them."""
    kind = values.type
    if pa.types.is_floating(kind):
        return bool(pc.any(pc.is_nan(values)).as_py())
    if pa.types.is_struct(kind):
        return any(map(has_nan, values.flatten()))
    if pa.types.is_map(kind):
        return has_nan(values.keys) or has_nan(values.items)
    return pa.types.is_nested(kind) and has_nan(values.flatten())


def _leaves(path: str, kind: pa.DataType) -> Iterator[tuple[str, pa.DataType]]:
    if pa.types.is_struct(kind):
        for it in kind:
            yield from _leaves(f"{path}.{it.name}", it.type)
    elif pa.types.is_map(kind):
        yield from _leaves(f"{path}.key_value.key", kind.key_type)
        yield from _leaves(f"{path}.key_value.value", kind.item_type)
    elif pa.types.is_nested(kind):
        yield from _leaves(f"{path}.list.element", kind.value_type)
    else:
        yield path, kind


def rewritten(file: Path, schema: pa.Schema, to: Path) -> None:
    """Write the rows of ``file`` to ``to`` with the columns of ``schema``, which go by position.

    Raises:
        pa.ArrowException: a value does not fit its column.
    """
    with pq.ParquetFile(file) as given:
        nan = _nan_in(given, schema)
        with pq.ParquetWriter(
            to,
            schema,
            compression="zstd",
            store_schema=False,
            store_decimal_as_integer=True,
            write_statistics=stated(schema, nan),
        ) as sink:
            sink.add_key_value_metadata(HONEST)
            for batch in given.iter_batches(ROWS):
                sink.write_batch(fitted(batch, schema))


def _nan_in(given: pq.ParquetFile, schema: pa.Schema) -> set[str]:
    """Return the names in ``schema`` of the columns of ``given`` that hold NaN; they go by position."""
    known = zip(given.schema_arrow, schema.names, strict=True)
    floats = {
        it.name: name for it, name in known if any(pa.types.is_floating(kind) for _, kind in _leaves("", it.type))
    }
    batches = given.iter_batches(ROWS, columns=[*floats]) if floats else ()
    return {name for batch in batches for held, name in floats.items() if has_nan(batch.column(held))}


def fitted(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return ``batch`` with the columns of ``schema``, by position."""
    arrays = [column.cast(field.type) for column, field in zip(batch.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
