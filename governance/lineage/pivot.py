"""PIVOT and UNPIVOT, in the SQL form on a table and in DuckDB's form as a statement.

A pivoted column is its aggregate, steered by the FOR column (CONDITIONAL); the columns that PIVOT leaves alone group
the rows. An unpivoted value is each listed column as it is, its name a constant; rows whose value is NULL are dropped.
"""

from collections.abc import Sequence
from itertools import product

from sqlglot import exp

from governance.errors import UnreadConstruct
from governance.lineage.columns import Column, ListedColumns, Relation
from governance.lineage.edges import CONDITIONAL, FILTER, GROUP_BY, NOTHING, Deps, add, united
from governance.lineage.names import identifier
from governance.lineage.naming import name_of
from governance.lineage.scope import Scope
from governance.lineage.star import columns_of_item
from governance.lineage.value import depend, value_of


def pivoted(scope: Scope, relation: Relation, pivots: Sequence[exp.Expr]) -> Relation:
    """Return ``relation`` after its PIVOT and UNPIVOT clauses."""
    for pivot in pivots:
        alias = pivot.args.get("alias")
        name = alias.args.get("this") if alias is not None else None
        columns = _unpivot(scope, relation, pivot) if pivot.args.get("unpivot") else _pivot(scope, relation, pivot)
        names = [identifier(n) for n in alias.args.get("columns") or ()] if alias is not None else []
        key = scope.session.key
        given = [c._replace(name=n.args["this"], key=key(n)) for c, n in zip(columns, names, strict=False)]
        listed = ListedColumns([*given, *columns[len(given) :]])
        relation = Relation(key(name) if name is not None else relation.alias, (), listed)
    return relation


def _inside(scope: Scope, relation: Relation) -> Scope:
    """A scope in which only the pivoted relation is in sight."""
    inner = Scope(scope.session, scope.env, scope.parent)
    inner.rows, inner.inputs, inner.clause = scope.rows, scope.inputs, "select"
    inner.join(relation)
    return inner


def _columns(scope: Scope, relation: Relation, at: exp.Expr) -> Sequence[Column]:
    columns = relation.columns.all()
    if columns is None:
        raise scope.session.error(UnreadConstruct, "PIVOT over columns that are not declared", at, fix="declare them")
    return columns


def _pivot(scope: Scope, relation: Relation, pivot: exp.Expr) -> list[Column]:
    inner = _inside(scope, relation)
    simplified = not pivot.args.get("fields")
    ins = (pivot.args.get("expressions") or []) if simplified else pivot.args["fields"]
    if not ins:
        raise scope.session.error(UnreadConstruct, "PIVOT without ON", pivot, fix="say which column to pivot")
    aggregates = (pivot.args.get("using") if simplified else pivot.args["expressions"]) or [exp.Count(this=exp.Star())]
    for part in ins:
        _check_listed(scope, part)
    kept = _kept(inner, relation, pivot, [*ins, *aggregates])
    for column in kept:
        add(scope.rows, column.deps, GROUP_BY)
    steering: Deps = {}
    for part in ins:
        depend(inner, part.args["this"], CONDITIONAL, steering)
    values = [united([value_of(inner, _bare(aggregate)), steering]) for aggregate in aggregates]
    columns = pivot.args.get("columns") or [
        exp.Identifier(this=name, quoted=True) for name in _names(inner, ins, aggregates)
    ]
    key = scope.session.key
    made = [Column(name.args["this"], key(name), values[n % len(values)]) for n, name in enumerate(columns)]
    return [*kept, *made]


def _check_listed(scope: Scope, part: exp.Expr) -> None:
    values = part.args.get("expressions") if part.__class__ is exp.In else None
    if not values or any(value.__class__ is exp.PivotAny or isinstance(value, exp.Query) for value in values):
        raise scope.session.error(
            UnreadConstruct,
            "the columns of this PIVOT depend on the data",
            part,
            fix="list the values with IN",
            clause="PIVOT",
        )
    if part.args["this"].__class__ not in {exp.Column, exp.Tuple, exp.Identifier}:
        raise scope.session.error(
            UnreadConstruct,
            "PIVOT over an expression is not read",
            part,
            fix="compute it in a subquery first",
            clause="PIVOT",
        )


def _kept(inner: Scope, relation: Relation, pivot: exp.Expr, used: Sequence[exp.Expr]) -> list[Column]:
    """The columns that group: those of GROUP BY, else all that neither FOR nor an aggregate names."""
    group = pivot.args.get("group")
    if group:
        return [inner.column(key) for key in group.args["expressions"]]
    named = {inner.column(tree).key for part in used for tree in part.find_all(exp.Column) if _is_source(part, tree)}
    return [column for column in _columns(inner, relation, pivot) if column.key not in named]


def _is_source(part: exp.Expr, tree: exp.Expr) -> bool:
    """In ``FOR b IN ([x], [y])`` only b is a column: T-SQL's values look like some."""
    if part.__class__ is not exp.In:
        return True
    return any(tree is found for found in part.args["this"].find_all(exp.Column))


def _bare(aggregate: exp.Expr) -> exp.Expr:
    return aggregate.args["this"] if aggregate.__class__ is exp.Alias else aggregate


def _names(inner: Scope, ins: Sequence[exp.Expr], aggregates: Sequence[exp.Expr]) -> list[str]:
    """DuckDB's names: the values joined by ``_``, and the aggregate where it has an alias or is not alone."""
    values = [[_value_name(value) for value in part.args["expressions"]] for part in ins]
    suffixes = [_suffix(inner, aggregate, alone=len(aggregates) == 1) for aggregate in aggregates]
    return ["_".join(combination) + suffix for combination in product(*values) for suffix in suffixes]


def _suffix(inner: Scope, aggregate: exp.Expr, *, alone: bool) -> str:
    if aggregate.__class__ is exp.Alias:
        return f"_{aggregate.alias}"
    return "" if alone else f"_{name_of(inner.session, aggregate)}"


def _value_name(value: exp.Expr) -> str:
    if value.__class__ in {exp.PivotAlias, exp.Alias}:
        return value.alias
    return value.name or value.sql()


def _unpivot(scope: Scope, relation: Relation, pivot: exp.Expr) -> list[Column]:
    inner = _inside(scope, relation)
    name, values, items = _parts(inner, pivot)
    groups = [[column for tree in _group(item) for column in columns_of_item(inner, tree)] for item in items]
    if len(values) == 1:
        groups = [[column] for group in groups for column in group]
    listed = {column.key for group in groups for column in group}
    if not pivot.args.get("include_nulls"):
        for group in groups:
            for column in group:
                add(scope.rows, column.deps, FILTER)
    fold = scope.session.rules.fold
    made = [
        Column(value, fold(value, None), united([group[n].deps for group in groups if n < len(group)]))
        for n, value in enumerate(values)
    ]
    constant = Column(name, fold(name, None), NOTHING)
    rest = [column for column in _columns(inner, relation, pivot) if column.key not in listed]
    return [*rest, *made, constant] if _values_first(scope, pivot) else [*rest, constant, *made]


def _values_first(scope: Scope, pivot: exp.Expr) -> bool:
    """T-SQL and BigQuery put the values before the name (ZetaSQL's reference, "UNPIVOT")."""
    return bool(pivot.args.get("value_columns_first")) or scope.session.rules.name == "bigquery"


def _parts(inner: Scope, pivot: exp.Expr) -> tuple[str, list[str], list[exp.Expr]]:
    """Return the name column, the value columns and the columns turned, of either form."""
    if pivot.args.get("fields"):
        field = pivot.args["fields"][0]
        value = pivot.args["expressions"][0]
        values = [part.name for part in value.args["expressions"]] if value.__class__ is exp.Tuple else [value.name]
        return field.args["this"].name, values, field.args["expressions"]
    if not pivot.args.get("expressions"):
        raise inner.session.error(UnreadConstruct, "UNPIVOT without ON", pivot, fix="say which columns to unpivot")
    into = pivot.args.get("into")
    if not into or not into.args.get("this") or not into.args.get("expressions"):
        return "name", ["value"], pivot.args["expressions"]
    del inner
    return into.args["this"].name, [part.name for part in into.args["expressions"]], pivot.args["expressions"]


def _group(item: exp.Expr) -> list[exp.Expr]:
    while item.__class__ in {exp.PivotAlias, exp.Alias}:
        item = item.args["this"]
    return item.args["expressions"] if item.__class__ is exp.Tuple else [item]
