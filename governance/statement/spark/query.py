"""Queries of DuckDB's SQL as Spark writes them: every name is resolved here, so that no rule of Spark's is asked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from governance.statement.spark.calls import direction, ordered
from governance.statement.spark.kinds import BOOLEAN, DOUBLE, NULL, PASSING, REAL, UNKNOWN, Kind, common, held_alike
from governance.statement.spark.model import Scope, Value, View, name, only, refused
from governance.statement.spark.sources import read
from governance.statement.spark.values import together, truth, value

SELECTED = {
    "expressions",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "qualify",
    "order",
    "limit",
    "offset",
    "distinct",
    "with_",
}
SETS: dict[type[exp.Expr], str] = {exp.Union: "union", exp.Except: "except", exp.Intersect: "intersect"}


@dataclass(frozen=True, slots=True)
class Query:
    """A query in Spark's SQL; ``columns`` are its kinds by name, in order."""

    sql: str
    columns: tuple[tuple[str, Kind], ...]


def query(it: exp.Expr, tables: Mapping[str, View], parent: Scope | None = None) -> Query:
    """Return a query over ``tables``, whose names are in lower case.

    Raises:
        UnreadConstruct: something in it may mean something else on Spark.
    """
    tables, ctes = _with(it, tables, parent)
    if isinstance(it, exp.Subquery):
        made = _bare(it, tables, parent)
    elif type(it) in SETS:
        made = _combined(it, tables, parent)
    elif isinstance(it, exp.Select):
        made = _select(it, Scope(parent, tables))
    else:
        raise refused(it, type(it).__name__.upper())
    return Query(f"with {', '.join(ctes)} {made.sql}", made.columns) if ctes else made


def _with(it: exp.Expr, tables: Mapping[str, View], parent: Scope | None) -> tuple[Mapping[str, View], list[str]]:
    """Return the tables with those that WITH defines, and their text."""
    clause = it.args.get("with_")
    if clause is None:
        return tables, []
    known, texts = dict(tables), []
    only(clause, "expressions")
    for cte in clause.expressions:
        only(cte, "this", "alias", "materialized")
        only(cte.args["alias"], "this")
        made = query(cte.this, known, parent)
        if len({called.lower() for called, _ in made.columns}) < len(made.columns):
            raise refused(cte, "a name that two columns of a query within a query have")
        # a name of its own: one of Spark's may hide another table where DuckDB's does not
        view = View(f"{cte.alias}__{len(known)}", dict(made.columns))
        texts.append(f"{name(view.name)} as ({made.sql})")
        known[cte.alias.lower()] = view
    return known, texts


def _bare(it: exp.Expr, tables: Mapping[str, View], parent: Scope | None) -> Query:
    only(it, "this", "with_")
    made = query(it.this, tables, parent)
    return Query(f"({made.sql})", made.columns)


def _combined(it: exp.Expr, tables: Mapping[str, View], parent: Scope | None) -> Query:
    """Return UNION, EXCEPT or INTERSECT, both sides cast to the kinds that they have together."""
    only(it, "this", "expression", "distinct", "with_")
    sides = [query(it.this, tables, parent), query(it.expression, tables, parent)]
    if len(sides[0].columns) != len(sides[1].columns):
        raise refused(it, "sides with different columns")
    named = [column for column, _ in sides[0].columns]
    kinds = []
    # two rows that are alike are one, but with UNION ALL
    together = held_alike if SETS[type(it)] == "union" and not it.args.get("distinct") else common
    for left, right in zip(sides[0].columns, sides[1].columns, strict=True):
        kind = together((left[1], right[1]))
        if kind is None:
            raise refused(it, f"{left[1].said} and {right[1].said} in one column")
        kinds.append(kind)
    word = SETS[type(it)] if it.args.get("distinct") else f"{SETS[type(it)]} all"
    first, second = (_as(side, named, kinds) for side in sides)
    return Query(f"({first}) {word} ({second})", tuple(zip(named, kinds, strict=True)))


def _as(side: Query, named: list[str], kinds: list[Kind]) -> str:
    inner = [f"c{place}" for place in range(len(kinds))]
    given = [
        Value(name(at), kind if found == NULL else found).cast(kind).ranked
        for at, (_, found), kind in zip(inner, side.columns, kinds, strict=True)
    ]
    picked = (f"{it.sql} as {name(called)}" for it, called in zip(given, named, strict=True))
    return f"select {', '.join(picked)} from ({side.sql}) as side({', '.join(map(name, inner))})"


def _select(it: exp.Select, scope: Scope) -> Query:
    for key, given in it.args.items():
        if given and key not in SELECTED:
            raise refused(given if isinstance(given, exp.Expr) else it, key.strip("_").upper())
    source = read(it, scope, query)
    columns = list(_columns(it, scope))
    clauses = [source, _where(it, "where", scope), _group(it, columns, scope), _where(it, "having", scope)]
    clauses += [_order(it, columns, scope), _limit(it, "limit"), _limit(it, "offset")]
    distinct = it.args.get("distinct")
    if distinct is not None and distinct.args.get("on") is not None:
        raise refused(distinct, "DISTINCT ON")
    told = tuple((called, found.kind) for called, found in columns)
    if it.args.get("qualify"):
        return Query(_qualified(it, columns, clauses, scope), told)
    picked = ", ".join(f"{found.sql} as {name(called)}" for called, found in columns)
    return Query(" ".join(filter(None, (f"select {'distinct ' if distinct else ''}{picked}", *clauses))), told)


def _qualified(it: exp.Select, columns: list[tuple[str, Value]], clauses: list[str], scope: Scope) -> str:
    """Return a SELECT with QUALIFY, which Spark lacks: its condition is a column of a SELECT within another."""
    for clause in ("distinct", "limit", "offset"):
        if it.args.get(clause):
            raise refused(it.args[clause], f"QUALIFY beside {clause.upper()}")
    places = [f"c{place}" for place in range(len(columns))]
    inner = [*(found.sql for _, found in columns), truth(it.args["qualify"].this, scope).sql]
    text = " ".join(filter(None, (f"select {', '.join(inner)}", *clauses)))
    picked = ", ".join(f"{name(at)} as {name(called)}" for at, (called, _) in zip(places, columns, strict=True))
    named = ", ".join(map(name, (*places, "asked")))
    return f"select {picked} from ({text}) as given({named}) where {name('asked')}"


def _columns(it: exp.Select, scope: Scope) -> Iterator[tuple[str, Value]]:
    """Yield the select list; an alias can be named by what stands behind it."""
    for place, item in enumerate(it.expressions, start=1):
        if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
            yield from _star(item, scope)
            continue
        found = value(item.this if isinstance(item, exp.Alias) else item, scope)
        called = item.alias or (item.name if isinstance(item, exp.Column) else f"column {place}")
        if isinstance(item, exp.Alias):
            scope.aliases.setdefault(called.lower(), found)
        yield called, found


def _star(item: exp.Expr, scope: Scope) -> Iterator[tuple[str, Value]]:
    star = item if isinstance(item, exp.Star) else item.this
    if any(star.args.values()):
        raise refused(item, "* with EXCLUDE, REPLACE or RENAME")
    table = item.text("table").lower()
    if table and table not in scope.sources:
        raise refused(item, f"{item.text('table')}.*")
    for source, columns in scope.sources.items():
        if table in {"", source}:
            for key, (spelt, _) in columns.items():
                if table or scope.merged.get(key, source) == source:
                    yield spelt, scope.value(source, key)


def _where(it: exp.Select, clause: str, scope: Scope) -> str:
    given = it.args.get(clause)
    return f"{clause} {truth(given.this, scope).sql}" if given else ""


def _group(it: exp.Select, columns: list[tuple[str, Value]], scope: Scope) -> str:
    """Return GROUP BY with what its ordinals, aliases and ALL stand for."""
    group = it.args.get("group")
    if group is None:
        return ""
    if any(given for key, given in group.args.items() if key not in {"expressions", "all"}):
        raise refused(group, "GROUP BY with sets of groupings")
    if group.args.get("all"):
        if len(columns) != len(it.expressions):
            raise refused(group, "GROUP BY ALL beside a *")
        pairs = zip(columns, it.expressions, strict=True)
        keys = [found.sql for (_, found), item in pairs if not any(True for _ in item.find_all(exp.AggFunc))]
    else:
        keys = [_key(one, columns, scope) for one in group.expressions]
    return f"group by {', '.join(keys)}" if keys else ""


def _key(it: exp.Expr, columns: list[tuple[str, Value]], scope: Scope) -> str:
    if isinstance(it, exp.Literal):
        if it.is_string or not it.name.isdigit() or not 1 <= int(it.name) <= len(columns):
            raise refused(it, "GROUP BY of a constant")
        found = columns[int(it.name) - 1][1]
    else:
        found = value(it, scope)
    if found.kind.name in PASSING:
        raise refused(it, f"GROUP BY of {found.kind.said} values")
    if found.sql.lstrip("-").isdigit():
        raise refused(it, "GROUP BY of a constant")
    return found.sql


def _order(it: exp.Select, columns: list[tuple[str, Value]], scope: Scope) -> str:
    """Return ORDER BY, where DuckDB takes an alias before a column."""
    order = it.args.get("order")
    if order is None:
        return ""
    by_name = {called.lower(): (called, found) for called, found in columns}
    items = []
    only(order, "expressions")
    for one in order.expressions:
        only(one, "this", "desc", "nulls_first")
        if isinstance(one.this, exp.Literal) and one.this.name.isdigit():
            items.append(_by_alias(columns[int(one.this.name) - 1], one))
        elif isinstance(one.this, exp.Column) and not one.this.text("table") and one.this.name.lower() in by_name:
            items.append(_by_alias(by_name[one.this.name.lower()], one))
        else:
            items.append(ordered(one, scope))
    return f"order by {', '.join(items)}"


def _by_alias(column: tuple[str, Value], one: exp.Expr) -> str:
    return f"{Value(name(column[0]), column[1].kind).ranked.sql} {direction(one)}"


def _limit(it: exp.Select, clause: str) -> str:
    given = it.args.get(clause)
    if given is None:
        return ""
    only(given, "this", "expression")
    if not isinstance(given, exp.Limit | exp.Offset) or not isinstance(given.expression, exp.Literal):
        raise refused(it, f"{clause.upper()} by something that is no number")
    return f"{clause} {given.expression.name}"


def scalar(it: exp.Expr, scope: Scope) -> Value:
    """Return a query that stands for one value."""
    made = query(it.this, scope.tables, scope)
    if len(made.columns) != 1 or it.alias:
        raise refused(it, "a query for a value that has several columns")
    return Value(f"({made.sql})", made.columns[0][1])


def chosen(it: exp.Expr, scope: Scope) -> Value:
    """Return IN."""
    subject, inner = value(it.this, scope), it.args.get("query")
    if inner is None:
        (left, *rest), _ = together(it, (subject, *(value(one, scope) for one in it.expressions)))
        return Value(f"({left.ranked.sql} in ({', '.join(one.ranked.sql for one in rest)}))", BOOLEAN)
    made = query(inner.this if isinstance(inner, exp.Subquery) else inner, scope.tables, scope)
    kinds = {subject.kind, *(kind for _, kind in made.columns)} - {UNKNOWN}
    if len(made.columns) != 1 or len(kinds) > 1 or kinds & {DOUBLE, REAL}:
        raise refused(it, "IN of a query whose values are of another type, or doubles,")
    return Value(f"({subject.sql} in ({made.sql}))", BOOLEAN)


def existing(it: exp.Expr, scope: Scope) -> Value:
    """Return EXISTS."""
    return Value(f"exists ({query(it.this, scope.tables, scope).sql})", BOOLEAN)
