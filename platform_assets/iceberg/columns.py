"""A table's columns as SQL calls them: Iceberg's types by the names that declarations use too."""

from collections.abc import Iterable

from pyiceberg.table import Table
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from governance.errors import CatalogError
from platform_assets.engines.engine import Column

SQL_TYPES: dict[type[IcebergType], str] = {
    BinaryType: "blob",
    BooleanType: "boolean",
    DateType: "date",
    DoubleType: "double",
    FixedType: "blob",
    FloatType: "real",
    IntegerType: "integer",
    LongType: "bigint",
    StringType: "varchar",
    TimeType: "time",
    TimestampType: "timestamp",
    TimestamptzType: "timestamptz",
    UUIDType: "uuid",
}
"""The names of ``governance.sql_type``, which declarations use too."""


def columns(table: Table) -> tuple[Column, ...]:
    """Return the current columns of ``table`` in order.

    Raises:
        CatalogError: a column of a type that SQL has no name for here.

    """
    return columns_of(table.schema().fields)


def columns_of(fields: Iterable[NestedField]) -> tuple[Column, ...]:
    """Return Iceberg's fields as columns, in order."""
    return tuple(_column(field.name, field) for field in fields)


def _column(name: str, field: NestedField) -> Column:
    kind = field.field_type
    members: tuple[Column, ...] = ()
    if isinstance(kind, StructType):
        members = columns_of(kind.fields)
    elif isinstance(kind, ListType):
        members = (_column("_element", kind.element_field),)
    elif isinstance(kind, MapType):
        members = (_column("_key", kind.key_field), _column("_value", kind.value_field))
    return Column(field.field_id, name, sql_type(kind), field.doc or "", members)


def sql_type(kind: IcebergType) -> str:
    """Return the SQL name of an Iceberg type; nested types carry their members.

    Raises:
        CatalogError: a type that SQL has no name for here (geometry, variant, nanoseconds).

    """
    match kind:
        case DecimalType():
            return f"decimal({kind.precision}, {kind.scale})"
        case ListType():
            return f"{sql_type(kind.element_type)}[]"
        case MapType():
            return f"map({sql_type(kind.key_type)}, {sql_type(kind.value_type)})"
        case StructType():
            members = (f'"{f.name.replace(chr(34), chr(34) * 2)}" {sql_type(f.field_type)}' for f in kind.fields)
            return f"struct({', '.join(members)})"
    if type(kind) not in SQL_TYPES:
        raise CatalogError(f"the Iceberg type {kind} has no SQL type here", fix="cast the column to another type")
    return SQL_TYPES[type(kind)]
