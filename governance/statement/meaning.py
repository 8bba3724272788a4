"""What a query computes, apart from how it is written: to tell a change of values, of rows and of mere text apart.

Each output column gets a digest of its expression, down to the source columns; the query gets one of all that decides
which rows there are. Aliases, the names of CTEs, layout, comments and brackets are in neither. Equal digests mean equal
results over equal tables; what is written otherwise may still mean the same, and counts as changed. What is not
understood is taken as it is written and goes into every digest, so that no change of it is lost.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from governance.errors import LineageError
from governance.statement.model import Statement
from governance.statement.reader import Reader
from governance.statement.respelt import AS_HERE, Respelt
from governance.statement.shape import digest
from governance.statement.standing import Schemas, Standing, query_tree

UNEXPECTED = (LineageError, AttributeError, KeyError, IndexError, TypeError, ValueError, RecursionError)
"""What a tree that nobody foresaw can raise; such a query is taken as it is written."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a query computes.

    ordered: name in lower case and digest of each output column, in order; two may have one name
    rows:    digest of what decides which rows there are
    types:   the SQL type of the columns that a cast or a source gives one
    whole:   whether it was understood; else all digests are of the text
    """

    ordered: tuple[tuple[str, str], ...]
    rows: str
    types: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True

    @property
    def columns(self) -> Mapping[str, str]:
        """Digest of each output column by its name."""
        return dict(self.ordered)


def meaning(statement: Statement, schemas: Schemas, respelt: Respelt = AS_HERE) -> Meaning:
    """Return the meaning of the statement's query over tables of ``schemas``, which give stars their columns.

    Tables and columns are known by the names that ``respelt`` gives them.
    """
    try:
        standing = Standing(statement)
        found = Reader(schemas, respelt, standing, standing.seen).query(standing.query(schemas), {}, None)
    except UNEXPECTED:
        trees = query_tree(statement).sql("duckdb", comments=False), *(block.sql for block in statement.setup)
        text_digest = digest(tuple(" ".join(text.split()) for text in trees))
        return Meaning((("*", text_digest),), text_digest, whole=False)
    columns = tuple((name, digest(column)) for name, column in found.columns)
    types = {name: kind for name, kind in found.types.items() if kind}
    return Meaning(columns, digest(found.rows), types)
