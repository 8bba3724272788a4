"""The structure of an expression as a nested tuple that layout, comments and brackets do not change.

Two expressions of equal shape, with columns that mean the same, compute the same. The reverse does not hold: what is
written otherwise may mean the same, and counts as changed.
"""

import hashlib
from collections.abc import Callable, Hashable, Iterator
from typing import TypeAlias

from sqlglot import exp

Shape: TypeAlias = Hashable
Resolve: TypeAlias = Callable[[exp.Expr], Shape | None]
"""What a part means where its structure does not say: a column, a subquery. None for all other parts."""

LARGE = 400
"""Parts beyond which a shape is told by its digest: aliases that double would grow it without end."""

UNORDERED = (exp.And, exp.Or)
"""Connectives whose operands may stand in any order."""


def shape(part: exp.Expr, resolve: Resolve) -> Shape:
    """Return the shape of ``part``."""
    known = resolve(part)
    if known is not None:
        return known
    if isinstance(part, (exp.Paren, exp.Alias)):
        return shape(part.this, resolve)
    if isinstance(part, UNORDERED):
        # a condition said twice is said once
        operands = {shape(operand, resolve) for operand in part.flatten()}
        return type(part).__name__, tuple(sorted(operands, key=repr))
    if isinstance(part, exp.Identifier):
        return "name", part.name.lower()
    if isinstance(part, exp.Literal):
        return "literal", part.is_string, part.name
    return _case(part, resolve) if isinstance(part, exp.If) else bare(part, resolve)


def bare(part: exp.Expr, resolve: Resolve) -> Shape:
    """Return the shape of ``part`` by its own structure, whatever it is called."""
    return type(part).__name__, tuple(_arguments(part, resolve))


def _case(part: exp.If, resolve: Resolve) -> Shape:
    """Return IF as the CASE that it is short for; the branches of a CASE are of the same class."""
    branch = "If", tuple(_arguments(part, resolve))
    if isinstance(part.parent, exp.Case):
        return branch
    otherwise = _value(part.args.get("false"), resolve)
    branch = "If", tuple(it for it in branch[1] if it[0] != "false")
    return "Case", ((("default", otherwise),) if otherwise else ()) + (("ifs", (branch,)),)


def _arguments(part: exp.Expr, resolve: Resolve) -> Iterator[tuple[str, Shape]]:
    for name in sorted(part.args):
        value = None if isinstance(part.args[name], exp.TableAlias) else _value(part.args[name], resolve)
        if value not in (None, (), False):
            yield name, value


def _value(value: object, resolve: Resolve) -> Shape:
    if isinstance(value, exp.Expr):
        return shape(value, resolve)
    if isinstance(value, list | tuple):
        return tuple(_value(it, resolve) for it in value)
    return value.lower() if isinstance(value, str) else str(value) if value not in (None, False) else None


def digest(value: Shape) -> str:
    """Return a word that stands for ``value``."""
    return hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def sealed(value: Shape) -> Shape:
    """Return ``value``, by its digest where it is large; ``marked`` sees through that."""
    size = sum(1 for _, _ in zip(_parts(value), range(LARGE + 1), strict=False))
    return value if size <= LARGE else ("sealed", digest(value), MARK if marked(value) else "")


MARK = "column"
"""First word of a shape that says which of several relations it is of."""


def marked(value: Shape) -> bool:
    """Whether any part says which of several relations it is of."""
    return any(part == MARK for part in _parts(value))


def _parts(value: Shape) -> Iterator[Shape]:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, tuple):
            waiting.extend(part)
