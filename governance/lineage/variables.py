"""Variables of a script: what DECLARE and SET gave them, so that reading one is reading that."""

from sqlglot import exp

from governance.lineage.columns import Column, ListedColumns, Query
from governance.lineage.edges import NOTHING, Deps, united
from governance.lineage.environment import Environment
from governance.lineage.names import identifier
from governance.lineage.scope import Scope
from governance.lineage.session import Made, Session
from governance.lineage.value import value_of


def declare(tree: exp.Expr, session: Session) -> None:
    """Read a DECLARE: variables with what their defaults hold, and T-SQL's table variables."""
    for item in tree.args["expressions"]:
        kind, default = item.args.get("kind"), item.args.get("default")
        deps = _deps(default, session) if isinstance(default, exp.Expr) else NOTHING
        for name in item.args["this"]:
            if kind.__class__ is exp.Schema:
                _table(name, kind, session)
            else:
                session.variables[variable_name(name)] = Column("", "", deps)


def _table(name: exp.Expr, schema: exp.Expr, session: Session) -> None:
    names = [identifier(part) for part in schema.args["expressions"] if part.__class__ is exp.ColumnDef]
    columns = [Column(part.name, session.key(part), NOTHING) for part in names]
    text = f"@{variable_name(name)}"
    session.made[text] = Made(text, ListedColumns(columns), Query(columns), temporary=True)


def assign(tree: exp.Expr, session: Session) -> None:
    """Read a SET: each variable holds, from here on, also what it is set to."""
    for item in tree.args.get("expressions") or ():
        pair = item.args.get("this")
        if pair.__class__ is not exp.EQ:
            continue
        left, right = pair.args["this"], pair.args["expression"]
        deps = _deps(right, session)
        for name in left.args.get("expressions") or [left]:
            key = variable_name(name)
            before = session.variables.get(key)
            held = united([before.deps, deps]) if before is not None else deps
            session.variables[key] = Column("", "", held)


def set_by_select(tree: exp.Expr, session: Session) -> bool:
    """Read T-SQL's ``SELECT @v = x FROM …`` and MySQL's ``SELECT x INTO @v``; tell whether ``tree`` is one.

    What chooses the row steers the variable as it steers any scalar subquery.
    """
    items, into = tree.args.get("expressions") or [], tree.args.get("into")
    target = into.args["this"].args.get("this") if into is not None else None
    if target.__class__ is exp.Parameter:
        names = [target]
    elif items and all(item.__class__ is exp.EQ and item.args["this"].__class__ is exp.Parameter for item in items):
        names = [item.args["this"] for item in items]
    else:
        return False
    values = [item.args["expression"] if item.__class__ is exp.EQ and target is None else item for item in items]
    query = tree.copy()
    query.set("expressions", [value.copy() for value in values])
    query.set("into", None)
    found = session.read(query, session, Environment({}), None)
    for name, column in zip(names, found.columns, strict=False):
        session.variables[variable_name(name)] = Column("", "", united([column.deps, found.rows]))
    return True


def variable_name(tree: exp.Expr) -> str:
    """Return a variable's name in lower case, without the dialect's sign."""
    return tree.name.lower().lstrip("@$")


def _deps(tree: exp.Expr, session: Session) -> Deps:
    """Only a query in it makes a variable hold data; other words after SET are settings."""
    if tree.find(exp.Query) is None:
        return NOTHING
    scope = Scope(session, Environment({}))
    scope.clause = "select"
    return value_of(scope, tree)
