"""What stands in a FROM clause, and the scope of names that it makes, for ``meaning``."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from governance.statement.shape import Shape


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

    @property
    def all(self) -> Shape:
        """Everything that it says."""
        return self.columns, self.rows


@dataclass(frozen=True, slots=True)
class Scope:
    """The relations that one SELECT reads, in order, by the names it gives them; ``items`` are its own columns."""

    relations: tuple[tuple[str, Relation], ...]
    outer: "Scope | None"
    items: dict[str, Shape] = field(default_factory=dict)

    def column(self, part: exp.Column) -> Shape:
        """Return what a column reference means; a name that is nobody's is itself."""
        name = part.name.lower()
        path = [it.name.lower() for it in part.parts[:-1]]
        return self._qualified(path, name) if path else self._bare(name)

    def _qualified(self, path: list[str], name: str) -> Shape:
        scope: Scope | None = self
        depth = 0
        while scope is not None:
            for at, (alias, relation) in enumerate(scope.relations):
                if alias == path[-1]:
                    found = relation.column(name)
                    return "column", depth, at, ("missing", name) if found is None else found
            scope, depth = scope.outer, depth + 1
        # the first part is no table, so it is a column, and the rest members of it
        return "member", self._bare(path[0]), (*path[1:], name)

    def _bare(self, name: str) -> Shape:
        scope: Scope | None = self
        depth = 0
        while scope is not None:
            found = scope.find(name)
            if found is not None:
                return "column", depth, *found
            if name in scope.items:
                return scope.items[name]
            scope, depth = scope.outer, depth + 1
        return "name", name

    def find(self, name: str) -> tuple[int, Shape] | None:
        """Return the place and meaning of the relation's column: known ones before those that may be."""
        for certain in (True, False):
            for at, (_, relation) in enumerate(self.relations):
                found = relation.column(name)
                if found is not None and any(known == name for known, _ in relation.columns) is certain:
                    return at, found
        return None

    def kind(self, part: exp.Expr) -> str:
        """Return the type of a column that a relation gives one; empty where none does."""
        if not isinstance(part, exp.Column):
            return ""
        name, alias = part.name.lower(), part.table.lower()
        kinds = [it.types.get(name) for own, it in self.relations if alias in ("", own) and it.column(name) is not None]
        return kinds[0] or "" if len(kinds) == 1 else ""
