"""Names in one SELECT: what is in FROM, the aliases of its select list, and the scope around it."""

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from sqlglot import exp

from governance.errors import AmbiguousColumn, LineageError, UnknownColumn, UnknownTable
from governance.lineage.columns import Column, OpenColumns, Query, Relation, whole_row
from governance.lineage.edges import TRANSFORMATION, Deps, add, moved
from governance.lineage.session import Session


@dataclass(frozen=True, slots=True)
class Environment:
    """The CTEs in sight: a WITH's own before those around it. A query that could not be read fails when it is used."""

    queries: dict[str, Query | LineageError]
    outer: Optional["Environment"] = None

    def find(self, key: str) -> Query | LineageError | None:
        """Return the CTE that ``key`` names, the innermost first."""
        environment: Environment | None = self
        while environment is not None:
            query = environment.queries.get(key)
            if query is not None:
                return query
            environment = environment.outer
        return None


class Scope:
    """One SELECT while it is read.

    relations: what FROM holds so far, in order; ``merged`` are the columns that USING and NATURAL made one
    aliases:   select-list aliases that expressions may use; ``outputs`` those that ORDER BY may
    clause:    the clause being read, which decides whether an alias or a column wins
    rows:      the fields that shape the rows, ``inputs`` the datasets read, both so far
    outer:     what was taken from the scopes around this one
    """

    __slots__ = (
        "aliases", "clause", "env", "grouped", "inputs", "merged", "named", "outer", "outputs", "parent",
        "relations", "rows", "seen", "session", "windows",
    )  # fmt: skip

    def __init__(self, session: Session, env: Environment, parent: Optional["Scope"] = None) -> None:
        self.session = session
        self.env = env
        self.parent = parent
        self.relations: list[Relation] = []
        self.named: dict[str, Relation] = {}
        self.merged: dict[str, Column] = {}
        self.aliases: dict[str, Column] = {}
        self.outputs: dict[str, Column] = {}
        self.grouped: frozenset[str] = frozenset()
        self.clause = "select"
        self.rows: Deps = {}
        self.inputs: set[str] = set()
        self.outer: Deps = {}
        self.windows: Mapping[str, exp.Expr] = {}
        self.seen: dict[str, Column | None] = {}

    def join(self, relation: Relation) -> None:
        """Bring one more relation into scope."""
        self.relations.append(relation)
        if relation.alias:
            self.named.setdefault(relation.alias, relation)
        if self.seen:
            self.seen = {}

    def column(self, tree: exp.Expr) -> Column:
        """Return what the column reference ``tree`` names.

        Raises:
            UnknownColumn, AmbiguousColumn, UnknownTable: with the place of the name.
        """
        args = tree.args
        name = args["this"]
        if args.get("table") is None:
            return self._unqualified(name)
        return self._qualified(tree, [args[part] for part in ("catalog", "db", "table", "this") if args.get(part)])

    def _unqualified(self, name: exp.Expr) -> Column:
        key = self.session.key(name)
        found = self.find(key, name)
        if found is None:
            raise self._unknown(name, self._sight())
        return found

    def find(self, key: str, name: exp.Expr) -> Column | None:
        """Return what the unqualified ``key`` names here or around, None where nothing does."""
        found = ORDERS[self._order(key)](self, key, name)
        if found is not None:
            return found
        relation = self.named.get(key)
        if relation is not None:
            return self._row(relation, name)
        found = self._open(key, name)
        if found is None and self.parent is not None:
            found = self.parent.find(key, name)
            if found is not None:
                add(self.outer, found.deps, 0)
        return found

    def _order(self, key: str) -> str:
        clause, rules = self.clause, self.session.rules
        if clause in rules.unseen:
            return "column"
        if clause == "having" and key in self.grouped:
            return "column first"
        return "alias first" if clause in rules.aliases else "column first"

    def among(self, key: str, name: exp.Expr) -> Column | None:
        """Return the column ``key`` of the relations in FROM."""
        try:
            return self.seen[key]
        except KeyError:
            pass
        found = self.merged.get(key)
        if found is None:
            found = self._only(key, name)
        self.seen[key] = found
        return found

    def _only(self, key: str, name: exp.Expr) -> Column | None:
        text = name.args["this"]
        found: Column | None = None
        holders: list[Relation] = []
        for relation in self.relations:
            if relation.columns.__class__ is OpenColumns:
                continue
            column = relation.columns.find(key, text)
            if column is not None:
                found = column
                holders.append(relation)
        if len(holders) > 1:
            tables = " and ".join(relation.alias or "a subquery" for relation in holders)
            raise self.session.error(
                AmbiguousColumn,
                f"column {text} is in {tables}",
                name,
                fix=f"qualify it, for example {holders[0].alias}.{text}",
            )
        return found

    def _open(self, key: str, name: exp.Expr) -> Column | None:
        relations = [relation for relation in self.relations if relation.columns.__class__ is OpenColumns]
        return relations[0].columns.find(key, name.args["this"]) if len(relations) == 1 else None

    def alias(self, key: str) -> Column | None:
        """Return the select-list alias ``key``."""
        return self.aliases.get(key) or (self.outputs.get(key) if self.clause != "select" else None)

    def _row(self, relation: Relation, name: exp.Expr) -> Column:
        columns = relation.columns.all()
        if columns is None:
            raise self.session.error(
                UnknownColumn, f"the columns of {relation.alias} are not known", name, fix="declare them"
            )
        row = whole_row(relation.alias, columns)
        return row._replace(deps=moved(row.deps, TRANSFORMATION))

    def _qualified(self, tree: exp.Expr, parts: Sequence[exp.Expr]) -> Column:
        keys = [self.session.key(part) for part in parts if not isinstance(part, exp.Star)]
        scope: Scope | None = self
        while scope is not None:
            found = scope._through(keys, parts)
            if found is not None:
                if scope is not self:
                    add(self.outer, found.deps, 0)
                return found
            scope = scope.parent
        raise self.session.error(
            UnknownTable,
            f"no table or alias {parts[0].args['this']} in {self._sight()}",
            tree,
            fix="correct the qualifier",
        )

    def _through(self, keys: list[str], parts: Sequence[exp.Expr]) -> Column | None:
        """Return the column or struct member at the end of ``parts``; the longest qualifier wins."""
        for length in range(len(keys) - 1, 0, -1):
            relation = self.relation(keys[:length])
            if relation is not None:
                return self._in(relation, keys[length:], parts[length:])
        found = ORDERS[self._order(keys[0])](self, keys[0], parts[0]) or self._open(keys[0], parts[0])
        return None if found is None else member(found, keys[1:])

    def _in(self, relation: Relation, keys: list[str], parts: Sequence[exp.Expr]) -> Column | None:
        found = relation.columns.find(keys[0], parts[0].args["this"])
        if found is None:
            raise self._unknown(parts[0], relation.alias or ".".join(relation.path))
        return member(found, keys[1:])

    def relation(self, qualifier: Sequence[str]) -> Relation | None:
        """Return the relation that ``qualifier`` (folded) names: an alias, or a table by its name and schema."""
        if len(qualifier) == 1:
            relation = self.named.get(qualifier[0])
            if relation is not None:
                return relation
        wanted = tuple(qualifier)
        for relation in self.relations:
            if relation.path and relation.path[-len(wanted) :] == wanted:
                return relation
        return None

    def _sight(self) -> str:
        return ", ".join(relation.alias for relation in self.relations if relation.alias) or "scope"

    def _unknown(self, name: exp.Expr, where: str) -> LineageError:
        text = name.args["this"]
        return self.session.error(UnknownColumn, f"{where} has no column {text}", name, fix=self._nearest(text))

    def _nearest(self, text: str) -> str:
        known = {column.name for relation in self.relations for column in relation.columns.all() or ()}
        near = nearest(text, known)
        return f"did you mean {near}?" if near else "correct the name or the table's schema"


def nearest(text: str, known: set[str]) -> str | None:
    """Return the name in ``known`` that is most like ``text``, None where none is close."""
    found = difflib.get_close_matches(text.lower(), sorted(name.lower() for name in known), 1)
    return next((name for name in sorted(known) if found and name.lower() == found[0]), None)


def member(column: Column, keys: Sequence[str]) -> Column:
    """Return the struct member of ``column`` at ``keys``; a member not known by itself comes from the whole column."""
    for key in keys:
        inner = column.members.get(key) if column.members is not None else None
        column = inner or Column(key, key, moved(column.deps, TRANSFORMATION))
    return column


def _column_first(scope: Scope, key: str, name: exp.Expr) -> Column | None:
    return scope.among(key, name) or scope.alias(key)


def _alias_first(scope: Scope, key: str, name: exp.Expr) -> Column | None:
    return scope.alias(key) or scope.among(key, name)


ORDERS: dict[str, Callable[[Scope, str, exp.Expr], Column | None]] = {
    "column": Scope.among,
    "column first": _column_first,
    "alias first": _alias_first,
}
