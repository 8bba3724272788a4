"""Texts of macros that have queries in them: their arguments are read where the call stands."""

from collections.abc import Iterator

from sqlglot import exp

from governance.errors import UnreadConstruct
from governance.lineage.calls import Push
from governance.lineage.edges import Deps
from governance.lineage.inlining import Given
from governance.lineage.names import column_in, qualified
from governance.lineage.scope import Scope
from governance.lineage.value import depend


def called(scope: Scope, tree: exp.Expr, hop: int, into: Deps, _push: Push) -> None:
    """Read the text of a macro, with its arguments to be read in this scope."""
    scope.session.callers[tree.args["number"]] = scope
    depend(scope, tree.args["this"], hop, into)


def given(scope: Scope, tree: exp.Expr, hop: int, into: Deps, _push: Push) -> None:
    """Read an argument where the call stands.

    Raises:
        UnreadConstruct: the macro calls a table as that one is called which the argument is of: DuckDB takes the wrong.
    """
    caller: Scope = scope.session.callers[tree.args["number"]]
    between = {*_between(scope, caller)}
    for column, owner in _columns(tree.args["this"], caller) if between else ():
        alias = next((alias for alias in _owners(owner, column) if alias in between), None)
        if alias is not None:
            problem = f"the macro calls a table {alias} as the query does, and DuckDB would take the macro's"
            fix = "give one of the two another alias"
            raise scope.session.error(UnreadConstruct, problem, column, fix=fix)
    depend(caller, tree.args["this"], hop, into)


def _columns(tree: exp.Expr, caller: Scope) -> Iterator[tuple[exp.Expr, Scope]]:
    """Yield each column of an argument with where it is read: one within may be that of another call.

    What is of a table in a query of the argument itself is left out.
    """
    own = {caller.session.key(it) for it in _aliases(tree)}
    for part in tree.walk(prune=lambda part: part.__class__ is Given):
        if part.__class__ is exp.Column:
            first = qualified(part)[0]
            if part.args.get("table") is None or caller.session.key(first) not in own:
                yield part, caller
        elif part.__class__ is Given:
            yield from _columns(part.args["this"], caller.session.callers[part.args["number"]])


def _aliases(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the names of the tables in the queries of ``tree``."""
    for part in tree.find_all(exp.Table, exp.Subquery):
        alias = part.args.get("alias")
        name = alias.args.get("this") if alias is not None else part.args.get("this")
        if name.__class__ is exp.Identifier:
            yield name


def _owners(caller: Scope, column: exp.Expr) -> Iterator[str]:
    """Yield what the relations are called that a column is of."""
    first, *rest = (caller.session.key(part) for part in qualified(column))
    if rest:
        yield first
        return
    scope: Scope | None = caller
    while scope is not None:
        found = [relation.alias for relation in scope.relations if column_in(relation, first) is not None]
        if found:
            yield from found
            return
        scope = scope.parent


def _between(scope: Scope | None, caller: Scope) -> Iterator[str]:
    """Yield what the relations are called that stand within the macro around ``scope``."""
    while scope is not None and scope is not caller:
        yield from scope.named
        scope = scope.parent
