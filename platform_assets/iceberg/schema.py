"""A result's columns → an Iceberg schema, and what to do about a type that Iceberg lacks."""

from collections.abc import Callable, Mapping

import pyarrow as pa
from pyiceberg.io.pyarrow import (
    UnsupportedPyArrowTypeException,
    _pyarrow_to_schema_without_ids,  # its public twin wants field ids, which a result lacks
)
from pyiceberg.schema import Schema
from pyiceberg.table import Table, Transaction
from pyiceberg.types import NestedField

from governance.errors import CatalogError
from platform_assets.iceberg.columns import sql_type
from platform_assets.iceberg.partition_spec import release, require_free

FIXES: tuple[tuple[Callable[[pa.DataType], bool], str], ...] = (
    (pa.types.is_null, "give NULL a type: cast(… as varchar)"),
    (pa.types.is_interval, "store a number: epoch(…) for seconds"),
    (pa.types.is_timestamp, "cast it to timestamp: Iceberg's version 2 counts microseconds, in UTC"),
    (pa.types.is_nested, "cast each member to a type that Iceberg has"),
)
"""What to do about a type that Iceberg cannot store; the first that fits."""


def iceberg_schema(table: str, schema: pa.Schema, docs: Mapping[str, str]) -> Schema:
    """Return the Iceberg schema of an Arrow one, field ids still open; ``docs`` are column comments by name.

    Raises:
        CatalogError: names the column that Iceberg cannot store, and what to do.

    """
    fields = [_iceberg_field(table, field, docs.get(field.name)) for field in schema]
    return Schema(*fields)


def reshape(table: str, transaction: Transaction, wanted: Schema) -> None:
    """Give the table the columns ``wanted``; one that keeps name and type keeps its field id.

    Raises:
        CatalogError: a column has the name of a partition field.
    """
    current = transaction.table_metadata.schema()
    types = {field.name: (sql_type(field.field_type), field.doc) for field in current.fields}
    if [(f.name, sql_type(f.field_type), f.doc) for f in wanted.fields] == [(n, *t) for n, t in types.items()]:
        return
    kept = {f.name for f in wanted.fields if types.get(f.name, ("",))[0] == sql_type(f.field_type)}
    require_free(table, transaction.table_metadata, [it.name for it in wanted.fields if it.name not in kept])
    release(transaction, types.keys() - kept)
    with transaction.update_schema(allow_incompatible_changes=True) as update:
        for name in types.keys() - kept:
            update.delete_column((name,))
        for field in wanted.fields:
            if field.name in kept:
                update.update_column((field.name,), doc=field.doc or "")
            else:
                update.add_column((field.name,), field.field_type, doc=field.doc)
    # an update of its own: pyiceberg 0.12 looks a moved name up before it deletes and adds
    with transaction.update_schema() as update:
        for field in reversed(wanted.fields):
            update.move_first((field.name,))


def require_kept(name: str, table: Table, wanted: Schema) -> None:
    """Check that rows outside of what is written keep their values, and can be told by the files that they lie in.

    Raises:
        CatalogError: a column has another type now, or one is gone by which files are parted.
    """
    parting = {it.source_id for spec in table.specs().values() for it in spec.fields}
    types = {it.name: sql_type(it.field_type) for it in wanted.fields}
    for field in table.schema().fields:
        before, now = sql_type(field.field_type), types.get(field.name)
        if now is None and field.field_id not in parting:
            continue
        if before != now:
            became = f"is {now}: the other partitions would lose it" if now else "is gone, and it parts files"
            raise CatalogError(
                f"{name}.{field.name} was {before} and {became}",
                fix="run the table whole once, without a partition; or let the column be what it was",
            )


def _iceberg_field(table: str, field: pa.Field, doc: str | None) -> NestedField:
    try:
        converted = _pyarrow_to_schema_without_ids(pa.schema([field])).fields[0]
    except (UnsupportedPyArrowTypeException, TypeError, ValueError) as error:
        fix = next((fix for fits, fix in FIXES if fits(field.type)), "cast it to a type that Iceberg has")
        raise CatalogError(
            f"{table}.{field.name} has type {field.type}, which Iceberg cannot store", fix=fix
        ) from error
    return NestedField(converted.field_id, converted.name, converted.field_type, required=False, doc=doc)
