"""Whether an expression makes one row of many, which the clauses of its SELECT need not say."""

from collections.abc import Iterator

from sqlglot import exp

from governance.lineage.functions import AGGREGATES

WRAPPED = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)
"""What can stand between OVER and the function before it."""


def aggregated(item: exp.Expr) -> bool:
    """Whether ``item`` holds an aggregate of its own SELECT: not one of a window, nor of a subquery."""
    if isinstance(item, exp.Query):
        return False
    if isinstance(item, exp.Window):
        return any(aggregated(part) for part in _around(item))
    named = isinstance(item, exp.Anonymous) and item.name.lower() in AGGREGATES
    return named or isinstance(item, exp.AggFunc) or any(aggregated(part) for part in item.iter_expressions())


def _around(window: exp.Window) -> Iterator[exp.Expr]:
    """Yield the parts of a window and the arguments of its function, but not the function itself."""
    function = window.this
    yield from (part for part in window.iter_expressions() if part is not function)
    while isinstance(function, WRAPPED):
        yield from (part for part in function.iter_expressions() if part is not function.this)
        function = function.this
    yield from function.iter_expressions()
