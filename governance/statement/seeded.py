"""Seeded changes: a harmless column, filter, join or aggregate put into a query, and the edges that must come of it.

What must come of it follows from the construct and from what the query said before, not from reading the changed text:
so a collector that misses the construct is found out.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from governance.lineage.model import ColumnLineage, InputField, Transformation
from governance.statement.aggregates import aggregated
from governance.statement.model import Statement
from governance.statement.standing import query_tree
from governance.statement.text import DIALECT

PROBE, JOINED, KEY = "hw_probe", "hw_join", "hw_key"

Edge = tuple[str | None, InputField]
"""Output column (None: every row) and what it depends on."""

Schemas = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Seed:
    """One construct for one query.

    sql:  the changed query; empty where the construct has no place in it, for the reason ``why``
    more: the edges that must be there beside those of before, and no other
    reads: the tables that must be read beside those of before
    """

    construct: str
    sql: str
    more: frozenset[Edge] = frozenset()
    reads: frozenset[str] = frozenset()
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where seeds go: a SELECT, a column that it reads, and what that column depends on.

    union:  whether the SELECT is one branch of a set operation
    listed: whether the column stands in the SELECT list as it is; else it is any of a table that the SELECT reads
    """

    select: exp.Select
    column: exp.Column
    inputs: tuple[InputField, ...]
    union: bool
    listed: bool = True


def seeds(statement: Statement, lineage: ColumnLineage, schemas: Schemas) -> Iterator[Seed]:
    """Yield a seed for each construct; ``lineage`` is of the statement's query as it stands."""
    # a block's columns are not those of a table that it hides
    hidden = {block.name for block in statement.pipeline.blocks}
    schemas = {name: columns for name, columns in schemas.items() if name not in hidden}
    for construct, plant in PLANTS.items():
        tree = query_tree(statement)
        place = _place(tree, lineage, schemas)
        if place is None:
            yield Seed(construct, "", why="its SELECT reads no table and no column as it is")
            continue
        yield plant(tree, place, schemas)


def _place(tree: exp.Expr, lineage: ColumnLineage, schemas: Schemas) -> _Place | None:
    """Return the first column that stands in the SELECT list as it is: what it depends on is known already."""
    union = isinstance(tree, exp.SetOperation)
    select = tree
    while isinstance(select, exp.SetOperation | exp.Subquery):
        select = select.left if isinstance(select, exp.SetOperation) else select.this
    if not isinstance(select, exp.Select) or any(item.is_star for item in select.expressions):
        return None
    outputs = {output.name.lower(): output.inputs for output in lineage.fields}
    for item in select.expressions:
        column = item.unalias()
        if isinstance(column, exp.Column) and column.table:
            # of a branch only a table's own column is known: the output's inputs are of all branches
            inputs = _own(select, column, schemas) if union else outputs.get(item.alias_or_name.lower(), ())
            if inputs:
                return _Place(select, column, inputs, union)
    return _any_column(select, schemas, union=union)


def _any_column(select: exp.Select, schemas: Schemas, *, union: bool) -> _Place | None:
    """Return the first column of the first table that the SELECT reads itself."""
    for source in _sources(select):
        for name in schemas.get(_named(source), ()):
            column = exp.column(name, table=source.alias_or_name, quoted=True)
            inputs = (InputField(_named(source), name, Transformation.IDENTITY),)
            return _Place(select, column, inputs, union, listed=False)
    return None


def _sources(select: exp.Select) -> Iterator[exp.Table]:
    first = select.args.get("from_")
    parts = [first.this] if first else []
    parts += [join.this for join in select.args.get("joins") or ()]
    yield from (part for part in parts if isinstance(part, exp.Table))


def _named(source: exp.Table) -> str:
    return f"{source.db}.{source.name}".lower() if source.db else source.name


def _own(select: exp.Select, column: exp.Column, schemas: Schemas) -> tuple[InputField, ...]:
    for source in _sources(select):
        if source.alias_or_name.lower() == column.table.lower():
            names = {name.lower(): name for name in schemas.get(_named(source), ())}
            if column.name.lower() in names:
                return (InputField(_named(source), names[column.name.lower()], Transformation.IDENTITY),)
    return ()


def _column(tree: exp.Expr, place: _Place, _schemas: Schemas) -> Seed:
    if place.union:
        return Seed("column", "", why="a set operation would need it in each branch")
    if not place.listed and _grouped(place.select):
        # a column that is no key can stand in a grouped query only as one value of its group
        value: exp.Expr = exp.AnyValue(this=place.column.copy())
        more = frozenset((PROBE, _through(it, Transformation.AGGREGATION)) for it in place.inputs)
    else:
        value, more = place.column.copy(), frozenset((PROBE, it) for it in place.inputs)
    place.select.select(exp.alias_(value, PROBE), copy=False)
    return Seed("column", _sql(tree), more | _compared(place))


def _filter(tree: exp.Expr, place: _Place, _schemas: Schemas) -> Seed:
    place.select.where(exp.Is(this=place.column.copy(), expression=exp.Null()).not_(), copy=False)
    return Seed("filter", _sql(tree), _rows(place, Transformation.FILTER))


def _join(tree: exp.Expr, place: _Place, schemas: Schemas) -> Seed:
    table = next((name for name in sorted(schemas) if schemas[name] and "/" not in name), None)
    if table is None:
        return Seed("join", "", why="there is no table to join")
    key = next(iter(schemas[table]))
    # as text on both sides: only that it is read matters, and any two columns compare so
    on = exp.EQ(
        this=exp.cast(exp.column(KEY, table=JOINED), "varchar"),
        expression=exp.cast(place.column.copy(), "varchar"),
    )
    # under a name of its own, so that no name of the query comes to mean two columns
    named = exp.alias_(exp.column(key, quoted=True), KEY)
    joined = exp.select(named).from_(exp.to_table(table, dialect=DIALECT)).subquery()
    place.select.join(joined, on=on, join_type="left", join_alias=JOINED, copy=False)
    read = InputField(table, key, Transformation.JOIN)
    return Seed("join", _sql(tree), _rows(place, Transformation.JOIN) | {(None, read)}, frozenset({table}))


def _aggregate(tree: exp.Expr, place: _Place, _schemas: Schemas) -> Seed:
    if place.union:
        return Seed("aggregate", "", why="a set operation would need it in each branch")
    value: exp.Expr = exp.Max(this=place.column.copy())
    if not _grouped(place.select):
        value = exp.Window(this=value)
    place.select.select(exp.alias_(value, PROBE), copy=False)
    more = frozenset((PROBE, _through(it, Transformation.AGGREGATION)) for it in place.inputs)
    return Seed("aggregate", _sql(tree), more | _compared(place))


PLANTS: Mapping[str, Callable[[exp.Expr, _Place, Schemas], Seed]] = {
    "column": _column,
    "filter": _filter,
    "join": _join,
    "aggregate": _aggregate,
}
"""The constructs, and what each puts into a query."""


def _grouped(select: exp.Select) -> bool:
    return bool(select.args.get("group")) or any(map(aggregated, select.expressions))


def _compared(place: _Place) -> frozenset[Edge]:
    """Return what one more column makes of a DISTINCT, which compares everything that is selected."""
    distinct = place.select.args.get("distinct")
    compares = distinct is not None and distinct.args.get("on") is None
    return _rows(place, Transformation.GROUP_BY) if compares else frozenset()


def _rows(place: _Place, clause: Transformation) -> frozenset[Edge]:
    """Return what a condition on the column makes of all that it depends on: the clause is nearest the output."""
    masked: dict[tuple[str, str], bool] = {}
    for it in place.inputs:
        key = it.dataset, it.field
        masked[key] = it.masking and masked.get(key, True)
    return frozenset((None, InputField(*key, clause, masking)) for key, masking in masked.items())


def _through(used: InputField, hop: Transformation) -> InputField:
    """Return what a value becomes by one more DIRECT hop; what steers goes on steering."""
    order = list(Transformation)
    stronger = max(used.transformation, hop, key=order.index) if used.transformation.direct else used.transformation
    return InputField(used.dataset, used.field, stronger, used.masking)


def _sql(tree: exp.Expr) -> str:
    return tree.sql(DIALECT)
