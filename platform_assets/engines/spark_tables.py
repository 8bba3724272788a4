"""Relations as a Spark Connect server's temporary views: files where they lie, read by field id; rows sent to it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from pyspark.sql.connect import functions
from pyspark.sql.connect.session import SparkSession
from pyspark.sql.dataframe import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema

from governance.errors import EngineError
from platform_assets.engines.address import address
from platform_assets.engines.engine import Column, Files, Landing, Relation, Rows
from platform_assets.engines.parquet import field_id, opened

SPARK_TYPES = {
    "boolean": "boolean",
    "integer": "int",
    "bigint": "bigint",
    "real": "float",
    "double": "double",
    "varchar": "string",
    "date": "date",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp",
    "blob": "binary",
}


def view_of(place: int) -> str:
    """Return the name of the view of the table at ``place``, counted over the tables' names in order."""
    return f"given_{place}"


def frame(session: SparkSession, name: str, relation: Relation, schema: pa.Schema) -> DataFrame:
    """Return the rows of ``relation``, whose columns are ``schema``; one of a type that Spark lacks is left out.

    Raises:
        EngineError: a file cannot be read, or only DuckDB reads it.
    """
    if isinstance(relation, Landing):
        raise EngineError(f"{name} is a landing file", fix="read landing files on DuckDB: -- engine: duckdb")
    if isinstance(relation, Files) and relation.paths:
        return _read(session, relation)
    rows = relation.data if isinstance(relation, Rows) else schema.empty_table()
    known = [field.name for field in schema if not _lacking(field.type)]
    # of the column's own type, not of those that Arrow has beside it
    shape = pa.schema([schema.field(it) for it in known])
    if not rows.num_rows:
        return session.createDataFrame([], from_arrow_schema(shape, prefer_timestamp_ntz=True))
    return session.createDataFrame(rows.select(known).cast(shape))


def _lacking(kind: pa.DataType) -> bool:
    return pa.types.is_time(kind) or isinstance(kind, pa.BaseExtensionType) or pa.types.is_null(kind)


def _read(session: SparkSession, files: Files) -> DataFrame:
    """Return the rows of files that may bear several shapes: a column is what has its id, under whatever name."""
    shapes: dict[tuple[tuple[int, str, str], ...], list[str]] = {}
    for path in files.paths:
        shapes.setdefault(tuple(_shape(path)), []).append(path)
    frames = [_of_shape(session, files.columns, shape, paths) for shape, paths in shapes.items()]
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.unionAll(frame)
    return whole


def _shape(path: str) -> Iterator[tuple[int, str, str]]:
    with opened(path) as given:
        schema = given.schema_arrow
    for field in schema:
        yield field_id(field), field.name, str(field.type)


def _of_shape(
    session: SparkSession, columns: Sequence[Column], shape: Sequence[tuple[int, str, str]], paths: list[str]
) -> DataFrame:
    names = {number: name for number, name, _ in shape}
    picked = []
    for column in columns:
        if (kind := spark_type(column)) is None:
            continue
        if column.field_id in names:
            found = functions.col("`" + names[column.field_id].replace("`", "``") + "`")
            picked.append((found if column.fields else found.cast(kind)).alias(column.name))
        else:
            picked.append(functions.lit(None).cast(kind).alias(column.name))
    return session.read.parquet(*(address(Path(path)) for path in paths)).select(*picked)


def spark_type(column: Column) -> str | None:
    """Return the column's type as Spark's DDL writes it, None where Spark lacks it, or one of its members'."""
    members = [spark_type(it) for it in column.fields]
    if None in members:
        return None
    if column.type.endswith("[]"):
        return f"array<{members[0]}>"
    if column.type.startswith("map("):
        return f"map<{members[0]}, {members[1]}>"
    if column.fields:
        named = zip(column.fields, members, strict=True)
        return f"struct<{', '.join(f'`{it.name}`: {kind}' for it, kind in named)}>"
    return column.type if column.type.startswith("decimal(") else SPARK_TYPES.get(column.type)
