"""What differs between dialects when names are resolved: the case of identifiers and where an alias beats a column.

Sources: each vendor's reference on identifiers and on names in GROUP BY, HAVING, ORDER BY and the select list;
DuckDB's were tried on 2.0.1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from sqlglot.dialects.dialect import Dialect

from governance.errors import UnparsableSql


def lower(text: str, _quoted: object) -> str:
    """Return ``text`` in lower case: the fold of a dialect in which case never matters."""
    return text.lower()


def _upper_unquoted(text: str, quoted: object) -> str:
    return text if quoted else text.upper()


def _lower_unquoted(text: str, quoted: object) -> str:
    return text if quoted else text.lower()


def _exact(text: str, _quoted: object) -> str:
    return text


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """How one dialect resolves names; there is one of each dialect.

    fold:      (text, quoted) → the key by which identifiers are the same
    lateral:   whether a select-list expression sees the aliases before it (where no column of that name is in scope)
    aliases:   clauses in which an alias beats a column of the same name; "group", "having", "order", "where", ...
    unseen:    clauses in which aliases are not visible at all
    in_place:  whether ``*`` leaves a column that USING merged where it stands on the left, not before all others
    """

    name: str
    fold: Callable[[str, object], str]
    lateral: bool = False
    aliases: frozenset[str] = frozenset({"order"})
    unseen: frozenset[str] = frozenset({"where", "qualify", "join"})
    in_place: bool = False


_EVERYWHERE = frozenset({"where", "group", "having", "qualify", "order", "select", "join"})
_SOME_LATERAL = frozenset({"join"})

RULES: dict[str, Rules] = {
    "duckdb": Rules(
        "duckdb", lower, lateral=True, aliases=frozenset({"order", "having"}), unseen=_SOME_LATERAL, in_place=True
    ),
    "snowflake": Rules("snowflake", _upper_unquoted, lateral=True, unseen=_SOME_LATERAL),
    "redshift": Rules("redshift", lower, lateral=True),
    "databricks": Rules("databricks", lower, lateral=True, aliases=frozenset({"order", "having"})),
    "spark": Rules("spark", lower, lateral=True, aliases=frozenset({"order", "having"})),
    "teradata": Rules("teradata", lower, lateral=True, unseen=frozenset()),
    "clickhouse": Rules("clickhouse", _exact, lateral=True, aliases=_EVERYWHERE, unseen=frozenset(), in_place=True),
    "bigquery": Rules(
        "bigquery", lower, aliases=frozenset({"order", "group", "having"}), unseen=frozenset({"where", "join"})
    ),
    "postgres": Rules("postgres", _lower_unquoted, unseen=frozenset({"where", "having", "qualify", "join"})),
    "oracle": Rules("oracle", _upper_unquoted, unseen=frozenset({"where", "having", "qualify", "join"})),
    "mysql": Rules("mysql", lower, aliases=frozenset({"order", "having"})),
    "tsql": Rules("tsql", lower, unseen=frozenset({"where", "group", "having", "qualify", "join"})),
    "trino": Rules("trino", lower, unseen=frozenset({"where", "group", "having", "qualify", "join"})),
    "hive": Rules("hive", lower, aliases=frozenset({"order", "having"}), in_place=True),
    "sqlite": Rules("sqlite", lower, in_place=True),
}


@cache
def rules_for(dialect: str) -> tuple[Rules, Dialect]:
    """Return the name rules and sqlglot's dialect; a dialect without rules of its own follows the SQL standard.

    Raises:
        UnparsableSql: no such dialect.
    """
    try:
        parser = Dialect.get_or_raise(dialect)
    except ValueError as error:
        raise UnparsableSql(f"unknown SQL dialect {dialect!r}", fix=f"use one of {', '.join(sorted(RULES))}") from error
    return RULES.get(dialect.lower(), Rules(dialect, lower)), parser
