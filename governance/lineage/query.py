"""Any query: WITH, SELECT, set operations, parentheses."""

from collections.abc import Callable

from sqlglot import exp

from governance.errors import UnreadConstruct
from governance.lineage.columns import Query
from governance.lineage.ctes import with_ctes
from governance.lineage.scope import Environment, Scope
from governance.lineage.select import read_select
from governance.lineage.session import Session
from governance.lineage.setops import read_set_operation

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


def _unwrap(tree: exp.Expr, session: Session, env: Environment, parent: Scope | None) -> Query:
    return read_query(tree.args["this"], session, env, parent)


READERS: dict[type, QueryReader] = {
    exp.Select: read_select,
    exp.Union: read_set_operation,
    exp.Intersect: read_set_operation,
    exp.Except: read_set_operation,
    exp.Subquery: _unwrap,
}
