"""Statements that write, and the bare query: each yields the lineage of what it writes."""

from collections.abc import Callable, Iterable, Sequence

from sqlglot import exp

from governance.errors import ColumnCountMismatch, UnknownColumn, UnknownTable, UnreadStatement
from governance.lineage.columns import Column, Columns, Query
from governance.lineage.ctes import named
from governance.lineage.model import ColumnLineage, OutputField
from governance.lineage.query import read_query
from governance.lineage.relation import table_parts
from governance.lineage.scope import Environment
from governance.lineage.session import Session

Reader = Callable[[exp.Expr, Session], Iterable[ColumnLineage]]


def lineage_of(query: Query, output: str | None, session: Session) -> ColumnLineage:
    """Return ``query`` as the lineage of ``output``."""
    inputs = session.fields.inputs
    fields = tuple(OutputField(column.name, inputs(column.deps)) for column in query.columns)
    return ColumnLineage(output, fields, inputs(query.rows), tuple(sorted(query.inputs)))


def read_select_statement(tree: exp.Expr, session: Session) -> Iterable[ColumnLineage]:
    """A bare query has no output."""
    yield lineage_of(read_query(tree, session, Environment({})), None, session)


def target(tree: exp.Expr, session: Session) -> tuple[str, Columns | None]:
    """Return the name of the table that a statement writes and its columns, None where nothing declares them."""
    names = tuple(part.args["this"] for part in table_parts(tree))
    for name in session.tables.candidates(names):
        made = session.made.get(name.lower())
        if made is not None:
            return name, made.columns
    key = session.tables.find(names)
    if isinstance(key, str):
        return key, session.tables.columns(key)
    if key is not None:
        raise session.error(
            UnknownTable, f"table {'.'.join(names)} may be {' or '.join(key)}", tree, fix="write its full name"
        )
    return session.tables.spelt(names), None


def read_create(tree: exp.Expr, session: Session) -> Iterable[ColumnLineage]:
    """CREATE TABLE or VIEW … AS a query; without a query only the columns are remembered."""
    table, names = tree.args["this"], []
    if table.__class__ is exp.Schema:
        table, names = table.args["this"], table.args["expressions"]
    body = tree.args.get("expression")
    kind = (tree.args.get("kind") or "").upper()
    if kind not in {"TABLE", "VIEW"}:
        raise session.error(UnreadStatement, f"CREATE {kind} is not read", tree, fix="use CREATE TABLE or VIEW … AS")
    name, _ = target(table, session)
    if body is None:
        return
    query = named(read_query(body, session, Environment({})), [_identifier(part) for part in names], session)
    yield lineage_of(query, name, session)


def _identifier(tree: exp.Expr) -> exp.Expr:
    return tree if tree.__class__ is exp.Identifier else _identifier(tree.args["this"])


def read_insert(tree: exp.Expr, session: Session) -> Iterable[ColumnLineage]:
    """INSERT … a query: by position against the listed columns, else the table's."""
    table, listed = tree.args["this"], []
    if table.__class__ is exp.Schema:
        table, listed = table.args["this"], table.args["expressions"]
    name, columns = target(table, session)
    query = read_query(tree.args["expression"], session, Environment({}))
    yield lineage_of(
        query._replace(columns=written(query.columns, listed, columns, name, tree, session)), name, session
    )


def written(
    values: Sequence[Column],
    listed: list[exp.Expr],
    columns: Columns | None,
    table: str,
    tree: exp.Expr,
    session: Session,
) -> list[Column]:
    """Return ``values`` under the names of the columns they are written to, by position.

    Raises:
        ColumnCountMismatch: not as many values as columns.
        UnknownColumn: the table lacks a listed column.
    """
    names = (
        [_listed(part, columns, table, session) for part in listed] if listed else _all(columns, table, tree, session)
    )
    if len(names) != len(values):
        raise session.error(
            ColumnCountMismatch,
            f"the INSERT into {table} writes {len(names)} columns ({', '.join(names)}), and its query has {len(values)} values",
            tree.args["this"],
            fix="list the columns, and select one value for each",
        )
    return [value._replace(name=name) for value, name in zip(values, names, strict=True)]


def _listed(part: exp.Expr, columns: Columns | None, table: str, session: Session) -> str:
    name = _identifier(part)
    text: str = name.args["this"]
    if columns is None:
        return text
    found = columns.find(session.key(name), text)
    if found is None:
        raise session.error(UnknownColumn, f"{table} has no column {text}", name, fix="correct the column list")
    return found.name


def _all(columns: Columns | None, table: str, tree: exp.Expr, session: Session) -> list[str]:
    if columns is None:
        raise session.error(
            UnknownTable,
            f"no table {table} in the schema to INSERT into",
            tree.args["this"],
            fix="declare it, or list the columns",
        )
    return [column.name for column in columns.all() or ()]


STATEMENTS: dict[type, Reader] = {
    exp.Select: read_select_statement,
    exp.Union: read_select_statement,
    exp.Intersect: read_select_statement,
    exp.Except: read_select_statement,
    exp.Subquery: read_select_statement,
    exp.Create: read_create,
    exp.Insert: read_insert,
}
