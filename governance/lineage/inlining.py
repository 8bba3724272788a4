"""DuckDB's macros: a call is as if the macro's text stood in its place, the arguments' texts for its parameters.

So DuckDB does it (tried on 2.0.1): what the text does (aggregates, expands rows) the call does, and a parameter's name
comes before a column's. A table macro's argument means what its names mean within the macro. A value's means what it
means where the call stands, unless a table of the macro has the name of one there: that is refused.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import TypeAlias

from sqlglot import exp

from governance.errors import LimitExceeded, UnreadConstruct
from governance.lineage.calltext import UNWRITTEN
from governance.lineage.chains import QUALIFIED, is_name, is_variable
from governance.lineage.macros import arguments_of, require_call
from governance.lineage.names import qualified
from governance.lineage.naming import name_of
from governance.lineage.session import PLACE, Macro, Session

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
        place, before = _chained(call, session)
        body = _value_of(session.macros[call.name.lower()], [*before, *call.expressions], session, _name_of(call))
        if place is tree:
            tree = body
        else:
            place.replace(body)
        calls += _calls(body, session)
    raise session.error(LimitExceeded, f"more than {MAX_CALLS:,} calls of macros", fix="write fewer within one another")


def _chained(call: exp.Expr, session: Session) -> tuple[exp.Expr, list[exp.Expr]]:
    """Return what the macro's text takes the place of, and the arguments before the call's own.

    DuckDB's ``x.f(y)`` is ``f(x, y)``; ``main.f(y)`` is ``f(y)``, for a macro is in no other schema.
    """
    dot = call.parent
    if dot.__class__ is not exp.Dot or dot.args["expression"] is not call:
        return call, []
    owner = dot.args["this"]
    if not is_name(owner):
        return dot, [owner]
    names = [*owner.find_all(exp.Identifier)]
    names.sort(key=lambda name: name.meta.get("start", 0))
    if len(names) == 1 and is_variable(names[0]):
        return dot, [owner]
    if session.key(names[-1]) == "main":
        return dot, []
    if len(names) > len(QUALIFIED):
        fix = "write it as the macro's first argument"
        raise session.error(UnreadConstruct, "a value of so many names before a macro is not read", owner, fix=fix)
    return dot, [exp.Column(**dict(zip(QUALIFIED, (it.copy() for it in reversed(names)), strict=False)))]


def substituted(macro: Macro, call: exp.Expr, session: Session) -> exp.Expr:
    """Return the body of a table macro with the arguments of ``call`` in place of its parameters.

    Raises:
        UnreadConstruct: see ``inlined``.
    """
    session.tick()
    arguments, at = call.args.get("expressions") or (), _name_of(call)
    require_call(macro, arguments, session, at)
    given = arguments_of(macro, arguments, session, at)
    body = macro.body.copy()
    for column in [*body.find_all(exp.Column)]:
        parts = _parts(column)
        # what has a qualifier is of a table
        if len(parts) == 1 and session.key(parts[0]) in given:
            _forget_names(column)
            column.replace(given[session.key(parts[0])].copy())
    return body


def _value_of(macro: Macro, arguments: Sequence[exp.Expr], session: Session, at: exp.Expr) -> exp.Expr:
    """Return the same of a macro that is a value."""
    session.tick()
    require_call(macro, arguments, session, at)
    given = arguments_of(macro, arguments, session, at)
    body = macro.body.copy()
    within = {id(part) for query in body.find_all(exp.Query) for part in query.find_all(exp.Column)}
    number = next(_NUMBERS)
    for column in [*body.find_all(exp.Column)]:
        parts = _parts(column)
        argument = given.get(session.key(parts[0])) if parts else None
        if argument is None:
            continue
        _forget_names(column)
        value: exp.Expr = argument.copy()
        value = Given(this=value, number=number) if id(column) in within else value
        for member in parts[1:]:
            value = exp.Dot(this=value, expression=member.copy())
        body = value if column is body else body
        column.replace(value)
    return Called(this=body, number=number) if within else body


def _name_of(call: exp.Expr) -> exp.Expr:
    """Return the place of the call alone: its arguments may be of another text."""
    name = exp.Var(this=call.name)
    name.meta.update({key: value for key, value in call.meta.items() if key in {"start", PLACE}})
    return name


# sqlglot is compiled and lets nobody derive a class: these two of its own stand in no query of DuckDB's
Called: TypeAlias = exp.Opclass
"""The text of a macro that has queries in it; ``number`` is that of what it is given."""

Given: TypeAlias = exp.AtIndex
"""An argument within a query of a macro's text: it means what it means where the call of that number stands."""

_NUMBERS = count()


def _parts(column: exp.Expr) -> list[exp.Expr]:
    """Return the names of a column reference, none where it is no name."""
    return qualified(column) if column.args["this"].__class__ is exp.Identifier else []


def _forget_names(column: exp.Expr) -> None:
    """Let the calls around a parameter be named by their trees: their text still has the parameter's name."""
    above = column.parent
    while above is not None:
        if isinstance(above, exp.Func):
            above.meta[UNWRITTEN] = True
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
