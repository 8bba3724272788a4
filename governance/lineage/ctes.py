"""WITH: common table expressions, recursive ones by fixpoint."""

from collections.abc import Sequence
from itertools import zip_longest

from sqlglot import exp

from governance.errors import ColumnCountMismatch, LineageError
from governance.lineage.columns import Column, Query
from governance.lineage.edges import IDENTITY, Deps, add, united
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
        read = _fixpoint if recursive and _is_recursive(cte, key, session) else _once
        try:
            queries[key] = read(cte, session, inner, parent)
        except LineageError as error:
            queries[key] = error
    return inner


def _is_recursive(cte: exp.Expr, key: str, session: Session) -> bool:
    tree = cte.args["this"]
    if tree.__class__ is not exp.Union:
        return False
    names = (table.args["this"] for table in tree.find_all(exp.Table))
    return any(name.__class__ is exp.Identifier and session.key(name) == key for name in names)


def _listed(cte: exp.Expr) -> Sequence[exp.Expr]:
    return cte.args["alias"].args.get("columns") or ()


def _once(cte: exp.Expr, session: Session, env: Environment, parent: Scope | None) -> Query:
    return named(session.read(cte.args["this"], session, env, parent), _listed(cte), session)


def named(query: Query, names: Sequence[exp.Expr], session: Session) -> Query:
    """Return ``query`` under an explicit list of column names.

    Raises:
        ColumnCountMismatch: more names than columns.
    """
    if not names:
        return query
    if len(names) > len(query.columns):
        problem = f"{len(names)} column names for {len(query.columns)} columns"
        raise session.error(ColumnCountMismatch, problem, names[0], fix="name each column once")
    key = session.key
    given = [c._replace(name=n.args["this"], key=key(n)) for c, n in zip(query.columns, names, strict=False)]
    return query._replace(columns=[*given, *query.columns[len(names) :]])


def _fixpoint(cte: exp.Expr, session: Session, env: Environment, parent: Scope | None) -> Query:
    """Read both branches until nothing is added: the recursive one sees what it has given so far."""
    tree, names = cte.args["this"], _listed(cte)
    key = session.key(cte.args["alias"].args["this"])
    with_ = tree.args.get("with_")
    outer = with_ctes(with_, session, env, parent) if with_ is not None else env
    known = named(session.read(tree.args["this"], session, outer, parent), names, session)
    while True:
        whole = session.read(tree, session, Environment({key: known}, env), parent)
        grown = _united(known, named(whole, names, session))
        if _same(known, grown):
            return grown
        known = grown


def _united(one: Query, other: Query) -> Query:
    """BY NAME may have made more columns than the first branch has."""
    columns = [
        column if more is None else more if column is None else _both(column, more)
        for column, more in zip_longest(one.columns, other.columns)
    ]
    rows: Deps = {}
    add(rows, one.rows, IDENTITY)
    add(rows, other.rows, IDENTITY)
    return Query(columns, rows, one.inputs | other.inputs)


def _both(column: Column, more: Column) -> Column:
    return column._replace(deps=united([column.deps, more.deps]), members=None)


def _same(one: Query, other: Query) -> bool:
    return (one.rows, one.inputs, _deps(one)) == (other.rows, other.inputs, _deps(other))


def _deps(query: Query) -> list[Deps]:
    return [column.deps for column in query.columns]
