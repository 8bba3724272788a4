"""What decides which rows a SELECT gives (lineage semantics, section 4): a table of clauses, in reading order."""

from collections.abc import Callable, Sequence

from sqlglot import exp

from governance.errors import UnknownColumn, UnreadConstruct
from governance.lineage.columns import Column
from governance.lineage.edges import FILTER, GROUP_BY, JOIN, SORT, add
from governance.lineage.functions import AGGREGATES
from governance.lineage.scope import Scope
from governance.lineage.star import chosen
from governance.lineage.value import depend

Clause = Callable[[Scope, exp.Expr, Sequence[Column]], None]


def read_rows(scope: Scope, tree: exp.Expr, columns: Sequence[Column]) -> None:
    """Add to ``scope.rows`` what the clauses of ``tree`` name; ``columns`` are its output."""
    args = tree.args
    for name, words in UNREAD.items():
        if args.get(name):
            problem = f"{words} is not read"
            raise scope.session.error(
                UnreadConstruct, problem, tree, fix="write it with joins and windows", clause=name
            )
    for name, (clause, read) in CLAUSES.items():
        part = args.get(name)
        if part:
            scope.clause = clause
            read(scope, part, columns)


def _filter(scope: Scope, part: exp.Expr, _columns: Sequence[Column]) -> None:
    if scope.session.chooses:
        scope.chosen = {id(tree): chosen(scope, tree) for tree in part.find_all(exp.Columns)}
    depend(scope, part.args["this"], FILTER, scope.rows)


def _amount(scope: Scope, part: exp.Expr, columns: Sequence[Column]) -> None:
    """LIMIT and OFFSET; the keys of LIMIT … BY are like those of DISTINCT ON."""
    for name in ("expression", "count"):
        value = part.args.get(name)
        if isinstance(value, exp.Expr):
            depend(scope, value, FILTER, scope.rows)
    for key in part.args.get("expressions") or ():
        _key(scope, key, columns, GROUP_BY)


def _distinct(scope: Scope, part: exp.Expr, columns: Sequence[Column]) -> None:
    on = part.args.get("on")
    if on is None:
        for column in columns:
            add(scope.rows, column.deps, GROUP_BY)
        return
    for key in on.args["expressions"] if on.__class__ is exp.Tuple else [on]:
        _ordered(scope, key, columns, GROUP_BY)


def _group(scope: Scope, part: exp.Expr, columns: Sequence[Column]) -> None:
    if part.args.get("all"):
        for column, item in zip(columns, scope.items, strict=False):
            if not aggregates(item):
                add(scope.rows, column.deps, GROUP_BY)
    keys = [key for name in GROUPINGS for key in part.args.get(name) or () if isinstance(key, exp.Expr)]
    for key in keys:
        _key(scope, key, columns, GROUP_BY)
    scope.grouped = frozenset(scope.session.key(k.args["this"]) for k in keys if k.__class__ is exp.Column)


def aggregates(item: exp.Expr) -> bool:
    """Tell whether a select-list item holds an aggregate or a window, so that GROUP BY ALL leaves it out."""
    for tree in item.walk(prune=lambda part: isinstance(part, exp.Query)):
        if isinstance(tree, (exp.AggFunc, exp.Window)):
            return True
        if tree.__class__ is exp.Anonymous and tree.name.lower() in AGGREGATES:
            return True
    return False


def _sort(scope: Scope, part: exp.Expr, columns: Sequence[Column]) -> None:
    for item in part.args["expressions"]:
        key = item.args["this"] if item.__class__ is exp.Ordered else item
        if key.__class__ is exp.Var:  # ORDER BY ALL
            for column in columns:
                add(scope.rows, column.deps, SORT)
            continue
        _ordered(scope, key, columns, SORT)


def _ordered(scope: Scope, key: exp.Expr, columns: Sequence[Column], hop: int) -> None:
    """A name alone prefers an alias; within an expression a column comes first."""
    scope.clause = "order" if key.__class__ is exp.Column else "order expression"
    # DuckDB's #n is a column of FROM, but as a whole key of ORDER BY one of the select list
    _key(scope, key.args["this"] if key.__class__ is exp.PositionalColumn else key, columns, hop)


def _key(scope: Scope, key: exp.Expr, columns: Sequence[Column], hop: int) -> None:
    """A key is a position, keys in parentheses, or an expression."""
    if key.__class__ in NESTED:
        single = key.args.get("this")
        for part in key.args.get("expressions") or ([single] if single is not None else ()):
            _key(scope, part, columns, hop)
    elif key.__class__ is exp.Identifier:  # the alias within AGGREGATE … GROUP BY x AS y of a pipe
        for column in columns:
            if column.key == scope.session.key(key):
                add(scope.rows, column.deps, hop)
    elif key.__class__ is exp.Literal and not key.args.get("is_string"):
        position = key.args["this"]
        if not position.isdecimal() or not 0 < int(position) <= len(columns):
            problem = f"position {position} is outside the {len(columns)} columns selected"
            raise scope.session.error(UnknownColumn, problem, key, fix="name the column")
        add(scope.rows, columns[int(position) - 1].deps, hop)
    else:
        if scope.session.chooses:
            scope.chosen = {id(tree): chosen(scope, tree) for tree in key.find_all(exp.Columns)}
        depend(scope, key, hop, scope.rows)


def _connect(scope: Scope, part: exp.Expr, _columns: Sequence[Column]) -> None:
    """CONNECT BY joins each row to its parents; START WITH chooses the first ones."""
    depend(scope, part.args["connect"], JOIN, scope.rows)
    if part.args.get("start") is not None:
        depend(scope, part.args["start"], FILTER, scope.rows)


NESTED = frozenset({exp.Tuple, exp.Paren, exp.Cube, exp.Rollup, exp.GroupingSets})

GROUPINGS = ("expressions", "grouping_sets", "cube", "rollup")

CLAUSES: dict[str, tuple[str, Clause]] = {
    "connect": ("where", _connect),
    "prewhere": ("where", _filter),
    "where": ("where", _filter),
    "group": ("group", _group),
    "having": ("having", _filter),
    "qualify": ("qualify", _filter),
    "distinct": ("order", _distinct),
    "order": ("order", _sort),
    "sort": ("order", _sort),
    "cluster": ("order", _sort),
    "distribute": ("order", _sort),
    "limit": ("select", _amount),
    "offset": ("select", _amount),
}
"""Argument of sqlglot's Select → (the clause's name for alias precedence, its reader)."""

UNREAD = {"match": "MATCH_RECOGNIZE", "for_": "FOR XML or JSON"}
"""Clauses whose rows are not those of any relation in sight."""
