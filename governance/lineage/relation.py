"""What stands in FROM: tables, CTEs, subqueries, VALUES, functions, laterals, pivots."""

from collections.abc import Callable

from sqlglot import exp
from sqlglot.errors import SqlglotError

from governance.errors import DynamicSql, LineageError, UnknownTable, UnreadConstruct
from governance.lineage.advice import nearest
from governance.lineage.aliases import alias_of, aliases_of, renamed, use
from governance.lineage.columns import ListedColumns, Relation
from governance.lineage.files import FORMATS, columns_of, looks_like_path
from governance.lineage.inlining import DIALECT
from governance.lineage.names import full_path, spelt, table_parts
from governance.lineage.pivot import pivoted
from governance.lineage.scope import Scope
from governance.lineage.session import Made
from governance.lineage.tablefunctions import (
    lend,
    method_of,
    read_function,
    read_generated,
    read_generator,
    read_rows_from,
)
from governance.lineage.temporary import made_under
from governance.lineage.valueslist import values
from governance.lineage.views import view_of

Reader = Callable[[Scope, exp.Expr], Relation]


def read_relation(scope: Scope, tree: exp.Expr) -> Relation:
    """Return the relation that ``tree`` names or computes, after its pivots."""
    reader = READERS.get(tree.__class__)
    if reader is None:
        reader = read_generator if isinstance(tree, exp.Func) else None
    if reader is None:
        problem = f"{tree.key.upper()} in FROM is not read"
        raise scope.session.error(UnreadConstruct, problem, tree, fix="use a table or a subquery")
    scope.clause = "from"
    relation = reader(scope, tree)
    pivots = tree.args.get("pivots")
    return pivoted(scope, relation, pivots) if pivots else relation


def read_table(scope: Scope, tree: exp.Expr) -> Relation:
    """Return a table, view, CTE or file by its name; names of the statement come before those of the schema."""
    session, this = scope.session, tree.args["this"]
    computed = None if this.__class__ is exp.Identifier else _computed(scope, tree, this)
    if computed is not None:
        return computed
    parts = table_parts(tree)
    alias = alias_of(scope, tree)
    if len(parts) == 1:
        found = scope.env.find(session.key(parts[0]))
        if isinstance(found, LineageError):
            raise found
        if found is not None:
            return use(scope, tree, found, alias or session.key(parts[0]))
    return _block(scope, tree, parts, alias) or _named(scope, tree, parts, alias)


def _block(scope: Scope, tree: exp.Expr, parts: list[exp.Expr], alias: str) -> Relation | None:
    """Return the view of a block that stands before the text, qualified as a table is; None where it is none."""
    names = spelt(parts)
    view = view_of(scope.session, names) if scope.session.seen else None
    if view is None:
        return None
    path = () if alias else full_path(scope.session, parts, ".".join(names))
    return use(scope, tree, view, alias or path[-1])._replace(path=path)


def _computed(scope: Scope, tree: exp.Expr, this: exp.Expr | None) -> Relation | None:
    """Return what stands in a table's place without being its name, None where it is a name after all."""
    if this is None:
        return read_rows_from(scope, tree)
    if this.__class__ is exp.Var:
        return Relation(alias_of(scope, tree), (), columns_of(scope, [this.name]))
    if this.__class__ is exp.DynamicIdentifier:
        return read_table(scope, _spelt(scope, tree, this))
    if not isinstance(this, exp.Func):
        return None
    is_method = this.name.lower() == "nodes" and tree.args.get("db") is not None
    return read_generated(scope, method_of(tree, this), tree) if is_method else read_function(scope, tree, this)


def _spelt(scope: Scope, tree: exp.Expr, this: exp.Expr) -> exp.Expr:
    """IDENTIFIER('s.t') is the table s.t."""
    text = this.args["this"]
    if text.__class__ is not exp.Literal:
        raise scope.session.error(DynamicSql, "IDENTIFIER of a value that no text shows", tree, fix="name the table")
    try:
        table = exp.to_table(text.name, dialect=scope.session.rules.name)
    except (SqlglotError, TypeError) as error:
        problem = f"{text.name!r} is no name of a table"
        raise scope.session.error(UnknownTable, problem, tree, fix="name the table") from error
    table.set("alias", tree.args.get("alias"))
    return table


def _named(scope: Scope, tree: exp.Expr, parts: list[exp.Expr], alias: str) -> Relation:
    session = scope.session
    names = spelt(parts)
    made = made_under(session, names) if session.made else None
    if made is not None:
        session.used.add(made.name.lower())
        if made.query is not None:
            return use(scope, tree, made.query, alias or session.key(parts[-1]))
        return _stored(scope, tree, parts, alias, made)
    found = session.tables.find(names)
    if isinstance(found, str):
        return _stored(scope, tree, parts, alias, Made(found, session.tables.columns(found)))
    if found is None and _is_path(parts):
        return Relation(alias, (), columns_of(scope, [names[-1]]))
    if found is None and names[-1].lower() == "dual":  # one row without columns, in Oracle and MySQL
        return Relation(alias, (), ListedColumns(()))
    lateral = _implicit_unnest(scope, tree, parts)
    if lateral is not None:
        return lateral
    raise _no_table(scope, tree, ".".join(names), found)


def _is_path(parts: list[exp.Expr]) -> bool:
    name = parts[-1]
    if len(parts) > 1:
        return parts[0].name.lower() in FORMATS and "/" in name.name
    return bool(name.args.get("quoted")) and looks_like_path(name.name)


def _implicit_unnest(scope: Scope, tree: exp.Expr, parts: list[exp.Expr]) -> Relation | None:
    """``FROM t, t.items AS i``: a path that begins with a relation in scope is a collection of it."""
    key = scope.session.key(parts[0])
    if len(parts) < 2:  # noqa: PLR2004  table and column
        return None
    if scope.relation([key]) is None and scope.among(key, parts[0]) is None:
        return None
    names = ("this", "table", "db", "catalog")
    column = exp.Column(**dict(zip(names, reversed(parts), strict=False)))
    alias = tree.args.get("alias")
    return read_generator(scope, exp.Unnest(expressions=[column], alias=alias.copy() if alias is not None else None))


def _stored(scope: Scope, tree: exp.Expr, parts: list[exp.Expr], alias: str, stored: Made) -> Relation:
    name, columns = stored.name, stored.columns
    scope.inputs.add(name)
    if not alias:
        path = full_path(scope.session, parts, name)
        return Relation(path[-1], path, columns, name)
    if aliases_of(tree):
        columns = ListedColumns(renamed(scope, tree, columns.all() or ()))
    return Relation(alias, (), columns, name)


def _no_table(scope: Scope, tree: exp.Expr, name: str, several: list[str] | str | None) -> LineageError:
    if several:
        problem = f"table {name} may be {' or '.join(sorted(several))}"
        return scope.session.error(UnknownTable, problem, tree, fix="write its full name")
    near = nearest(name, set(scope.session.tables.schema))
    fix = f"did you mean {near}?" if near else "add it to the schema or build it before"
    return scope.session.error(UnknownTable, f"no table {name} in the schema", tree, fix=fix)


def read_derived(scope: Scope, tree: exp.Expr) -> Relation:
    """Return a subquery in FROM; DuckDB's may look at the relations before it without LATERAL."""
    inner = tree.args["this"]
    lateral = scope.session.rules.name == "duckdb"
    parent = scope if lateral else scope.parent
    with_ = tree.args.get("with_")
    body = tree if with_ is not None else inner
    query = scope.session.read(body, scope.session, scope.env, parent)
    lend(scope)
    return use(scope, tree, query, alias_of(scope, tree))


def read_lateral(scope: Scope, tree: exp.Expr) -> Relation:
    """LATERAL, CROSS APPLY and LATERAL VIEW: what it takes from the left to shape its rows is a JOIN input."""
    inner = tree.args["this"]
    if not isinstance(inner, exp.Query):
        in_duckdb = scope.session.rules.name == DIALECT and isinstance(inner, exp.Func)
        return read_function(scope, tree, inner) if in_duckdb else read_generated(scope, inner, tree)
    query = scope.session.read(inner, scope.session, scope.env, scope)
    lend(scope)
    return use(scope, tree, query, alias_of(scope, tree))


def read_values(scope: Scope, tree: exp.Expr) -> Relation:
    """Return a VALUES list: each column united over the rows."""
    return Relation(alias_of(scope, tree), (), ListedColumns(renamed(scope, tree, values(scope, tree))))


def _wrapped(scope: Scope, tree: exp.Expr) -> Relation:
    """TABLE(f(…)) and FINAL say nothing of their own."""
    inner = tree.args["this"]
    return read_generated(scope, inner, tree) if isinstance(inner, exp.Func) else read_relation(scope, inner)


READERS: dict[type, Reader] = {
    exp.Table: read_table,
    exp.Subquery: read_derived,
    exp.Lateral: read_lateral,
    exp.Values: read_values,
    exp.Unnest: read_generator,
    exp.TableFromRows: _wrapped,
    exp.Final: _wrapped,
    exp.Stream: _wrapped,
}
