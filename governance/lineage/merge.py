"""MERGE: one statement of several actions, each with its own condition, on rows that match or do not."""

from collections.abc import Iterable, Sequence

from sqlglot import exp

from governance.errors import ColumnCountMismatch, LineageError, UnknownColumn, UnreadConstruct
from governance.lineage.change import effect_on
from governance.lineage.columns import Column
from governance.lineage.edges import CONDITIONAL, FILTER, JOIN, Deps, add, united
from governance.lineage.joins import read_joined
from governance.lineage.scope import Scope
from governance.lineage.session import Session
from governance.lineage.target import Effect, Target, column_of, every, known_target, relation_of
from governance.lineage.value import depend
from governance.lineage.write import assigned, environment, given, in_order, together


def read_merge(tree: exp.Expr, session: Session) -> Iterable[Effect]:
    """MERGE: ON joins, each WHEN … AND steers the columns it assigns and shapes the rows, actions are united."""
    scope = Scope(session, environment(tree, session))
    target = known_target(tree.args["this"], session)
    scope.join(relation_of(target, scope))
    read_joined(scope, tree.args["using"])
    scope.clause = "join"
    if isinstance(tree.args.get("on"), exp.Expr):
        depend(scope, tree.args["on"], JOIN, scope.rows)
    for name in tree.args.get("using_cond") or ():
        for relation in scope.relations:
            column = relation.columns.find(session.key(name), name.name)
            add(scope.rows, column.deps if column is not None else {}, JOIN)
    scope.clause = "select"
    changes = [_when(_sight(scope, when), target, when) for when in tree.args["whens"].args["expressions"]]
    columns = together(changes)
    yield effect_on(scope, target, in_order(target, columns))


def _sight(scope: Scope, when: exp.Expr) -> Scope:
    """A row that is not matched is there on one side only, so that only this side's names are in sight."""
    if when.args.get("matched"):
        return scope
    one = Scope(scope.session, scope.env)
    one.rows, one.inputs, one.merged, one.clause = scope.rows, scope.inputs, scope.merged, "select"
    for relation in scope.relations[:1] if when.args.get("source") else scope.relations[1:]:
        one.join(relation)
    return one


def _when(scope: Scope, target: Target, when: exp.Expr) -> list[Column]:
    action = when.args["then"]
    steering: Deps = {}
    for condition in _conditions(when, action):
        depend(scope, condition, FILTER, scope.rows)
        depend(scope, condition, CONDITIONAL, steering)
    if action.__class__ is exp.Update:
        columns = _updated(scope, target, action)
    elif action.__class__ is exp.Insert:
        columns = _inserted(scope, target, action)
    else:
        columns = []
    return [column._replace(deps=united([column.deps, steering]), members=None) for column in columns]


def _conditions(when: exp.Expr, action: exp.Expr) -> list[exp.Expr]:
    """``WHEN … AND condition``, and Oracle's WHERE after the action, which says the same."""
    where = action.args.get("where")
    both = [when.args.get("condition"), where.args["this"] if where.__class__ is exp.Where else where]
    return [condition for condition in both if isinstance(condition, exp.Expr)]


def _updated(scope: Scope, target: Target, action: exp.Expr) -> list[Column]:
    expressions = action.args.get("expressions") or []
    expressions = [expressions] if isinstance(expressions, exp.Expr) else expressions
    if not expressions or expressions[0].__class__ is exp.Star:
        return _by_rule(scope, target, expressions[0] if expressions else None)
    return assigned(scope, target, expressions)


def _source(scope: Scope) -> Sequence[Column]:
    return scope.relations[-1].columns.all() or ()


def _same_names(scope: Scope, target: Target) -> list[Column]:
    """``UPDATE SET *`` and ``INSERT *``: each column of the target from its namesake in the source."""
    named = {column.key: column for column in _source(scope)}
    return [c._replace(deps=named[c.key].deps) for c in every(target, scope.session) if c.key in named]


def _inserted(scope: Scope, target: Target, action: exp.Expr) -> list[Column]:
    listed, values = action.args.get("this") or None, action.args.get("expression") or None
    if values is None and listed.__class__ is exp.Tuple and _rule(listed) is None:
        if _is_default(listed):
            return []
        if scope.session.rules.name != "teradata":
            problem = "INSERT without VALUES in a MERGE"
            raise scope.session.error(UnreadConstruct, problem, listed, fix="add VALUES and the values", clause="merge")
        listed, values = None, listed
    if values is None:
        return _by_rule(scope, target, listed)
    parts = values.args.get("expressions") or [values]
    if parts and parts[0].__class__ is exp.Tuple:
        parts = parts[0].args["expressions"]
    names = listed.args.get("expressions") or [listed.args["this"]] if listed is not None else []
    columns = [column_of(target, name, scope.session) for name in names] if names else every(target, scope.session)
    if len(columns) != len(parts):
        raise _mismatch(scope, target, len(columns), len(parts), action)
    return [c._replace(deps=given(scope, part)) for c, part in zip(columns, parts, strict=True)]


def _rule(listed: exp.Expr | None) -> str | None:
    """The word after BY of DuckDB's ``INSERT BY NAME``, which arrives as a list of one column with an alias."""
    first = listed.args["expressions"][0] if listed.__class__ is exp.Tuple and listed is not None else None
    if first is None or first.__class__ is not exp.Alias or first.args["this"].name.upper() != "BY":
        return None
    return str(first.alias).upper()


def _is_default(listed: exp.Expr) -> bool:
    """Tell whether this is what is left of ``INSERT DEFAULT VALUES``."""
    parts = listed.args["expressions"]
    return len(parts) == 1 and parts[0].__class__ is exp.Column and parts[0].name.upper() == "DEFAULT"


def _by_rule(scope: Scope, target: Target, listed: exp.Expr | None) -> list[Column]:
    """A clause without values: BY NAME and Spark's ``*`` by name, else by position (tried on DuckDB)."""
    rule = _rule(listed)
    by_name = rule == "NAME" or (listed.__class__ is exp.Star and scope.session.rules.name != "duckdb")
    if listed.__class__ is exp.Star and by_name:
        _check_every(scope, target, listed)
    if by_name:
        return _same_names(scope, target)
    source, columns = _source(scope), every(target, scope.session)
    if len(columns) != len(source):
        raise _mismatch(scope, target, len(columns), len(source), listed)
    return [c._replace(deps=value.deps) for c, value in zip(columns, source, strict=True)]


def _check_every(scope: Scope, target: Target, star: exp.Expr | None) -> None:
    """``*`` of Spark and ALL BY NAME of Snowflake write every column of the target; without one they fail there."""
    named = {column.key for column in _source(scope)}
    for column in every(target, scope.session):
        if column.key not in named:
            problem = f"the source of the MERGE has no column {column.name}, and * writes each of {target.name}"
            fix = "list the columns and their values"
            raise scope.session.error(UnknownColumn, problem, star or target.tree, fix=fix)


def _mismatch(scope: Scope, target: Target, columns: int, values: int, at: exp.Expr | None) -> LineageError:
    problem = f"the MERGE into {target.name} inserts {values} values into {columns} columns"
    return scope.session.error(ColumnCountMismatch, problem, at or target.tree, fix="give one value for each column")
