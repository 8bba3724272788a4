"""VALUES: rows written out."""

from sqlglot import exp

from governance.lineage.columns import Column
from governance.lineage.edges import united
from governance.lineage.scope import Scope
from governance.lineage.value import value_of


def values(scope: Scope, tree: exp.Expr) -> list[Column]:
    """Return the columns of a VALUES list under the dialect's own names."""
    rows = [_values_of(row) for row in tree.args["expressions"]]
    prefix, first = VALUES_NAMES.get(scope.session.rules.name, ("column", 1))
    fold = scope.session.rules.fold
    columns = []
    for number in range(len(rows[0])):
        name = f"{prefix}{number + first}"
        deps = united([value_of(scope, row[number]) for row in rows if number < len(row)])
        columns.append(Column(name, fold(name, None), deps))
    return columns


def _values_of(row: exp.Expr) -> list[exp.Expr]:
    """A row's values, also those of MySQL's ``VALUES ROW(1, 2)``."""
    parts: list[exp.Expr] = row.args["expressions"] if row.__class__ is exp.Tuple else [row]
    only = parts[0] if len(parts) == 1 else None
    is_row = only.__class__ is exp.Anonymous and only is not None and only.name.upper() == "ROW"
    return only.args["expressions"] if only is not None and is_row else parts


VALUES_NAMES: dict[str, tuple[str, int]] = {
    "duckdb": ("col", 0), "spark": ("col", 1), "databricks": ("col", 1), "hive": ("col", 1), "trino": ("_col", 0),
    "mysql": ("column_", 0), "clickhouse": ("c", 1),
}  # fmt: skip
