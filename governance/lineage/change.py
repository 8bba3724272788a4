"""Statements that change rows of a table: UPDATE, DELETE. A statement may change several, or one through a CTE."""

from collections.abc import Iterable, Sequence

from sqlglot import exp

from governance.errors import UnparsableSql, UnreadStatement
from governance.lineage.aliases import use
from governance.lineage.columns import Column, Query
from governance.lineage.edges import datasets
from governance.lineage.joins import read_join, read_joined
from governance.lineage.rows import read_rows
from governance.lineage.scope import Scope
from governance.lineage.session import Session
from governance.lineage.target import Effect, Target, known_target, relation_of, target_of
from governance.lineage.write import assigned, environment, in_order, together


def read_update(tree: exp.Expr, session: Session) -> Iterable[Effect]:
    """UPDATE: assigned columns get their expressions; FROM, joins and WHERE shape which rows change."""
    assignments: list[exp.Expr] = tree.args.get("expressions") or []
    from_ = [tree.args["from_"].args["this"]] if tree.args.get("from_") is not None else []
    parts = _by_table(tree.args["this"], assignments, session)
    if parts is None:
        yield _updated(tree, tree.args["this"], from_, assignments, session)
        return
    for table, own in parts:
        yield _updated(tree, table, [tree.args["this"]], own, session)


def _updated(
    tree: exp.Expr, this: exp.Expr, others: Sequence[exp.Expr], assignments: Sequence[exp.Expr], session: Session
) -> Effect:
    scope = Scope(session, environment(tree, session))
    target = _target(scope, tree, this, others)
    columns = assigned(scope, target, assignments)
    read_rows(scope, exp.Select(**_clauses(tree)), columns)
    return effect_on(scope, target, in_order(target, together([columns])))


def _by_table(
    this: exp.Expr, assignments: Sequence[exp.Expr], session: Session
) -> list[tuple[exp.Expr, list[exp.Expr]]] | None:
    """MySQL's UPDATE of joined tables: each with its assignments; None where only the first table changes."""
    joined = [join.args["this"] for join in this.args.get("joins") or ()]
    tables = [table for table in (this, *joined) if table.__class__ is exp.Table]
    found: dict[int, list[exp.Expr]] = {}
    for assignment in assignments:
        found.setdefault(_owner(tables, assignment.args.get("this"), session), []).append(assignment)
    return None if set(found) <= {0} else [(tables[number], own) for number, own in sorted(found.items())]


def _owner(tables: Sequence[exp.Expr], name: exp.Expr | None, session: Session) -> int:
    """Return which of ``tables`` has the assigned column; the first where none is known to."""
    if len(tables) < 2 or name.__class__ is not exp.Column:  # noqa: PLR2004  one table owns all
        return 0
    qualifier = name.args.get("table")
    for number, table in enumerate(tables):
        if qualifier is not None:
            if _called(table, session) == session.key(qualifier):
                return number
            continue
        columns = target_of(table, session).columns
        if columns is not None and columns.find(session.key(name.args["this"]), name.name) is not None:
            return number
    return 0


def read_delete(tree: exp.Expr, session: Session) -> Iterable[Effect]:
    """DELETE: only which rows are left, of one table or of several."""
    using: list[exp.Expr] = tree.args.get("using") or []
    this = tree.args.get("this")
    named = tree.args.get("tables")
    if named and isinstance(this, exp.Expr):
        using = [this]
    elif named:  # DELETE c, where c is a CTE
        this = named[0]
    if not isinstance(this, exp.Expr):
        raise session.error(UnparsableSql, "DELETE without FROM", tree, fix="write DELETE FROM and the table")
    if not named and using and this.args.get("joins"):  # DELETE FROM a, b USING …
        named = [_alone(this), *(join.args["this"] for join in this.args["joins"])]
    for table in named or [this]:
        scope = Scope(session, environment(tree, session))
        target = _target(scope, tree, table, using)
        read_rows(scope, exp.Select(**_clauses(tree)), ())
        yield effect_on(scope, target, [])


def _alone(table: exp.Expr) -> exp.Expr:
    alone = table.copy()
    alone.set("joins", None)
    return alone


def _clauses(tree: exp.Expr) -> dict[str, exp.Expr]:
    return {name: tree.args[name] for name in ("where", "order", "limit") if tree.args.get(name)}


def effect_on(scope: Scope, target: Target, columns: Sequence[Column]) -> Effect:
    """Return what the statement read in ``scope`` does to ``target``, which is an input where some column is read."""
    read = datasets(scope.rows).union(*(datasets(column.deps) for column in columns))
    return Effect(target.name, Query(columns, scope.rows, frozenset(scope.inputs | read)))


def _target(scope: Scope, tree: exp.Expr, this: exp.Expr, others: Sequence[exp.Expr]) -> Target:
    """Return the table that changes, with all relations brought into scope; it may be named by an alias of FROM."""
    seen = _through(scope, this, tree)
    if seen is not None:
        return seen
    aliased = _aliased(scope, this, others)
    target = known_target(aliased if aliased is not None else this, scope.session)
    if aliased is None:
        scope.join(relation_of(target, scope))
        for join in this.args.get("joins") or ():
            read_join(scope, join)
    for item in others:
        read_joined(scope, item)
    if aliased is not None:  # standing in FROM does not make it an input: reading a column of it does
        scope.inputs.discard(target.name)
    for join in tree.args.get("joins") or ():
        read_join(scope, join)
    scope.clause = "select"
    return target


def _through(scope: Scope, this: exp.Expr, tree: exp.Expr) -> Target | None:
    """T-SQL changes a table through a CTE over it, whose rows are those that change; None where ``this`` is no CTE."""
    if this.args.get("db") or not scope.env.queries:
        return None
    key = scope.session.key(this.args["this"])
    query = scope.env.queries.get(key)
    if query is None:
        return None
    if not isinstance(query, Query):
        raise query
    base = _base(tree, key, scope.session)
    if base is None:
        problem = f"the CTE {this.name} is over more than one table"
        raise scope.session.error(UnreadStatement, problem, this, fix="name the table that changes")
    target = known_target(base, scope.session)
    scope.join(use(scope, this, query, key))
    scope.inputs.discard(target.name)
    scope.clause = "select"
    return target


def _base(tree: exp.Expr, key: str, session: Session) -> exp.Expr | None:
    """Return the one table that the CTE ``key`` is over."""
    bodies = {session.key(cte.args["alias"].args["this"]): cte.args["this"] for cte in tree.args["with_"].expressions}
    while key in bodies:
        from_ = bodies.pop(key).args.get("from_")
        table = from_.args["this"] if from_ is not None else None
        if table.__class__ is not exp.Table or not isinstance(table.args["this"], exp.Identifier):
            return None
        if table.args.get("db") or session.key(table.args["this"]) not in bodies:
            return table
        key = session.key(table.args["this"])
    return None


def _aliased(scope: Scope, this: exp.Expr, others: Sequence[exp.Expr]) -> exp.Expr | None:
    if this.args.get("db") and not others:
        return None
    if this.args["this"].__class__ is not exp.Identifier:
        return None
    wanted = _called(this, scope.session)
    for item in others:
        for table in item.find_all(exp.Table):
            if table is this or (not this.args.get("db") and _called(table, scope.session) == wanted):
                return table
    return None


def _called(table: exp.Expr, session: Session) -> str:
    """Return the folded name that ``table`` goes by."""
    alias = table.args.get("alias")
    name = alias.args.get("this") if alias is not None else table.args["this"]
    return session.key(name) if name.__class__ is exp.Identifier else ""
