"""How DuckDB prints each kind of expression, which is what it calls a column without an alias."""

import re
from collections.abc import Callable, Sequence

from sqlglot import exp
from sqlglot.errors import ErrorLevel

from governance.lineage.session import Session
from governance.lineage.words import ARROW, NAMES, QUOTED, RESERVED, SPELLINGS, TYPES

Say = Callable[[exp.Expr], str]
"""A part of an expression → what it is called within it."""


def each(trees: Sequence[exp.Expr], say: Say) -> str:
    """Return the parts of a list, side by side."""
    return ", ".join(map(say, trees))


def as_sql(session: Session, tree: exp.Expr, _say: Say) -> str:
    """Return an expression as sqlglot writes it."""
    return tree.sql(dialect=session.rules.name, unsupported_level=ErrorLevel.IGNORE)


def quoted(name: str) -> str:
    """Return the name of a function as DuckDB shows it."""
    return f'"{name}"' if name in QUOTED else NAMES.get(name, name)


def _column(_session: Session, tree: exp.Expr, _say: Say) -> str:
    return ".".join(name_shown(tree.args[part]) for part in ("catalog", "db", "table", "this") if tree.args.get(part))


def name_shown(tree: exp.Expr) -> str:
    """Return a column's or a table's name as DuckDB shows it."""
    text = tree.name
    return text if re.fullmatch(r"[A-Za-z_]\w*", text) and text.lower() not in RESERVED else f'"{text}"'


def _ignoring(_session: Session, tree: exp.Expr, say: Say) -> str:
    text = say(tree.args["this"])
    return text if tree.args["this"].__class__ is exp.AnyValue else f"{text.removesuffix(')')} IGNORE NULLS)"


def _literal(_session: Session, tree: exp.Expr, _say: Say) -> str:
    text: str = tree.args["this"]
    return "'" + text.replace("'", "''") + "'" if tree.args.get("is_string") else text


def _negative(_session: Session, tree: exp.Expr, say: Say) -> str:
    inner = tree.args["this"]
    text = say(inner)
    return f"-{text}" if inner.__class__ is exp.Literal else f"(-({text}))"


def _not(session: Session, tree: exp.Expr, say: Say) -> str:
    inner = tree.args["this"]
    while inner.__class__ is exp.Paren:
        inner = inner.args["this"]
    if inner is tree.args["this"] and inner.__class__ is exp.Is and inner.args["expression"].__class__ is exp.Null:
        return f"({say(inner.args['this'])} IS NOT NULL)"
    if inner.__class__ is exp.Is and inner.args["expression"].__class__ is exp.Boolean:
        return _is(session, inner, say).replace(" IS NOT DISTINCT ", " IS DISTINCT ")
    return f"(NOT {say(inner)})"


def _is(_session: Session, tree: exp.Expr, say: Say) -> str:
    this, what = say(tree.args["this"]), say(tree.args["expression"])
    if tree.args["expression"].__class__ is exp.Boolean:
        return f"(CAST({this} AS BOOLEAN) IS NOT DISTINCT FROM {what})"
    return f"({this} IS {what})"


def _between(_session: Session, tree: exp.Expr, say: Say) -> str:
    this, low, high = (say(tree.args[part]) for part in ("this", "low", "high"))
    return f"({this} BETWEEN {low} AND {high})"


def _in(session: Session, tree: exp.Expr, say: Say) -> str:
    this = say(tree.args["this"])
    query = tree.args.get("query")
    if query is not None:
        return f"({this} = ANY{query.sql(dialect=session.rules.name)})"
    return f"({this} IN ({each(tree.args.get('expressions') or (), say)}))"


def _case(_session: Session, tree: exp.Expr, say: Say) -> str:
    operand = tree.args.get("this")
    text = "CASE "
    for branch in tree.args["ifs"]:
        condition, value = (say(branch.args[part]) for part in ("this", "true"))
        if operand is not None:
            condition = f"({say(operand)} = {condition})"
        text += f" WHEN ({condition}) THEN ({value})"
    default = tree.args.get("default")
    return f"{text} ELSE {say(default) if default is not None else 'NULL'} END"


def _cast(session: Session, tree: exp.Expr, say: Say) -> str:
    word = "TRY_CAST" if tree.__class__ is exp.TryCast else "CAST"
    kind = tree.args["to"].sql(dialect=session.rules.name)
    return f"{word}({say(tree.args['this'])} AS {_type(session, kind)})"


def _type(session: Session, kind: str) -> str:
    """A type: keywords of the grammar in capitals, any other word as the text has it, where it has one spelling."""
    spelt = SPELLINGS.get(kind)
    found = set(re.findall(rf"(?:::\s*|\bas\s+)({spelt})\b", session.sql, re.IGNORECASE)) if spelt else set()
    if len(found) == 1 and (word := found.pop()).lower() not in {"varchar", "char"}:
        return str(word)
    return re.sub(r"[A-Z]+", lambda word: TYPES.get(word.group(), word.group()), kind)


def _regexp(_session: Session, tree: exp.Expr, say: Say) -> str:
    return f"regexp_matches({each([tree.args['this'], tree.args['expression']], say)})"


def _similar(_session: Session, tree: exp.Expr, say: Say) -> str:
    return f"regexp_full_match({each([tree.args['this'], tree.args['expression']], say)})"


def _json(session: Session, tree: exp.Expr, say: Say) -> str:
    """``j -> 'a' ->> 0``: sqlglot has turned the paths into its own, so they are read from the text after j."""
    base, length = tree, 0
    while base.__class__ in {exp.JSONExtract, exp.JSONExtractScalar}:
        base, length = base.args["this"], length + 1
    end = max((part.meta["end"] for part in base.walk() if "end" in part.meta), default=None)
    text = say(base)
    for _ in range(length):
        found = None if end is None else ARROW.match(session.sql, end + 1)
        if found is None:
            return tree.sql(dialect=session.rules.name)
        text, end = f"({text} {found.group(1)} {found.group(2)})", found.end() - 1
    return text


def _count(session: Session, tree: exp.Expr, say: Say) -> str:
    inner = tree.args.get("this")
    return "count_star()" if inner is None or inner.__class__ is exp.Star else function(session, tree, say)


def _distinct(_session: Session, tree: exp.Expr, say: Say) -> str:
    return f"DISTINCT {each(tree.args['expressions'], say)}"


def _filter(_session: Session, tree: exp.Expr, say: Say) -> str:
    condition = say(tree.args["expression"].args["this"])
    return f"{say(tree.args['this'])} FILTER (WHERE {condition})"


def _window(_session: Session, tree: exp.Expr, say: Say) -> str:
    function = say(tree.args["this"]).replace("count_star()", "count()")
    parts = []
    if tree.args.get("partition_by"):
        parts.append(f"PARTITION BY {each(tree.args['partition_by'], say)}")
    if tree.args.get("order"):
        parts.append(f"ORDER BY {each(tree.args['order'].args['expressions'], say)}")
    if tree.args.get("spec") is not None:
        parts.append(_frame(tree.args["spec"], say))
    return f"{function} OVER ({' '.join(parts)})"


def _frame(tree: exp.Expr, say: Say) -> str:
    """A frame with both its ends; one of all rows is of ROWS."""

    def end(which: str) -> str:
        bound, side = tree.args.get(which), tree.args.get(f"{which}_side")
        if bound is None:
            return "CURRENT ROW"
        text = bound.upper() if isinstance(bound, str) else say(bound)
        return f"{text} {side.upper()}" if side else text

    start, stop = end("start"), end("end")
    whole = start == "UNBOUNDED PRECEDING" and stop == "UNBOUNDED FOLLOWING"
    exclude = tree.args.get("exclude")
    after = f" EXCLUDE {exclude}" if exclude else ""
    return f"{'ROWS' if whole else tree.args['kind'].upper()} BETWEEN {start} AND {stop}{after}"


def _ordered(session: Session, tree: exp.Expr, say: Say) -> str:
    text = say(tree.args["this"]) + (" DESC" if tree.args.get("desc") else "")
    end = session.sql.lower()
    nulls = "FIRST" if tree.args.get("nulls_first") else "LAST"
    return f"{text} NULLS {nulls}" if f"nulls {nulls.lower()}" in end else text


def _order(_session: Session, tree: exp.Expr, say: Say) -> str:
    return f"{say(tree.args['this'])} ORDER BY {each(tree.args['expressions'], say)}"


def _struct(_session: Session, tree: exp.Expr, say: Say) -> str:
    parts = (
        f"{part.args['this'].name} := {say(part.args['expression'])}" if part.__class__ is exp.PropertyEQ else say(part)
        for part in tree.expressions
    )
    return f"struct_pack({', '.join(parts)})"


def _row(_session: Session, tree: exp.Expr, say: Say) -> str:
    return f'"row"({each(tree.args.get("expressions") or (), say)})'


def _lambda(_session: Session, tree: exp.Expr, say: Say) -> str:
    names = ", ".join(part.name for part in tree.args["expressions"])
    return f"(lambda {names}: {say(tree.args['this'])})"


def _prefixed(sign: str) -> Callable[[Session, exp.Expr, Say], str]:
    return lambda _session, tree, say: f"({sign}({say(tree.args['this'])}))"


def _extract(_session: Session, tree: exp.Expr, say: Say) -> str:
    return f"date_part('{tree.args['this'].name}', {say(tree.args['expression'])})"


def _map(_session: Session, tree: exp.Expr, say: Say) -> str:
    """``MAP {k: v}`` is shown as a call of two lists."""
    pairs = tree.args["this"].args.get("expressions") or []
    keys, values = ([pair.args.get(part) or pair for pair in pairs] for part in ("this", "expression"))
    return f'"map"(list_value({each(keys, say)}), list_value({each(values, say)}))'


def _exists(session: Session, tree: exp.Expr, _say: Say) -> str:
    return f"EXISTS({tree.args['this'].sql(dialect=session.rules.name)})"


def _list(_session: Session, tree: exp.Expr, say: Say) -> str:
    return f"list_value({each(tree.args.get('expressions') or (), say)})"


def function_name(tree: exp.Expr) -> str:
    """Return the SQL name of a function's tree."""
    if tree.__class__ is exp.Anonymous:
        return tree.name
    return tree.sql_name() if isinstance(tree, exp.Func) else tree.key


def function(session: Session, tree: exp.Expr, say: Say) -> str:
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
    return f"{quoted(name)}({each(arguments, say)})"


PRINTERS: dict[type, Callable[[Session, exp.Expr, Say], str]] = {
    exp.Column: _column, exp.IgnoreNulls: _ignoring, exp.Literal: _literal, exp.Neg: _negative,
    exp.Not: _not, exp.Is: _is, exp.Between: _between, exp.In: _in, exp.Case: _case, exp.Cast: _cast,
    exp.TryCast: _cast, exp.Count: _count, exp.Distinct: _distinct, exp.Filter: _filter, exp.Window: _window,
    exp.Ordered: _ordered, exp.Order: _order, exp.Struct: _struct, exp.Array: _list,
    exp.CurrentDate: lambda *_: "current_date", exp.CurrentTimestamp: lambda *_: "current_timestamp",
    exp.JSONExtract: _json, exp.JSONExtractScalar: _json, exp.RegexpLike: _regexp, exp.SimilarTo: _similar,
    exp.Tuple: _row, exp.Lambda: _lambda, exp.BitwiseNot: _prefixed("~"), exp.Extract: _extract, exp.ToMap: _map,
    exp.Exists: _exists, exp.Identifier: lambda _s, tree, _d: name_shown(tree),
    exp.Null: lambda *_: "NULL", exp.Boolean: lambda _s, tree, _d: str(tree.args["this"]).lower(),
}  # fmt: skip
