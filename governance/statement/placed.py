"""Whether a name in FROM is a CTE's."""

from collections.abc import Iterator

from sqlglot import exp


def is_cte(table: exp.Table) -> bool:
    """Whether a WITH around the table defines its name: all of it for the body, what stands before for a member."""
    name = table.name.lower()
    inner: exp.Expr = table
    outer = table.parent
    while outer is not None:
        clause = outer if isinstance(outer, exp.With) else outer.args.get("with_")
        if clause is not None and clause is not inner and name in _visible(clause, inner):
            return True
        inner, outer = outer, outer.parent
    return False


def _visible(clause: exp.With, inner: exp.Expr) -> Iterator[str]:
    for member in clause.expressions:
        if member is inner and not clause.recursive:
            return
        yield member.alias.lower()
        if member is inner:
            return
