"""``*`` and its kin: EXCLUDE, REPLACE, RENAME, LIKE, COLUMNS(…), and the merged columns of USING."""

from collections.abc import Callable, Sequence

from sqlglot import exp

from governance.errors import LimitExceeded, UnknownColumn, UnknownTable, UnparsableSql, UnreadConstruct
from governance.lineage.columns import Column, Relation
from governance.lineage.edges import JOIN, TRANSFORMATION, add, moved
from governance.lineage.layout import laid_out
from governance.lineage.names import identifier, no_qualifier, qualified
from governance.lineage.patterns import PATTERNS, compiled, ilike, test_of
from governance.lineage.scope import Scope
from governance.lineage.session import MAX_COLUMNS
from governance.lineage.shapes import shaped
from governance.lineage.structs import declared_members
from governance.lineage.value import value_of

FILTERED = frozenset({*PATTERNS, exp.Not})
"""What may stand around a star to choose among its columns."""


def is_star(tree: exp.Expr) -> bool:
    """Tell whether a select-list item stands for several columns."""
    kind = tree.__class__
    if kind is exp.Star:
        return True
    if kind is exp.Column or kind is exp.Dot:
        return tree.args["this" if kind is exp.Column else "expression"].__class__ is exp.Star
    return kind in FILTERED and is_star(tree.args["this"])


def expand(scope: Scope, tree: exp.Expr) -> list[Column]:
    """Return the columns that a star stands for, in order."""
    kind = tree.__class__
    if kind in FILTERED:
        matches = test_of(tree)
        starred = tree.args["this"].args["this"] if kind is exp.Not else tree.args["this"]
        return [column for column in expand(scope, starred) if matches is not None and matches(column.name)]
    if kind is exp.Star:
        columns = _edited(scope, tree, _matching(tree, every(scope)))
    elif kind is exp.Dot:
        columns = _members(scope, tree.args["this"], tree)
    else:
        columns = _edited(scope, tree.args["this"], _matching(tree.args["this"], of_relation(scope, tree)))
    return noted(scope, tree, columns)


def noted(scope: Scope, tree: exp.Expr, columns: list[Column]) -> list[Column]:
    """Return ``columns``, which the star or COLUMNS(…) ``tree`` stands for, with its place where that is noted."""
    return columns if scope.session.mark is None else [scope.session.noted(tree, column) for column in columns]


def _matching(star: exp.Expr, columns: list[Column]) -> list[Column]:
    """Snowflake's ``* ILIKE 'x%'``."""
    pattern = star.args.get("ilike")
    if pattern is None:
        return columns
    matches = ilike(pattern.name if isinstance(pattern, exp.Expr) else str(pattern))
    return [column for column in columns if matches(column.name)]


def unfolds(scope: Scope, tree: exp.Expr) -> list[Column] | None:
    """Return the members that DuckDB's ``unnest(struct)`` gives as columns, None where it unnests a list."""
    inner = tree.args["this"] if tree.__class__ is exp.Explode else None
    if inner is None or scope.session.rules.name != "duckdb":
        return None
    is_struct = _is_struct(scope, inner)
    recursive = any(_name(part) in {"recursive", "max_depth"} for part in tree.args.get("expressions") or ())
    if not is_struct and not recursive:
        return None
    column = shaped(scope, inner)
    if declared_members(column, scope.session.rules) is None:
        return None
    columns = _flat(scope, column) if recursive else _parts(scope, column, tree)
    if is_struct:
        return columns
    add(scope.rows, column.deps, JOIN)
    return [part._replace(deps=moved(part.deps, TRANSFORMATION)) for part in columns]


def _is_struct(scope: Scope, tree: exp.Expr) -> bool:
    """Tell whether a value is one struct or row, so that no row is multiplied."""
    kind = tree.__class__
    if kind in ONE_OF_MANY:
        return _is_struct(scope, tree.args["this"])
    if kind is not exp.Column:
        return kind is exp.Struct
    name = tree.args["this"]
    if tree.args.get("table") is None and scope.session.key(name) in scope.named:
        return scope.among(scope.session.key(name), name) is None
    declared = scope.column(tree).type
    return declared.upper().startswith("STRUCT") and not declared.endswith("]")


ONE_OF_MANY = frozenset({exp.ArgMax, exp.ArgMin, exp.AnyValue, exp.First, exp.Last, exp.Paren})
"""Aggregates that give one of the values they are given, and parentheses."""


def _name(argument: exp.Expr) -> str:
    name = argument.args.get("this")
    return name.name.lower() if isinstance(name, exp.Expr) else ""


def _flat(scope: Scope, column: Column) -> list[Column]:
    """All members, those of members included."""
    members = declared_members(column, scope.session.rules)
    return [column] if members is None else [leaf for part in members.values() for leaf in _flat(scope, part)]


def columns_of_item(scope: Scope, tree: exp.Expr) -> list[Column]:
    """Return the columns that ``tree`` names: one, those of a star, or those of COLUMNS(…)."""
    if tree.__class__ is exp.Columns:
        return chosen(scope, tree)
    if is_star(tree):
        return expand(scope, tree)
    if tree.__class__ is not exp.Column:
        raise scope.session.error(UnreadConstruct, f"{tree.sql()[:60]} is not a column", tree, fix="name a column")
    return [scope.column(tree)]


def every(scope: Scope) -> list[Column]:
    """Return all columns in scope; those that USING merged stand once."""
    if not scope.relations:
        raise scope.session.error(UnknownTable, "* without FROM", fix="name a table in FROM")
    size = sum(len(_all(scope, relation, None)) for relation in scope.relations)
    if size > MAX_COLUMNS:
        raise scope.session.error(
            LimitExceeded, f"* of more than {MAX_COLUMNS:,} columns", None, fix="name the columns"
        )
    return laid_out(scope.relations, scope.merges, in_place=scope.session.rules.in_place)


def counted(scope: Scope, tree: exp.Expr) -> Column:
    """Return DuckDB's ``#n``: the n-th column of FROM, where USING merges none (tried on 2.0.1).

    Raises:
        UnknownColumn: there are fewer.
    """
    columns = [column for relation in scope.relations for column in _all(scope, relation, tree)]
    position = int(tree.args["this"].name)
    if not 0 < position <= len(columns):
        problem = f"position #{position} is outside the {len(columns)} columns of FROM"
        raise scope.session.error(UnknownColumn, problem, tree, fix="name the column")
    return scope.session.noted(tree, columns[position - 1])


def of_relation(scope: Scope, tree: exp.Expr) -> list[Column]:
    """Return the columns of ``t.*``, or the members of the struct ``s.*``."""
    parts = [tree.args[part] for part in ("catalog", "db", "table") if tree.args.get(part)]
    keys = [scope.session.key(part) for part in parts]
    sight: Scope | None = scope
    while sight is not None:
        relation = sight.relation(keys)
        if relation is not None:
            return list(_all(scope, relation, tree))
        sight = sight.parent
    column = _struct_at(scope, keys, parts)
    if column is None:
        problem = f"no table or alias {parts[0].name} in scope"
        raise scope.session.error(UnknownTable, problem, tree, fix="correct the qualifier")
    return _parts(scope, column, tree)


def _struct_at(scope: Scope, keys: list[str], parts: list[exp.Expr]) -> Column | None:
    """``s.*``, or ``t.s.part.*`` along a path of members."""
    return scope.find(keys[0], parts[0]) if len(keys) == 1 else scope.path(parts)


def _members(scope: Scope, base: exp.Expr, at: exp.Expr) -> list[Column]:
    return _parts(scope, shaped(scope, base), at)


def _parts(scope: Scope, column: Column, at: exp.Expr) -> list[Column]:
    members = declared_members(column, scope.session.rules)
    if members is None:
        problem = f"the members of {column.name or 'this value'} are not known"
        raise scope.session.error(UnreadConstruct, problem, at, fix="name them one by one, or declare its type")
    return list(members.values())


def _all(scope: Scope, relation: Relation, at: exp.Expr | None) -> Sequence[Column]:
    columns = relation.columns.all()
    if columns is None:
        problem = f"* over {relation.title or relation.alias or 'a file'}, whose columns are not declared"
        raise scope.session.error(UnreadConstruct, problem, at, fix="name the columns, or declare them in the schema")
    return columns


def _edited(scope: Scope, star: exp.Expr, columns: list[Column]) -> list[Column]:
    key = scope.session.key
    args = star.args
    if not (args.get("except_") or args.get("replace") or args.get("rename")):
        return columns
    excluded = {place for tree in args.get("except_") or () for place in _meant(scope, tree, columns)}
    replaced: dict[int, exp.Expr] = {}
    for tree in args.get("replace") or ():
        first, *more = _meant(scope, _aliased(scope, tree), columns)
        replaced[first] = tree.args["this"]
        excluded.update(more)  # the value stands for all of its name (tried on DuckDB 2.0.1)
    renamed = {
        place: _aliased(scope, tree)
        for tree in args.get("rename") or ()
        for place in _meant(scope, tree.args["this"], columns)
    }
    result = []
    for place, found in enumerate(columns):
        if place in excluded:
            continue
        value = replaced.get(place)
        column = found if value is None else found._replace(deps=value_of(scope, value), members=None)
        alias = renamed.get(place)
        result.append(column if alias is None else column._replace(name=alias.args["this"], key=key(alias)))
    return result


def _meant(scope: Scope, tree: exp.Expr, columns: Sequence[Column]) -> list[int]:
    """Return the places in ``columns`` of what EXCLUDE, REPLACE or RENAME names; a qualifier chooses one relation's."""
    key = scope.session.key(identifier(tree))
    found = [place for place, column in enumerate(columns) if column.key == key]
    parts = qualified(tree)[:-1] if tree.__class__ is exp.Column else []
    if parts and found:
        relation = scope.relation([scope.session.key(part) for part in parts])
        if relation is None:
            raise no_qualifier(scope.session, tree, parts[0], scope.relations)
        own = {id(column) for column in relation.columns.all() or ()}
        found = [place for place in found if id(columns[place]) in own]
        if not found and key in scope.merged:
            problem = f"a qualified name of the column {identifier(tree).name}, which USING merges,"
            raise scope.session.error(UnreadConstruct, f"{problem} is not read here", tree, fix="list the columns")
    if not found:
        fix = "correct EXCLUDE, REPLACE or RENAME"
        raise scope.session.error(UnknownColumn, f"* has no column {identifier(tree).name}", tree, fix=fix)
    return found


def _aliased(scope: Scope, tree: exp.Expr) -> exp.Expr:
    alias = tree.args.get("alias")
    if not isinstance(alias, exp.Expr):
        raise scope.session.error(
            UnparsableSql, "REPLACE or RENAME without a new name", tree, fix="write AS and its name"
        )
    return alias


def chosen(scope: Scope, tree: exp.Expr) -> list[Column]:
    """Return the columns that COLUMNS(…) chooses.

    Raises:
        UnreadConstruct: it chooses by something else than a star, a pattern, a list of names or a LIKE lambda.
    """
    what = tree.args["this"]
    if is_star(what):
        return expand(scope, what)
    reader = CHOICES.get(what.__class__)
    if reader is None:
        problem = f"COLUMNS({what.sql()}) is not read"
        raise scope.session.error(UnreadConstruct, problem, what, fix="use a pattern or a list of names")
    matches = reader(scope, what)
    return noted(scope, tree, [column for column in every(scope) if matches(column.name)])


def _by_pattern(_scope: Scope, what: exp.Expr) -> Callable[[str], object]:
    return compiled(what.name).search


def _by_names(_scope: Scope, what: exp.Expr) -> Callable[[str], object]:
    names = {part.name.lower() for part in what.args["expressions"]}
    return lambda name: name.lower() in names


def _by_lambda(scope: Scope, what: exp.Expr) -> Callable[[str], object]:
    matches = test_of(what.args["this"])
    if matches is None:
        problem = f"COLUMNS({what.sql()}) is not read"
        raise scope.session.error(UnreadConstruct, problem, what, fix="use LIKE, a pattern or a list of names")
    return matches


CHOICES: dict[type, Callable[[Scope, exp.Expr], Callable[[str], object]]] = {
    exp.Literal: _by_pattern,
    exp.Array: _by_names,
    exp.Lambda: _by_lambda,
}
