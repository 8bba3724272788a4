"""Items of a select list: what each is called, and what type it is cast to."""

from sqlglot import exp


def called(item: exp.Expr) -> str:
    """Return the name of an output column that is no star; count(*) without an alias is called by its text."""
    name = item.alias_or_name
    return (item.sql("duckdb", comments=False) if name in ("", "*") else name).lower()


def cast_to(item: exp.Expr) -> str:
    """Return the type that ``item`` is cast to, empty where it is no cast."""
    return item.to.sql("duckdb").upper() if isinstance(item, exp.Cast) else ""
