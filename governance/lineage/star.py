"""``*`` and its kin: EXCLUDE, REPLACE, RENAME, and the merged columns of USING."""

from collections.abc import Sequence

from sqlglot import exp

from governance.errors import UnknownColumn, UnknownTable, UnreadConstruct
from governance.lineage.columns import Column, Relation
from governance.lineage.scope import Scope
from governance.lineage.value import value_of


def is_star(tree: exp.Expr) -> bool:
    """Tell whether a select-list item stands for several columns."""
    return tree.__class__ is exp.Star or (tree.__class__ is exp.Column and tree.args["this"].__class__ is exp.Star)


def expand(scope: Scope, tree: exp.Expr) -> list[Column]:
    """Return the columns that a star stands for, in order."""
    star = tree if tree.__class__ is exp.Star else tree.args["this"]
    columns = every(scope) if star is tree else of_relation(scope, tree)
    return _edited(scope, star, columns)


def every(scope: Scope) -> list[Column]:
    """Return all columns in scope; those that USING merged stand once, where they first occur."""
    if not scope.relations:
        raise scope.session.error(UnknownTable, "* without FROM", fix="name a table in FROM")
    columns: list[Column] = []
    given: set[str] = set()
    for relation in scope.relations:
        for column in _all(scope, relation, None):
            merged = scope.merged.get(column.key)
            if merged is None:
                columns.append(column)
            elif column.key not in given:
                given.add(column.key)
                columns.append(merged._replace(name=column.name))
    return columns


def of_relation(scope: Scope, tree: exp.Expr) -> list[Column]:
    """Return the columns of ``t.*``."""
    parts = [tree.args[part] for part in ("catalog", "db", "table") if tree.args.get(part)]
    keys = [scope.session.key(part) for part in parts]
    sight: Scope | None = scope
    while sight is not None:
        relation = sight.relation(keys)
        if relation is not None:
            return list(_all(scope, relation, tree))
        sight = sight.parent
    column = scope.find(keys[0], parts[0])
    if column is not None and column.members is not None:
        return list(column.members.values())
    raise scope.session.error(
        UnknownTable, f"no table or alias {parts[0].name} in scope", tree, fix="correct the qualifier"
    )


def _all(scope: Scope, relation: Relation, at: exp.Expr | None) -> Sequence[Column]:
    columns = relation.columns.all()
    if columns is None:
        raise scope.session.error(
            UnreadConstruct,
            f"* over {relation.alias or 'a file'}, whose columns are not declared",
            at,
            fix="name the columns",
        )
    return columns


def _edited(scope: Scope, star: exp.Expr, columns: list[Column]) -> list[Column]:
    key = scope.session.key
    excluded = {key(_identifier(tree)): tree for tree in star.args.get("except_") or ()}
    replaced = {key(tree.args["alias"]): tree for tree in star.args.get("replace") or ()}
    renamed = {key(_identifier(tree.args["this"])): tree.args["alias"] for tree in star.args.get("rename") or ()}
    if not (excluded or replaced or renamed):
        return columns
    present = {column.key for column in columns}
    for name, tree in (*excluded.items(), *replaced.items(), *renamed.items()):
        if name not in present:
            raise scope.session.error(
                UnknownColumn, f"* has no column {name}", tree, fix="correct EXCLUDE, REPLACE or RENAME"
            )
    result = []
    for column in columns:
        if column.key in excluded:
            continue
        if column.key in replaced:
            column = column._replace(deps=value_of(scope, replaced[column.key].args["this"]), members=None)
        alias = renamed.get(column.key)
        result.append(column if alias is None else column._replace(name=alias.args["this"], key=key(alias)))
    return result


def _identifier(tree: exp.Expr) -> exp.Expr:
    return tree.args["this"] if tree.__class__ is exp.Column else tree
