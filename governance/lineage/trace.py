"""The entry: SQL text and schema in, one ColumnLineage per persistent output out."""

import time
from collections.abc import Mapping

from governance.errors import LimitExceeded
from governance.lineage.dialects import rules_for
from governance.lineage.edges import Fields
from governance.lineage.model import ColumnLineage
from governance.lineage.parse import parse
from governance.lineage.query import read_query
from governance.lineage.script import read_script
from governance.lineage.session import MAX_SECONDS, Session
from governance.lineage.tables import Tables


def column_lineage(
    sql: str, schema: Mapping[str, Mapping[str, str]], *, dialect: str = "duckdb", default_schema: str | None = None
) -> tuple[ColumnLineage, ...]:
    """Return the column lineage of ``sql``: one value per persistent output, in statement order.

    ``schema`` maps "schema.table" (one to three parts) to {column: SQL type}; ``tables`` says how references meet its
    keys. ``default_schema`` is where unqualified names live. A bare SELECT gives one value whose ``output`` is None.

    Raises:
        LineageError: a subclass that says what cannot be read, where (line and column), and what to do about it.
    """
    deadline = time.monotonic() + MAX_SECONDS
    rules, parser = rules_for(dialect)
    fields = Fields()
    session = Session(sql, rules, Tables(schema, default_schema, rules, fields), fields, read_query, deadline)
    try:
        return read_script(parse(sql, parser), session)
    except RecursionError as error:
        raise LimitExceeded("nested too deep to read", fix="break the statement up") from error


__all__ = ["column_lineage"]
