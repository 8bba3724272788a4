"""Functions in FROM: macros of the script, readers of files, generators."""

from sqlglot import exp

from governance.lineage.aliases import alias_of, aliases_of, renamed, use
from governance.lineage.columns import Columns, ListedColumns, Query, Relation, UnknownColumns
from governance.lineage.edges import JOIN, add
from governance.lineage.files import READERS, read_file
from governance.lineage.generators import generated
from governance.lineage.inlining import DIALECT, inlined, substituted
from governance.lineage.printers import function_name
from governance.lineage.scope import Scope
from governance.lineage.session import Macro


def read_function(scope: Scope, tree: exp.Expr, function: exp.Expr) -> Relation:
    """Return a function in FROM: a macro of the script, a file reader, or a generator."""
    name = function_name(function).lower()
    if name == "table" and len(function.expressions) == 1:
        called = function.expressions[0]
        called = called.args["expression"] if called.__class__ is exp.Dot else called
        if isinstance(called, exp.Func):
            return read_function(scope, tree, called)
    alias = alias_of(scope, tree)
    arguments = function.args.get("expressions") or []
    if function.__class__ in {exp.ReadCSV, exp.ReadParquet}:
        path = function.args.get("this")
        arguments = [*([path] if path is not None else []), *arguments]
        name = "read_csv" if function.__class__ is exp.ReadCSV else "read_parquet"
    if name in READERS:
        columns = read_file(scope, name, arguments)
        return Relation(alias or name, (), columns if not aliases_of(tree) else _listed(scope, tree, columns))
    macro = scope.session.macros.get(name)
    if macro is not None and isinstance(macro.body, exp.Query):
        return use(scope, tree, _rows_of(scope, macro, function), alias or name)
    return read_generated(scope, function, tree)


def _rows_of(scope: Scope, macro: Macro, call: exp.Expr) -> Query:
    """Return what a table macro yields; in DuckDB its text may look at the relations before it."""
    session = scope.session
    if session.rules.name != DIALECT:
        inner = session.bind(macro, scope, call.args.get("expressions") or [])
        return session.read(macro.body, session, scope.env, inner)
    body = inlined(substituted(macro, call, session), session)
    query = session.read(body, session, scope.env, scope)
    lend(scope)
    return query


def lend(scope: Scope) -> None:
    """Count what laterals took so far as JOIN inputs."""
    if scope.lent:
        add(scope.rows, scope.lent, JOIN)
        scope.lent = {}


def _listed(scope: Scope, tree: exp.Expr, columns: Columns) -> ListedColumns:
    return ListedColumns(renamed(scope, tree, columns.all() or ()))


def read_rows_from(scope: Scope, tree: exp.Expr) -> Relation:
    """ROWS FROM (f(…), g(…)): functions side by side."""
    parts = [generated(scope, part, (), "") for part in tree.args.get("rows_from") or ()]
    columns = [column for part in parts for column in part or ()]
    return Relation(alias_of(scope, tree), (), ListedColumns(renamed(scope, tree, columns)))


def read_generator(scope: Scope, tree: exp.Expr) -> Relation:
    """Return UNNEST and other functions that stand in FROM by themselves."""
    return read_generated(scope, tree, tree)


def read_generated(scope: Scope, function: exp.Expr, tree: exp.Expr) -> Relation:
    """Return what ``function`` generates, under the alias of ``tree``."""
    names = aliases_of(tree)
    alias = alias_of(scope, tree)
    given = [name.args["this"] for name in names]
    columns = generated(scope, function, given, alias)
    if columns is None:
        return Relation(alias, (), UnknownColumns(), f"the table function {function_name(function).lower()}")
    again = [
        column._replace(name=name.args["this"], key=scope.session.key(name))
        for column, name in zip(columns, names, strict=False)
    ]
    return Relation(alias, (), ListedColumns([*again, *columns[len(again) :]]))


def method_of(tree: exp.Expr, call: exp.Expr) -> exp.Expr:
    """T-SQL's ``t.doc.nodes('/a')`` is a method of a column; any other call has but a schema before it."""
    owner = [tree.args[part] for part in ("catalog", "db") if tree.args.get(part) is not None]
    return exp.Dot(this=exp.Dot(this=owner[0], expression=owner[1]) if owner[1:] else owner[0], expression=call)
