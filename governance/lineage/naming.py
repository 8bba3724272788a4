"""What an output column without an alias is called, and what becomes of names that occur twice.

DuckDB 2.0.1 names a column after its expression as it prints it; the names here were compared with its own. Other
dialects differ or leave the name open: they get the same ones.
"""

from dataclasses import replace

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from governance.lineage.calltext import UNWRITTEN as NO_TEXT
from governance.lineage.calltext import call_of
from governance.lineage.chains import is_name
from governance.lineage.columns import Column
from governance.lineage.dialects import Rules
from governance.lineage.printers import PRINTERS, as_sql, function, name_shown, quoted
from governance.lineage.session import Session
from governance.lineage.words import (
    CHAINS,
    NEGATED,
    OPERATORS,
    UNWRITTEN,
)

MAX_CALLS = 12
"""Calls within one another whose text is read again, each with all that it holds."""

MAX_DEPTH = 60
"""A name beyond this nesting is cut: nobody reads it, and printing recurses."""


def name_of(session: Session, tree: exp.Expr, depth: int = 0) -> str:
    """Return the name of the unnamed expression ``tree``."""
    while tree.__class__ is exp.Paren:
        tree = tree.args["this"]
    if tree.__class__ is exp.Dot and session.rules.name == "duckdb" and isinstance(tree.args["expression"], exp.Func):
        return _chained(session, tree, depth)
    if depth == 0 and tree.__class__ in {exp.Column, exp.Dot}:
        return tree.name
    if depth > MAX_DEPTH:
        return "…"
    return _as_written(session, tree, depth) or _as_read(session, tree, depth)


def _chained(session: Session, tree: exp.Expr, depth: int) -> str:
    """``x.f(y)`` after a name, and ``f(x + 1, y)`` after anything else."""
    owner, call = tree.args["this"], tree.args["expression"]
    if is_name(owner):
        names = sorted(owner.find_all(exp.Identifier), key=lambda part: part.meta.get("start", 0))
        return ".".join((*map(name_shown, names), name_of(session, call, depth + 1)))
    plain = exp.Anonymous(this=call.name, expressions=[owner.copy(), *(part.copy() for part in call.expressions)])
    plain.meta[NO_TEXT] = True
    return name_of(session, plain, depth + 1)


def _as_read(session: Session, tree: exp.Expr, depth: int) -> str:
    kind = tree.__class__
    operator = OPERATORS.get(kind)
    if operator is not None:
        operator = NEGATED[kind] if tree.args.get("negate") else operator
        terms = _chain(tree) if kind in CHAINS else [tree.args["this"], tree.args["expression"]]
        return f"({f' {operator} '.join(name_of(session, term, depth + 1) for term in terms)})"
    printer = PRINTERS.get(kind)
    if printer is None:
        printer = function if isinstance(tree, exp.Func) else as_sql
    return printer(session, tree, lambda part: name_of(session, part, depth + 1) if part is not None else "")


def _as_written(session: Session, tree: exp.Expr, depth: int) -> str | None:
    """A call under the name and with the arguments that it has in DuckDB's text."""
    is_call = isinstance(tree, exp.Func) and tree.__class__ not in UNWRITTEN and depth < MAX_CALLS
    call = call_of(session, tree) if is_call and session.rules.name == "duckdb" else None
    if call is None:
        return None
    name = call.name.lower()
    if name == "count" and call.arguments in {(), ("*",)}:
        return "count_star()"
    try:
        parts = ", ".join(_reparsed(session, text, depth) for text in call.arguments)
        order = _reordered(session, call.order, depth) if call.order else ""
    except SqlglotError:
        return None
    return f"{quoted(name)}({'DISTINCT ' if call.distinct else ''}{parts}{order})"


def _reparsed(session: Session, text: str, depth: int) -> str:
    return name_of(replace(session, sql=text), parse_one(text, read="duckdb"), depth + 1)


def _reordered(session: Session, text: str, depth: int) -> str:
    query = f"SELECT 1 ORDER BY {text}"
    keys = parse_one(query, read="duckdb").args["order"].args["expressions"]
    inner = replace(session, sql=query)
    return f" ORDER BY {', '.join(name_of(inner, key, depth + 1) for key in keys)}"


def _chain(tree: exp.Expr) -> list[exp.Expr]:
    """The terms of ``a AND b AND c``, which DuckDB shows side by side."""
    kind, terms = tree.__class__, []
    while tree.__class__ is kind:
        terms.append(tree.args["expression"])
        tree = tree.args["this"]
    return [tree, *reversed(terms)]


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
