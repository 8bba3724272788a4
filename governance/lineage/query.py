"""Any query: WITH, SELECT, set operations, parentheses."""

from collections.abc import Callable

from sqlglot import exp

from governance.errors import UnreadConstruct
from governance.lineage.aliases import use
from governance.lineage.columns import Query, whole_row
from governance.lineage.ctes import with_ctes
from governance.lineage.environment import Environment
from governance.lineage.joins import read_joined
from governance.lineage.pivot import pivoted
from governance.lineage.relation import read_relation
from governance.lineage.rows import read_rows
from governance.lineage.scope import Scope
from governance.lineage.select import read_select
from governance.lineage.session import Session
from governance.lineage.setops import read_set_operation
from governance.lineage.star import every
from governance.lineage.structs import declared_members
from governance.lineage.valueslist import values

QueryReader = Callable[[exp.Expr, Session, Environment, Scope | None], Query]


def read_query(tree: exp.Expr, session: Session, env: Environment, parent: Scope | None = None) -> Query:
    """Return what the query ``tree`` yields, names resolved in ``env`` and, for correlated ones, in ``parent``."""
    with_ = tree.args.get("with_")
    if with_ is not None:
        env = with_ctes(with_, session, env, parent)
    reader = READERS.get(tree.__class__)
    if reader is None:
        raise session.error(
            UnreadConstruct, f"{tree.key.upper()} is not read as a query", tree, fix="write it as a SELECT"
        )
    return reader(tree, session, env, parent)


def _select(tree: exp.Expr, session: Session, env: Environment, parent: Scope | None) -> Query:
    """A SELECT; BigQuery's AS STRUCT makes one column of it, AS VALUE makes a struct's members its columns."""
    query = read_select(tree, session, env, parent)
    kind = tree.args.get("kind")
    if kind == "STRUCT":
        return query._replace(columns=[whole_row("", query.columns)])
    if kind == "VALUE" and len(query.columns) == 1:
        members = declared_members(query.columns[0], session.rules)
        return query._replace(columns=list(members.values())) if members else query
    return query


def read_subquery(tree: exp.Expr, session: Session, env: Environment, parent: Scope | None) -> Query:
    """Parentheses say nothing, but ORDER BY, LIMIT, joins or a pivot may hang on them."""
    query = read_query(tree.args["this"], session, env, parent)
    if not any(tree.args.get(name) for name in HANGING):
        return query
    scope = Scope(session, env, parent)
    scope.join(use(scope, exp.Subquery(), query, ""))
    scope.clause = "select"
    read_rows(scope, tree, query.columns)
    return query._replace(rows=scope.rows)


HANGING = ("order", "limit", "offset")


def _values(tree: exp.Expr, session: Session, env: Environment, parent: Scope | None) -> Query:
    scope = Scope(session, env, parent)
    columns = values(scope, tree)
    return Query(columns, scope.rows, frozenset(scope.inputs))


def _table(tree: exp.Expr, session: Session, env: Environment, parent: Scope | None) -> Query:
    """``TABLE t`` and a table that stands for a query."""
    scope = Scope(session, env, parent)
    read_joined(scope, tree)
    return Query(every(scope), scope.rows, frozenset(scope.inputs))


def _pivot(tree: exp.Expr, session: Session, env: Environment, parent: Scope | None) -> Query:
    """DuckDB's PIVOT and UNPIVOT as statements."""
    scope = Scope(session, env, parent)
    relation = pivoted(scope, read_relation(scope, tree.args["this"]), [tree])
    return Query(relation.columns.all() or (), scope.rows, frozenset(scope.inputs))


READERS: dict[type, QueryReader] = {
    exp.Select: _select,
    exp.Union: read_set_operation,
    exp.Intersect: read_set_operation,
    exp.Except: read_set_operation,
    exp.Subquery: read_subquery,
    exp.Values: _values,
    exp.Table: _table,
    exp.Pivot: _pivot,
}
