"""DuckDB's macros: a call is as if the macro's text stood in its place, the arguments' texts for its parameters.

So DuckDB does it (tried on 2.0.1): an argument's name means what it means inside the macro, a parameter's name comes
before a column's, and what the text does (aggregates, expands rows) the call does.
"""

from collections.abc import Iterator, Mapping

from sqlglot import exp

from governance.errors import LimitExceeded
from governance.lineage.macros import arguments_of
from governance.lineage.names import qualified
from governance.lineage.naming import name_of
from governance.lineage.session import Macro, Session

DIALECT = "duckdb"
MAX_CALLS = 20_000
"""Calls that one text may be made of: macros of macros may double at every step."""

NAMED = frozenset({exp.Alias, exp.Aliases, exp.Column, exp.Star})
"""Items of a select list whose names the text shows."""


def inlined(tree: exp.Expr, session: Session) -> exp.Expr:
    """Return ``tree`` with the text of each macro in place of its call as a value; those in FROM are left.

    Raises:
        UnreadConstruct: a parameter has neither an argument nor a default, or the body is a text.
        LimitExceeded: the text that comes of it is too long.
    """
    if not session.macros or session.rules.name != DIALECT or next(_calls(tree, session), None) is None:
        return tree
    tree = tree.copy()
    _name_items(tree, session)
    calls = [*_calls(tree, session)]
    for _ in range(MAX_CALLS):
        if not calls:
            return tree
        call = calls.pop()
        body = substituted(session.macros[call.name.lower()], call, session)
        if call is tree:
            tree = body
        else:
            call.replace(body)
        calls += _calls(body, session)
    raise session.error(LimitExceeded, f"more than {MAX_CALLS:,} calls of macros", fix="write fewer within one another")


def substituted(macro: Macro, call: exp.Expr, session: Session) -> exp.Expr:
    """Return the body of ``macro`` with the arguments of ``call`` in place of its parameters.

    Raises:
        UnreadConstruct: see ``inlined``.
    """
    session.tick()
    given = arguments_of(macro, call.args.get("expressions") or (), session)
    body = macro.body.copy()
    # within rows only a name alone is a parameter: what has a qualifier is of a table
    members = not isinstance(body, exp.Query)
    for column in [*body.find_all(exp.Column)]:
        value = _value(column, given, session, members=members)
        if value is not None:
            _forget_names(column)
            body = value if column is body else body
            column.replace(value)
    return body


def _value(column: exp.Expr, given: Mapping[str, exp.Expr], session: Session, *, members: bool) -> exp.Expr | None:
    """Return what stands for ``column`` where its name is a parameter's, or begins with one; else None."""
    if column.args["this"].__class__ is not exp.Identifier:
        return None
    first, *rest = qualified(column)
    argument = given.get(session.key(first)) if members or not rest else None
    if argument is None:
        return None
    value: exp.Expr = argument.copy()
    for part in rest:
        value = exp.Dot(this=value, expression=part.copy())
    return value


def _forget_names(column: exp.Expr) -> None:
    """Let the calls around a parameter be named by their trees: their text still has the parameter's name."""
    above = column.parent
    while above is not None:
        if isinstance(above, exp.Func):
            above.meta.pop("start", None)
            above.meta.pop("end", None)
        above = above.parent


def _calls(tree: exp.Expr, session: Session) -> Iterator[exp.Expr]:
    """Yield the calls of macros that stand for values and are in no other one."""
    macros = session.macros

    def called(part: exp.Expr) -> bool:
        return part.__class__ is exp.Anonymous and part.name.lower() in macros

    for part in tree.walk(prune=called):
        if called(part) and part.parent.__class__ not in IN_FROM:
            yield part


IN_FROM = frozenset({exp.Table, exp.Lateral})


def _name_items(tree: exp.Expr, session: Session) -> None:
    """Name what has no name as DuckDB does: by the text of the call."""
    for select in [*tree.find_all(exp.Select)]:
        for item in select.expressions:
            if item.__class__ not in NAMED and item.find(exp.Columns) is None and next(_calls(item, session), None):
                name = exp.Identifier(this=name_of(session, item), quoted=True)
                alias = exp.Alias(alias=name)
                item.replace(alias)
                alias.set("this", item)
