"""Arithmetic, so that an overflow and a division by 0 do on Spark what they do on DuckDB."""

from sqlglot import exp

from governance.statement.spark.kinds import BIGINT, DIGITS, DOUBLE, INTEGER, UNKNOWN, WHOLE, Kind, decimal, is_number
from governance.statement.spark.model import Scope, Value, refused
from governance.statement.spark.values import value

COUNTED: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*"}


def counted(it: exp.Expr, scope: Scope) -> Value:
    """Return a sum, difference or product; whole numbers by decimals, for not every Spark tells an overflow."""
    left, right = value(it.this, scope), value(it.expression, scope)
    sign = COUNTED[type(it)]
    if UNKNOWN in {left.kind, right.kind}:
        return Value(f"({left.sql} {sign} {right.sql})", UNKNOWN)
    if not (is_number(left.kind) and is_number(right.kind)):
        raise refused(it, f"{left.kind.said} {sign} {right.kind.said}")
    if DOUBLE in {left.kind, right.kind}:
        return Value(f"({left.cast(DOUBLE).sql} {sign} {right.cast(DOUBLE).sql})", DOUBLE)
    exact = [decimal(side.kind) for side in (left, right)]
    if exact[0] is None or exact[1] is None:
        raise refused(it, f"{left.kind.said} {sign} {right.kind.said}")
    kind = _counted(it, exact[0], exact[1])
    if left.kind in WHOLE and right.kind in WHOLE:
        kind = BIGINT if BIGINT in {left.kind, right.kind} else INTEGER
    return Value(f"cast({left.cast(exact[0]).sql} {sign} {right.cast(exact[1]).sql} as {kind.spark})", kind)


def _counted(it: exp.Expr, left: Kind, right: Kind) -> Kind:
    """Return the decimal that DuckDB gives; Spark has one digit more on the way."""
    if isinstance(it, exp.Mul):
        kind = Kind("decimal", left.precision + right.precision, left.scale + right.scale)
    else:
        scale = max(left.scale, right.scale)
        whole = max(left.precision - left.scale, right.precision - right.scale)
        kind = Kind("decimal", whole + scale + 1, scale)
    if left.precision <= SMALL >= right.precision and kind.scale < SMALL:
        return Kind("decimal", min(kind.precision, SMALL), kind.scale)
    if kind.precision >= DIGITS and not (left.scale == right.scale == 0 and isinstance(it, exp.Mul)):
        raise refused(it, f"a decimal of {kind.precision} digits")
    return Kind("decimal", min(kind.precision, DIGITS), kind.scale)


SMALL = 18
"""Decimals of so many digits stay so small on DuckDB, and an error tells where a value does not."""


def divided(it: exp.Expr, scope: Scope) -> Value:
    """Return a quotient: on DuckDB always a double, of a division by 0 an infinite one or NaN, and never an error."""
    left, right = value(it.this, scope), value(it.expression, scope)
    for side in (left, right):
        if not is_number(side.kind) and side.kind != UNKNOWN:
            raise refused(it, f"{left.kind.said} / {right.kind.said}")
    above, below = left.cast(DOUBLE).sql, right.cast(DOUBLE).sql
    if _never_zero(it.expression):
        return Value(f"({above} / {below})", DOUBLE)
    if right.kind == DOUBLE:
        # which infinite one it is depends on the sign of that 0
        raise refused(it, "a division by a double that may be 0 (write nullif(…, 0))")
    signs = f"when {above} > {ZERO} then {INFINITE} when {above} < {ZERO} then - {INFINITE}"
    special = f"when isnan({above}) then {NAN} {signs} when {above} is null then null else {NAN}"
    return Value(
        f"(case when {below} = {ZERO} then case {special} end else {above} / nullif({below}, {ZERO}) end)", DOUBLE
    )


ZERO, NAN, INFINITE = "cast(0 as double)", "cast('NaN' as double)", "cast('Infinity' as double)"


def _never_zero(it: exp.Expr) -> bool:
    """Whether ``it`` is a number but 0, or NULL where it would be 0."""
    if isinstance(it, exp.Paren | exp.Cast):
        return _never_zero(it.this)
    if isinstance(it, exp.Nullif):
        return isinstance(it.expression, exp.Literal) and float(it.expression.name) == 0
    return isinstance(it, exp.Literal) and not it.is_string and float(it.name) != 0


def negative(it: exp.Expr, scope: Scope) -> Value:
    """Return a number with a minus before it."""
    inner = value(it.this, scope)
    if inner.kind in WHOLE and not isinstance(it.this, exp.Literal):
        raise refused(it, f"- of a {inner.kind.said} that is no literal")
    if not is_number(inner.kind) and inner.kind != UNKNOWN:
        raise refused(it, f"- of a {inner.kind.said}")
    return Value(f"(- {inner.sql})", inner.kind)
