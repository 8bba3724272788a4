"""What WITH … AS MATERIALIZED says: a query that is computed once, however often it is read.

Spark would compute it anew for each reading, and where the order of rows decides (LIMIT, a ranking with ties) two
readings may differ. So it is a query of its own, whose rows are kept for those that read them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from governance.statement.spark.kinds import NULL, Kind
from governance.statement.spark.model import View, name, refused
from governance.statement.spark.query import query


@dataclass(frozen=True, slots=True)
class Held:
    """A query in Spark's SQL, and the name that others read its rows by."""

    name: str
    sql: str


def held(tree: exp.Expr, views: Mapping[str, View]) -> tuple[exp.Expr, Mapping[str, View], tuple[Held, ...]]:
    """Return ``tree`` without its materialized CTEs, the views with these among them, and what they are.

    Raises:
        UnreadConstruct: one may mean something else on Spark.
    """
    clause = tree.args.get("with_")
    if clause is None or clause.args.get("recursive"):
        return tree, views, ()
    known, plain = dict(views), []
    found: list[Held] = []
    for cte in clause.expressions:
        if not cte.args.get("materialized"):
            plain.append(cte)
            continue
        inner = cte.this if not plain else _within(cte.this, plain)
        made = query(inner, known)
        if any(kind == NULL for _, kind in made.columns):
            raise refused(cte, "a column of a materialized query that is always NULL (cast it)")
        if len({called.lower() for called, _ in made.columns}) < len(made.columns):
            raise refused(cte, "a name that two columns of a query within a query have")
        view = View(f"held_{len(found)}", dict(made.columns))
        found.append(Held(view.name, _named(made.sql, made.columns)))
        known[cte.alias.lower()] = view
    clause.set("expressions", plain)
    if not plain:
        tree.set("with_", None)
    return tree, known, tuple(found)


def _within(inner: exp.Expr, ctes: list[exp.Expr]) -> exp.Expr:
    """Return the query with the CTEs that stand before it."""
    whole = exp.select("*").from_(exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier("held"))))
    whole.set("with_", exp.With(expressions=[it.copy() for it in ctes]))
    return whole


def _named(sql: str, columns: tuple[tuple[str, Kind], ...]) -> str:
    places = [name(f"c{place}") for place in range(len(columns))]
    picked = ", ".join(f"{at} as {name(called)}" for at, (called, _) in zip(places, columns, strict=True))
    return f"select {picked} from ({sql}) as held({', '.join(places)})"
