"""FROM and its joins, as Spark writes them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from sqlglot import exp

from governance.statement.spark.kinds import NULL, Kind
from governance.statement.spark.model import Scope, View, name, only, refused
from governance.statement.spark.values import together, truth, value

JOINS = {("", ""): "join", ("", "INNER"): "join", ("LEFT", ""): "left join", ("LEFT", "OUTER"): "left join"}
JOINS |= {("RIGHT", ""): "right join", ("RIGHT", "OUTER"): "right join", ("", "CROSS"): "cross join"}
JOINS |= {("FULL", ""): "full join", ("FULL", "OUTER"): "full join"}
HALF = {"semi": "left semi join", "anti": "left anti join"}
"""Joins whose right side is in sight of their condition alone."""
JOINS |= {("", word.upper()): join for word, join in HALF.items()}


class Made(Protocol):
    """A query that was translated."""

    @property
    def sql(self) -> str:
        """Its text."""
        ...

    @property
    def columns(self) -> tuple[tuple[str, Kind], ...]:
        """Its columns, in order."""
        ...


Inner = Callable[[exp.Expr, Mapping[str, View], Scope | None], Made]


def read(it: exp.Select, scope: Scope, inner: Inner) -> str:
    """Return FROM with its joins, and note in ``scope`` what names they give."""
    clause = it.args.get("from_")
    if clause is None:
        return ""
    joins = it.args.get("joins") or []
    computed = joins[-1].this if joins and isinstance(joins[-1].this, exp.Lateral) else None
    plain = joins if computed is None else joins[:-1]
    text = " ".join([f"from {_source(clause.this, scope, inner)}", *_joins(plain, scope, inner)])
    return text if computed is None else _computed(computed, text, scope)


def _computed(it: exp.Expr, text: str, scope: Scope) -> str:
    """Return FROM with the columns of LATERAL (SELECT …), which are computed once and then are there by name.

    Not every Spark has LATERAL: it is a query around what stands before it.
    """
    only(it, "this", "alias")
    alias, select = it.args.get("alias"), it.this.this
    if alias is None or not all(isinstance(one, exp.Alias) for one in select.expressions):
        raise refused(it, "LATERAL without names")
    only(alias, "this")
    only(select, "expressions")
    for part in select.walk(prune=lambda part: isinstance(part, exp.Query) and part is not select):
        if isinstance(part, exp.AggFunc | exp.Window):
            raise refused(part, "LATERAL of more than plain values")
    beside = Scope(scope, scope.tables)
    made = {one.alias: value(one.this, beside) for one in select.expressions}
    before = [(source, key) for source, columns in scope.sources.items() for key in columns]
    values = [scope.value(*it) for it in before]
    scope.sources[alias.name.lower()] = {called.lower(): (called, it.kind) for called, it in made.items()}
    every = [*before, *((alias.name.lower(), called.lower()) for called in made)]
    picked = ", ".join(f"{it.sql} as c{place}" for place, it in enumerate((*values, *made.values())))
    whole = name("computed")
    scope.moved = {it: f"{whole}.c{place}" for place, it in enumerate(every)}
    return f"from (select {picked} {text}) as {whole}"


def _joins(joins: Iterable[exp.Expr], scope: Scope, inner: Inner) -> Iterator[str]:
    for join in joins:
        kind = JOINS.get((str(join.args.get("side") or "").upper(), str(join.args.get("kind") or "").upper()))
        if kind is None or join.args.get("method"):
            raise refused(join, f"{join.sql('duckdb').split(' JOIN ')[0]} JOIN")
        only(join, "this", "on", "side", "kind", "using")
        before = list(scope.sources)
        source = _source(join.this, scope, inner)
        on, using = join.args.get("on"), join.args.get("using")
        if on is not None and on.find(exp.Query):
            # Sail fails some of these, and Spark others
            raise refused(join, "a query in ON")
        condition = truth(on, scope).sql if on is not None else ""
        if using:
            condition = _using(join, kind, before, scope)
        if kind == "join" and not condition:
            kind = "cross join"
        if kind in HALF.values():
            scope.sources.pop(list(scope.sources)[-1])
        yield f"{kind} {source} on {condition}" if condition else f"{kind} {source}"


def _using(join: exp.Expr, kind: str, before: list[str], scope: Scope) -> str:
    """Return the condition of USING, whose columns are the left side's from then on."""
    if kind not in {"join", "left join", *HALF.values()}:
        raise refused(join, f"USING of a {kind.upper()}")
    right, both = list(scope.sources)[-1], []
    for one in join.args["using"]:
        key = one.name.lower()
        left = scope.merged.get(key) or next((it for it in before if key in scope.sources[it]), None)
        if left is None or key not in scope.sources[right]:
            raise refused(join, f"USING of {one.name}")
        if scope.sources[left][key][1] != scope.sources[right][key][1]:
            raise refused(join, f"USING of {one.name}, which has two types,")
        if kind not in HALF.values():
            scope.merged[key] = left
        both.append(" = ".join(scope.value(it, key).sql for it in (left, right)))
    return " and ".join(both)


def _source(it: exp.Expr, scope: Scope, inner: Inner) -> str:
    alias = it.args.get("alias")
    if alias is not None:
        only(alias, "this", *(["columns"] if isinstance(it, exp.Values) else []))
    if isinstance(it, exp.Table):
        view = _table(it, scope)
        columns, text = tuple(view.columns.items()), name(view.name)
    elif isinstance(it, exp.Values):
        columns, text = _values(it, scope)
    elif isinstance(it, exp.Subquery):
        only(it, "this", "alias")
        # DuckDB lets it see what stands before it, Spark does not: names from there are not found
        made = inner(it.this, scope.tables, None)
        columns, text = made.columns, f"({made.sql})"
    else:
        raise refused(it, f"FROM {type(it).__name__.upper()}")
    called = it.alias or (it.name if isinstance(it, exp.Table) else f"unnamed {len(scope.sources)}")
    if called.lower() in scope.sources:
        raise refused(it, f"the name {called}, which two tables have,")
    named = {column.lower(): (column, kind) for column, kind in columns}
    if len(named) < len(columns):
        raise refused(it, "a name that two columns of a query within a query have")
    scope.sources[called.lower()] = named
    return f"{text} as {name(called.lower())}"


def _values(it: exp.Values, scope: Scope) -> tuple[tuple[tuple[str, Kind], ...], str]:
    """Return the columns of VALUES in FROM, each of the kind that its values have together, and its text."""
    only(it, "expressions", "alias")
    if it.find(exp.Query, exp.Column):
        raise refused(it, "VALUES that are no constants")
    rows = [[value(one, scope) for one in row.expressions] for row in it.expressions]
    told = [together(it, values) for values in zip(*rows, strict=True)]
    named = [one.name for one in it.args["alias"].args.get("columns") or ()] if it.args.get("alias") else []
    called = [*named, *(f"col{place}" for place in range(len(named), len(told)))]
    if any(kind == NULL for _, kind in told):
        raise refused(it, "a column of VALUES that is always NULL (cast it)")
    given = zip(*([one.cast(kind).sql for one in values] for values, kind in told), strict=True)
    texts = ", ".join(f"({', '.join(row)})" for row in given)
    columns = tuple((column, kind) for column, (_, kind) in zip(called, told, strict=True))
    picked = ", ".join(map(name, called))
    return columns, f"(select {picked} from values {texts} as given({picked}))"


def _table(it: exp.Table, scope: Scope) -> View:
    only(it, "this", "alias", "db")
    called = ".".join(filter(None, (it.db, it.name))).lower()
    view = scope.tables.get(called) if isinstance(it.this, exp.Identifier) else None
    if view is None:
        raise refused(it, f"FROM {it.sql('duckdb')[:60]}")
    return view
