"""Macros and SQL functions of the script: inlined, so that their result comes from what they are given."""

from collections.abc import Sequence

from sqlglot import exp

from governance.errors import UnreadConstruct
from governance.lineage.columns import Column
from governance.lineage.scope import Scope
from governance.lineage.session import Macro, Session
from governance.lineage.value import value_of


def bound(macro: Macro, scope: Scope, arguments: Sequence[exp.Expr]) -> Scope:
    """Return ``scope`` with the macro's parameters standing for ``arguments``.

    Raises:
        UnreadConstruct: a parameter has neither an argument nor a default, or the body is a text.
        LimitExceeded: inlining takes too long.
    """
    scope.session.tick()  # macros of macros may double at every step
    given = arguments_of(macro, arguments, scope.session)
    names = {it: Column(it, it, value_of(scope, value)) for it, value in given.items()}
    return scope.inner(names)


def arguments_of(macro: Macro, arguments: Sequence[exp.Expr], session: Session) -> dict[str, exp.Expr]:
    """Return what each parameter of ``macro`` stands for: its argument, else its default.

    Raises:
        UnreadConstruct: a parameter has neither, or the body of the macro is a text.
    """
    if macro.body.__class__ in TEXTS:
        problem = "the body of this function is a text that reads tables"
        raise session.error(UnreadConstruct, problem, macro.body, fix="write what it does in the query")
    given = dict(zip(macro.parameters, (part for part in arguments if _named(part) is None), strict=False))
    given |= {session.rules.fold(name, None): part for part in arguments if (name := _named(part)) is not None}
    values: dict[str, exp.Expr] = {}
    for parameter in macro.parameters:
        argument = _value(given[parameter]) if parameter in given else macro.defaults.get(parameter)
        if argument is None:
            at = arguments[0] if arguments else None
            raise session.error(UnreadConstruct, f"macro argument {parameter} is missing", at, fix="give it")
        values[parameter] = argument
    return values


TEXTS = frozenset({exp.Literal, exp.RawString, exp.Heredoc})
"""Bodies of functions that are not parsed."""


def _named(argument: exp.Expr) -> str | None:
    if argument.__class__ in {exp.Kwarg, exp.PropertyEQ}:
        name: str = argument.args["this"].name
        return name
    return None


def _value(argument: exp.Expr) -> exp.Expr:
    return argument.args["expression"] if _named(argument) is not None else argument
