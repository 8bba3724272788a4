"""Values with parts: structs, rows and lists of them, read back part by part.

``{'a': x, 'b': y}.a`` comes from x alone. A shape is a column whose ``members`` are known; whatever else a value may
be, it is read as a whole.
"""

from collections.abc import Callable, Mapping

from sqlglot import exp

from governance.errors import ColumnCountMismatch, UnknownColumn, UnparsableSql
from governance.lineage.calls import Push, unknown_function
from governance.lineage.columns import Column, Query
from governance.lineage.edges import AGGREGATION, COMPOSE, SORT, TRANSFORMATION, Deps, add, moved, united
from governance.lineage.names import at_positions, member, nth
from governance.lineage.scope import Scope
from governance.lineage.structs import declared_members
from governance.lineage.value import depend, value_of

Shape = Callable[[Scope, exp.Expr], Column | None]


def shape(scope: Scope, tree: exp.Expr) -> Column | None:
    """Return ``tree`` as a column whose members are known one by one, None where they are not."""
    reader = SHAPES.get(tree.__class__)
    return reader(scope, tree) if reader is not None else None


def shaped(scope: Scope, tree: exp.Expr) -> Column:
    """Return ``tree`` as a column: with members where they are known, else as a whole."""
    return shape(scope, tree) or Column("", "", value_of(scope, tree))


def _column(scope: Scope, tree: exp.Expr) -> Column:
    return scope.column(tree)


def _struct(scope: Scope, tree: exp.Expr) -> Column:
    members: dict[str, Column] = {}
    for number, part in enumerate(tree.args.get("expressions") or ()):
        if part.__class__ is exp.Star:
            members.update(
                {column.key: column for relation in scope.relations for column in relation.columns.all() or ()}
            )
            continue
        name, value = _part(part)
        key = scope.session.rules.fold(name or f"_{number + 1}", None)
        members[key] = shaped(scope, value)._replace(name=name or key, key=key)
    return _of(members)


def _of(members: dict[str, Column]) -> Column:
    return Column("", "", moved(united([part.deps for part in members.values()]), TRANSFORMATION), members)


def _part(tree: exp.Expr) -> tuple[str, exp.Expr]:
    if tree.__class__ in {exp.PropertyEQ, exp.EQ}:
        return tree.args["this"].name, tree.args["expression"]
    if tree.__class__ is exp.Alias:
        return tree.alias, tree.args["this"]
    return (tree.name if tree.__class__ is exp.Column else ""), tree


def _inner(scope: Scope, tree: exp.Expr) -> Column | None:
    return shape(scope, tree.args["this"])


def _dot(scope: Scope, tree: exp.Expr) -> Column | None:
    name = tree.args["expression"]
    if isinstance(name, exp.Func):
        return _method(scope, tree, name)
    base = shape(scope, tree.args["this"])
    if base is not None and name.__class__ is exp.Literal:
        return at_positions(base, name)
    if base is None or name.__class__ is not exp.Identifier:
        return None
    found = member(base, [scope.session.key(name)], scope.session.rules)
    if found is None:
        raise scope.session.error(UnknownColumn, f"the struct has no member {name.name}", name, fix="correct the name")
    return found


def _tuple(scope: Scope, tree: exp.Expr) -> Column:
    """``(a, b)``: a row whose parts have positions, and in ClickHouse perhaps names."""
    members: dict[str, Column] = {}
    for number, part in enumerate(tree.args.get("expressions") or (), 1):
        key = scope.session.key(part.args["alias"]) if part.__class__ is exp.Alias else f"{POSITION}{number}"
        members[key] = shaped(scope, part)._replace(name=key, key=key)
    return _of(members)


POSITION = "#"
"""What a key of a part without a name begins with: no identifier of that form reaches a struct."""


def _called(scope: Scope, tree: exp.Expr) -> Column | None:
    """DuckDB's ``row(a, b)`` and ``struct_extract_at(r, 2)``, ClickHouse's ``tupleElement(t, 2)`` or ``(t, 'k')``."""
    name = tree.name.lower()
    parts: list[exp.Expr] = tree.args.get("expressions") or []
    if name == "row":
        return _tuple(scope, tree)
    if name not in ELEMENT_OF or len(parts) < 2 or parts[1].__class__ is not exp.Literal:  # noqa: PLR2004  value, which
        return None
    base = shape(scope, parts[0])
    if base is None or base.members is None:
        return None
    if parts[1].args.get("is_string"):
        return base.members.get(scope.session.rules.fold(parts[1].name, None))
    return at_positions(base, parts[1])


ELEMENT_OF = frozenset({"tupleelement", "struct_extract_at"})


def _method(scope: Scope, tree: exp.Expr, call: exp.Expr) -> Column | None:
    """``c.mail.value('(a)[1]')`` is computed from the column; ``dbo.f(x)`` has a schema before it, and no column."""
    if not isinstance(tree.args.get("this"), exp.Expr):
        raise scope.session.error(UnparsableSql, "a dot without a name before it", tree, fix="remove the dot")
    names = [part for part in tree.args["this"].walk() if part.__class__ is exp.Identifier]
    if not names or any(part.__class__ not in {exp.Identifier, exp.Dot} for part in tree.args["this"].walk()):
        return None
    owner = scope.find(scope.session.key(names[0]), names[0]) if len(names) == 1 else scope.path(names)
    if owner is not None:
        owner = scope.session.noted(tree.args["this"], owner)
    deps = dict(moved(owner.deps, TRANSFORMATION)) if owner is not None else {}
    depend(scope, call, TRANSFORMATION, deps)
    return Column("", "", deps)


def _cast(scope: Scope, tree: exp.Expr) -> Column | None:
    """A cast to a struct, or a list of them, gives its members their names, one for one."""
    to = tree.args["to"]
    if to.args.get("nested") is not True:
        return None
    whole = Column(
        "", "", moved(value_of(scope, tree.args["this"]), TRANSFORMATION), None, to.sql(scope.session.rules.name)
    )
    members = declared_members(whole, scope.session.rules)
    if members is None:
        return None
    inner = shape(scope, tree.args["this"])
    if inner is not None and inner.members is not None and len(inner.members) == len(members):
        sources = zip(members.items(), inner.members.values(), strict=True)
        members = {k: m._replace(deps=moved(source.deps, TRANSFORMATION)) for (k, m), source in sources}
    return whole._replace(members=members)


def _bracket(scope: Scope, tree: exp.Expr) -> Column | None:
    base = shape(scope, tree.args["this"])
    if base is None or base.members is None:
        return None
    index = tree.args["expressions"][0]
    if index.__class__ is exp.Literal and index.args.get("is_string"):
        return base.members.get(scope.session.rules.fold(index.name, None))
    if index.__class__ is exp.Literal and index.name.isdecimal() and _is_row(tree.args["this"], base):
        return nth(base, int(index.name) + 1)  # sqlglot counts from 0
    deps = dict(base.deps)
    depend(scope, index, TRANSFORMATION, deps)
    return base._replace(deps=deps)


def _is_row(tree: exp.Expr, value: Column) -> bool:
    """Tell a row, whose parts have positions, from a list of structs."""
    return tree.__class__ is exp.Struct or next(iter(value.members or ()), "").startswith(POSITION)


def _extracted(scope: Scope, tree: exp.Expr) -> Column | None:
    """``struct_extract(s, 'p')``."""
    base, name = shape(scope, tree.args["this"]), tree.args["expression"]
    if base is None or base.members is None or name.__class__ is not exp.Literal:
        return None
    return base.members.get(scope.session.rules.fold(name.name, None))


def _list(scope: Scope, tree: exp.Expr) -> Column | None:
    """A list has the members of its elements, where all have them."""
    parts = tree.args.get("expressions") or []
    if len(parts) == 1 and isinstance(parts[0], exp.Query):
        row = _query(scope, parts[0])
        return row._replace(deps=moved(row.deps, TRANSFORMATION))
    if not parts or any(part.__class__ not in {exp.Struct, exp.Column} for part in parts):
        return None
    known = [column.members for part in parts if (column := shape(scope, part)) and column.members is not None]
    return _of(_together(known)) if len(known) == len(parts) else None


def _together(each: list[Mapping[str, Column]]) -> dict[str, Column]:
    together: dict[str, Column] = {}
    for members in each:
        for key, column in members.items():
            seen = together.get(key)
            together[key] = column if seen is None else column._replace(deps=united([seen.deps, column.deps]))
    return together


def _query(scope: Scope, tree: exp.Expr) -> Column:
    """A scalar subquery has the members of its one column; its row clauses stay with the value and with each member."""
    query: Query = scope.session.read(tree, scope.session, scope.env, scope)
    scope.inputs.update(query.inputs)
    if len(query.columns) != 1:
        problem = f"a subquery of {len(query.columns)} columns stands for one value"
        raise scope.session.error(ColumnCountMismatch, problem, tree, fix="select one column in it")
    deps = united([query.columns[0].deps, query.rows])
    members = query.columns[0].members
    if members is None:
        return Column("", "", deps)
    each = {key: part._replace(deps=united([part.deps, query.rows])) for key, part in members.items()}
    return Column("", "", deps, each)


def _gathered(scope: Scope, tree: exp.Expr) -> Column | None:
    """An aggregate of rows (ARRAY_AGG, ANY_VALUE, ARG_MAX …): each member aggregated, what orders or picks is SORT."""
    inner, picking = _unwrapped(tree)
    row = shape(scope, inner) if inner.__class__ in {exp.Column, exp.Struct} else None
    if row is None or row.members is None:
        return None
    steering: Deps = {}
    for part in picking:
        depend(scope, part, SORT, steering)
    members = {key: _steered(column, steering) for key, column in row.members.items()}
    return _steered(row, steering)._replace(members=members)


def _unwrapped(tree: exp.Expr) -> tuple[exp.Expr, list[exp.Expr]]:
    """Return what an aggregate gathers, and the expressions that order or pick it."""
    second = tree.args.get("expression")
    picking = [second] if tree.__class__ in {exp.ArgMax, exp.ArgMin} and isinstance(second, exp.Expr) else []
    inner = tree.args["this"]
    while inner.__class__ in WRAPPERS:
        if inner.__class__ is exp.Distinct:
            inner = inner.args["expressions"][0]
            continue
        picking += [part for part in inner.args.get("expressions") or () if isinstance(part, exp.Expr)]
        if isinstance(inner.args.get("expression"), exp.Expr):
            picking.append(inner.args["expression"])
        inner = inner.args["this"]
    return inner, picking


WRAPPERS = frozenset({exp.Order, exp.Limit, exp.Distinct, exp.HavingMax, exp.IgnoreNulls})


def _steered(column: Column, steering: Deps) -> Column:
    return column._replace(deps=united([moved(column.deps, AGGREGATION), steering]))


def part_or_call(scope: Scope, tree: exp.Expr, hop: int, into: Deps, push: Push) -> None:
    """A function known by name only: one that takes a row apart, else any."""
    (part_of if tree.name.lower() in ELEMENT_OF else unknown_function)(scope, tree, hop, into, push)


def part_of(scope: Scope, tree: exp.Expr, hop: int, into: Deps, push: Push) -> None:
    """``value.member`` or ``value[index]`` in an expression: the member alone where it is known."""
    found = shape(scope, tree)
    if found is not None:
        add(into, found.deps, hop)
        return
    for value in tree.args.values():
        for part in value if value.__class__ is list else (value,):
            if isinstance(part, exp.Expr):
                push((part, COMPOSE[hop][TRANSFORMATION]))


SHAPES: dict[type, Shape] = {
    exp.Column: _column,
    exp.Struct: _struct,
    exp.Paren: _inner,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Dot: _dot,
    exp.Bracket: _bracket,
    exp.Array: _list,
    exp.Subquery: _query,
    exp.StructExtract: _extracted,
    exp.Tuple: _tuple,
    exp.Anonymous: _called,
    **dict.fromkeys((exp.ArrayAgg, exp.AnyValue, exp.First, exp.Last, exp.ArgMax, exp.ArgMin), _gathered),
}
"""Kinds of expression whose members can be known."""
