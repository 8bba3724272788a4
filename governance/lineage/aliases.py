"""What an item of FROM is called in its scope, and the names that its alias lists for its columns."""

from collections.abc import Sequence

from sqlglot import exp

from governance.errors import UnknownColumn
from governance.lineage.columns import Column, ListedColumns, Query, Relation
from governance.lineage.edges import IDENTITY, add
from governance.lineage.names import identifier
from governance.lineage.scope import Scope


def alias_of(scope: Scope, tree: exp.Expr) -> str:
    """Return the folded alias of an item of FROM, "" where it has none."""
    alias = tree.args.get("alias")
    name = alias.args.get("this") if isinstance(alias, exp.TableAlias) else alias
    return scope.session.key(name) if isinstance(name, exp.Expr) else ""


def aliases_of(tree: exp.Expr) -> list[exp.Expr]:
    """Return the identifiers of an alias's column list."""
    alias = tree.args.get("alias")
    names = (alias.args.get("columns") or ()) if isinstance(alias, exp.TableAlias) else ()
    return [identifier(name) for name in names]


def renamed(scope: Scope, tree: exp.Expr, columns: Sequence[Column]) -> Sequence[Column]:
    """Return ``columns`` under the names of the alias's column list, where it has one.

    Raises:
        UnknownColumn: more names than columns.
    """
    names = aliases_of(tree)
    if not names:
        return columns
    if len(names) > len(columns):
        problem = f"{len(names)} column aliases for {len(columns)} columns"
        raise scope.session.error(UnknownColumn, problem, tree, fix="name at most as many")
    key = scope.session.key
    given = [c._replace(name=n.args["this"], key=key(n)) for c, n in zip(columns, names, strict=False)]
    return [*given, *columns[len(names) :]]


def use(scope: Scope, tree: exp.Expr, query: Query, alias: str) -> Relation:
    """Return ``query`` as a relation; what shapes its rows shapes those of the scope."""
    add(scope.rows, query.rows, IDENTITY)
    scope.inputs.update(query.inputs)
    return Relation(alias, (), ListedColumns(renamed(scope, tree, query.columns)))
