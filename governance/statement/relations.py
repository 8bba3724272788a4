"""What stands in a FROM clause, and the scope of names that it makes, for ``meaning``."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from governance.statement.shape import MARK, Shape, marked


@dataclass(frozen=True, slots=True)
class Relation:
    """What stands in FROM, or a query: its columns in order, and what decides its rows.

    open: its columns are not all known, so a name that is not among them may still be one
    """

    columns: tuple[tuple[str, Shape], ...]
    rows: Shape
    open: bool = False
    types: Mapping[str, str] = field(default_factory=dict)

    def column(self, name: str) -> Shape | None:
        """Return what the column ``name`` means, None where there is none."""
        found = next((column for known, column in self.columns if known == name), None)
        return ("of", self.rows, name) if found is None and self.open else found

    def renamed(self, names: list[str]) -> "Relation":
        """Return it under the names of an alias's column list."""
        if not names:
            return self
        new = [(names[at] if at < len(names) else name, column) for at, (name, column) in enumerate(self.columns)]
        types = {new[at][0]: self.types[name] for at, (name, _) in enumerate(self.columns) if name in self.types}
        return Relation(tuple(new), self.rows, self.open, types)

    def within(self, said: Shape) -> "Relation":
        """Return it as it is read in the way that ``said`` says."""
        columns = tuple((name, (said, column)) for name, column in self.columns)
        return Relation(columns, (said, self.rows), self.open, self.types)

    @property
    def all(self) -> Shape:
        """Everything that it says."""
        return self.columns, self.rows


def member(value: Shape, path: tuple[str, ...]) -> Shape:
    """Return what the member of a struct at the end of ``path`` means: of one made of members that one alone."""
    if path and isinstance(value, tuple) and value[:1] == ("Struct",):
        for _, arguments in dict(value[1]).get("expressions", ()):
            named = dict(arguments)
            if named.get("this") == ("name", path[0]):
                return member(named["expression"], path[1:])
    return ("member", value, path) if path else value


@dataclass(frozen=True, slots=True)
class Scope:
    """The relations that one SELECT reads, in order, by the names it gives them.

    items:  its own columns
    hidden: places of relations that a star has no column of
    """

    relations: tuple[tuple[str, Relation], ...]
    outer: "Scope | None"
    items: dict[str, Shape] = field(default_factory=dict)
    hidden: frozenset[int] = frozenset()

    def column(self, part: exp.Column) -> Shape:
        """Return what a column reference means; a name that is nobody's is itself."""
        name = part.name.lower()
        path = [it.name.lower() for it in part.parts[:-1]]
        return self._qualified(path, name) if path else self._bare(name)

    def _qualified(self, path: list[str], name: str) -> Shape:
        if len(path) > 1 and (first := self._of(path[0], path[1])):
            # table.column.member, told apart from schema.table.column by whether the first part is one of FROM
            return member(first, (*path[2:], name))
        found = self._of(path[-1], name)
        # the first part is no table, so it is a column, and the rest members of it
        return found or member(self._bare(path[0]), (*path[1:], name))

    def _of(self, alias: str, name: str) -> Shape | None:
        """Return what a column of the relation ``alias`` means, None where there is no such relation."""
        scope: Scope | None = self
        depth = 0
        while scope is not None:
            for at, (known, relation) in enumerate(scope.relations):
                if known == alias:
                    found = relation.column(name)
                    return self.placed(depth, at, ("missing", name) if found is None else found)
            scope, depth = scope.outer, depth + 1
        return None

    def _bare(self, name: str) -> Shape:
        scope: Scope | None = self
        depth = 0
        while scope is not None:
            # a column that is known before a whole row, and that before a column that a relation may have
            found = scope.find(name)
            if found is not None:
                return self.placed(depth, *found)
            if name in scope.items:
                return scope.items[name]
            if (row := scope.row(name)) is not None:
                return "row", depth, *row
            if (perhaps := scope.perhaps(name)) is not None:
                return self.placed(depth, *perhaps)
            scope, depth = scope.outer, depth + 1
        return "name", name

    def placed(self, depth: int, at: int, column: Shape) -> Shape:
        """Return a column with its place, which says which of several relations of one meaning has it.

        The first relation's needs none, unless the column has places within it that could be taken for those here.
        """
        plain = depth == at == 0 and (len(self.relations) == 1 or not marked(column))
        return column if plain else (MARK, depth, at, column)

    def row(self, name: str) -> tuple[int, Shape] | None:
        """Return the place and meaning of a whole row of the relation called ``name``."""
        for at, (alias, relation) in enumerate(self.relations):
            if alias == name:
                return at, relation.all if relation.open else relation.columns
        return None

    def find(self, name: str) -> tuple[int, Shape] | None:
        """Return the place and meaning of the column that a relation is known to have."""
        for at, (_, relation) in enumerate(self.relations):
            found = dict(relation.columns).get(name)
            if found is not None:
                return at, found
        return None

    def perhaps(self, name: str) -> tuple[int, Shape] | None:
        """Return the same of a relation that may have the column."""
        for at, (_, relation) in enumerate(self.relations):
            found = relation.column(name)
            if found is not None:
                return at, found
        return None

    def kind(self, part: exp.Expr) -> str:
        """Return the type of a column that a relation gives one; empty where none does."""
        if not isinstance(part, exp.Column):
            return ""
        name, alias = part.name.lower(), part.table.lower()
        kinds = [it.types.get(name) for own, it in self.relations if alias in ("", own) and it.column(name) is not None]
        return kinds[0] or "" if len(kinds) == 1 else ""
