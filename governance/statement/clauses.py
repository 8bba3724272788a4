"""The clauses of a SELECT that decide its rows, and the words in them that say nothing."""

from sqlglot import exp

from governance.statement.aggregates import aggregated

CLAUSES = ("where", "having", "qualify", "limit", "offset", "sample")
LISTS = ("group", "order", "distinct", "sort", "cluster")

PLAIN = ("INNER", "OUTER", "CROSS")
"""Words of a join that say nothing that its side and its condition do not."""

HIDDEN = ("SEMI", "ANTI")
"""Joins whose right side only decides rows, so that a star has no column of it."""

ALL = exp.var("ALL")
"""ORDER BY ALL's word."""

LISTED = (exp.Ordered, exp.Group, exp.Tuple, exp.Rollup, exp.Cube, exp.GroupingSets)
"""Where a number of a list means the column at that place; within an expression it is a number."""

JOIN = ("this", "method", "side", "kind", "on", "using")


def only_passes(tree: exp.Select) -> bool:
    """Whether each row that it reads is one of its own, and no other is."""
    clauses = any(tree.args.get(name) for name in (*CLAUSES, *LISTS))
    return not clauses and not any(aggregated(it) or it.find(exp.Unnest, exp.Explode) for it in tree.expressions)
