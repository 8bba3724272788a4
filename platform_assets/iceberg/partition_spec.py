"""A header's terms → the table's Iceberg partition spec, and what becomes of it when the header changes.

A spec that is left stays in the table's metadata, and files that were written by it stay where they are.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pyiceberg.partitioning import PARTITION_FIELD_ID_START, PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Transaction
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
    VoidTransform,
    YearTransform,
)

from governance.errors import CatalogError, HeadwaterError
from governance.partition import BUCKET, DAY, HOUR, IDENTITY, MONTH, TRUNCATE, YEAR, Term, placed
from platform_assets.iceberg.columns import sql_type

SAID = "headwater.partition-by"
"""The table's property with the header's terms: a spec that was set elsewhere is left alone where no header is."""

TRANSFORMS: Mapping[str, Callable[[int], Transform[Any, Any]]] = {
    IDENTITY: lambda _: IdentityTransform(),
    YEAR: lambda _: YearTransform(),
    MONTH: lambda _: MonthTransform(),
    DAY: lambda _: DayTransform(),
    HOUR: lambda _: HourTransform(),
    BUCKET: BucketTransform,
    TRUNCATE: TruncateTransform,
}


def new_spec(table: str, schema: Schema, terms: Iterable[Term]) -> PartitionSpec:
    """Return the spec of a table that is made with ``schema``.

    Raises:
        CatalogError: a term does not fit the columns.
    """
    fields = (
        PartitionField(schema.find_field(term.column).field_id, PARTITION_FIELD_ID_START + place, how, name)
        for place, (term, how, name) in enumerate(_fields(table, schema, terms))
    )
    return PartitionSpec(*fields)


def said(terms: Iterable[Term]) -> dict[str, str]:
    """Return the properties of a table that is parted by ``terms``."""
    text = ", ".join(map(str, terms))
    return {SAID: text} if text else {}


def repartition(transaction: Transaction, table: str, terms: tuple[Term, ...] | None) -> None:
    """Let rows that are written from now on be parted by ``terms``, by nothing where there are none; None: as it is.

    Raises:
        CatalogError: a term does not fit the columns.
    """
    if terms is None:
        return
    schema, spec = transaction.table_metadata.schema(), transaction.table_metadata.spec()
    if terms:
        transaction.set_properties(said(terms))
    else:
        transaction.remove_properties(SAID)
    wanted = _fields(table, schema, terms)
    there = [(it.source_id, str(it.transform)) for it in _parting(spec)]
    if there == [(schema.find_field(term.column).field_id, str(how)) for term, how, _ in wanted]:
        return
    with transaction.update_spec() as update:
        for gone in _parting(spec):
            update.remove_field(gone.name)
        for term, how, name in wanted:
            update.add_field(term.column, how, name)


def release(transaction: Transaction, columns: Iterable[str]) -> None:
    """Part no longer by ``columns``, which are about to go; whatever has their names afterwards is another column."""
    metadata = transaction.table_metadata
    ids = {metadata.schema().find_field(name).field_id for name in columns}
    gone = [it for it in _parting(metadata.spec()) if it.source_id in ids]
    if gone:
        with transaction.update_spec() as update:
            for field in gone:
                update.remove_field(field.name)


def require_free(table: str, metadata: TableMetadata, came: Iterable[str]) -> None:
    """Check that no column that ``came`` has the name of a partition field: no reader of Iceberg takes such a table.

    Raises:
        CatalogError: one has, of a spec that parts the table or did so once, by which older files are read.
    """
    fields = {it.name for spec in metadata.specs().values() for it in spec.fields}
    for column in came:
        if column in fields:
            raise CatalogError(
                f"{table} parts its files by a field {column}, or did so once, and no new column can have its name",
                fix=f"call the column otherwise than {column}; or drop the table, with its history, and run again",
            )


def _parting(spec: PartitionSpec) -> list[PartitionField]:
    # a table of Iceberg's first version keeps a field that it no longer parts by, as void
    return [it for it in spec.fields if not isinstance(it.transform, VoidTransform)]


def _fields(table: str, schema: Schema, terms: Iterable[Term]) -> list[tuple[Term, Transform[Any, Any], str]]:
    """Return each term with its transform and its field's name, which is no column's but its own."""
    try:
        known = placed(terms, {it.name: sql_type(it.field_type) for it in schema.fields})
    except HeadwaterError as error:
        raise CatalogError(f"{table} is not parted by {error.problem}", fix=error.fix) from error
    taken = {it.name for it in schema.fields}
    return [(term, TRANSFORMS[term.transform](term.size or 0), _name(term, taken)) for term in known]


def _name(term: Term, taken: set[str]) -> str:
    # for an identity too: specs that are left keep their names, and one that is a column's bars the column's return
    name = f"{term.column}_{term.transform}"
    while name in taken:
        name += "_"
    return name
