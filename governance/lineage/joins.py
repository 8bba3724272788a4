"""FROM and JOIN: relations come into scope one by one, and how they are joined shapes the rows."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sqlglot import exp

from governance.errors import UnknownColumn, UnreadConstruct
from governance.lineage.aliases import alias_of
from governance.lineage.columns import Column, ListedColumns, Relation
from governance.lineage.edges import FILTER, JOIN, TRANSFORMATION, Deps, add, moved, united
from governance.lineage.layout import Merge, laid_out
from governance.lineage.names import identifier
from governance.lineage.relation import read_relation
from governance.lineage.scope import Scope
from governance.lineage.value import depend, value_of


def read_from(scope: Scope, tree: exp.Expr) -> None:
    """Bring what FROM, its joins and its laterals name into ``scope``."""
    args = tree.args
    start = args.get("from_")
    if start is not None:
        read_joined(scope, start.args["this"])
    for lateral in args.get("laterals") or ():
        scope.join(read_relation(scope, lateral))
    first = 0
    for join in args.get("joins") or ():
        first = len(scope.relations) if is_comma(join) else first
        read_join(scope, join, first)


def is_comma(join: exp.Expr) -> bool:
    """Tell whether a join is a comma: what is joined after it is joined to what stands after it alone."""
    return all(not value for name, value in join.args.items() if name not in {"this", "pivots"})


def read_joined(scope: Scope, tree: exp.Expr) -> None:
    """Bring one item of FROM into scope, with the joins that hang on it."""
    first = len(scope.relations)
    if tree.__class__ is exp.Subquery and _core(tree).__class__ in {exp.Table, exp.Subquery}:
        _parenthesised(scope, tree, tree.args["this"])
    else:
        scope.join(read_relation(scope, tree))
    sample = tree.args.get("sample")
    if sample is not None and sample.args.get("bucket_field") is not None:  # Hive's buckets choose rows by a column
        depend(scope, exp.Column(this=identifier(sample.args["bucket_field"])), FILTER, scope.rows)
    for join in tree.args.get("joins") or ():
        read_join(scope, join, first)


def _core(tree: exp.Expr) -> exp.Expr:
    """What stands in all the parentheses, as long as they have no alias and no joins of their own within."""
    inner: exp.Expr = tree.args["this"]
    while inner.__class__ is exp.Subquery and not (inner.args.get("alias") or inner.args.get("joins")):
        inner = inner.args["this"]
    return inner


def _parenthesised(scope: Scope, tree: exp.Expr, inner: exp.Expr) -> None:
    """``(a JOIN b) [AS x]``: without an alias its relations stay in sight, with one they are a single relation."""
    before, merges, merged = len(scope.relations), len(scope.merges), dict(scope.merged)
    read_joined(scope, inner)
    alias = alias_of(scope, tree)
    if not alias:
        return
    within = [
        m._replace(left=m.left - before, right=m.right - before, stop=m.stop - before) for m in scope.merges[merges:]
    ]
    columns = laid_out(scope.relations[before:], within, in_place=scope.session.rules.in_place)
    scope.restrict(scope.relations[:before])
    scope.merges, scope.merged = scope.merges[:merges], merged
    scope.join(Relation(alias, (), ListedColumns(columns)))


class Sides(NamedTuple):
    """A join's two sides, and the hop of its keys; the left side begins at ``first`` of all relations before it."""

    left: Sequence[Relation]
    right: Sequence[Relation]
    hop: int
    first: int


def read_join(scope: Scope, join: exp.Expr, first: int = 0) -> None:
    """Bring a join's right side into scope and its condition into the rows; its left side begins at ``first``."""
    args = join.args
    kind = (args.get("kind") or "").upper()
    if kind == "ARRAY":
        _array_join(scope, join)
        return
    left = list(scope.relations)
    hidden = kind in {"SEMI", "ANTI"}
    rows, scope.rows = scope.rows, {} if hidden else scope.rows
    read_joined(scope, args["this"])
    sides = Sides(left, scope.relations[len(left) :], FILTER if hidden else JOIN, first)
    if args.get("using"):
        _merge(scope, args["using"], sides, join)
    elif (args.get("method") or "").upper() == "NATURAL":
        _merge(scope, _shared(scope, sides, join), sides, join)
    scope.clause = "join"
    for name in ("on", "match_condition"):
        if args.get(name) is not None:
            depend(scope, args[name], sides.hop, scope.rows)
    if hidden:  # the right side only decides which rows stay
        add(rows, scope.rows, FILTER)
        scope.rows = rows
        scope.restrict(left)


def _shared(scope: Scope, sides: Sides, join: exp.Expr) -> list[exp.Expr]:
    """The names that NATURAL joins by."""
    if any(relation.columns.all() is None for relation in (*sides.left, *sides.right)):
        problem = "NATURAL JOIN with columns that are not declared"
        raise scope.session.error(UnreadConstruct, problem, join, fix="join with ON")
    ours = dict.fromkeys(c.key for relation in sides.left[sides.first :] for c in relation.columns.all() or ())
    theirs = {column.key for relation in sides.right for column in relation.columns.all() or ()}
    shared: list[exp.Expr] = [exp.Identifier(this=key, quoted=True) for key in ours if key in theirs]
    if not shared and scope.session.rules.name == "duckdb":  # elsewhere it is a CROSS JOIN
        raise scope.session.error(UnknownColumn, "NATURAL JOIN of no common column", join, fix="join with ON")
    return shared


def _merge(scope: Scope, names: Sequence[exp.Expr], sides: Sides, join: exp.Expr) -> None:
    side = (join.args.get("side") or "").upper()
    value = SIDES.get(side, _left)
    merged = []
    for name in names:
        key = scope.session.key(identifier(name))
        ours = scope.merged.get(key) or _in(scope, (*sides.left[sides.first :], *sides.left), key, name)
        theirs = _in(scope, sides.right, key, name)
        for column in (ours, theirs):
            add(scope.rows, scope.session.noted(name, column).deps, sides.hop)
        if sides.hop == JOIN:
            scope.merged[key] = value(ours, theirs)
            merged.append(scope.merged[key]._replace(name=ours.name))
    if merged:
        _note(scope, merged, sides, turned=side == "RIGHT" and scope.session.rules.name == "mysql")
    scope.seen = {}


def _note(scope: Scope, merged: list[Column], sides: Sides, *, turned: bool) -> None:
    """Note what a join merged; MySQL has it in the order of the side that comes first."""
    if scope.session.rules.name == "mysql":
        leading = sides.right if turned else sides.left[sides.first :]
        order = [column.key for relation in leading for column in relation.columns.all() or ()]
        merged.sort(key=lambda column: order.index(column.key) if column.key in order else len(order))
    stop = len(scope.relations)
    scope.merges.append(Merge(merged, sides.first, stop - len(sides.right), stop, turned))


def _in(scope: Scope, relations: Sequence[Relation], key: str, name: exp.Expr) -> Column:
    for relation in relations:
        column = relation.columns.find(key, identifier(name).name)
        if column is not None:
            return column
    problem = f"USING column {name.name} is missing on one side"
    raise scope.session.error(UnknownColumn, problem, name, fix="join with ON")


def _left(ours: Column, _theirs: Column) -> Column:
    return ours


def _right(_ours: Column, theirs: Column) -> Column:
    return theirs


def _both(ours: Column, theirs: Column) -> Column:
    deps: Deps = moved(united([ours.deps, theirs.deps]), TRANSFORMATION)
    return Column(ours.name, ours.key, deps)


SIDES: dict[str, Callable[[Column, Column], Column]] = {"": _left, "LEFT": _left, "RIGHT": _right, "FULL": _both}
"""Whose value a merged column has: FULL coalesces both."""


def _array_join(scope: Scope, join: exp.Expr) -> None:
    """ClickHouse's ARRAY JOIN: each array becomes its element, under its alias or its own name."""
    parts = [join.args["this"], *(join.args.get("expressions") or ())]
    for part in parts:
        tree = part.args["this"] if part.__class__ in {exp.Alias, exp.Table} else part
        if tree.__class__ is exp.Identifier:
            tree = exp.Column(this=tree)
        name = part.args["alias"] if part.__class__ is exp.Alias else tree.args["this"]
        deps = value_of(scope, tree)
        add(scope.rows, deps, JOIN)
        key = scope.session.key(name)
        element = scope.merged[key] = Column(name.args["this"], key, moved(deps, TRANSFORMATION))
        stop = len(scope.relations)
        scope.merges.append(Merge([element], 0, stop, stop))
    scope.seen = {}
