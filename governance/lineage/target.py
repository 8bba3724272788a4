"""What a statement writes to: the table's name and columns, and which value goes to which column."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlglot import exp

from governance.errors import ColumnCountMismatch, LineageError, UnknownColumn, UnknownTable, UnreadStatement
from governance.lineage.advice import nearest
from governance.lineage.columns import Column, Columns, ListedColumns, Query, Relation
from governance.lineage.edges import NOTHING
from governance.lineage.names import full_path, identifier, spelt, table_parts
from governance.lineage.scope import Scope
from governance.lineage.session import Session
from governance.lineage.temporary import made_under, own_name, temporary


class Effect(NamedTuple):
    """One output of a statement: the table, what it gets, and whether that replaces what was there."""

    output: str | None
    query: Query
    replaces: bool = False


class Target(NamedTuple):
    """A table that is written: its full name, and its columns, None where nothing declares them."""

    name: str
    columns: Columns | None
    tree: exp.Expr


def target_of(tree: exp.Expr, session: Session) -> Target:
    """Return the table that ``tree`` names as a target.

    Raises:
        UnknownTable: the name fits several tables.
    """
    this = tree.args.get("this")
    if tree.__class__ is not exp.Table or not isinstance(this, exp.Expr):
        raise session.error(UnreadStatement, "this does not name a table to write to", tree, fix="name a table")
    if this.__class__ is exp.Var:
        return Target(this.name, None, tree)
    names = spelt(table_parts(tree))
    made = made_under(session, names) if session.made else None
    if made is not None:
        return Target(made.name, made.columns, tree)
    key = session.tables.find(names)
    if isinstance(key, str):
        return Target(key, session.tables.columns(key), tree)
    if key is not None:
        problem = f"table {'.'.join(names)} may be {' or '.join(key)}"
        raise session.error(UnknownTable, problem, tree, fix="write its full name")
    if session.folded:
        names = tuple(session.key(part) for part in table_parts(tree))
    return Target(session.tables.spelt(names), None, tree)


def made_by(statement: exp.Expr, tree: exp.Expr, session: Session) -> str:
    """Return the full name of the table ``tree`` that ``statement`` makes: a temporary one is no table of the schema.

    Raises:
        UnknownTable: the name of a table that stays fits several.
    """
    return own_name(session, tree) if temporary(statement) else target_of(tree, session).name


def known_target(tree: exp.Expr, session: Session) -> Target:
    """Return the target ``tree`` of a statement that changes a table which must be there.

    Raises:
        UnknownTable: nothing declares the table.
    """
    target = target_of(tree, session)
    if target.columns is None:
        raise _undeclared(target, session)
    return target


def _undeclared(target: Target, session: Session) -> LineageError:
    near = nearest(target.name, set(session.tables.schema))
    fix = f"did you mean {near}?" if near else "declare it in the schema, or list the columns"
    return session.error(UnknownTable, f"no table {target.name} in the schema to write to", target.tree, fix=fix)


def relation_of(target: Target, scope: Scope) -> Relation:
    """Return the target as a relation under its alias, for expressions that read it."""
    alias = target.tree.args.get("alias")
    name = alias.args.get("this") if alias is not None else None
    key = scope.session.key
    parts = table_parts(target.tree)
    path = () if name is not None else full_path(scope.session, parts, target.name)
    return Relation(
        key(name) if name is not None else key(parts[-1]), path, target.columns or ListedColumns(()), target.name
    )


def written(target: Target, values: Sequence[Column], listed: Sequence[exp.Expr], session: Session) -> list[Column]:
    """Return ``values`` under the names of the columns they are written to, by position.

    Raises:
        ColumnCountMismatch: not as many values as columns.
        UnknownColumn: the table lacks a listed column.
        UnknownTable: no columns are listed, and nothing declares the table.
    """
    columns = [column_of(target, part, session) for part in listed] if listed else every(target, session)
    if len(columns) != len(values):
        names = ", ".join(column.name for column in columns)
        writes = f"the INSERT into {target.name} writes {len(columns)} columns ({names})"
        problem = f"{writes}, and its query has {len(values)} values"
        raise session.error(
            ColumnCountMismatch, problem, target.tree, fix="list the columns, and select one value for each"
        )
    return [value._replace(name=c.name, key=c.key) for value, c in zip(values, columns, strict=True)]


def every(target: Target, session: Session) -> Sequence[Column]:
    """Return all columns of the target.

    Raises:
        UnknownTable: nothing declares the table.
    """
    columns = target.columns.all() if target.columns is not None else None
    if columns is None:
        raise _undeclared(target, session)
    return columns


def column_of(target: Target, tree: exp.Expr, session: Session) -> Column:
    """Return the column of the target that ``tree`` names; in a table that nothing declares any name is one.

    Raises:
        UnknownColumn: the table lacks the column.
    """
    name = identifier(tree)
    text: str = name.args["this"]
    key = session.key(name)
    found = target.columns.find(key, text) if target.columns is not None else Column(text, key, NOTHING)
    if found is None:
        near = nearest(text, {column.name for column in every(target, session)})
        fix = f"did you mean {near}?" if near else "correct the column list"
        raise session.error(UnknownColumn, f"{target.name} has no column {text}", name, fix=fix)
    return found
