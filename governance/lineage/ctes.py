"""WITH: common table expressions, recursive ones by fixpoint."""

from collections.abc import Sequence

from sqlglot import exp

from governance.errors import ColumnCountMismatch, LineageError
from governance.lineage.columns import Column, Query
from governance.lineage.edges import Deps, add, united
from governance.lineage.scope import Environment, Scope
from governance.lineage.session import Session

IMPLICITLY_RECURSIVE = frozenset({"tsql", "oracle", "snowflake", "teradata"})
"""Dialects in which a CTE that names itself is recursive without the word RECURSIVE."""


def with_ctes(with_: exp.Expr, session: Session, env: Environment, parent: Scope | None) -> Environment:
    """Return ``env`` and the CTEs of ``with_``, read in order.

    One that cannot be read is an error only where it is used: the engines do not look into the others either.
    """
    queries: dict[str, Query | LineageError] = {}
    inner = Environment(queries, env)
    recursive = bool(with_.args.get("recursive")) or session.rules.name in IMPLICITLY_RECURSIVE
    for cte in with_.args["expressions"]:
        key = session.key(cte.args["alias"].args["this"])
        try:
            queries[key] = _read(cte, key, recursive, session, inner, parent)
        except LineageError as error:
            queries[key] = error
    return inner


def _read(cte: exp.Expr, key: str, recursive: bool, session: Session, env: Environment, parent: Scope | None) -> Query:  # noqa: FBT001  a property of the WITH
    tree = cte.args["this"]
    names = cte.args["alias"].args.get("columns") or ()
    if recursive and tree.__class__ is exp.Union:
        return _fixpoint(tree, key, names, session, env, parent)
    return named(session.read(tree, session, env, parent), names, session)


def named(query: Query, names: list[exp.Expr], session: Session) -> Query:
    """Return ``query`` under an explicit list of column names.

    Raises:
        ColumnCountMismatch: more names than columns.
    """
    if not names:
        return query
    if len(names) > len(query.columns):
        raise session.error(
            ColumnCountMismatch,
            f"{len(names)} column names for {len(query.columns)} columns",
            names[0],
            fix="name each column once",
        )
    columns = [
        column._replace(name=name.args["this"], key=session.key(name))
        for column, name in zip(query.columns, names, strict=False)
    ]
    return query._replace(columns=[*columns, *query.columns[len(names) :]])


def _fixpoint(
    tree: exp.Expr, key: str, names: list[exp.Expr], session: Session, env: Environment, parent: Scope | None
) -> Query:
    """Read both branches until nothing is added: the recursive one sees what it has given so far."""
    anchor = tree.args["this"]
    known = named(session.read(anchor, session, env, parent), names, session)
    while True:
        inner = Environment({key: known}, env)
        whole = session.read(tree, session, inner, parent)
        grown = _united(known, named(whole, names, session))
        if _same(known, grown):
            return grown
        known = grown


def _united(one: Query, other: Query) -> Query:
    columns = [
        column._replace(deps=united([column.deps, more.deps]), members=None)
        for column, more in zip(one.columns, other.columns, strict=True)
    ]
    rows: Deps = {}
    add(rows, one.rows, 0)
    add(rows, other.rows, 0)
    return Query(columns, rows, one.inputs | other.inputs)


def _same(one: Query, other: Query) -> bool:
    return one.rows == other.rows and one.inputs == other.inputs and _deps(one.columns) == _deps(other.columns)


def _deps(columns: Sequence[Column]) -> list[Deps]:
    return [column.deps for column in columns]
