"""Expressions that need more than a table of arguments: subqueries, windows, lambdas, unknown functions, generators.

Each rule adds what it knows to ``into`` and pushes the parts that the walk of ``value.depend`` shall go on with.
"""

from collections.abc import Callable, Container

from sqlglot import exp

from governance.errors import DynamicSql, UnknownColumn, UnreadConstruct
from governance.lineage.columns import Column
from governance.lineage.edges import (
    AGGREGATION,
    COMPOSE,
    CONDITIONAL,
    FILTER,
    JOIN,
    NOTHING,
    SORT,
    TRANSFORMATION,
    WINDOW,
    Deps,
    add,
    rowwise,
)
from governance.lineage.functions import (
    CONDITIONS,
    FILTERING,
    GENERATORS,
    PICKS,
    POSITIONAL_CASES,
    SORTED_TEXT,
    uses_of,
)
from governance.lineage.masking import MASKS, SIZES
from governance.lineage.scope import Scope
from governance.lineage.value import LEAVES, depend

Push = Callable[[tuple[exp.Expr, int]], None]
Rule = Callable[[Scope, exp.Expr, int, Deps, Push], None]


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
        push((inner, COMPOSE[hop][TRANSFORMATION]))
        return
    query = scope.session.read(inner, scope.session, scope.env, scope)
    add(into, query.rows, COMPOSE[hop][FILTER])
    scope.inputs.update(query.inputs)


def membership(_scope: Scope, tree: exp.Expr, hop: int, _into: Deps, push: Push) -> None:
    """``x IN (SELECT y …)`` and ``x > ANY (SELECT y …)``: x is a value, y only decides."""
    if tree.__class__ is exp.In:
        push((tree.args["this"], COMPOSE[hop][TRANSFORMATION]))
        query = tree.args.get("query")
        others = [*(tree.args.get("expressions") or ()), tree.args.get("unnest"), tree.args.get("field")]
    else:
        query, others = tree.args["this"], []
    for part in others:
        if isinstance(part, exp.Expr):
            push((part, COMPOSE[hop][TRANSFORMATION]))
    if query is not None:
        push((query, COMPOSE[hop][FILTER if isinstance(query, exp.Query) else TRANSFORMATION]))


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


def aggregate(_scope: Scope, tree: exp.Expr, hop: int, _into: Deps, push: Push) -> None:
    """An aggregate known by name only, with ClickHouse's suffix for a condition."""
    name = _name(tree)
    parts = list(tree.args.get("expressions") or ())
    inner = COMPOSE[hop][SIZES if name.lower().startswith(("count", "uniq")) else AGGREGATION]
    if name.lower().endswith("if") and len(parts) > 1:
        push((parts.pop(), COMPOSE[hop][FILTER]))
    picks = name.lower() in PICKS
    for number, part in enumerate(parts):
        push((part, COMPOSE[hop][SORT] if picks and number == 1 else inner))


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
    inner = COMPOSE[hop][MASKS if name in scope.session.masking else uses_of(name).rest]
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


def comprehension(scope: Scope, tree: exp.Expr, hop: int, into: Deps, push: Push) -> None:
    """``[f(x) for x in list if p(x)]``: x is no column, it stands for an element."""
    variable = tree.args["expression"]
    local = scope.inner({scope.session.key(variable): Column("", "", NOTHING)})
    push((tree.args["iterator"], COMPOSE[hop][TRANSFORMATION]))
    depend(local, tree.args["this"], COMPOSE[hop][TRANSFORMATION], into)
    condition = tree.args.get("condition")
    if condition is not None:
        depend(local, condition, COMPOSE[hop][TRANSFORMATION], into)


def parameter(scope: Scope, tree: exp.Expr, hop: int, into: Deps, _push: Push) -> None:
    """``$1`` over a staged file is its first column, ``@v`` what the script set it to; else a constant of the run."""
    column = scope.positional(tree) or scope.variable(tree.name)
    if column is not None:
        add(into, column.deps, hop)


def count(_scope: Scope, tree: exp.Expr, hop: int, _into: Deps, push: Push) -> None:
    """COUNT(*) reads no column, COUNT(x) how many there are."""
    for value in tree.args.values():
        for part in value if value.__class__ is list else (value,):
            if isinstance(part, exp.Expr) and part.__class__ is not exp.Star:
                push((part, COMPOSE[hop][SIZES]))


def dynamic(scope: Scope, tree: exp.Expr, hop: int, into: Deps, push: Push) -> None:
    """IDENTIFIER('a') is the column a; of anything but a text nobody can tell."""
    del into
    inner = tree.args["this"]
    if inner.__class__ is not exp.Literal:
        raise scope.session.error(DynamicSql, "IDENTIFIER of a value that no text shows", tree, fix="name the column")
    push((exp.column(*reversed(inner.name.split("."))), hop))


def star(scope: Scope, tree: exp.Expr, hop: int, into: Deps, _push: Push) -> None:
    """A star as an argument, ``OBJECT_CONSTRUCT(*)``, is every column in scope."""
    for relation in scope.relations:
        columns = relation.columns.all()
        if columns is None:
            raise scope.session.error(UnreadConstruct, "* over columns that are not declared", tree, fix="name them")
        for column in columns:
            add(into, column.deps, hop)


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
)
"""Functions known by name that need more than a hop for their arguments."""


def leaf(_scope: Scope, _tree: exp.Expr, _hop: int, _into: Deps, _push: Push) -> None:
    """A constant, a name that is no column, a type: nothing to depend on."""


CONSTRUCTS: dict[type, Rule] = {
    **dict.fromkeys(LEAVES, leaf),
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
    exp.AnonymousAggFunc: aggregate,
    exp.CombinedAggFunc: aggregate,
    exp.Anonymous: unknown_function,
    exp.DecodeCase: decode,
    exp.Comprehension: comprehension,
    exp.Parameter: parameter,
    exp.Count: count,
    exp.Star: star,
    exp.DynamicIdentifier: dynamic,
    **dict.fromkeys(
        (
            exp.Explode,
            exp.ExplodeOuter,
            exp.Posexplode,
            exp.PosexplodeOuter,
            exp.Unnest,
            exp.Inline,
            exp.Stack,
            exp.ExplodingGenerateSeries,
        ),
        generator,
    ),
}
