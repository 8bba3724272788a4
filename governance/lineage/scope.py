"""Names in one SELECT: what is in FROM, the aliases of its select list, and the scopes around it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Optional

from sqlglot import exp

from governance.errors import LineageError, UnknownColumn
from governance.lineage.columns import Column, Relation
from governance.lineage.edges import IDENTITY, NOTHING, Deps, add, datasets
from governance.lineage.environment import Environment
from governance.lineage.layout import Merge
from governance.lineage.names import (
    PSEUDO,
    SEQUENCES,
    ambiguous,
    at_path,
    at_position,
    column_in,
    member_at,
    member_of,
    no_qualifier,
    open_member,
    opened,
    qualified,
    row_of,
    row_without,
    tuple_part,
    unknown_column,
)
from governance.lineage.session import Session


class Scope:
    """One SELECT while it is read.

    relations: what FROM holds so far, in order; ``named`` finds one by its alias
    merged:    columns that USING and NATURAL made one, and names that stand for a value (a macro's parameters)
    merges:    the joins that made columns one, inner ones first: they decide the order of ``*``
    aliases:   select-list aliases that expressions may use; ``outputs`` those that ORDER BY may
    items:     the select-list item of each output column, for GROUP BY ALL
    clause:    the clause being read, which decides whether an alias or a column wins
    rows:      the fields that shape the rows, ``inputs`` the datasets read, both so far
    lent:      what a lateral subquery took from here
    chosen:    what each COLUMNS(…) stands for just now, by the id of its tree
    """

    __slots__ = (
        "aliases", "chosen", "clause", "elements", "env", "grouped", "index", "indexed", "inputs", "items", "lent",
        "merged", "merges", "named", "outputs", "parent", "relations", "rows", "seen", "session", "shared", "windows",
    )  # fmt: skip

    def __init__(self, session: Session, env: Environment, parent: Optional["Scope"] = None) -> None:
        self.session = session
        self.env = env
        self.parent = parent
        self.relations: list[Relation] = []
        self.named: dict[str, Relation] = {}
        self.merged: dict[str, Column] = {}
        self.merges: list[Merge] = []
        self.chosen: Mapping[int, Sequence[Column]] = {}
        self.elements: list[Column] = []
        self.aliases: dict[str, Column] = {}
        self.outputs: dict[str, Column] = {}
        self.items: list[exp.Expr] = []
        self.grouped: frozenset[str] = frozenset()
        self.clause = "from"
        self.rows: Deps = {}
        self.inputs: set[str] = set()
        self.lent: Deps = {}
        self.windows: Mapping[str, exp.Expr] = {}
        self.seen: dict[str, Column | None] = {}
        self.index: dict[str, Relation] = {}
        self.shared: set[str] = set()
        self.indexed = 0

    def inner(self, names: dict[str, Column]) -> "Scope":
        """Return this scope with ``names`` before its own: what it reads counts here."""
        scope = Scope(self.session, self.env, self)
        scope.merged = names
        scope.clause, scope.rows, scope.inputs, scope.windows = self.clause, self.rows, self.inputs, self.windows
        return scope

    def join(self, relation: Relation) -> None:
        """Bring one more relation into scope."""
        self.relations.append(relation)
        if relation.alias:
            known = self.named.setdefault(relation.alias, relation)
            if len(known.path) > 1 and len(relation.path) <= 1:  # ``o`` is the table written so before ``s.o``
                self.named[relation.alias] = relation
        if self.seen:
            self.seen = {}

    def column(self, tree: exp.Expr) -> Column:
        """Return what the column reference ``tree`` names.

        Raises:
            UnknownColumn, AmbiguousColumn, UnknownTable: with the place of the name.
        """
        args = tree.args
        name = args["this"]
        session = self.session
        if name.__class__ is not exp.Identifier or session.mark is not None:
            return session.noted(tree, self._special(tree, name))
        rules = session.rules
        own = name.args
        text = own["this"]
        key = rules.fold(text, own.get("quoted"))
        table = args.get("table")
        if table is None:
            found = None if self.clause in rules.aliases else self.among(key, name)
            return found or self._unqualified(name, key)
        if args.get("db") is None:
            qualifier = table.args
            relation = self.named.get(rules.fold(qualifier["this"], qualifier.get("quoted")))
            found = None if relation is None else relation.columns.find(key, text)
            if found is not None:
                return found
        return self._qualified(tree, qualified(tree))

    def _special(self, tree: exp.Expr, name: exp.Expr) -> Column:
        """``t.*`` as a value is the whole row; ``t.$1`` a column by its position; any name, without short cuts."""
        if name.__class__ is exp.Identifier:
            parts = qualified(tree)
            return self._qualified(tree, parts) if parts[1:] else self._unqualified(name, self.session.key(name))
        if name.__class__ is exp.Parameter:
            relation = self.relation([self.session.key(tree.args["table"])])
            found = at_position(relation, name) if relation is not None else None
            if found is not None:
                return found
        table = tree.args.get("table")
        if table is not None and name.__class__ is exp.Literal:  # ClickHouse's element of a tuple
            path = qualified(tree)[:-1]
            whole = self._qualified(tree, path) if len(path) > 1 else self._unqualified(table, self.session.key(table))
            return tuple_part(whole, name)
        if table is None or name.__class__ is not exp.Star:
            raise self.session.error(UnknownColumn, f"{tree.sql()} is not a column", tree, fix="name a column")
        row = self._unqualified(table, self.session.key(table))
        return row_without(self.session, row, name)

    def _unqualified(self, name: exp.Expr, key: str) -> Column:
        found = self.find(key, name) or self.variable(key) or self._open_element(key)
        if found is None:
            if key.lower() in PSEUDO and not name.args.get("quoted"):
                return Column(key, key, NOTHING)
            raise unknown_column(self.session, name, self.relations)
        return found

    def find(self, key: str, name: exp.Expr) -> Column | None:
        """Return what the unqualified ``key`` names here or around, None where nothing does."""
        return self._nearest(lambda scope: scope.own(key, name))

    def path(self, parts: Sequence[exp.Expr]) -> Column | None:
        """Return the column or struct member that the qualified name ``parts`` ends at, here or around."""
        keys = [self.session.key(part) for part in parts]
        return self._nearest(lambda scope: scope.along(keys, parts))

    def _nearest(self, look: Callable[["Scope"], Column | None]) -> Column | None:
        scope: Scope | None = self
        while scope is not None:
            found = look(scope)
            if found is not None:
                if scope is not self:
                    self._borrow(scope, found)
                return found
            scope = scope.parent
        return None

    def own(self, key: str, name: exp.Expr) -> Column | None:
        """Return what ``key`` names in this scope: a column, an alias, a whole row, a column of an undeclared file."""
        found = ORDERS[self._order(key)](self, key, name)
        if found is not None:
            return found
        if key in self.named:
            return row_of(self.session, self.named[key], name)
        return member_of(self.elements, key) or opened(self.relations, key, name)

    def _open_element(self, key: str) -> Column | None:
        scope: Scope | None = self
        while scope is not None:
            found = open_member(scope.elements, key)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def _borrow(self, owner: "Scope", found: Column) -> None:
        """Remember what was taken from ``owner`` by a lateral subquery there."""
        if owner.clause == "from":
            add(owner.lent, found.deps, IDENTITY)

    def _order(self, key: str) -> str:
        clause, rules = self.clause, self.session.rules
        if clause in rules.unseen:
            return "column"
        if clause == "having" and key in self.grouped:
            return "column first"
        return "alias first" if clause in rules.aliases else "column first"

    def among(self, key: str, name: exp.Expr) -> Column | None:
        """Return the column ``key`` of the relations in FROM."""
        if key in self.seen:
            return self.seen[key]
        found = self.seen[key] = self.merged.get(key) or self._only(key, name)
        return found

    def _only(self, key: str, name: exp.Expr) -> Column | None:
        """Return the column that one relation has under ``key``.

        Raises:
            AmbiguousColumn: several have it.
        """
        if len(self.relations) > MANY:
            self._index()
            only = self.index.get(key)
            if only is None:
                return None
            if key not in self.shared:
                return only.columns.find(key, name.name)
        found = None
        for relation in self.relations:
            held = column_in(relation, key)
            if held is not None:
                if found is not None:
                    holders = [each for each in self.relations if column_in(each, key) is not None]
                    raise ambiguous(self.session, name, holders)
                found = held
        return found

    def _index(self) -> None:
        """Note which relation has which names, and which names are shared; relations that joined since are added."""
        for relation in self.relations[self.indexed :]:
            names = relation.columns.names()
            self.shared |= self.index.keys() & names
            self.index.update(dict.fromkeys(names, relation))
        self.indexed = len(self.relations)

    def restrict(self, relations: list[Relation]) -> None:
        """Leave only ``relations`` in sight."""
        self.relations = relations
        self.named = {relation.alias: relation for relation in reversed(relations) if relation.alias}
        self.seen, self.index, self.shared, self.indexed = {}, {}, set(), 0

    def alias(self, key: str) -> Column | None:
        """Return the select-list alias ``key``."""
        return self.aliases.get(key) or (self.outputs.get(key) if self.clause != "select" else None)

    def positional(self, tree: exp.Expr) -> Column | None:
        """Return the column that ``$1`` means where there is one relation, None where it is a parameter."""
        return at_position(self.relations[0], tree) if len(self.relations) == 1 else None

    def variable(self, name: str) -> Column | None:
        """Return what the script set a variable to; the tables it was read from are then read here."""
        held = self.session.variables.get(name.lower())
        if held is not None:
            self.inputs |= datasets(held.deps)
        return held

    def _qualified(self, tree: exp.Expr, parts: Sequence[exp.Expr]) -> Column:
        found = self.path(parts)
        if found is not None:
            return found
        key = self.session.key(parts[-1])
        if key.lower() in SEQUENCES:
            return Column(key, key, NOTHING)
        raise no_qualifier(self.session, tree, parts[0], self.relations)

    def along(self, keys: list[str], parts: Sequence[exp.Expr]) -> Column | None:
        """Return the column or struct member at the end of ``parts``; the longest qualifier wins."""
        missing: LineageError | None = None
        for length in range(len(keys) - 1, 0, -1):
            relation = self.relation(keys[:length])
            if relation is None:
                continue
            found = relation.columns.find(keys[length], parts[length].name)
            if found is not None:
                return member_at(self.session, found, parts, length + 1)
            missing = missing or unknown_column(self.session, parts[length], [relation])
        base = ORDERS[self._order(keys[0])](self, keys[0], parts[0]) or opened(self.relations, keys[0], parts[0])
        if base is None and missing is not None:
            raise missing
        return None if base is None else member_at(self.session, base, parts, 1)

    def relation(self, qualifier: Sequence[str]) -> Relation | None:
        """Return the relation that ``qualifier`` (folded) names: an alias, or a table by its name and schema."""
        if len(qualifier) == 1 and qualifier[0] in self.named:
            return self.named[qualifier[0]]
        return at_path(self.relations, tuple(qualifier))


MANY = 8
"""From how many relations on a scope keeps an index of their columns."""


ORDERS: dict[str, Callable[[Scope, str, exp.Expr], Column | None]] = {
    "column": Scope.among,
    "column first": lambda scope, key, name: scope.among(key, name) or scope.alias(key),
    "alias first": lambda scope, key, name: scope.alias(key) or scope.among(key, name),
}
"""Where a name is looked for, by what the dialect's rules say of the clause."""
