"""Everything that is translated, in plain sight: what is not in this table is refused by name."""

from collections.abc import Mapping
from types import MappingProxyType

from sqlglot import exp

from governance.statement.spark import arithmetic, calls, values
from governance.statement.spark.kinds import DATE
from governance.statement.spark.model import Scope, Value
from governance.statement.spark.query import chosen, existing, scalar


def _today(_it: exp.Expr, _scope: Scope) -> Value:
    return Value("current_date()", DATE)


WRITERS: Mapping[type[exp.Expr], values.Write] = MappingProxyType(
    {
        exp.Column: values.column,
        exp.Literal: values.literal,
        exp.Null: values.null,
        exp.Boolean: values.boolean,
        exp.Paren: values.paren,
        exp.And: values.connected,
        exp.Or: values.connected,
        exp.Not: values.negated,
        **dict.fromkeys(values.COMPARED, values.compared),
        exp.NullSafeEQ: values.identical,
        exp.NullSafeNEQ: values.identical,
        exp.Between: values.between,
        exp.Is: values.is_null,
        exp.Like: values.like,
        **dict.fromkeys(arithmetic.COUNTED, arithmetic.counted),
        exp.Div: arithmetic.divided,
        exp.Neg: arithmetic.negative,
        exp.Cast: values.cast,
        exp.Case: values.case,
        exp.If: values.case,
        exp.In: chosen,
        exp.Exists: existing,
        exp.Subquery: scalar,
        exp.Coalesce: calls.coalesced,
        exp.Greatest: calls.coalesced,
        exp.Least: calls.coalesced,
        exp.Nullif: calls.nullif,
        exp.Year: calls.part,
        exp.Month: calls.part,
        exp.Day: calls.part,
        exp.Quarter: calls.part,
        exp.Extract: calls.part,
        exp.DateTrunc: calls.truncated,
        exp.TimestampTrunc: calls.truncated,
        exp.CurrentDate: _today,
        exp.DPipe: calls.joined,
        exp.Length: calls.length,
        exp.Abs: calls.absolute,
        exp.Count: calls.count,
        exp.Sum: calls.summed,
        exp.Avg: calls.averaged,
        exp.Min: calls.extreme,
        exp.Max: calls.extreme,
        exp.IgnoreNulls: calls.any_value,
        exp.Filter: calls.filtered,
        exp.RowNumber: calls.ranked,
        exp.Rank: calls.ranked,
        exp.DenseRank: calls.ranked,
        exp.Lag: calls.shifted,
        exp.Lead: calls.shifted,
        exp.Window: calls.windowed,
        exp.Anonymous: calls.stopped,
    }
)
