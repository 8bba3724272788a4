"""What an output column without an alias is called, and what becomes of names that occur twice."""

from sqlglot import exp

from governance.lineage.columns import Column
from governance.lineage.dialects import Rules
from governance.lineage.session import Session


def name_of(rules: Rules, tree: exp.Expr) -> str:
    """Return the name that the dialect gives to the unnamed expression ``tree``."""
    return tree.sql(dialect=rules.name) or "?"


def columns_named(rules: Rules, columns: list[Column]) -> list[Column]:
    """Return ``columns`` with each name once, as DuckDB makes them in CREATE TABLE AS: ``a``, ``a_1``, ``a_2``."""
    if len({column.key for column in columns}) == len(columns):
        return columns
    taken: set[str] = set()
    result = []
    for column in columns:
        name, number = column.name, 0
        while rules.fold(name, None) in taken:
            number += 1
            name = f"{column.name}_{number}"
        key = rules.fold(name, None) if number else column.key
        taken.add(rules.fold(name, None))
        result.append(column._replace(name=name, key=key))
    return result


def output_name(column: Column, session: Session) -> str:
    """Return a column's name as the result shows it: as written, or folded where the schema shows folded names.

    In a schema that spells every table as the dialect leaves an unquoted name (``FIN.LED`` in Snowflake), so is an
    unquoted output column spelt.
    """
    return column.key if session.folded and session.rules.fold(column.name, None) == column.key else column.name
