"""What decides which rows a SELECT gives (lineage semantics, section 4): one table of clauses, in the order they are read."""

from collections.abc import Callable, Sequence

from sqlglot import exp

from governance.errors import UnknownColumn
from governance.lineage.columns import Column
from governance.lineage.edges import FILTER, GROUP_BY, SORT, add
from governance.lineage.scope import Scope
from governance.lineage.value import depend

Clause = Callable[[Scope, exp.Expr, Sequence[Column], list[exp.Expr]], None]


def read_rows(scope: Scope, tree: exp.Expr, columns: Sequence[Column]) -> None:
    """Add to ``scope.rows`` what the clauses of ``tree`` name; ``columns`` are its output."""
    args = tree.args
    items = args.get("expressions") or []
    for name, (clause, read) in CLAUSES.items():
        part = args.get(name)
        if part:
            scope.clause = clause
            read(scope, part, columns, items)


def _filter(scope: Scope, part: exp.Expr, _columns: Sequence[Column], _items: list[exp.Expr]) -> None:
    depend(scope, part.args["this"], FILTER, scope.rows)


def _amount(scope: Scope, part: exp.Expr, _columns: Sequence[Column], _items: list[exp.Expr]) -> None:
    depend(scope, part, FILTER, scope.rows)


def _distinct(scope: Scope, part: exp.Expr, columns: Sequence[Column], _items: list[exp.Expr]) -> None:
    on = part.args.get("on")
    if on is None:
        for column in columns:
            add(scope.rows, column.deps, GROUP_BY)
        return
    for key in on.args.get("expressions") or [on.args["this"]]:
        _resolved(scope, key, columns, GROUP_BY)


def _group(scope: Scope, part: exp.Expr, columns: Sequence[Column], items: list[exp.Expr]) -> None:
    if part.args.get("all"):
        for column, tree in _grouped(columns, items):
            if not any(True for _ in tree.find_all(exp.AggFunc)):
                add(scope.rows, column.deps, GROUP_BY)
    keys = [key for name in GROUPINGS for key in part.args.get(name) or ()]
    for key in keys:
        _resolved(scope, key, columns, GROUP_BY)
    scope.grouped = frozenset(scope.session.key(k.args["this"]) for k in keys if k.__class__ is exp.Column)


def _grouped(columns: Sequence[Column], items: list[exp.Expr]) -> list[tuple[Column, exp.Expr]]:
    return list(zip(columns, items, strict=False))


def _sort(scope: Scope, part: exp.Expr, columns: Sequence[Column], _items: list[exp.Expr]) -> None:
    for item in part.args["expressions"]:
        key = item.args["this"] if item.__class__ is exp.Ordered else item
        if key.__class__ is exp.Column and key.name.lower() == "all" and not key.table:
            for column in columns:
                add(scope.rows, column.deps, SORT)
            continue
        scope.clause = "order" if key.__class__ is exp.Column else "order expression"
        _resolved(scope, key, columns, SORT)


def _resolved(scope: Scope, key: exp.Expr, columns: Sequence[Column], hop: int) -> None:
    """A key is a position, a tuple of keys, or an expression."""
    if key.__class__ in {exp.Tuple, exp.Paren, exp.Cube, exp.Rollup, exp.GroupingSets}:
        for part in key.args.get("expressions") or [key.args["this"]]:
            _resolved(scope, part, columns, hop)
        return
    if key.__class__ is exp.Literal and not key.args.get("is_string"):
        position = int(key.args["this"])
        if not 0 < position <= len(columns):
            raise scope.session.error(
                UnknownColumn, f"position {position} is outside the {len(columns)} columns selected", fix="correct it"
            )
        add(scope.rows, columns[position - 1].deps, hop)
        return
    depend(scope, key, hop, scope.rows)


GROUPINGS = ("expressions", "grouping_sets", "cube", "rollup")

CLAUSES: dict[str, tuple[str, Clause]] = {
    "where": ("where", _filter),
    "group": ("group", _group),
    "having": ("having", _filter),
    "qualify": ("qualify", _filter),
    "distinct": ("order", _distinct),
    "order": ("order", _sort),
    "limit": ("select", _amount),
    "offset": ("select", _amount),
}
"""Argument of sqlglot's Select → (the clause's name for alias precedence, its reader)."""
