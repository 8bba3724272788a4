"""What a value depends on: DIRECT, and INDIRECT on the field (lineage semantics, sections 2 and 3).

One walk with a stack of its own goes down an expression and carries the hop from where it is to the output; every
column it meets adds its source fields through that hop. So no expression is too deep, and none is read twice.
"""

from sqlglot import exp

from governance.lineage.edges import CARRIED, COMPOSE, IDENTITY, TRANSFORMATION, Deps
from governance.lineage.functions import USES
from governance.lineage.scope import Scope

LEAVES = frozenset({exp.Literal, exp.Identifier, exp.Boolean, exp.Null, exp.DataType, exp.Var})

BINARY = frozenset({
    exp.Add, exp.And, exp.Div, exp.DPipe, exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Mul, exp.NEQ, exp.Or, exp.Sub,
})  # fmt: skip
"""The commonest operators: two arguments and nothing else, so that they need no look at their other settings."""


def depend(scope: Scope, root: exp.Expr, hop: int, into: Deps) -> None:
    """Add to ``into`` every source field that the value of ``root`` depends on, ``hop`` further on."""
    column, constructs = scope.column, scope.session.constructs
    stack = [(root, hop)]
    pop, push = stack.pop, stack.append
    while stack:
        tree, hop = pop()
        kind = tree.__class__
        if kind is exp.Column:
            carried = CARRIED[hop]
            for source, bits in column(tree).deps.items():
                into[source] = into.get(source, 0) | carried[bits]
        elif kind in BINARY:
            args, inner = tree.args, COMPOSE[hop][TRANSFORMATION]
            push((args["this"], inner))
            push((args["expression"], inner))
        elif kind in LEAVES:
            continue
        elif kind in constructs:
            constructs[kind](scope, tree, hop, into, push)
        else:
            stack += arguments(tree, hop)


def arguments(tree: exp.Expr, hop: int) -> list[tuple[exp.Expr, int]]:
    """Return the arguments of ``tree`` that are not leaves, each with the hop from it to the output."""
    hops = COMPOSE[hop]
    rest, named = USES.get(tree.__class__, VALUE)
    inner = hops[rest]
    found: list[tuple[exp.Expr, int]] = []
    for name, value in tree.args.items():
        if value is None:
            continue
        kind = value.__class__
        if kind is list:
            step = hops[named[name]] if name in named else inner
            found += [(part, step) for part in value if isinstance(part, exp.Expr)]
        elif kind not in LEAVES and isinstance(value, exp.Expr):
            found.append((value, hops[named[name]] if name in named else inner))
    return found


def value_of(scope: Scope, tree: exp.Expr) -> Deps:
    """Return what the value of ``tree`` depends on; a bare column shares the deps it has."""
    if tree.__class__ is exp.Column:
        return scope.column(tree).deps
    into: Deps = {}
    depend(scope, tree, IDENTITY, into)
    return into


VALUE: tuple[int, dict[str, int]] = (TRANSFORMATION, {})
"""What any other piece of SQL does with its arguments: it computes a value from all of them."""
