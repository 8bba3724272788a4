"""Tables that only the script sees: what makes one, what it is called, and which names mean it.

A temporary table has a name of its own, beside those of the schema: a name alone meets it first, and a name with a
schema does not, unless the dialect says so.
"""

from collections.abc import Container

from sqlglot import exp

from governance.lineage.names import schema_of, sign_of, spelt, table_parts
from governance.lineage.session import Made, Session

SCHEMAS: dict[str, frozenset[str]] = {
    "duckdb": frozenset({"temp", "temp.main", "main"}),
    "postgres": frozenset({"pg_temp"}),
    "redshift": frozenset({"pg_temp"}),
    "sqlite": frozenset({"temp"}),
    "bigquery": frozenset({"_session"}),
    "spark": frozenset({"global_temp"}),
    "databricks": frozenset({"global_temp"}),
}
"""Dialect → the schemas in which its temporary tables are (DuckDB's was tried on 2.0.1: ``main.t`` finds them too)."""

WITHIN = frozenset({"hive", "mysql", "oracle", "snowflake", "teradata"})
"""Dialects whose temporary tables belong to a schema, and hide a table of that schema from qualified names too."""


def temporary(tree: exp.Expr) -> bool:
    """Tell whether a statement makes a table for this script only."""
    if tree.__class__ is exp.Cache:
        return True
    if tree.__class__ is exp.Select:
        into = tree.args.get("into")
        return into is not None and (bool(into.args.get("temporary")) or _is_signed(into.args["this"]))
    if tree.__class__ is not exp.Create:
        return False
    table, _ = schema_of(tree.args["this"])
    properties = tree.args.get("properties")
    found = properties.args.get("expressions") or () if properties is not None else ()
    return any(_passing(part) for part in found) or _is_signed(table)


def _is_signed(table: exp.Expr) -> bool:
    name = table.args.get("this")
    return isinstance(name, exp.Identifier) and bool(sign_of(name))


def _passing(part: exp.Expr) -> bool:
    """Tell whether a property is one of ``PASSING``; Teradata's MULTISET VOLATILE arrives as a function's VOLATILE."""
    return part.__class__ in PASSING or (part.__class__ is exp.StabilityProperty and part.name.upper() == "VOLATILE")


PASSING = frozenset({exp.TemporaryProperty, exp.VolatileProperty})
"""Properties of tables that no later session finds."""


def own_name(session: Session, tree: exp.Expr) -> str:
    """Return the name of the temporary table that a statement makes as ``tree``."""
    parts = table_parts(tree)
    names = spelt(parts)
    if session.folded and not sign_of(parts[-1]):
        names = tuple(session.key(part) for part in parts)
    if session.rules.name in WITHIN:
        return session.tables.spelt(names)
    return names[-1] if _is_temporary_schema(session, names) else ".".join(names)


def made_under(session: Session, names: tuple[str, ...]) -> Made | None:
    """Return what the script made that ``names`` mean, the temporary before what stays; None where it is nothing."""
    if _is_temporary_schema(session, names):
        made = session.made.get(names[-1].lower())
        if made is not None and made.temporary:
            return made
    for name in (".".join(names), *session.tables.candidates(names)):
        made = session.made.get(name.lower())
        if made is not None:
            return made
    return None


def named_among(session: Session, tree: exp.Expr, known: Container[str]) -> str | None:
    """Return which of the full names ``known`` (lower case) the table ``tree`` means, None where it means none."""
    names = spelt(table_parts(tree))
    key = session.tables.find(names)
    own = names[-1:] if _is_temporary_schema(session, names) else ()
    options = (*own, ".".join(names), *session.tables.candidates(names), *([key] if isinstance(key, str) else ()))
    return next((name.lower() for name in options if name.lower() in known), None)


def _is_temporary_schema(session: Session, names: tuple[str, ...]) -> bool:
    return len(names) > 1 and ".".join(names[:-1]).lower() in SCHEMAS.get(session.rules.name, ())
