"""Functions by what they do with their arguments, where that is more than "compute a value from all of them".

``USES`` says for a class of sqlglot's trees through which hop each of its arguments goes; an argument that is not named
takes the ``rest``. The sets of names are for functions that sqlglot does not know by class.
"""

from collections.abc import Mapping
from typing import NamedTuple

from sqlglot import exp

from governance.lineage.edges import (
    AGGREGATION,
    CONDITIONAL,
    FILTER,
    GROUP_BY,
    IDENTITY,
    SORT,
    TRANSFORMATION,
    WINDOW,
)
from governance.lineage.masking import COUNTING, HASHING, MASKING, MASKS, SIZES


class Uses(NamedTuple):
    """The hop of each named argument, and of the rest."""

    rest: int
    arguments: Mapping[str, int] = {}


_SAME = Uses(IDENTITY)
_VALUE = Uses(TRANSFORMATION)
_AGGREGATE = Uses(AGGREGATION)


def kinds_of(kind: type) -> set[type]:
    """Return ``kind`` and every class under it: sqlglot gives some functions a class of their own."""
    children: list[type] = kind.__subclasses__()
    return {kind}.union(*(kinds_of(child) for child in children))


USES: dict[type, Uses] = {
    **dict.fromkeys(kinds_of(exp.AggFunc), _AGGREGATE),
    # the value of these is that of a row of the window, or a rank: nothing is aggregated
    **dict.fromkeys(
        (
            exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Ntile, exp.CumeDist, exp.DenseRank,
            exp.PercentRank, exp.Rank, exp.Grouping, exp.GroupingId,
        ),
        _VALUE,
    ),
    **dict.fromkeys(HASHING, Uses(MASKS)),
    **dict.fromkeys(COUNTING, Uses(SIZES)),
    exp.ArgMax: Uses(AGGREGATION, {"expression": SORT}),
    exp.ArgMin: Uses(AGGREGATION, {"expression": SORT}),
    exp.Alias: _SAME,
    exp.Aliases: _SAME,
    exp.Paren: _SAME,
    exp.Distinct: Uses(IDENTITY, {"on": GROUP_BY}),
    exp.IgnoreNulls: _SAME,
    exp.RespectNulls: _SAME,
    exp.Ordered: _SAME,
    exp.Order: Uses(SORT, {"this": IDENTITY}),
    exp.Limit: Uses(FILTER, {"this": IDENTITY}),
    exp.HavingMax: Uses(IDENTITY, {"expression": SORT}),
    exp.Filter: Uses(FILTER, {"this": IDENTITY}),
    exp.Where: _SAME,
    exp.If: Uses(TRANSFORMATION, {"this": CONDITIONAL}),
    exp.Case: Uses(TRANSFORMATION, {"this": CONDITIONAL, "ifs": IDENTITY}),
    exp.Nullif: Uses(TRANSFORMATION, {"expression": CONDITIONAL}),
    exp.Nvl2: Uses(TRANSFORMATION, {"this": CONDITIONAL}),
    exp.Window: Uses(WINDOW, {"this": IDENTITY}),
}  # fmt: skip
"""Where a piece of SQL uses its arguments otherwise than as values."""

AGGREGATES: frozenset[str] = frozenset(
    [
        "any_value", "approx_most_frequent", "approx_percentile", "approx_quantile", "approx_set", "approx_top_k",
        "arbitrary", "array_agg", "array_unique_agg", "avg", "bit_and", "bit_or", "bit_xor", "bitmap_or_agg",
        "bitstring_agg", "bool_and", "bool_or", "checksum", "checksum_agg", "collect_list", "collect_set",
        "convex_hull_agg", "corr", "count_if", "countif", "covar_pop", "covar_samp", "entropy", "every", "favg",
        "first", "fsum", "geomean", "geometric_mean", "group_concat", "grouparray", "groupuniqarray", "hash_agg",
        "histogram", "histogram_exact", "histogram_numeric", "hll_sketch_agg", "hll_union_agg", "json_agg",
        "json_arrayagg", "json_group_array", "json_group_object", "json_object_agg", "json_objectagg",
        "jsonb_agg", "jsonb_object_agg",
        "kahan_sum", "kurtosis", "kurtosis_pop", "last", "learn_classifier", "learn_libsvm_classifier",
        "learn_libsvm_regressor", "learn_regressor", "list", "listagg", "lttb", "mad", "make_set_digest", "map_agg",
        "map_union", "map_union_sum", "max", "mean", "median", "medianbfloat16", "mediandeterministic", "medianexact",
        "medianexacthigh", "medianexactlow", "mediantdigest", "mediantiming", "merge_set_digest", "min", "mode",
        "multimap_agg", "numeric_histogram", "objectagg", "percentile", "percentile_approx", "product", "qdigest_agg",
        "quantile", "quantile_cont", "quantile_disc", "range_agg", "range_intersect_agg", "ratio_to_report",
        "reduce_agg", "regr_avgx", "regr_avgy", "regr_intercept", "regr_r2", "regr_slope", "regr_sxx", "regr_sxy",
        "regr_syy", "reservoir_quantile", "sem", "set_agg", "set_union", "skewness", "stats_mode", "stddev", "stdevp",
        "string_agg", "sum", "sum_no_overflow", "sumkahan", "tdigest_agg", "theta_sketch_agg", "topk", "try_avg",
        "try_sum", "union_agg", "uniq", "uniqexact", "var", "var_pop", "var_samp", "variance", "varp", "weighted_avg",
        "xmlagg",
    ]
)  # fmt: skip
"""Aggregate functions that reach us as unknown functions, by lower-case name."""

OF_A_DIALECT: dict[tuple[str, str], Uses] = {
    ("tsql", "checksum"): Uses(MASKS),  # a hash of one row's values; Trino's is over all rows
    ("trino", "merge"): _AGGREGATE,
}
"""Dialect and lower-case name of functions that are something else elsewhere."""

PICKS: frozenset[str] = frozenset(
    [
        "arg_max",
        "arg_min",
        "argmax",
        "argmin",
        "max_by",
        "min_by",
        "arg_max_null",
        "arg_min_null",
        "arg_max_nulls_last",
        "arg_min_nulls_last",
    ]
)
"""Aggregates whose second argument only chooses the row."""

SORTED_TEXT: frozenset[str] = frozenset({"listagg", "string_agg", "group_concat", "array_agg", "xmlagg"})
"""Aggregates whose WITHIN GROUP (ORDER BY …) only orders."""

FILTERING: frozenset[str] = frozenset({"sumif", "avgif", "minif", "maxif", "anyif"})
"""Aggregates whose second argument is a condition."""

CONDITIONS: frozenset[str] = frozenset({"iff", "iif", "if"})
"""Functions whose first argument is a condition."""

POSITIONAL_CASES: dict[str, int] = {"multiif": 0, "decode": 1}
"""Functions that alternate condition and value; how many arguments stand before the first pair."""

GENERATORS: frozenset[str] = frozenset(
    [
        "generate_subscripts",
        "json_array_elements",
        "json_array_elements_text",
        "jsonb_array_elements",
        "jsonb_array_elements_text",
        "json_each",
        "json_each_text",
        "jsonb_each",
        "jsonb_each_text",
        "json_object_keys",
        "jsonb_object_keys",
        "regexp_matches",
        "regexp_split_to_table",
        "string_to_table",
        "unnest",
        "explode",
        "explode_outer",
        "posexplode",
        "posexplode_outer",
        "inline",
        "inline_outer",
        "stack",
        "arrayjoin",
    ]
)
"""Functions that give several rows for one, by lower-case name."""


def uses_of(name: str, dialect: str) -> Uses:
    """Return how an unknown function called ``name`` (lower case) uses its arguments."""
    own = OF_A_DIALECT.get((dialect, name))
    if own is not None:
        return own
    if name in MASKING:
        return Uses(SIZES if name in AGGREGATES else MASKS)
    return _AGGREGATE if name in AGGREGATES else _VALUE
