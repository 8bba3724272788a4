"""DuckDB's words for what stands in the name of an unnamed column: operators, types, functions. Tried on 2.0.1."""

import re

from sqlglot import exp

OPERATORS: dict[type, str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "//", exp.Mod: "%", exp.Pow: "**", exp.EQ: "=",
    exp.NEQ: "!=", exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<=", exp.And: "AND", exp.Or: "OR",
    exp.DPipe: "||",    exp.Like: "~~", exp.ILike: "~~*", exp.Glob: "~~~", exp.BitwiseAnd: "&", exp.BitwiseOr: "|",
    exp.BitwiseLeftShift: "<<", exp.BitwiseRightShift: ">>", exp.NullSafeNEQ: "IS DISTINCT FROM",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
}  # fmt: skip

CHAINS = frozenset({exp.And, exp.Or})

UNWRITTEN = frozenset({exp.And, exp.Or, exp.Cast, exp.TryCast, exp.Case, exp.Exists, exp.Array, exp.Struct, exp.ToMap})
"""What sqlglot counts as functions, and no text writes as a call."""

RESERVED = frozenset({
    "all", "and", "any", "array", "as", "asc", "case", "cast", "check", "collate", "column", "create", "default",
    "desc", "distinct", "do", "else", "end", "except", "false", "fetch", "for", "foreign", "from", "grant", "group",
    "having", "in", "into", "limit", "not", "null", "offset", "on", "only", "or", "order", "primary", "references",
    "select", "some", "table", "then", "to", "true", "union", "unique", "using", "when", "where", "window", "with",
})  # fmt: skip
"""Words that a column's name must be quoted for."""

NEGATED: dict[type, str] = {exp.Like: "!~~", exp.ILike: "!~~*", exp.Glob: "!~~~"}

TYPES: dict[str, str] = {"TEXT": "VARCHAR", "INT": "INTEGER", "DATE": "date", "REAL": "FLOAT"}

SPELLINGS: dict[str, str] = {
    "TEXT": "text|string|varchar|bpchar|char", "DOUBLE": "double|float8", "INT128": "hugeint|int128", "UUID": "uuid",
    "BLOB": "blob|bytea|binary|varbinary", "TIMESTAMPTZ": "timestamptz",
}  # fmt: skip
"""sqlglot's types → the words that DuckDB knows them by."""

ARROW = re.compile(r"\s*(->>?)\s*('(?:[^']|'')*'|\d+)")

QUOTED = frozenset(
    [
        "nullif",
        "if",
        "substring",
        "trim",
        "position",
        "year",
        "month",
        "day",
        "hour",
        "minute",
        "second",
        "map",
        "overlay",
        "replace",
        "left",
        "right",
        "mode",
        "week",
        "quarter",
        "range",
        "row",
        "error",
        "version",
        "first",
        "last",
    ]
)
"""Function names that DuckDB quotes, since they are also keywords."""

NAMES: dict[str, str] = {
    "coalesce": "COALESCE",
    "ifnull": "COALESCE",
    "percentile_cont": "quantile_cont",
}
