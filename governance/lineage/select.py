"""One SELECT: its relations, then its columns, then the clauses that shape its rows."""

import re
from contextlib import suppress

from sqlglot import exp

from governance.errors import LimitExceeded, LineageError
from governance.lineage.columns import Column, Query
from governance.lineage.edges import TRANSFORMATION, Deps, moved, united
from governance.lineage.environment import Environment
from governance.lineage.generators import generated
from governance.lineage.joins import read_from
from governance.lineage.naming import columns_named, name_of
from governance.lineage.patterns import compiled
from governance.lineage.rows import read_rows
from governance.lineage.scope import Scope
from governance.lineage.session import MAX_COLUMNS, Session
from governance.lineage.shapes import shape
from governance.lineage.star import chosen, counted, expand, is_star, unfolds
from governance.lineage.value import value_of


def read_select(tree: exp.Expr, session: Session, env: Environment, parent: Scope | None) -> Query:
    """Return what one SELECT yields."""
    scope = Scope(session, env, parent)
    return read_in(scope, tree)


def read_in(scope: Scope, tree: exp.Expr) -> Query:
    """Read ``tree`` in ``scope``, whose relations may be there already (several INSERTs over one FROM)."""
    scope.session.tick()
    read_from(scope, tree)
    windows = tree.args.get("windows")
    if windows:
        scope.windows = {scope.session.key(window.args["this"]): window for window in windows}
    if scope.session.rules.name == "clickhouse":
        name_scalars(scope)
    columns = read_projections(scope, tree.args.get("expressions") or [])
    scope.outputs = {column.key: column for column in reversed(columns)}
    read_rows(scope, tree, columns)
    return Query(columns, scope.rows, frozenset(scope.inputs))


def name_scalars(scope: Scope) -> None:
    """Make aliases of ClickHouse's ``WITH expression AS name``; one that does not fit this SELECT is for another."""
    scope.clause = "select"
    for key, named in scope.env.named_expressions().items():
        with suppress(LineageError):
            scope.aliases[key] = named if isinstance(named, Column) else Column(key, key, value_of(scope, named))


def read_projections(scope: Scope, expressions: list[exp.Expr]) -> list[Column]:
    """Return the select list's columns in order, named, stars expanded."""
    scope.clause = "select"
    lateral, chooses = scope.session.rules.lateral, scope.session.chooses
    if scope.session.rules.name == "clickhouse":
        return columns_named(scope.session.rules, in_any_order(scope, expressions))
    columns: list[Column] = []
    for tree in expressions:
        found = None if tree.__class__ is exp.Alias and not chooses else several(scope, tree)
        if found is not None:
            columns += found
            scope.items += [tree] * len(found)
            if len(columns) > MAX_COLUMNS:
                problem = f"more than {MAX_COLUMNS:,} output columns"
                raise scope.session.error(LimitExceeded, problem, tree, fix="select fewer columns")
            continue
        column = projection(scope, tree)
        columns.append(column)
        scope.items.append(tree)
        if lateral and tree.__class__ is exp.Alias:
            scope.aliases.setdefault(column.key, column)
    return columns_named(scope.session.rules, columns)


def in_any_order(scope: Scope, expressions: list[exp.Expr]) -> list[Column]:
    """ClickHouse's select list: an alias is in sight before it stands, and comes before a column of its name."""
    aliases = {scope.session.key(tree.args["alias"]): tree for tree in expressions if tree.__class__ is exp.Alias}
    found: dict[int, list[Column]] = {}

    def read(tree: exp.Expr, above: tuple[exp.Expr, ...]) -> None:
        if id(tree) in found or any(part is tree for part in above) or len(above) > MAX_ALIASES:
            return
        for part in tree.find_all(exp.Column):
            named = aliases.get(scope.session.key(part.args["this"])) if part.args.get("table") is None else None
            if named is not None and named is not tree:
                read(named, (*above, tree))
        columns = several(scope, tree) or [projection(scope, tree)]
        found[id(tree)] = columns
        if tree.__class__ is exp.Alias:
            scope.aliases.setdefault(columns[0].key, columns[0])

    for tree in expressions:
        read(tree, ())
        scope.items += [tree] * len(found[id(tree)])
    return [column for tree in expressions for column in found[id(tree)]]


MAX_ALIASES = 100
"""How many aliases may lead to one another; more are read as columns."""


def several(scope: Scope, tree: exp.Expr) -> list[Column] | None:
    """Return the columns of an item that stands for several, None where it stands for one."""
    if is_star(tree):
        return expand(scope, tree)
    by_name = tree.__class__ is exp.Anonymous and tree.name.lower() in {"json_tuple", "inline_outer"}
    is_generator = (by_name or isinstance(tree, exp.Explode)) and scope.session.rules.name in EXPLODING
    if is_generator or tree.__class__ in GENERATORS:
        names = [name.name for name in tree.args.get("expressions") or ()] if tree.__class__ is exp.Aliases else []
        return generated(scope, tree.args["this"] if names else tree, names, "")
    if tree.__class__ is exp.QueryTransform:
        return transformed(scope, tree)
    if tree.__class__ is exp.Explode:
        return unfolds(scope, tree)
    if scope.session.chooses and tree.find(exp.Columns) is not None:
        return choose(scope, tree)
    return None


def transformed(scope: Scope, tree: exp.Expr) -> list[Column]:
    """Hive's SELECT TRANSFORM: a script computes every column from all that it is given."""
    schema = tree.args.get("schema")
    names = [part.name for part in schema.args["expressions"]] if schema is not None else ["key", "value"]
    deps = moved(united([value_of(scope, part) for part in tree.args["expressions"]]), TRANSFORMATION)
    return [Column(name, scope.session.rules.fold(name, None), deps) for name in names]


EXPLODING = frozenset({"spark", "databricks", "hive"})
"""Dialects in which an unnamed EXPLODE gives its columns their own names."""

GENERATORS = frozenset({exp.Aliases, exp.Posexplode, exp.PosexplodeOuter, exp.Inline, exp.Stack})
"""Items of Spark's and Hive's select list that give several columns each."""


def projection(scope: Scope, tree: exp.Expr) -> Column:
    """Return one item of a select list as a column."""
    value = tree
    if tree.__class__ is exp.Alias:
        value = tree.args["this"]
        alias = tree.args["alias"]
        name, key = alias.name, scope.session.key(alias)
    elif tree.__class__ is exp.EQ and _names_by_text(scope, tree):
        value = tree.args["expression"]
        name, key = tree.args["this"].name, scope.session.rules.fold(tree.args["this"].name, True)  # noqa: FBT003  quoted
    else:
        name, key = "", ""
    if value.__class__ in {exp.Column, exp.PositionalColumn}:
        column = scope.column(value) if value.__class__ is exp.Column else counted(scope, value)
        return Column(name, key, column.deps, column.members, column.type) if name else column
    known = shape(scope, value)
    deps: Deps = known.deps if known is not None else value_of(scope, value)
    if not name:
        name = name_of(scope.session, value)
        key = scope.session.rules.fold(name, None)
    return Column(name, key, deps, known.members if known is not None else None)


def _names_by_text(scope: Scope, tree: exp.Expr) -> bool:
    """T-SQL's ``SELECT 'name' = value``."""
    name = tree.args["this"]
    return scope.session.rules.name == "tsql" and name.__class__ is exp.Literal and name.args.get("is_string") is True


def choose(scope: Scope, tree: exp.Expr) -> list[Column]:
    """Return the columns that an item with COLUMNS(…) stands for: the item once for each chosen column."""
    found = list(tree.find_all(exp.Columns))
    lists = {id(part): chosen(scope, part) for part in found}
    whole = {id(part): lists[id(part)] for part in found if part.args.get("unpack")}
    singles = [part for part in found if not part.args.get("unpack")]
    if not singles:
        scope.chosen = whole
        return [projection(scope, tree)]
    columns = []
    for number, model in enumerate(lists[id(singles[0])]):
        scope.chosen = whole | {id(part): lists[id(part)][number : number + 1] for part in singles}
        value = tree.args["this"] if tree.__class__ is exp.Alias else tree
        name = renamed_by(singles[0], tree.alias, model.name) if tree.__class__ is exp.Alias else model.name
        columns.append(Column(name, scope.session.rules.fold(name, None), value_of(scope, value)))
    return columns


def renamed_by(tree: exp.Expr, alias: str, name: str) -> str:
    r"""Return ``alias`` with ``\1`` and the like filled from the pattern of COLUMNS(…)."""
    pattern = tree.args["this"]
    match = compiled(pattern.name if pattern.__class__ is exp.Literal else ".*").search(name)
    if match is None or "\\" not in alias:
        return alias
    groups = [match.group(), *(group or "" for group in match.groups())]
    parts = re.split(r"\\(\d)", alias)  # text, digit, text, …
    return "".join(groups[int(part)] if n % 2 and int(part) < len(groups) else part for n, part in enumerate(parts))
