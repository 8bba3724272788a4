"""The columns that follow from a statement's lineage; who is given the lineage needs no SQL parser for them."""

from collections.abc import Mapping

from governance.lineage.model import ColumnLineage, OutputField, Transformation
from governance.statement.model import Statement

COPIED = Transformation.IDENTITY

UNKNOWN = "unknown"
"""The type of a column whose type only running the query can tell."""


def columns_of(
    statement: Statement, lineage: ColumnLineage, schema: Mapping[str, Mapping[str, str]]
) -> Mapping[str, str]:
    """Return the columns that the statement's table has after it ran: name → SQL type, in order.

    An INSERT and a MERGE leave the table's own. A CREATE TABLE AS has the lineage's fields; a copied column keeps its
    type, and the rest are ``UNKNOWN`` until the query has run.
    """
    if statement.kind.keeps:
        return schema.get(statement.pipeline.table, dict(statement.declared))
    return {field.name: _type_of(field, schema) for field in lineage.fields}


def _type_of(field: OutputField, schema: Mapping[str, Mapping[str, str]]) -> str:
    types = set()
    for given in field.inputs:
        if given.transformation is COPIED:
            types.add(schema.get(given.dataset, {}).get(given.field, UNKNOWN))
        elif given.transformation.direct:
            return UNKNOWN
    return types.pop() if len(types) == 1 else UNKNOWN
