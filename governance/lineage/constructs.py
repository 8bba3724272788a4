"""Expressions that need more than a table of arguments: subqueries, windows, lambdas, unknown functions, generators.

Each rule adds what it knows to ``into`` and pushes the parts that the walk of ``value.depend`` shall go on with.
"""

from sqlglot import exp

from governance.errors import ColumnCountMismatch, DynamicSql, UnknownColumn
from governance.lineage.calls import CALLS, Push, Rule
from governance.lineage.columns import Column
from governance.lineage.edges import (
    AGGREGATION,
    COMPOSE,
    FILTER,
    NOTHING,
    SORT,
    TRANSFORMATION,
    WINDOW,
    Deps,
    add,
    rowwise,
)
from governance.lineage.functions import (
    SORTED_TEXT,
)
from governance.lineage.scope import Scope
from governance.lineage.star import counted, expand
from governance.lineage.value import depend


def subquery(scope: Scope, tree: exp.Expr, hop: int, into: Deps, _push: Push) -> None:
    """A subquery as a value: its columns are values, its row clauses stay with this field."""
    query = scope.session.read(tree, scope.session, scope.env, scope)
    for column in query.columns:
        add(into, column.deps, hop)
    add(into, query.rows, rowwise(hop))
    scope.inputs.update(query.inputs)


def exists(scope: Scope, tree: exp.Expr, hop: int, into: Deps, push: Push) -> None:
    """EXISTS reads no value: only what decides whether there is a row, and all of that filters."""
    inner = tree.args["this"]
    if not isinstance(inner, exp.Query):
        for part in (inner, tree.args.get("expression")):  # Spark's exists(list, x -> x > a)
            if isinstance(part, exp.Expr):
                push((part, COMPOSE[hop][TRANSFORMATION]))
        return
    query = scope.session.read(inner, scope.session, scope.env, scope)
    add(into, query.rows, COMPOSE[hop][FILTER])
    scope.inputs.update(query.inputs)


def membership(scope: Scope, tree: exp.Expr, hop: int, into: Deps, push: Push) -> None:
    """``x IN (SELECT y …)`` and ``x > ANY (SELECT y …)``: x is a value, y only decides."""
    if tree.__class__ is exp.In:
        push((tree.args["this"], COMPOSE[hop][TRANSFORMATION]))
        query = tree.args.get("query")
        if query is not None and tree.args["this"].__class__ in {exp.Column, exp.Tuple}:
            _among(scope, tree, query, COMPOSE[hop][FILTER], into)
            query = None
        unnest = tree.args.get("unnest")  # a test of what it holds: it expands no row here
        among = unnest.args["expressions"] if unnest is not None else ()
        others = [*(tree.args.get("expressions") or ()), *among, tree.args.get("field")]
    else:
        query, others = tree.args["this"], []
    for part in others:
        if isinstance(part, exp.Expr):
            push((part, COMPOSE[hop][TRANSFORMATION]))
    if query is not None:
        push((query, COMPOSE[hop][FILTER if isinstance(query, exp.Query) else TRANSFORMATION]))


def _among(scope: Scope, tree: exp.Expr, query: exp.Expr, hop: int, into: Deps) -> None:
    left = tree.args["this"]
    found = scope.session.read(query, scope.session, scope.env, scope)
    width = len(left.args["expressions"]) if left.__class__ is exp.Tuple else 1
    if len(found.columns) != width:
        problem = f"IN compares {width} values with a subquery of {len(found.columns)} columns"
        raise scope.session.error(ColumnCountMismatch, problem, tree, fix="select one column for each value")
    for deps in (*(column.deps for column in found.columns), found.rows):
        add(into, deps, hop)
    scope.inputs.update(found.inputs)


def chosen_column(scope: Scope, tree: exp.Expr, hop: int, into: Deps, _push: Push) -> None:
    """COLUMNS(…) in an expression stands for one column at a time, or with ``*`` before it for all."""
    for column in scope.chosen.get(id(tree), ()):
        add(into, column.deps, hop)


def window(scope: Scope, tree: exp.Expr, hop: int, into: Deps, push: Push) -> None:
    """OVER: the function's value, and all that the window's definition names."""
    del into
    push((tree.args["this"], hop))
    # Oracle's KEEP (DENSE_RANK LAST ORDER BY …) orders within an aggregate
    inner = COMPOSE[hop][SORT if tree.args.get("over") == "KEEP" else WINDOW]
    for definition in _definitions(scope, tree):
        for name, value in definition.args.items():
            if name not in {"this", "alias"}:
                for part in value if value.__class__ is list else (value,):
                    if isinstance(part, exp.Expr):
                        push((part, inner))


def _definitions(scope: Scope, tree: exp.Expr) -> list[exp.Expr]:
    """The window itself and the named ones that it builds on."""
    found = [tree]
    if tree.args.get("over") == "KEEP":
        return found
    while found[-1].args.get("alias") is not None and len(found) <= len(scope.windows) + 1:
        name = found[-1].args["alias"]
        named = scope.windows.get(scope.session.key(name)) if isinstance(name, exp.Expr) else None
        if named is None:
            problem = f"no window is named {name.name}"
            raise scope.session.error(UnknownColumn, problem, name, fix="define it in the WINDOW clause")
        found.append(named)
    return found


def within_group(_scope: Scope, tree: exp.Expr, hop: int, _into: Deps, push: Push) -> None:
    """An ordered-set aggregate takes its value from the ORDER BY; LISTAGG and ARRAY_AGG only their order."""
    function = tree.args["this"]
    name = function.name.lower() if function.__class__ is exp.Anonymous else ""
    only_order = isinstance(function, (exp.GroupConcat, exp.ArrayAgg)) or name in SORTED_TEXT
    push((function, hop))
    for item in tree.args["expression"].args["expressions"]:
        push((item, COMPOSE[hop][SORT if only_order else AGGREGATION]))


def comprehension(scope: Scope, tree: exp.Expr, hop: int, into: Deps, push: Push) -> None:
    """``[f(x) for x in list if p(x)]``: x is no column, it stands for an element."""
    variable = tree.args["expression"]
    names = [variable, *([tree.args["position"]] if tree.args.get("position") is not None else [])]
    local = scope.inner({scope.session.key(name): Column("", "", NOTHING) for name in names})
    push((tree.args["iterator"], COMPOSE[hop][TRANSFORMATION]))
    depend(local, tree.args["this"], COMPOSE[hop][TRANSFORMATION], into)
    condition = tree.args.get("condition")
    if condition is not None:
        depend(local, condition, COMPOSE[hop][TRANSFORMATION], into)


def arrow(scope: Scope, tree: exp.Expr, hop: int, into: Deps, push: Push) -> None:
    """``x -> x + a``: x is no column, it stands for an element.

    A dialect that has JSON's arrow as well, and of whose functions we do not know which take lambdas: one parameter
    that the body does not use is read as ``j -> 'key'``, where the name is a column.
    """
    parameters, body = tree.args.get("expressions") or [], tree.args["this"]
    push((body, COMPOSE[hop][TRANSFORMATION]))
    if scope.session.rules.name in LAMBDA_ARROWS or len(parameters) != 1:
        return
    name = parameters[0]
    if name.__class__ is not exp.Identifier:
        return
    key = scope.session.key(name)
    if any(part is not name and scope.session.key(part) == key for part in body.find_all(exp.Identifier)):
        return
    found = scope.find(key, name)
    if found is not None:
        add(into, scope.session.noted(name, found).deps, COMPOSE[hop][TRANSFORMATION])


LAMBDA_ARROWS = frozenset(
    {"bigquery", "clickhouse", "databricks", "duckdb", "hive", "snowflake", "spark", "trino", "presto", "athena"}
)
"""Dialects in which an arrow that sqlglot gives as a lambda is one; DuckDB's others were respelt."""


def parameter(scope: Scope, tree: exp.Expr, hop: int, into: Deps, _push: Push) -> None:
    """``$1`` over a staged file is its first column, ``@v`` what the script set it to; else a constant of the run."""
    column = scope.positional(tree) or scope.variable(tree.name)
    if column is not None:
        add(into, scope.session.noted(tree, column).deps, hop)


def position(scope: Scope, tree: exp.Expr, hop: int, into: Deps, _push: Push) -> None:
    """DuckDB's ``#2`` is the second column of FROM."""
    add(into, counted(scope, tree).deps, hop)


def dynamic(scope: Scope, tree: exp.Expr, hop: int, into: Deps, push: Push) -> None:
    """IDENTIFIER('a') is the column a; of anything but a text nobody can tell."""
    del into
    inner = tree.args["this"]
    if inner.__class__ is not exp.Literal:
        raise scope.session.error(DynamicSql, "IDENTIFIER of a value that no text shows", tree, fix="name the column")
    column = exp.column(*reversed(inner.name.split(".")))
    column.args["this"].meta.update(inner.meta)
    push((column, hop))


def star(scope: Scope, tree: exp.Expr, hop: int, into: Deps, _push: Push) -> None:
    """A star as an argument, ``OBJECT_CONSTRUCT(* EXCLUDE (a))``, is every column that it would select."""
    for column in expand(scope, tree):
        add(into, column.deps, hop)


CONSTRUCTS: dict[type, Rule] = {
    **CALLS,
    exp.Select: subquery,
    exp.Subquery: subquery,
    exp.Union: subquery,
    exp.Except: subquery,
    exp.Intersect: subquery,
    exp.Exists: exists,
    exp.In: membership,
    exp.Any: membership,
    exp.All: membership,
    exp.Columns: chosen_column,
    exp.Window: window,
    exp.WithinGroup: within_group,
    exp.Comprehension: comprehension,
    exp.Lambda: arrow,
    exp.Parameter: parameter,
    exp.PositionalColumn: position,
    exp.Star: star,
    exp.DynamicIdentifier: dynamic,
}
