"""What an output column without an alias is called, and what becomes of names that occur twice.

DuckDB 2.0.1 names a column after its expression as it prints it; the names here were compared with its own. Other
dialects differ or leave the name open: they get the same ones.
"""

from collections.abc import Callable, Sequence

from sqlglot import exp

from governance.lineage.columns import Column
from governance.lineage.dialects import Rules
from governance.lineage.session import Session

MAX_DEPTH = 60
"""A name beyond this nesting is cut: nobody reads it, and printing recurses."""


def name_of(session: Session, tree: exp.Expr, depth: int = 0) -> str:
    """Return the name of the unnamed expression ``tree``."""
    kind = tree.__class__
    if depth == 0 and kind in {exp.Column, exp.Dot}:
        return tree.name
    if depth > MAX_DEPTH:
        return "…"
    operator = OPERATORS.get(kind)
    if operator is not None:
        left = name_of(session, tree.args["this"], depth + 1)
        operator = NEGATED[kind] if tree.args.get("negate") else operator
        return f"({left} {operator} {name_of(session, tree.args['expression'], depth + 1)})"
    printer = PRINTERS.get(kind)
    if printer is not None:
        return printer(session, tree, depth)
    if isinstance(tree, exp.Func):
        return _function(session, tree, depth)
    return tree.sql(dialect=session.rules.name)


def _each(session: Session, trees: Sequence[exp.Expr], depth: int) -> str:
    return ", ".join(name_of(session, tree, depth + 1) for tree in trees)


def _column(_session: Session, tree: exp.Expr, _depth: int) -> str:
    return ".".join(tree.args[part].name for part in ("catalog", "db", "table", "this") if tree.args.get(part))


def _inner(session: Session, tree: exp.Expr, depth: int) -> str:
    return name_of(session, tree.args["this"], depth)


def _literal(_session: Session, tree: exp.Expr, _depth: int) -> str:
    text: str = tree.args["this"]
    return "'" + text.replace("'", "''") + "'" if tree.args.get("is_string") else text


def _negative(session: Session, tree: exp.Expr, depth: int) -> str:
    inner = tree.args["this"]
    text = name_of(session, inner, depth + 1)
    return f"-{text}" if inner.__class__ is exp.Literal else f"(-({text}))"


def _not(session: Session, tree: exp.Expr, depth: int) -> str:
    inner = tree.args["this"]
    while inner.__class__ is exp.Paren:
        inner = inner.args["this"]
    if inner.__class__ is exp.Is:
        return f"({name_of(session, inner.args['this'], depth + 1)} IS NOT NULL)"
    return f"(NOT {name_of(session, inner, depth + 1)})"


def _is(session: Session, tree: exp.Expr, depth: int) -> str:
    return (
        f"({name_of(session, tree.args['this'], depth + 1)} IS {name_of(session, tree.args['expression'], depth + 1)})"
    )


def _between(session: Session, tree: exp.Expr, depth: int) -> str:
    this, low, high = (name_of(session, tree.args[part], depth + 1) for part in ("this", "low", "high"))
    return f"({this} BETWEEN {low} AND {high})"


def _in(session: Session, tree: exp.Expr, depth: int) -> str:
    this = name_of(session, tree.args["this"], depth + 1)
    query = tree.args.get("query")
    if query is not None:
        return f"({this} = ANY{query.sql(dialect=session.rules.name)})"
    return f"({this} IN ({_each(session, tree.args.get('expressions') or (), depth)}))"


def _case(session: Session, tree: exp.Expr, depth: int) -> str:
    operand = tree.args.get("this")
    text = "CASE "
    for branch in tree.args["ifs"]:
        condition, value = (name_of(session, branch.args[part], depth + 1) for part in ("this", "true"))
        if operand is not None:
            condition = f"({name_of(session, operand, depth + 1)} = {condition})"
        text += f" WHEN ({condition}) THEN ({value})"
    default = tree.args.get("default")
    return f"{text} ELSE {name_of(session, default, depth + 1) if default is not None else 'NULL'} END"


def _cast(session: Session, tree: exp.Expr, depth: int) -> str:
    word = "TRY_CAST" if tree.__class__ is exp.TryCast else "CAST"
    kind = tree.args["to"].sql(dialect=session.rules.name)
    return f"{word}({name_of(session, tree.args['this'], depth + 1)} AS {TYPES.get(kind, kind)})"


def _count(session: Session, tree: exp.Expr, depth: int) -> str:
    inner = tree.args.get("this")
    return "count_star()" if inner is None or inner.__class__ is exp.Star else _function(session, tree, depth)


def _distinct(session: Session, tree: exp.Expr, depth: int) -> str:
    return f"DISTINCT {_each(session, tree.args['expressions'], depth)}"


def _filter(session: Session, tree: exp.Expr, depth: int) -> str:
    condition = name_of(session, tree.args["expression"].args["this"], depth + 1)
    return f"{name_of(session, tree.args['this'], depth + 1)} FILTER (WHERE {condition})"


def _window(session: Session, tree: exp.Expr, depth: int) -> str:
    function = name_of(session, tree.args["this"], depth + 1).replace("count_star()", "count()")
    parts = []
    if tree.args.get("partition_by"):
        parts.append(f"PARTITION BY {_each(session, tree.args['partition_by'], depth)}")
    if tree.args.get("order"):
        parts.append(f"ORDER BY {_each(session, tree.args['order'].args['expressions'], depth)}")
    return f"{function} OVER ({' '.join(parts)})"


def _ordered(session: Session, tree: exp.Expr, depth: int) -> str:
    return name_of(session, tree.args["this"], depth + 1) + (" DESC" if tree.args.get("desc") else "")


def _order(session: Session, tree: exp.Expr, depth: int) -> str:
    return (
        f"{name_of(session, tree.args['this'], depth + 1)} ORDER BY {_each(session, tree.args['expressions'], depth)}"
    )


def _struct(session: Session, tree: exp.Expr, depth: int) -> str:
    parts = (
        f"{part.args['this'].name} := {name_of(session, part.args['expression'], depth + 1)}"
        if part.__class__ is exp.PropertyEQ
        else name_of(session, part, depth + 1)
        for part in tree.expressions
    )
    return f"struct_pack({', '.join(parts)})"


def _list(session: Session, tree: exp.Expr, depth: int) -> str:
    return f"list_value({_each(session, tree.args.get('expressions') or (), depth)})"


def function_name(tree: exp.Expr) -> str:
    """Return the SQL name of a function's tree."""
    if tree.__class__ is exp.Anonymous:
        return tree.name
    return tree.sql_name() if isinstance(tree, exp.Func) else tree.key


def _function(session: Session, tree: exp.Expr, depth: int) -> str:
    """A function under the name it has in the text: sqlglot's tree may have another."""
    start, end = tree.meta.get("start"), tree.meta.get("end")
    name = session.sql[start : end + 1] if start is not None and end is not None else ""
    if not name.isidentifier():
        name = tree.name if tree.__class__ is exp.Anonymous else function_name(tree)
    arguments = [
        part
        for value in tree.args.values()
        for part in (value if value.__class__ is list else (value,))
        if isinstance(part, exp.Expr)
    ]
    name = name.lower()
    quoted = f'"{name}"' if name in QUOTED else NAMES.get(name, name)
    return f"{quoted}({_each(session, arguments, depth)})"


OPERATORS: dict[type, str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "//", exp.Mod: "%", exp.Pow: "**", exp.EQ: "=",
    exp.NEQ: "!=", exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<=", exp.And: "AND", exp.Or: "OR",
    exp.DPipe: "||",    exp.Like: "~~", exp.ILike: "~~*", exp.Glob: "~~~", exp.BitwiseAnd: "&", exp.BitwiseOr: "|",
    exp.BitwiseLeftShift: "<<", exp.BitwiseRightShift: ">>", exp.NullSafeNEQ: "IS DISTINCT FROM",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
}  # fmt: skip

NEGATED: dict[type, str] = {exp.Like: "!~~", exp.ILike: "!~~*", exp.Glob: "!~~~"}

TYPES: dict[str, str] = {"TEXT": "VARCHAR", "INT": "INTEGER", "DATE": "date"}

QUOTED = frozenset(
    [
        "nullif",
        "if",
        "substring",
        "trim",
        "position",
        "year",
        "month",
        "day",
        "hour",
        "minute",
        "second",
        "map",
        "row",
        "overlay",
        "replace",
        "left",
        "right",
        "mode",
        "first",
        "last",
    ]
)
"""Function names that DuckDB quotes, since they are also keywords."""

NAMES: dict[str, str] = {
    "coalesce": "COALESCE",
    "ifnull": "COALESCE",
    "group_concat": "string_agg",
    "percentile_cont": "quantile_cont",
}

PRINTERS: dict[type, Callable[[Session, exp.Expr, int], str]] = {
    exp.Column: _column, exp.Paren: _inner, exp.IgnoreNulls: _inner, exp.Literal: _literal, exp.Neg: _negative,
    exp.Not: _not, exp.Is: _is, exp.Between: _between, exp.In: _in, exp.Case: _case, exp.Cast: _cast,
    exp.TryCast: _cast, exp.Count: _count, exp.Distinct: _distinct, exp.Filter: _filter, exp.Window: _window,
    exp.Ordered: _ordered, exp.Order: _order, exp.Struct: _struct, exp.Array: _list,
    exp.CurrentDate: lambda *_: "current_date", exp.CurrentTimestamp: lambda *_: "current_timestamp",
    exp.Null: lambda *_: "NULL", exp.Boolean: lambda _s, tree, _d: str(tree.args["this"]).lower(),
}  # fmt: skip


def columns_named(rules: Rules, columns: list[Column]) -> list[Column]:
    """Return ``columns`` with each name once, as DuckDB makes them in CREATE TABLE AS: ``a``, ``a_1``, ``a_2``."""
    if len({column.key for column in columns}) == len(columns):
        return columns
    taken: dict[str, int] = {}
    result = []
    for column in columns:
        key, name = column.key, column.name
        while key in taken:
            taken[column.key] += 1
            name = f"{column.name}_{taken[column.key]}"
            key = rules.fold(name, None)
        taken[key] = 0
        result.append(column._replace(name=name, key=key))
    return result


def output_name(column: Column, session: Session) -> str:
    """Return a column's name as the result shows it: as written, or folded where the schema shows folded names.

    In a schema that spells every table as the dialect leaves an unquoted name (``FIN.LED`` in Snowflake), so is an
    unquoted output column spelt.
    """
    return column.key if session.folded and session.rules.fold(column.name, None) == column.key else column.name
