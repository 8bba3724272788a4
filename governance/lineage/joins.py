"""FROM and JOIN: relations come into scope one by one, and how they are joined shapes the rows."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sqlglot import exp

from governance.errors import UnknownColumn, UnreadConstruct
from governance.lineage.aliases import alias_of
from governance.lineage.columns import Column, ListedColumns, Relation
from governance.lineage.edges import FILTER, JOIN, TRANSFORMATION, Deps, add, moved, united
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
    for join in args.get("joins") or ():
        read_join(scope, join)


def read_joined(scope: Scope, tree: exp.Expr) -> None:
    """Bring one item of FROM into scope, with the joins that hang on it."""
    if tree.__class__ is exp.Subquery and _core(tree).__class__ is exp.Table:
        _parenthesised(scope, tree, tree.args["this"])
    else:
        scope.join(read_relation(scope, tree))
    sample = tree.args.get("sample")
    if sample is not None and sample.args.get("bucket_field") is not None:  # Hive's buckets choose rows by a column
        depend(scope, exp.Column(this=identifier(sample.args["bucket_field"])), FILTER, scope.rows)
    for join in tree.args.get("joins") or ():
        read_join(scope, join)


def _core(tree: exp.Expr) -> exp.Expr:
    """What stands in all the parentheses, as long as they have no alias of their own within."""
    inner: exp.Expr = tree.args["this"]
    while inner.__class__ is exp.Subquery and not inner.args.get("alias"):
        inner = inner.args["this"]
    return inner


def _parenthesised(scope: Scope, tree: exp.Expr, inner: exp.Expr) -> None:
    """``(a JOIN b) [AS x]``: without an alias its relations stay in sight, with one they are a single relation."""
    before = len(scope.relations)
    read_joined(scope, inner)
    alias = alias_of(scope, tree)
    if not alias:
        return
    columns = [column for relation in scope.relations[before:] for column in relation.columns.all() or ()]
    scope.restrict(scope.relations[:before])
    scope.join(Relation(alias, (), ListedColumns(columns)))


class Sides(NamedTuple):
    """A join's two sides, and the hop of its keys."""

    left: Sequence[Relation]
    right: Sequence[Relation]
    hop: int


def read_join(scope: Scope, join: exp.Expr) -> None:
    """Bring a join's right side into scope and its condition into the rows."""
    args = join.args
    kind = (args.get("kind") or "").upper()
    if kind == "ARRAY":
        _array_join(scope, join)
        return
    left = list(scope.relations)
    hidden = kind in {"SEMI", "ANTI"}
    rows, scope.rows = scope.rows, {} if hidden else scope.rows
    read_joined(scope, args["this"])
    sides = Sides(left, scope.relations[len(left) :], FILTER if hidden else JOIN)
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
    ours = {column.key for relation in sides.left for column in relation.columns.all() or ()}
    theirs = [column for relation in sides.right for column in relation.columns.all() or ()]
    shared: list[exp.Expr] = [exp.Identifier(this=column.name, quoted=True) for column in theirs if column.key in ours]
    if not shared and scope.session.rules.name == "duckdb":  # elsewhere it is a CROSS JOIN
        raise scope.session.error(UnknownColumn, "NATURAL JOIN of no common column", join, fix="join with ON")
    return shared


def _merge(scope: Scope, names: Sequence[exp.Expr], sides: Sides, join: exp.Expr) -> None:
    value = SIDES.get((join.args.get("side") or "").upper(), _left)
    for name in names:
        key = scope.session.key(identifier(name))
        ours = scope.merged.get(key) or _in(scope, sides.left, key, name)
        theirs = _in(scope, sides.right, key, name)
        for side in (ours, theirs):
            add(scope.rows, scope.session.noted(name, side).deps, sides.hop)
        if sides.hop == JOIN:
            scope.merged[key] = value(ours, theirs)
    scope.seen = {}


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
        scope.merged[key] = Column(name.args["this"], key, moved(deps, TRANSFORMATION))
    scope.seen = {}
