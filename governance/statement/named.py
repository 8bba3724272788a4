"""The tables that a foreign statement names, where its columns cannot be told.

For query logs: a statement over a table that no schema here has still read the tables that it names.
"""

from sqlglot import exp

from governance.lineage.dialects import rules_for
from governance.lineage.parse import parse

Names = tuple[tuple[str, ...], ...]


def tables_named(sql: str, dialect: str) -> tuple[Names, Names]:
    """Return the tables that ``sql`` reads and those that it writes, as the parts it spells, each sorted.

    Raises:
        UnparsableSql, LimitExceeded: the text is not SQL of ``dialect``, or beyond a bound.
    """
    _, parser = rules_for(dialect)
    reads: set[tuple[str, ...]] = set()
    writes: set[tuple[str, ...]] = set()
    for tree in parse(sql, parser):
        targets = [found for found in (_target(tree),) if found is not None]
        writes |= {_parts(table) for table in targets}
        ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
        named = (table for table in tree.find_all(exp.Table) if not _same(table, targets))
        reads |= {_parts(table) for table in named if _is_table(table, ctes)}
    return tuple(sorted(reads)), tuple(sorted(writes))


def _same(table: exp.Table, targets: list[exp.Table]) -> bool:
    return any(table is target for target in targets)


def _target(tree: exp.Expr) -> exp.Table | None:
    if not isinstance(tree, (exp.Insert, exp.Create, exp.Merge, exp.Update, exp.Delete)):
        return None
    target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    return target if isinstance(target, exp.Table) else None


def _is_table(table: exp.Table, ctes: set[str]) -> bool:
    return isinstance(table.this, exp.Identifier) and bool(table.db or table.name.lower() not in ctes)


def _parts(table: exp.Table) -> tuple[str, ...]:
    return tuple(part for part in (table.catalog, table.db, table.name) if part)
