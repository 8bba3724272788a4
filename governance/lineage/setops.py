"""UNION, INTERSECT, EXCEPT: by position or by name, and what a distinct one compares."""

from collections.abc import Callable, Sequence

from sqlglot import exp

from governance.errors import ColumnCountMismatch, UnreadConstruct
from governance.lineage.columns import Column, ListedColumns, Query, Relation, members_of
from governance.lineage.edges import FILTER, GROUP_BY, IDENTITY, Deps, add, united
from governance.lineage.environment import Environment
from governance.lineage.naming import columns_named
from governance.lineage.rows import read_rows
from governance.lineage.scope import Scope
from governance.lineage.session import Session


def read_set_operation(tree: exp.Expr, session: Session, env: Environment, parent: Scope | None) -> Query:
    """Return what a chain of set operations yields; the chain is read flat, however long it is."""
    chain: list[exp.Expr] = []
    first = tree
    while isinstance(first, exp.SetOperation):
        chain.append(first)
        first = first.args["this"]
        if chain[-1] is not tree and chain[-1].args.get("with_") is not None:
            break
    chain.reverse()
    session.tick()
    result = _Chain(session, session.read(first, session, env, parent))
    for operation in chain:
        result.take(operation, session.read(operation.args["expression"], session, env, parent))
        if operation.args.get("order") or operation.args.get("limit") or operation.args.get("offset"):
            _shape(operation, result, session, env, parent)
    return result.query()


def _shape(tree: exp.Expr, result: "_Chain", session: Session, env: Environment, parent: Scope | None) -> None:
    """ORDER BY, LIMIT and OFFSET of a set operation see its output columns."""
    scope = Scope(session, env, parent)
    columns = result.columns()
    scope.join(Relation("", (), ListedColumns(columns)))
    read_rows(scope, exp.Select(**{name: tree.args.get(name) for name in ("order", "limit", "offset")}), columns)
    add(result.rows, scope.rows, IDENTITY)


class _Chain:
    """The columns and rows of the branches so far; deps are gathered per column and united once, in linear time."""

    def __init__(self, session: Session, first: Query) -> None:
        self.session = session
        self.names = list(first.columns)
        self.parts: list[list[Column]] = [[column] for column in first.columns]
        self.rows: Deps = dict(first.rows)
        self.inputs = set(first.inputs)

    def columns(self) -> list[Column]:
        return [
            column
            if len(parts) == 1
            else column._replace(deps=united([p.deps for p in parts]), members=members_of(parts))
            for column, parts in zip(self.names, self.parts, strict=True)
        ]

    def query(self) -> Query:
        return Query(columns_named(self.session.rules, self.columns()), self.rows, frozenset(self.inputs))

    def take(self, operation: exp.Expr, other: Query) -> None:
        match = self._by_name if operation.args.get("by_name") else self._by_position
        matched = match(operation, other)
        self.inputs |= other.inputs
        COMPARE[operation.__class__](self, operation, other, matched)

    def _by_position(self, operation: exp.Expr, other: Query) -> Sequence[Column | None]:
        if len(other.columns) != len(self.names):
            raise self.session.error(
                ColumnCountMismatch,
                f"{operation.key.upper()} of {len(self.names)} and {len(other.columns)} columns",
                operation.args["expression"],
                fix="select as many columns on both sides",
            )
        return other.columns

    def _by_name(self, operation: exp.Expr, other: Query) -> Sequence[Column | None]:
        """All columns of both sides; BigQuery's LEFT keeps the left's, and INNER (CORRESPONDING) those of both."""
        if operation.args.get("on"):
            problem = f"{operation.key.upper()} BY NAME over a list of columns"
            raise self.session.error(UnreadConstruct, problem, operation, fix="select those columns on both sides")
        theirs = {column.key: column for column in other.columns}
        if operation.args.get("kind") == "INNER":
            kept = [number for number, column in enumerate(self.names) if column.key in theirs]
            self.names, self.parts = [self.names[n] for n in kept], [self.parts[n] for n in kept]
        if operation.args.get("kind") == "INNER" or operation.args.get("side") == "LEFT":
            return [theirs.get(column.key) for column in self.names]
        ours = {column.key for column in self.names}
        for column in other.columns:
            if column.key not in ours:
                self.names.append(column)
                self.parts.append([])
        return [theirs.get(column.key) for column in self.names]

    def values(self, matched: Sequence[Column | None]) -> None:
        for parts, column in zip(self.parts, matched, strict=True):
            if column is not None:
                parts.append(column)

    def compared(self, hop: int) -> None:
        for parts in self.parts:
            for column in parts:
                add(self.rows, column.deps, hop)


def _union(chain: _Chain, operation: exp.Expr, other: Query, matched: Sequence[Column | None]) -> None:
    chain.values(matched)
    add(chain.rows, other.rows, IDENTITY)
    if operation.args.get("distinct"):
        chain.compared(GROUP_BY)


def _intersect(chain: _Chain, operation: exp.Expr, other: Query, matched: Sequence[Column | None]) -> None:
    chain.values(matched)
    add(chain.rows, other.rows, IDENTITY)
    chain.compared(GROUP_BY if operation.args.get("distinct") else FILTER)


def _except(chain: _Chain, operation: exp.Expr, other: Query, matched: Sequence[Column | None]) -> None:
    chain.compared(GROUP_BY if operation.args.get("distinct") else FILTER)
    for column in matched:
        add(chain.rows, column.deps if column else {}, FILTER)
    add(chain.rows, other.rows, FILTER)


COMPARE: dict[type, Callable[[_Chain, exp.Expr, Query, Sequence[Column | None]], None]] = {
    exp.Union: _union,
    exp.Intersect: _intersect,
    exp.Except: _except,
}
