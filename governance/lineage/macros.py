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
    given = arguments_of(macro, arguments, scope.session, arguments[0] if arguments else None)
    names = {it: Column(it, it, value_of(scope, value)) for it, value in given.items()}
    return scope.inner(names)


def arguments_of(
    macro: Macro, arguments: Sequence[exp.Expr], session: Session, at: exp.Expr | None
) -> dict[str, exp.Expr]:
    """Return what each parameter of ``macro`` stands for: its argument, else its default; errors point ``at`` its call.

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
            problem = f"{_takes(macro)}; argument {parameter} is missing"
            raise session.error(UnreadConstruct, problem, at, fix="give it", clause=macro.name)
        values[parameter] = argument
    return values


def require_call(macro: Macro, arguments: Sequence[exp.Expr], session: Session, at: exp.Expr) -> None:
    """Check that each argument is a parameter's, and each parameter has but one, as DuckDB does.

    Raises:
        UnreadConstruct: the call gives too many, one twice, or one that the macro does not take.
    """
    if macro.body.__class__ in TEXTS:
        return
    names = [None if (name := _named(part)) is None else session.rules.fold(name, None) for part in arguments]
    problem, fix = "", ""
    taken = set(macro.parameters[: names.count(None)])
    if names.count(None) > len(macro.parameters):
        count = f"{len(names)} argument{'s are' if len(names) > 1 else ' is'}"
        problem, fix = f"{count} given", "take out what is too much"
    elif None in names[names.count(None) :]:
        problem, fix = "an argument without a name comes after one with a name", "write those with names last"
    for name in filter(None, names if not problem else ()):
        if name not in macro.parameters:
            problem, fix = f"it has no parameter {name}", "correct the name, or take it out"
        elif name in taken:
            problem, fix = f"{name} is given twice", "give it once"
        taken.add(name)
    if problem:
        raise session.error(UnreadConstruct, f"{_takes(macro)}; {problem}", at, fix=fix, clause=macro.name)


def _takes(macro: Macro) -> str:
    """Return what the macro takes, in words, a parameter that may be left out with its default's sign."""
    listed = ", ".join(f"{it} (may be left out)" if it in macro.defaults else it for it in macro.parameters)
    return f"{macro.name} takes {listed or 'no argument'}"


TEXTS = frozenset({exp.Literal, exp.RawString, exp.Heredoc})
"""Bodies of functions that are not parsed."""


def _named(argument: exp.Expr) -> str | None:
    if argument.__class__ in {exp.Kwarg, exp.PropertyEQ}:
        name: str = argument.args["this"].name
        return name
    return None


def _value(argument: exp.Expr) -> exp.Expr:
    return argument.args["expression"] if _named(argument) is not None else argument
