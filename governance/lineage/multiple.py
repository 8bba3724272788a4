"""One source, several targets: INSERT ALL and FIRST, Hive's FROM … INSERT … INSERT."""

from collections.abc import Iterable, Sequence

from sqlglot import exp

from governance.lineage.columns import Column, Query
from governance.lineage.edges import FILTER
from governance.lineage.joins import read_joined
from governance.lineage.names import schema_of
from governance.lineage.scope import Scope
from governance.lineage.select import read_in
from governance.lineage.session import Session
from governance.lineage.star import every as every_column
from governance.lineage.target import Effect, target_of
from governance.lineage.value import depend, value_of
from governance.lineage.write import environment, fill


def read_many(tree: exp.Expr, session: Session) -> Iterable[Effect]:
    """INSERT ALL and Hive's FROM … INSERT … INSERT: one source, several targets, each with its own conditions."""
    source = Scope(session, environment(tree, session))
    body = tree.args["source"]
    if body.__class__ is exp.Select:
        body = exp.Subquery(this=body)
    read_joined(source, body)
    source.clause = "select"
    earlier: list[exp.Expr] = []
    for item in tree.args["expressions"]:
        insert = item.args["this"] if item.__class__ is exp.ConditionalInsert else item
        condition = item.args.get("expression") if item.__class__ is exp.ConditionalInsert else None
        yield _one(source, insert, _conditions(tree, item, condition, earlier), session)
        if condition is not None:
            earlier.append(condition)


def _conditions(
    tree: exp.Expr, item: exp.Expr, condition: exp.Expr | None, earlier: Sequence[exp.Expr]
) -> list[exp.Expr]:
    """A row reaches an ELSE, or the next WHEN of INSERT FIRST, only where the earlier conditions fail."""
    own = [condition] if condition is not None else []
    passed_over = (tree.args.get("kind") or "").upper() == "FIRST" or item.args.get("else_")
    return [*own, *(earlier if passed_over else ())]


def _one(source: Scope, insert: exp.Expr, conditions: Sequence[exp.Expr], session: Session) -> Effect:
    scope = Scope(session, source.env)
    scope.rows, scope.inputs, scope.clause = dict(source.rows), set(source.inputs), "select"
    scope.merged, scope.merges = source.merged, source.merges
    for relation in source.relations:
        scope.join(relation)
    for condition in conditions:
        depend(scope, condition, FILTER, scope.rows)
    table, listed = schema_of(insert.args["this"])
    target = target_of(table, session)
    query = _values_or_query(scope, insert.args.get("expression"))
    return Effect(target.name, query._replace(columns=fill(insert, target, query.columns, listed, session)))


def _values_or_query(scope: Scope, body: exp.Expr | None) -> Query:
    if body is None:
        columns: Sequence[Column] = every_column(scope)
    elif body.__class__ is exp.Values:
        columns = [Column("", "", value_of(scope, part)) for part in body.args["expressions"][0].args["expressions"]]
    else:
        return read_in(scope, body)
    return Query(columns, scope.rows, frozenset(scope.inputs))
