"""Functions that mean the same on both engines, or can be written so: each with the kinds that it takes."""

from sqlglot import exp

from governance.statement.merge_select import ROW
from governance.statement.spark.kinds import (
    BIGINT,
    DATE,
    DATED,
    DOUBLE,
    HUGEINT,
    NULL,
    PASSING,
    TIMESTAMP,
    UNKNOWN,
    VARCHAR,
    WHOLE,
    Kind,
    is_number,
)
from governance.statement.spark.model import Scope, Value, called, only, refused, text
from governance.statement.spark.values import parts, together, truth, value

FIELDS = {"year", "month", "day", "hour", "minute", "quarter"}
UNITS = {"year", "quarter", "month", "day"}
TEXT = {exp.Lower: "lower", exp.Upper: "upper"}
UNORDERED = {"nested", "other", "blob", "boolean"}


def coalesced(it: exp.Expr, scope: Scope) -> Value:
    """Return COALESCE, GREATEST or LEAST; the last two go past NULL on both engines."""
    given, kind = together(it, parts(it, scope))
    if not isinstance(it, exp.Coalesce) and kind.name in UNORDERED:
        raise refused(it, f"{called(it)} of {kind.said} values")
    if not isinstance(it, exp.Coalesce):
        given = [one.ranked for one in given]
    return Value(f"{called(it)}({', '.join(one.sql for one in given)})", kind)


def nullif(it: exp.Expr, scope: Scope) -> Value:
    """Return NULLIF; its kind is the first one's."""
    first, other = value(it.this, scope), value(it.expression, scope)
    (left, right), kind = together(it, (first, other))
    if kind != first.kind:
        raise refused(it, f"nullif of {first.kind.said} and {other.kind.said}")
    return Value(f"nullif({left.ranked.sql}, {right.ranked.sql})", kind)


def part(it: exp.Expr, scope: Scope) -> Value:
    """Return a part of a date: YEAR(x), EXTRACT(year FROM x)."""
    word = it.this.name.lower() if isinstance(it, exp.Extract) else called(it)
    subject = it.expression if isinstance(it, exp.Extract) else it.this
    inner = value(subject.this if isinstance(subject, exp.TsOrDsToDate) else subject, scope)
    if word not in FIELDS or inner.kind not in {*DATED, UNKNOWN}:
        raise refused(it, f"{word} of a {inner.kind.said}")
    if inner.kind == DATE and word in {"hour", "minute"}:
        raise refused(it, f"{word} of a date")
    return Value(f"cast({word}({inner.sql}) as bigint)", BIGINT)


def truncated(it: exp.Expr, scope: Scope) -> Value:
    """Return DATE_TRUNC of a date or a timestamp: a timestamp, as DuckDB has it."""
    unit, inner = it.text("unit").lower(), value(it.this, scope)
    if unit not in UNITS or inner.kind not in {DATE, TIMESTAMP, UNKNOWN}:
        raise refused(it, f"date_trunc to {unit} of a {inner.kind.said}")
    call = f"date_trunc('{unit.upper()}', cast({inner.sql} as timestamp_ntz))"
    return Value(f"cast({call} as timestamp_ntz)", TIMESTAMP)


def joined(it: exp.Expr, scope: Scope) -> Value:
    """Return ``a || b`` of texts."""
    left, right = value(it.this, scope), value(it.expression, scope)
    for side in (left, right):
        if side.kind not in {VARCHAR, NULL, UNKNOWN}:
            raise refused(it, f"|| of a {side.kind.said}")
    return Value(f"concat({left.sql}, {right.sql})", VARCHAR)


def length(it: exp.Expr, scope: Scope) -> Value:
    """Return LENGTH of a text, in characters."""
    return Value(f"cast(char_length({_text(it, scope).sql}) as bigint)", BIGINT)


def _text(it: exp.Expr, scope: Scope) -> Value:
    inner = value(it.this, scope)
    if inner.kind not in {VARCHAR, UNKNOWN}:
        raise refused(it, f"{called(it)} of a {inner.kind.said}")
    return inner


def absolute(it: exp.Expr, scope: Scope) -> Value:
    """Return ABS of a decimal or a double; the least whole number has none."""
    inner = value(it.this, scope)
    if inner.kind.name not in {"decimal", "double", "unknown"}:
        raise refused(it, f"abs of a {inner.kind.said}")
    return Value(f"abs({inner.sql})", inner.kind)


def count(it: exp.Expr, scope: Scope) -> Value:
    """Return COUNT."""
    if it.this is None or isinstance(it.this, exp.Star):
        return Value("count(1)", BIGINT)
    if it.args.get("expressions") or (isinstance(it.this, exp.Distinct) and len(it.this.expressions) > 1):
        raise refused(it, "count of several values")
    return Value(f"count({_argument(it, scope)[0]})", BIGINT)


def summed(it: exp.Expr, scope: Scope) -> Value:
    """Return SUM; of whole numbers and decimals in the widest decimal, as DuckDB has it."""
    sql, kind = _argument(it, scope)
    if kind in WHOLE:
        return Value(_widened("sum", sql, "decimal(38, 0)"), HUGEINT)
    if kind.name == "decimal":
        wide = Kind("decimal", 38, kind.scale)
        return Value(_widened("sum", sql, wide.spark), wide)
    if kind not in {DOUBLE, UNKNOWN}:
        raise refused(it, f"sum of a {kind.said}")
    return Value(f"sum({sql})", kind)


def averaged(it: exp.Expr, scope: Scope) -> Value:
    """Return AVG: on DuckDB a double, whatever is averaged."""
    sql, kind = _argument(it, scope)
    if not is_number(kind) and kind != UNKNOWN:
        raise refused(it, f"avg of a {kind.said}")
    return Value(_widened("avg", sql, "double"), DOUBLE)


def _widened(function: str, sql: str, kind: str) -> str:
    word, distinct, inner = sql.rpartition("distinct ")
    return f"{function}({word}{distinct}cast({inner} as {kind}))"


def extreme(it: exp.Expr, scope: Scope) -> Value:
    """Return MIN or MAX; and for ANY_VALUE, which may give any value but NULL, the greatest."""
    if it.args.get("expressions"):
        raise refused(it, f"{called(it)} of several values")
    if isinstance(it.this, exp.Distinct):
        raise refused(it, f"DISTINCT in {called(it)}")
    sql, kind = _argument(it, scope)
    if kind.name in UNORDERED:
        raise refused(it, f"{called(it)} of a {kind.said}")
    return Value(f"{'min' if isinstance(it, exp.Min) else 'max'}({Value(sql, kind).ranked.sql})", kind)


def any_value(it: exp.Expr, scope: Scope) -> Value:
    """Return ANY_VALUE, which comes as one that ignores NULLs; no other function may be told to."""
    if not isinstance(it.this, exp.AnyValue):
        raise refused(it, "IGNORE NULLS")
    return extreme(it.this, scope)


def _argument(it: exp.Expr, scope: Scope) -> tuple[str, Kind]:
    if isinstance(it.this, exp.Distinct):
        if it.this.args.get("on") or len(it.this.expressions) != 1:
            raise refused(it, "DISTINCT of several values")
        inner = value(it.this.expressions[0], scope)
        return f"distinct {inner.sql}", inner.kind
    inner = value(it.this, scope)
    return inner.sql, inner.kind


def filtered(it: exp.Expr, scope: Scope) -> Value:
    """Return an aggregate of some rows only."""
    inner = value(it.this, scope)
    return Value(f"{inner.sql} filter (where {truth(it.expression.this, scope).sql})", inner.kind)


def ranked(it: exp.Expr, _scope: Scope) -> Value:
    """Return ROW_NUMBER, RANK or DENSE_RANK, on DuckDB a BIGINT."""
    if it.args.get("expressions") or it.this is not None:
        raise refused(it, f"{called(it)} of a value")
    return Value(f"{called(it)}()", BIGINT)


def shifted(it: exp.Expr, scope: Scope) -> Value:
    """Return LAG or LEAD, by so many rows as a literal says."""
    inner, offset = value(it.this, scope), it.args.get("offset")
    if offset is not None and not isinstance(offset, exp.Literal):
        raise refused(it, f"{called(it)} by a number that is no literal")
    return Value(f"{called(it)}({inner.sql}, {offset.name if offset else 1})", inner.kind)


def stopped(it: exp.Expr, _scope: Scope) -> Value:
    """Return ERROR, which ends the query with a text."""
    function, given = it.name.lower(), it.expressions
    if function != "error" or len(given) != 1 or not isinstance(given[0], exp.Literal):
        raise refused(it, function)
    return Value(f"raise_error({text(given[0].name)})", NULL)


WINDOWED = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.Lag, exp.Lead, exp.Sum, exp.Count, exp.Min, exp.Max, exp.Avg)


def windowed(it: exp.Expr, scope: Scope) -> Value:
    """Return a call over a window, with the frame that both engines have where none is said."""
    if not isinstance(it.this, WINDOWED):
        raise refused(it, "such a window")
    inner = value(it.this, scope)
    by = ", ".join(value(one, scope).ranked.sql for one in it.args.get("partition_by") or ())
    order = it.args.get("order")
    if isinstance(it.this, exp.RowNumber) and it.parent and it.parent.alias == ROW:
        # which number a row has is nobody's business there, only that it is its own
        return Value("monotonically_increasing_id()", BIGINT)
    if order is None and isinstance(it.this, WINDOWED[:5]):
        raise refused(it, f"{called(it.this)} without an order")
    kept = [f"partition by {by}"] if by else []
    kept += [f"order by {', '.join(ordered(one, scope) for one in order.expressions)}"] if order else []
    over = f"{inner.sql} over ({' '.join(kept)})"
    return Value(f"cast({over} as bigint)" if inner.kind == BIGINT else over, inner.kind)


def ordered(it: exp.Expr, scope: Scope) -> str:
    """Return one item of ORDER BY; NULL comes last on DuckDB, whichever way."""
    only(it, "this", "desc", "nulls_first")
    found = value(it.this, scope)
    if found.kind.name in PASSING:
        raise refused(it, f"an order of {found.kind.said} values")
    return f"{found.ranked.sql} {direction(it)}"


def direction(it: exp.Expr) -> str:
    """Return which way an item of ORDER BY goes, and where its NULLs stand."""
    return f"{'desc' if it.args.get('desc') else 'asc'} nulls {'first' if it.args.get('nulls_first') else 'last'}"
