"""Statements that make or fill a table from a query: CREATE … AS, SELECT INTO, INSERT in all its forms, COPY."""

from collections.abc import Iterable, Sequence

from sqlglot import exp

from governance.errors import ColumnCountMismatch, NoLineage, UnknownColumn, UnparsableSql, UnreadStatement
from governance.lineage.columns import Column, ListedColumns, Query, Relation
from governance.lineage.ctes import named, with_ctes
from governance.lineage.edges import (
    CONDITIONAL,
    FILTER,
    JOIN,
    NOTHING,
    TRANSFORMATION,
    Deps,
    add,
    datasets,
    moved,
    united,
)
from governance.lineage.environment import Environment
from governance.lineage.joins import read_from
from governance.lineage.names import identifier, schema_of
from governance.lineage.scope import Scope
from governance.lineage.session import Session
from governance.lineage.target import Effect, Target, column_of, every, made_by, relation_of, target_of, written
from governance.lineage.value import depend, value_of
from governance.lineage.variables import set_by_select


def environment(tree: exp.Expr, session: Session) -> Environment:
    """Return the CTEs that stand before a statement."""
    with_ = tree.args.get("with_")
    return with_ctes(with_, session, Environment({}), None) if with_ is not None else Environment({})


def read_bare(tree: exp.Expr, session: Session) -> Iterable[Effect]:
    """A query by itself has no output; SELECT … INTO makes a table."""
    into = tree.args.get("into") if tree.__class__ is exp.Select else None
    if tree.__class__ is exp.Select and set_by_select(tree, session):
        return
    query = some(unfolded(session.read(tree, session, Environment({}), None)), tree, session)
    if into is None:
        yield Effect(None, query)
    else:
        yield Effect(made_by(tree, into.args["this"], session), query, replaces=True)


def some(query: Query, tree: exp.Expr, session: Session) -> Query:
    """Return ``query``.

    Raises:
        NoLineage: it selects nothing.
    """
    if not query.columns:
        raise session.error(NoLineage, "the query selects no column", tree, fix="select at least one")
    return query


def unfolded(query: Query) -> Query:
    """Return the members of BigQuery's SELECT AS STRUCT as columns: so a result shows them."""
    only = query.columns[0] if len(query.columns) == 1 else None
    if only is None or only.name or not only.members:
        return query
    return query._replace(columns=list(only.members.values()))


def read_create(tree: exp.Expr, session: Session) -> Iterable[Effect]:
    """CREATE TABLE or VIEW … AS a query, or a CLONE; ClickHouse's materialized view fills the table after TO."""
    table, listed = schema_of(tree.args["this"])
    clone = tree.args.get("clone")
    body = tree.args.get("expression") if clone is None else clone.args["this"]
    if body is None:
        return
    query = some(unfolded(session.read(body, session, environment(tree, session), None)), tree, session)
    names = _names(listed)
    if session.rules.name == "mysql":
        query, names = _beside(query, names, session), []
    if names and len(names) != len(query.columns):
        problem = f"{len(names)} column names for the {len(query.columns)} columns of the query"
        raise session.error(ColumnCountMismatch, problem, table, fix="name each column once")
    query = named(query, names, session)
    properties = tree.args.get("properties")
    filled = None if properties is None else properties.find(exp.ToTableProperty)
    if filled is not None:
        yield Effect(target_of(filled.args["this"], session).name, query)
        return
    yield Effect(made_by(tree, table, session), query, replaces=True)


def _beside(query: Query, names: Sequence[exp.Expr], session: Session) -> Query:
    """MySQL matches declared columns by name: those that the query lacks come first, and hold nothing."""
    selected = {column.key for column in query.columns}
    empty = [Column(n.name, session.key(n), NOTHING) for n in names if session.key(n) not in selected]
    return query._replace(columns=[*empty, *query.columns])


def _names(listed: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [identifier(part) for part in listed if part.__class__ in {exp.Identifier, exp.ColumnDef, exp.Column}]


def read_insert(tree: exp.Expr, session: Session) -> Iterable[Effect]:
    """INSERT: by position against the listed columns, else the table's; by name where it says so."""
    table, listed = schema_of(tree.args["this"])
    if table.__class__ is exp.Directory:
        raise session.error(UnreadStatement, "INSERT into a directory is not read", tree, fix="write to a table")
    target = target_of(table, session)
    body = tree.args.get("expression") or tree.args.get("source")
    if not body:
        if not tree.args.get("default"):
            raise session.error(UnparsableSql, "INSERT without a query", tree, fix="add SELECT or VALUES")
        yield Effect(target.name, Query([]))
        return
    query = session.read(body, session, environment(tree, session), None)
    columns = fill(tree, target, query.columns, listed, session)
    query = query._replace(columns=columns)
    conflict = tree.args.get("conflict")
    if conflict is not None:
        alias = body.args.get("alias") if body.__class__ is exp.Values else None
        query = _upsert(conflict, target, query, _source(tree, body, session), alias)
    where = tree.args.get("where")
    yield Effect(target.name, _replacing(where, target, query, session) if where is not None else query)


def _replacing(where: exp.Expr, target: Target, query: Query, session: Session) -> Query:
    """Spark's REPLACE WHERE: the target's rows that make way are those that the condition chooses."""
    scope = Scope(session, Environment({}))
    scope.join(relation_of(target, scope))
    scope.rows, scope.inputs, scope.clause = dict(query.rows), set(query.inputs), "where"
    depend(scope, where.args["this"] if where.__class__ is exp.Where else where, FILTER, scope.rows)
    return query._replace(rows=scope.rows, inputs=frozenset(scope.inputs | datasets(scope.rows)))


def _source(tree: exp.Expr, body: exp.Expr, session: Session) -> Scope:
    """MySQL lets ON DUPLICATE KEY UPDATE read the tables of the SELECT."""
    scope = Scope(session, environment(tree, session))
    if body.__class__ is exp.Select and session.rules.name == "mysql":
        read_from(scope, body)
    scope.clause = "select"
    return scope


def fill(
    tree: exp.Expr, target: Target, values: Sequence[Column], listed: Sequence[exp.Expr], session: Session
) -> list[Column]:
    """Return the values under the target's column names, partitions included."""
    if tree.args.get("by_name"):
        return _by_name(target, values, session)
    partition = target.tree.args.get("partition") or tree.args.get("partition")
    static = _static(partition, target, session) if isinstance(partition, exp.Expr) else {}
    if not static or listed:
        return in_order(target, [*written(target, values, listed, session), *static.values()])
    open_ = [column for column in every(target, session) if column.key not in static]
    names = [exp.Identifier(this=column.name, quoted=True) for column in open_]
    return in_order(target, [*written(target, values, names, session), *static.values()])


def in_order(target: Target, columns: list[Column]) -> list[Column]:
    """Return ``columns`` in the order of the table, where that is known."""
    table = target.columns.all() if target.columns is not None else None
    order = {column.key: number for number, column in enumerate(table or ())}
    return sorted(columns, key=lambda column: order.get(column.key, len(order)))


def _static(partition: exp.Expr, target: Target, session: Session) -> dict[str, Column]:
    """The partition columns that the statement gives a constant."""
    given = [part for part in partition.args.get("expressions") or () if part.__class__ in {exp.EQ, exp.PropertyEQ}]
    columns = [column_of(target, part.args["this"], session) for part in given]
    return {column.key: Column(column.name, column.key, NOTHING) for column in columns}


def _by_name(target: Target, values: Sequence[Column], session: Session) -> list[Column]:
    columns = []
    for value in values:
        found = target.columns.find(value.key, value.name) if target.columns is not None else value
        if found is None:
            problem = f"{target.name} has no column {value.name}"
            raise session.error(UnknownColumn, problem, target.tree, fix="rename it in the SELECT")
        columns.append(value._replace(name=found.name, key=found.key))
    return in_order(target, columns)


def _upsert(conflict: exp.Expr, target: Target, query: Query, source: Scope, alias: exp.Expr | None) -> Query:
    """ON CONFLICT: keys are JOIN inputs of both sides, the assignments add to what the INSERT gives."""
    session = source.session
    scope = Scope(session, source.env, source)
    scope.rows, scope.inputs, scope.clause = dict(query.rows), set(query.inputs), "select"
    scope.join(relation_of(target, scope))
    new = Relation("", (), ListedColumns(query.columns))
    for name in PROPOSED:
        scope.named.setdefault(session.rules.fold(name, None), new)
    if alias is not None:  # MySQL's VALUES (…) AS nw, or AS nw (a, b)
        names, key = alias.args.get("columns"), session.key(alias.args["this"])
        row = Relation(key, (), ListedColumns(named(query, names or (), session).columns))
        scope.named.setdefault(key, row)
        if names:  # only its own names are in sight without the alias
            scope.join(row)
    for key in conflict.args.get("conflict_keys") or ():
        column = column_of(target, key.args["this"] if key.__class__ is exp.Ordered else key, session)
        add(scope.rows, column.deps, JOIN)
        add(scope.rows, next((c.deps for c in query.columns if c.key == column.key), NOTHING), JOIN)
    condition = conflict.args.get("where")
    if condition is not None:
        depend(scope, condition.args["this"], FILTER, scope.rows)
    changed = assigned(scope, target, conflict.args.get("expressions") or (), condition)
    read = {name for deps in (scope.rows, *(c.deps for c in changed)) for name in datasets(deps)}
    return Query(together([query.columns, changed]), scope.rows, frozenset(scope.inputs | read))


PROPOSED = ("excluded", "new", "values")
"""Names of the row that an upsert proposes."""


def assigned(
    scope: Scope, target: Target, expressions: Iterable[exp.Expr], condition: exp.Expr | None = None
) -> list[Column]:
    """Return the columns that ``SET a = …, (b, c) = (…)`` assigns; a condition steers each."""
    steering: Deps = {}
    if condition is not None:
        tree = condition.args["this"] if condition.__class__ is exp.Where else condition
        depend(scope, tree, CONDITIONAL, steering)
    columns = []
    for assignment in expressions:
        left, right = assignment.args.get("this"), assignment.args.get("expression")
        if not isinstance(left, exp.Expr) or not isinstance(right, exp.Expr):
            raise scope.session.error(UnparsableSql, "SET without a value", assignment, fix="write column = value")
        for name, value in _pairs(scope, left, right):
            column = _assigned_column(scope, target, name)
            deps = _with_rest(column, value) if _is_part(column, name, scope) else value
            columns.append(column._replace(deps=united([deps, steering]), members=None))
    return columns


def _is_part(column: Column, tree: exp.Expr, scope: Scope) -> bool:
    """Tell whether ``arr[1]`` or ``s.x`` is assigned, and not the whole column."""
    if tree.__class__ is exp.Column:
        return scope.session.key(identifier(tree)) != column.key
    return tree.__class__ is not exp.Identifier


def _with_rest(column: Column, value: Deps) -> Deps:
    """A new part of a column, and the rest that stays as it was."""
    return moved(united([value, column.deps]), TRANSFORMATION)


def _assigned_column(scope: Scope, target: Target, tree: exp.Expr) -> Column:
    """``t.b`` is a column, ``s.x`` may be a member of the struct column s."""
    parts = [tree.args[part] for part in ("catalog", "db", "table", "this") if tree.args.get(part) is not None]
    if len(parts) > 1 and target.columns is not None and not tree.args.get("db"):
        first = target.columns.find(scope.session.key(parts[0]), parts[0].name)
        if first is not None and scope.relation([scope.session.key(parts[0])]) is None:
            return first
    return column_of(target, tree, scope.session)


def _pairs(scope: Scope, left: exp.Expr, right: exp.Expr) -> list[tuple[exp.Expr, Deps]]:
    if left.__class__ not in {exp.Tuple, exp.Paren}:
        return [(left, given(scope, right))]
    names = left.args.get("expressions") or [left.args.get("this") or left]
    if right.__class__ is exp.Tuple:
        values = [given(scope, part) for part in right.args["expressions"]]
    else:
        query = scope.session.read(right, scope.session, scope.env, scope)
        scope.inputs.update(query.inputs)
        values = [united([column.deps, query.rows]) for column in query.columns]
    if len(names) != len(values):
        problem = f"SET assigns {len(values)} values to {len(names)} columns"
        raise scope.session.error(ColumnCountMismatch, problem, left, fix="give one value for each column")
    return list(zip(names, values, strict=True))


def given(scope: Scope, tree: exp.Expr) -> Deps:
    """Return what a value that a statement writes depends on; DEFAULT is the table's own, from no column."""
    if tree.__class__ is exp.Column and tree.args.get("table") is None:
        name = tree.args["this"]
        if name.__class__ is exp.Identifier and not name.args.get("quoted") and name.name.upper() == "DEFAULT":
            return NOTHING
    return value_of(scope, tree)


def together(parts: Iterable[Sequence[Column]]) -> list[Column]:
    """Return columns of the same name as one, its deps united, in order of first appearance."""
    found: dict[str, list[Column]] = {}
    for columns in parts:
        for column in columns:
            found.setdefault(column.key, []).append(column)
    return [same[0]._replace(deps=united([column.deps for column in same]), members=None) for same in found.values()]
