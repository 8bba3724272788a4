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
    MASKED,
    SORT,
    TRANSFORMATION,
    WINDOW,
)


class Uses(NamedTuple):
    """The hop of each named argument, and of the rest."""

    rest: int
    arguments: Mapping[str, int] = {}


_PICKED = Uses(AGGREGATION, {"expression": SORT})
_SAME = Uses(IDENTITY)
_VALUE = Uses(TRANSFORMATION)
_SIZES = Uses(AGGREGATION | MASKED)
_HASH = Uses(TRANSFORMATION | MASKED)

_WINDOW_VALUES = (
    "Lag",
    "Lead",
    "FirstValue",
    "LastValue",
    "NthValue",
    "Ntile",
    "CumeDist",
    "DenseRank",
    "PercentRank",
    "Rank",
)
_HASHES = (
    "MD5", "MD5Digest", "MD5NumberLower64", "MD5NumberUpper64", "SHA", "SHA1Digest", "SHA2", "SHA2Digest", "FarmFingerprint",
    "Hll", "CityHash64", "XxHash64", "MurmurHash", "Hash",
)  # fmt: skip


def _subclasses(kind: type) -> set[type]:
    return {kind} | {below for child in kind.__subclasses__() for below in _subclasses(child)}


def _named(*names: str) -> list[type[exp.Expr]]:
    return [getattr(exp, name) for name in names if hasattr(exp, name)]


USES: dict[type, Uses] = {
    **dict.fromkeys(_subclasses(exp.AggFunc), Uses(AGGREGATION)),
    **dict.fromkeys(_named(*_WINDOW_VALUES), _VALUE),
    **dict.fromkeys(_named(*_HASHES), _HASH),
    **dict.fromkeys(_named("Count", "ApproxDistinct"), _SIZES),
    **dict.fromkeys(_named("ArgMax", "ArgMin"), _PICKED),
    exp.Alias: Uses(IDENTITY),
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
    exp.Tuple: _SAME,
    exp.If: Uses(TRANSFORMATION, {"this": CONDITIONAL}),
    exp.Case: Uses(TRANSFORMATION, {"this": CONDITIONAL, "ifs": IDENTITY}),
    exp.Nullif: Uses(TRANSFORMATION, {"expression": CONDITIONAL}),
    exp.Nvl2: Uses(TRANSFORMATION, {"this": CONDITIONAL}),
    exp.Window: Uses(WINDOW, {"this": IDENTITY}),
}
"""Where a piece of SQL uses its arguments otherwise than as values."""

MASKING: frozenset[str] = frozenset({
    "md5", "md5_number", "md5_number_lower", "md5_number_upper", "sha1", "sha256", "sha224", "sha384", "sha512", "sha2",
    "hash", "hashbytes", "xxhash64", "xxhash32", "murmur_hash", "murmurhash2_64", "murmurhash3_32", "siphash64", "sip_hash",
    "cityhash64", "farm_fingerprint", "farmfingerprint64", "crc32", "checksum", "ora_hash", "standard_hash", "fnv_hash",
    "mask", "mask_first_n", "mask_last_n", "mask_hash", "mask_show_first_n", "mask_show_last_n", "hmac", "hmac_sha256",
    "hmac_md5", "hmac_sha1", "hmac_sha512", "to_hex_md5", "digest", "hash_agg",
})  # fmt: skip
"""Hash and mask functions, any dialect, by lower-case name."""

AGGREGATES: frozenset[str] = frozenset({
    "any_value", "approx_quantile", "approx_top_k", "arbitrary", "array_agg", "avg", "bit_and", "bit_or", "bit_xor",
    "bitstring_agg", "bool_and", "bool_or", "checksum_agg", "collect_list", "collect_set", "corr", "count_if", "countif",
    "covar_pop", "covar_samp", "entropy", "every", "favg", "first", "fsum", "geomean", "geometric_mean", "group_concat",
    "histogram", "histogram_exact", "kahan_sum", "kurtosis", "kurtosis_pop", "last", "list", "listagg", "mad", "map_agg",
    "max", "mean", "median", "min", "mode", "multimap_agg", "product", "quantile", "quantile_cont", "quantile_disc",
    "regr_avgx", "regr_avgy", "regr_count", "regr_intercept", "regr_r2", "regr_slope", "regr_sxx", "regr_sxy", "regr_syy",
    "reservoir_quantile", "sem", "skewness", "stddev", "string_agg", "sum", "sum_no_overflow", "sumkahan", "union_agg",
    "var_pop", "var_samp", "variance", "weighted_avg", "xmlagg", "json_group_array", "json_group_object", "jsonb_agg",
    "json_agg", "json_object_agg", "jsonb_object_agg", "objectagg", "array_unique_agg", "bitmap_or_agg", "stats_mode",
    "percentile", "percentile_approx", "approx_percentile", "uniq", "uniqexact", "grouparray", "groupuniqarray", "topk",
    "numeric_histogram", "merge", "hll_union_agg", "set_agg", "set_union", "map_union", "map_union_sum", "reduce_agg",
})  # fmt: skip
"""Aggregate functions that reach us as unknown functions, by lower-case name."""

COUNTS: frozenset[str] = frozenset(
    {"count", "approx_count_distinct", "approx_distinct", "count_distinct", "regr_count"}
)
PICKS: frozenset[str] = frozenset({
    "arg_max", "arg_min", "argmax", "argmin", "max_by", "min_by", "arg_max_null", "arg_min_null", "arg_max_nulls_last",
    "arg_min_nulls_last",
})  # fmt: skip
"""Aggregates whose second argument only chooses the row."""


def uses_of(name: str, window: frozenset[str] = frozenset()) -> Uses:
    """Return how an unknown function called ``name`` uses its arguments."""
    low = name.lower()
    if low in MASKING:
        return _HASH
    if low in COUNTS:
        return _SIZES
    if low in AGGREGATES:
        return Uses(AGGREGATION)
    return _VALUE if low not in window else _VALUE
