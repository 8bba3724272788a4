"""The filters, tests and methods that templates have: Jinja's, but for what reads time, chance or Python's objects.

What makes much of little is looked at before it does.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from jinja2 import filters, tests
from jinja2.runtime import LoopContext, Undefined

from governance.template.budget import Budget, require_text
from governance.template.growth import require_growth
from governance.template.refused import Refused
from governance.template.written import written

Call = Callable[..., Any]

_FILTERS = """
abs batch capitalize center count d default dictsort first float format groupby indent int items join last
length list lower map max min reject rejectattr replace reverse round select selectattr slice sort string sum
title trim unique upper
"""
_TESTS = """
== != > >= < <= boolean defined divisibleby eq equalto even false float ge greaterthan gt in integer iterable
le lessthan lower lt mapping ne none number odd sameas sequence string true undefined upper
"""
_STR = """
capitalize center count endswith find format index isalnum isalpha isdigit isidentifier islower isnumeric
isspace isupper join ljust lower lstrip partition removeprefix removesuffix replace rfind rjust rpartition
rsplit rstrip split splitlines startswith strip swapcase title upper zfill
"""
_LIST = "append clear copy count extend index insert pop remove reverse sort"
_DICT = "copy get items keys pop setdefault update values"
_LOOP = "changed cycle depth depth0 first index index0 last length nextitem previtem revindex revindex0"

FILTERS = tuple(_FILTERS.split())
TESTS = tuple(_TESTS.split())
METHODS: Mapping[type, frozenset[str]] = {
    str: frozenset(_STR.split()),
    list: frozenset(_LIST.split()),
    dict: frozenset(_DICT.split()),
    tuple: frozenset({"count", "grouper", "index", "list"}),
    LoopContext: frozenset(_LOOP.split()),
}
"""The attributes that a template may ask of a value."""


def bounded_filters(budget: Budget) -> dict[str, Any]:
    """Return the filters by name; each takes what it costs off ``budget``."""
    known: Mapping[str, Any] = {**filters.FILTERS, "string": written, "join": joined, "format": formatted, "sum": _sum}
    return {name: _bounded(name, known[name], budget) for name in FILTERS}


def allowed_tests() -> dict[str, Any]:
    """Return the tests by name."""
    return {name: tests.TESTS[name] for name in TESTS}


def joined(value: Any, d: str = "") -> str:
    """Return all of ``value`` as one text with ``d`` between."""
    parts = [written(it) for it in value]
    require_text(sum(map(len, parts)) + len(written(d)) * len(parts))
    return written(d).join(parts)


def formatted(value: Any, *args: Any, **kwargs: Any) -> str:
    """Return ``value`` with its ``%s`` filled, by place or by name."""
    return percent(written(value), kwargs or args)


def percent(text: str, values: Any) -> str:
    """Return ``text % values``, all but numbers as they stand in SQL."""
    if isinstance(values, dict):
        require_growth("%", text, [*values.values()])
        return text % {name: _plain(it) for name, it in values.items()}
    given = values if isinstance(values, tuple) else (values,)
    require_growth("%", text, given)
    return text % tuple(_plain(it) for it in given)


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else written(value)


def _sum(value: Any, start: Any = 0) -> Any:
    total = start
    for it in value:
        if not isinstance(it, int | float):
            raise Refused("sum adds numbers", "join lists with +, texts with | join")
        total += it
    return total


def _bounded(name: str, made_by: Call, budget: Budget) -> Call:
    # the first argument of many of Jinja's filters is the environment or the context
    skipped = 1 if hasattr(made_by, "jinja_pass_arg") else 0

    @wraps(made_by)
    def bounded(*args: Any, **kwargs: Any) -> Any:
        value, *rest = args[skipped:]
        if isinstance(value, Undefined) and name not in {"default", "d"}:
            str(value)  # raises: the name is not there
        given = [*rest, *kwargs.values()]
        budget.look(value, *given)
        require_growth(name, value, given)
        made = made_by(*args, **kwargs)
        return budget.kept(made)

    return bounded
