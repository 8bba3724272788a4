"""What a value depends on: DIRECT, and INDIRECT on the field (lineage semantics, sections 2 and 3).

One walk with a stack of its own goes down an expression and carries the hop from where it is to the output; every column
it meets adds its source fields through that hop. So no expression is too deep, and none is read twice.
"""

from collections.abc import Callable

from sqlglot import exp

from governance.lineage.columns import Column
from governance.lineage.edges import (
    AGGREGATION,
    COMPOSE,
    IDENTITY,
    SORT,
    TRANSFORMATION,
    WINDOW,
    Deps,
    add,
    rowwise,
    through,
)
from governance.lineage.functions import PICKS, USES, uses_of
from governance.lineage.scope import Scope

Push = Callable[[tuple[exp.Expr, int]], None]
Rule = Callable[[Scope, exp.Expr, int, Deps, Push], None]

LEAVES = frozenset({
    exp.Literal, exp.Identifier, exp.Boolean, exp.Null, exp.DataType, exp.Var, exp.Star, exp.Placeholder, exp.Parameter,
})  # fmt: skip


def depend(scope: Scope, root: exp.Expr, hop: int, into: Deps) -> None:
    """Add to ``into`` every source field that the value of ``root`` depends on, ``hop`` further on."""
    stack = [(root, hop)]
    pop, push = stack.pop, stack.append
    while stack:
        tree, hop = pop()
        kind = tree.__class__
        if kind is exp.Column:
            for field, bits in scope.column(tree).deps.items():
                into[field] = into.get(field, 0) | (through(hop, bits) if hop else bits)
            continue
        if kind in LEAVES:
            continue
        rule = RULES.get(kind)
        if rule is not None:
            rule(scope, tree, hop, into, push)
            continue
        uses = USES.get(kind)
        hops = COMPOSE[hop]
        if uses is None:
            inner = hops[TRANSFORMATION]
            for value in tree.args.values():
                if value.__class__ is list:
                    for part in value:
                        if isinstance(part, exp.Expr):
                            push((part, inner))
                elif isinstance(value, exp.Expr):
                    push((value, inner))
            continue
        rest, arguments = uses
        for name, value in tree.args.items():
            if value.__class__ is list:
                inner = hops[arguments.get(name, rest)]
                for part in value:
                    if isinstance(part, exp.Expr):
                        push((part, inner))
            elif isinstance(value, exp.Expr):
                push((value, hops[arguments.get(name, rest)]))


def value_of(scope: Scope, tree: exp.Expr) -> Deps:
    """Return what the value of ``tree`` depends on; a bare column shares the deps it has."""
    if tree.__class__ is exp.Column:
        return scope.column(tree).deps
    into: Deps = {}
    depend(scope, tree, IDENTITY, into)
    return into


def _query(scope: Scope, tree: exp.Expr, hop: int, into: Deps, _push: Push) -> None:
    """A subquery as a value: its columns are values, its row clauses stay with this field."""
    query = scope.session.read(tree, scope.session, scope.env, scope)
    for column in query.columns:
        add(into, column.deps, hop)
    add(into, query.rows, rowwise(hop))
    scope.inputs.update(query.inputs)


def _exists(scope: Scope, tree: exp.Expr, hop: int, into: Deps, push: Push) -> None:
    """EXISTS reads no value: only what decides whether there is a row."""
    inner = tree.args["this"]
    if not isinstance(inner, exp.Query):
        push((inner, COMPOSE[hop][TRANSFORMATION]))
        return
    query = scope.session.read(inner, scope.session, scope.env, scope)
    add(into, query.rows, rowwise(hop))
    scope.inputs.update(query.inputs)


def _window(scope: Scope, tree: exp.Expr, hop: int, into: Deps, push: Push) -> None:
    """OVER: the function's value, and all that the window's definition names."""
    hops = COMPOSE[hop]
    for name, value in tree.args.items():
        if name == "this":
            push((value, hop))
        elif name == "alias" and value is not None:
            named = scope.windows.get(scope.session.key(value))
            if named is not None:
                _definition(named, hops[WINDOW], scope, push)
        elif value.__class__ is list:
            for part in value:
                push((part, hops[WINDOW]))
        elif isinstance(value, exp.Expr):
            push((value, hops[WINDOW]))


def _definition(window: exp.Expr, hop: int, scope: Scope, push: Push) -> None:
    seen: set[int] = set()
    current: exp.Expr | None = window
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        for name, value in current.args.items():
            if name not in {"this", "alias"}:
                for part in value if value.__class__ is list else [value]:
                    if isinstance(part, exp.Expr):
                        push((part, hop))
        base = current.args.get("alias")
        current = scope.windows.get(scope.session.key(base)) if base is not None else None


def _within_group(_scope: Scope, tree: exp.Expr, hop: int, _into: Deps, push: Push) -> None:
    """An ordered-set aggregate takes its value from the ORDER BY; LISTAGG only its order."""
    function = tree.args["this"]
    sorts = isinstance(function, (exp.GroupConcat, exp.ArrayAgg)) or (
        isinstance(function, exp.Anonymous)
        and function.name.lower() in {"listagg", "string_agg", "group_concat", "array_agg"}
    )
    push((function, hop))
    push((tree.args["expression"], COMPOSE[hop][SORT if sorts else AGGREGATION]))


def _unknown_function(_scope: Scope, tree: exp.Expr, hop: int, _into: Deps, push: Push) -> None:
    """A function that sqlglot knows by name only."""
    arguments = tree.args.get("expressions") or []
    name = tree.args["this"]
    if not isinstance(name, str):
        name = name.name
    if name.lower() in PICKS:
        inner = [AGGREGATION, SORT, *[AGGREGATION] * len(arguments)]
        for argument, part in zip(arguments, inner, strict=False):
            push((argument, COMPOSE[hop][part]))
        return
    inner_hop = COMPOSE[hop][uses_of(name).rest]
    for argument in arguments:
        push((argument, inner_hop))


def _dot(scope: Scope, tree: exp.Expr, hop: int, into: Deps, push: Push) -> None:
    shaped = shape(scope, tree)
    if shaped is not None:
        add(into, shaped.deps, hop)
        return
    for part in (tree.args["this"], tree.args.get("expression"), *(tree.args.get("expressions") or ())):
        if isinstance(part, exp.Expr):
            push((part, COMPOSE[hop][TRANSFORMATION]))


def shape(scope: Scope, tree: exp.Expr) -> Column | None:
    """Return ``tree`` as a column whose members are known one by one, None where they are not."""
    del scope, tree
    return None


RULES: dict[type, Rule] = {
    exp.Select: _query,
    exp.Subquery: _query,
    exp.Union: _query,
    exp.Except: _query,
    exp.Intersect: _query,
    exp.Exists: _exists,
    exp.Window: _window,
    exp.WithinGroup: _within_group,
    exp.Anonymous: _unknown_function,
    exp.Dot: _dot,
    exp.Bracket: _dot,
}
