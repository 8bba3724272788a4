"""FROM and JOIN: each relation's columns, and how joining shapes the rows."""

from collections.abc import Callable, Sequence

from sqlglot import exp

from governance.errors import LineageError, UnknownColumn, UnknownTable, UnreadConstruct
from governance.lineage.columns import Column, Columns, ListedColumns, Query, Relation
from governance.lineage.edges import FILTER, IDENTITY, JOIN, TRANSFORMATION, Deps, add, moved, united
from governance.lineage.scope import Scope, nearest
from governance.lineage.value import depend

Reader = Callable[[Scope, exp.Expr], Relation]


def read_from(scope: Scope, tree: exp.Expr) -> None:
    """Bring what FROM, its joins and laterals name into ``scope``."""
    start = tree.args.get("from_")
    if start is not None:
        read_joined(scope, start.args["this"])
    for join in tree.args.get("joins") or ():
        read_join(scope, join)
    for lateral in tree.args.get("laterals") or ():
        scope.join(read_relation(scope, lateral))


def read_joined(scope: Scope, tree: exp.Expr) -> None:
    """Bring one item of FROM into scope, with the joins that hang on it."""
    scope.join(read_relation(scope, tree))
    for join in tree.args.get("joins") or ():
        read_join(scope, join)


def read_relation(scope: Scope, tree: exp.Expr) -> Relation:
    """Return the relation that ``tree`` names or computes."""
    reader = READERS.get(tree.__class__)
    if reader is None:
        raise scope.session.error(
            UnreadConstruct, f"{tree.key.upper()} in FROM is not read", tree, fix="use a table or a subquery"
        )
    return reader(scope, tree)


def _alias(scope: Scope, tree: exp.Expr) -> str:
    alias = tree.args.get("alias")
    name = alias.args.get("this") if alias is not None else None
    return scope.session.key(name) if name is not None else ""


def renamed(scope: Scope, tree: exp.Expr, columns: Sequence[Column]) -> Sequence[Column]:
    """Return ``columns`` under the names of the alias's column list, where it has one."""
    alias = tree.args.get("alias")
    names = (alias.args.get("columns") or ()) if alias is not None else ()
    if not names:
        return columns
    if len(names) > len(columns):
        raise scope.session.error(
            UnknownColumn, f"{len(names)} column aliases for {len(columns)} columns", tree, fix="name at most as many"
        )
    again = [
        column._replace(name=_name(name).args["this"], key=scope.session.key(_name(name)))
        for column, name in zip(columns, names, strict=False)
    ]
    return [*again, *columns[len(names) :]]


def _name(tree: exp.Expr) -> exp.Expr:
    """A column alias is an identifier, or a definition with a type."""
    return tree if tree.__class__ is exp.Identifier else _name(tree.args["this"])


def read_table(scope: Scope, tree: exp.Expr) -> Relation:
    """Return a table, view or CTE by its name; names of the statement come before those of the schema."""
    session = scope.session
    parts = table_parts(tree)
    alias = _alias(scope, tree)
    if len(parts) == 1:
        key = session.key(parts[0])
        found = scope.env.find(key)
        if found is not None:
            if isinstance(found, LineageError):
                raise found
            return _use(scope, tree, found, alias or key)
    names = tuple(part.args["this"] for part in parts)
    for name in session.tables.candidates(names):
        made = session.made.get(name.lower())
        if made is not None:
            if made.query is not None:
                return _use(scope, tree, made.query, alias or session.key(parts[-1]))
            return _stored(scope, tree, name, made.columns, alias)
    name_or_names = session.tables.find(names)
    if isinstance(name_or_names, str):
        return _stored(scope, tree, name_or_names, session.tables.columns(name_or_names), alias)
    raise _no_table(scope, tree, ".".join(names), name_or_names)


def table_parts(tree: exp.Expr) -> list[exp.Expr]:
    """Return the identifiers of a table's name, catalog first."""
    parts = [tree.args[part] for part in ("catalog", "db") if tree.args.get(part)]
    name = tree.args["this"]
    while name.__class__ is exp.Dot:
        parts.append(name.args["this"])
        name = name.args["expression"]
    return [*parts, name]


def _use(scope: Scope, tree: exp.Expr, query: Query, alias: str) -> Relation:
    add(scope.rows, query.rows, IDENTITY)
    scope.inputs.update(query.inputs)
    return Relation(alias, (), ListedColumns(renamed(scope, tree, query.columns)))


def _stored(scope: Scope, tree: exp.Expr, name: str, columns: Columns, alias: str) -> Relation:
    scope.inputs.add(name)
    key = scope.session.key
    parts = table_parts(tree)
    given = tree.args.get("alias")
    if given is not None and given.args.get("columns"):
        columns = ListedColumns(renamed(scope, tree, columns.all() or ()))
    path = () if alias else tuple(key(part) for part in parts)
    return Relation(alias or path[-1], path, columns)


def _no_table(scope: Scope, tree: exp.Expr, name: str, several: list[str] | None) -> LineageError:
    if several:
        return scope.session.error(
            UnknownTable, f"table {name} may be {' or '.join(sorted(several))}", tree, fix="write its full name"
        )
    near = nearest(name, set(scope.session.tables.schema))
    fix = f"did you mean {near}?" if near else "add it to the schema or build it before"
    return scope.session.error(UnknownTable, f"no table {name} in the schema", tree, fix=fix)


def read_derived(scope: Scope, tree: exp.Expr) -> Relation:
    """Return a subquery in FROM, or a parenthesised join."""
    inner = tree.args["this"]
    if inner.__class__ is exp.Table:
        return _parenthesised(scope, tree, inner)
    query = scope.session.read(inner, scope.session, scope.env, scope.parent)
    return _use(scope, tree, query, _alias(scope, tree))


def _parenthesised(scope: Scope, tree: exp.Expr, inner: exp.Expr) -> Relation:
    read_joined(scope, inner)
    last = scope.relations.pop()
    del tree
    return last


def read_join(scope: Scope, join: exp.Expr) -> None:
    """Bring a join's right side into scope and its condition into the rows."""
    args = join.args
    left = list(scope.relations)
    kind = (args.get("kind") or "").upper()
    hidden = kind in {"SEMI", "ANTI"}
    read_joined(scope, args["this"])
    right = scope.relations[len(left) :]
    hop = FILTER if hidden else JOIN
    if args.get("using"):
        _merge(scope, [scope.session.key(name) for name in args["using"]], args["using"], left, right, join, hop)
    elif args.get("method") == "NATURAL":
        _natural(scope, left, right, join, hop)
    condition = args.get("on") or args.get("match_condition")
    if condition is not None:
        scope.clause = "join"
        depend(scope, condition, hop, scope.rows)
    if hidden:
        _hide(scope, left)


def _hide(scope: Scope, left: list[Relation]) -> None:
    scope.relations = left
    scope.named = {relation.alias: relation for relation in reversed(left) if relation.alias}
    scope.seen = {}


def _natural(scope: Scope, left: list[Relation], right: list[Relation], join: exp.Expr, hop: int) -> None:
    ours = {column.key for relation in left for column in relation.columns.all() or ()}
    keys = [column.key for relation in right for column in relation.columns.all() or () if column.key in ours]
    names = [exp.to_identifier(key) for key in keys]
    _merge(scope, keys, names, left, right, join, hop)


def _merge(
    scope: Scope,
    keys: list[str],
    names: Sequence[exp.Expr],
    left: list[Relation],
    right: list[Relation],
    join: exp.Expr,
    hop: int,
) -> None:
    for key, name in zip(keys, names, strict=True):
        ours = scope.merged.get(key) or _in(scope, left, key, name)
        theirs = _in(scope, right, key, name)
        add(scope.rows, ours.deps, hop)
        add(scope.rows, theirs.deps, hop)
        if hop == JOIN:
            scope.merged[key] = SIDES.get((join.args.get("side") or "").upper(), _left)(ours, theirs)
    scope.seen = {}


def _in(scope: Scope, relations: list[Relation], key: str, name: exp.Expr) -> Column:
    for relation in relations:
        column = relation.columns.find(key, name.args["this"])
        if column is not None:
            return column
    raise scope.session.error(
        UnknownColumn, f"USING column {name.args['this']} is missing on one side", name, fix="join with ON"
    )


def _left(ours: Column, _theirs: Column) -> Column:
    return ours


def _right(_ours: Column, theirs: Column) -> Column:
    return theirs


def _both(ours: Column, theirs: Column) -> Column:
    deps: Deps = moved(united([ours.deps, theirs.deps]), TRANSFORMATION)
    return Column(ours.name, ours.key, deps)


SIDES: dict[str, Callable[[Column, Column], Column]] = {"": _left, "LEFT": _left, "RIGHT": _right, "FULL": _both}
"""Whose value a merged column has: FULL coalesces both."""

READERS: dict[type, Reader] = {exp.Table: read_table, exp.Subquery: read_derived}
