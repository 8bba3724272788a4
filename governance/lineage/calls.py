"""Function calls that need more than a hop for their arguments, by sqlglot's class or by name."""

import re
from collections.abc import Callable, Container

from sqlglot import exp

from governance.errors import UnreadConstruct
from governance.lineage.edges import (
    AGGREGATION,
    COMPOSE,
    CONDITIONAL,
    FILTER,
    JOIN,
    NOTHING,
    SORT,
    TRANSFORMATION,
    Deps,
    add,
)
from governance.lineage.functions import (
    CONDITIONS,
    FILTERING,
    GENERATORS,
    PICKS,
    POSITIONAL_CASES,
    kinds_of,
    uses_of,
)
from governance.lineage.masking import MASKS, SIZES
from governance.lineage.scope import Scope
from governance.lineage.value import depend

Push = Callable[[tuple[exp.Expr, int]], None]
Rule = Callable[[Scope, exp.Expr, int, Deps, Push], None]


def aggregate(_scope: Scope, tree: exp.Expr, hop: int, _into: Deps, push: Push) -> None:
    """An aggregate known by name only, with ClickHouse's suffix for a condition."""
    name = _name(tree)
    parts = list(tree.args.get("params") or tree.args.get("expressions") or ())
    inner = COMPOSE[hop][SIZES if name.lower().startswith(("count", "uniq")) else AGGREGATION]
    if _CONDITIONAL.search(name) and len(parts) > 1:
        push((parts.pop(), COMPOSE[hop][FILTER]))
    picks = name.lower() in PICKS or name.lower().startswith(("argmin", "argmax"))
    for number, part in enumerate(parts):
        push((part, COMPOSE[hop][SORT] if picks and number == 1 else inner))


_CONDITIONAL = re.compile("If(State|Merge|OrNull|OrDefault|Distinct|ForEach|Array)*$", re.IGNORECASE)
"""ClickHouse's names of aggregates whose last argument is a condition."""


def unknown_function(scope: Scope, tree: exp.Expr, hop: int, into: Deps, push: Push) -> None:
    """A function that sqlglot knows by name only: a macro of the script, one of the tables, else a computed value."""
    name = _name(tree).lower()
    parts = tree.args.get("expressions") or []
    macro = scope.session.macros.get(name)
    if macro is not None:
        depend(scope.session.bind(macro, scope, parts), macro.body, hop, into)
        return
    rule = next((rule for names, rule in BY_NAME if name in names), None)
    if rule is not None:
        rule(scope, tree, hop, into, push)
        return
    if name in GENERATORS:
        _expand_rows(scope, parts)
    inner = COMPOSE[hop][MASKS if name in scope.session.masking else uses_of(name, scope.session.rules.name).rest]
    for part in parts:
        push((part, inner))


def held_variable(scope: Scope, tree: exp.Expr, hop: int, into: Deps, _push: Push) -> None:
    """DuckDB's getvariable('v')."""
    held = scope.variable(tree.args["expressions"][0].name)
    add(into, held.deps if held is not None else NOTHING, hop)


def proposed(scope: Scope, tree: exp.Expr, hop: int, into: Deps, _push: Push) -> None:
    """VALUES(b) in MySQL's ON DUPLICATE KEY UPDATE is the value that the INSERT proposes for b."""
    row = scope.named.get(scope.session.rules.fold("values", None))
    for part in tree.args["expressions"] if row is not None else ():
        if not isinstance(part, exp.Expr):
            continue
        name = part.args["this"] if part.__class__ is exp.Column else part
        column = row.columns.find(scope.session.key(name), name.name) if row is not None else None
        add(into, column.deps if column is not None else NOTHING, hop)


def filtered(_scope: Scope, tree: exp.Expr, hop: int, _into: Deps, push: Push) -> None:
    """``sumIf(x, condition)``."""
    value, *conditions = tree.args["expressions"]
    push((value, COMPOSE[hop][AGGREGATION]))
    for condition in conditions:
        push((condition, COMPOSE[hop][FILTER]))


def conditional(_scope: Scope, tree: exp.Expr, hop: int, _into: Deps, push: Push) -> None:
    """IIF, MULTI_IF and DECODE by name."""
    parts = tree.args["expressions"]
    for number, part in enumerate(parts):
        push((part, COMPOSE[hop][_role(_name(tree).lower(), number, len(parts))]))


def _role(name: str, number: int, count: int) -> int:
    """``iff(c, a, b)`` has one condition; ``multiIf`` and ``DECODE`` alternate, and end in a default."""
    if name in CONDITIONS:
        return CONDITIONAL if number == 0 else TRANSFORMATION
    offset = POSITIONAL_CASES[name]
    if number < offset:
        return CONDITIONAL
    last = number == count - 1 and (count - offset) % 2 == 1
    return TRANSFORMATION if last or (number - offset) % 2 == 1 else CONDITIONAL


def decode(_scope: Scope, tree: exp.Expr, hop: int, _into: Deps, push: Push) -> None:
    """DECODE(operand, search, result, …, default): operand and searches only steer."""
    parts = tree.args["expressions"]
    for number, part in enumerate(parts):
        push((part, COMPOSE[hop][_role("decode", number, len(parts))]))


def generator(scope: Scope, tree: exp.Expr, hop: int, _into: Deps, push: Push) -> None:
    """UNNEST, EXPLODE and the like in a select list: the element is a value, the collection shapes the rows."""
    found = [
        part
        for value in tree.args.values()
        for part in (value if value.__class__ is list else (value,))
        if isinstance(part, exp.Expr)
    ]
    _expand_rows(scope, found)
    for part in found:
        push((part, COMPOSE[hop][TRANSFORMATION]))


def _expand_rows(scope: Scope, parts: list[exp.Expr]) -> None:
    if scope.clause == "select":
        for part in parts:
            depend(scope, part, JOIN, scope.rows)


def count(_scope: Scope, tree: exp.Expr, hop: int, _into: Deps, push: Push) -> None:
    """COUNT(*) reads no column, COUNT(x) how many there are."""
    for value in tree.args.values():
        for part in value if value.__class__ is list else (value,):
            if isinstance(part, exp.Expr) and part.__class__ is not exp.Star:
                push((part, COMPOSE[hop][SIZES]))


def unread(scope: Scope, tree: exp.Expr, _hop: int, _into: Deps, _push: Push) -> None:
    """ClickHouse's ``* APPLY(f)`` and ``untuple(t)`` are several columns.

    Raises:
        UnreadConstruct: always.
    """
    words = _name(tree) if tree.__class__ is exp.Anonymous else tree.key.upper()
    raise scope.session.error(UnreadConstruct, f"{words} is not read", tree, fix="name the columns one by one")


def _name(tree: exp.Expr) -> str:
    name = tree.args["this"]
    return name if isinstance(name, str) else name.name


BY_NAME: tuple[tuple[Container[str], Rule], ...] = (
    (PICKS, aggregate),
    (FILTERING, filtered),
    (CONDITIONS, conditional),
    (POSITIONAL_CASES, conditional),
    ({"getvariable"}, held_variable),
    ({"values"}, proposed),
    ({"untuple"}, unread),
)
"""Functions known by name that need more than a hop for their arguments."""


CALLS: dict[type, Rule] = {
    exp.AnonymousAggFunc: aggregate,
    exp.CombinedAggFunc: aggregate,
    exp.CombinedParameterizedAgg: aggregate,
    exp.Anonymous: unknown_function,
    exp.Apply: unread,
    exp.DecodeCase: decode,
    exp.Count: count,
    **dict.fromkeys(kinds_of(exp.Explode), generator),
    **dict.fromkeys((exp.Unnest, exp.Inline, exp.Stack, exp.ExplodingGenerateSeries), generator),
}
"""Classes of functions that have a rule of their own."""
