"""Names that tables and columns have in another revision, by which a query's meaning is compared with its meaning."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Respelt:
    """What is called otherwise elsewhere; all else is called as it is here.

    tables:  name here → name there
    columns: (table, column) as they are called here → the column's name there
    """

    tables: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def table(self, name: str) -> str:
        """Return the table's name there."""
        return self.tables.get(name, name)

    def column(self, table: str, name: str) -> str:
        """Return the name there of a column, its ``table`` named as here."""
        return self.columns.get((table, name), name)

    def moved(self, table: str, to: str) -> "Respelt":
        """Return it with one table more."""
        return Respelt({**self.tables, table: to}, self.columns)

    def renamed(self, table: str, columns: Mapping[str, str]) -> "Respelt":
        """Return it with more columns of one table."""
        return Respelt(self.tables, {**self.columns, **{(table, old): new for old, new in columns.items()}})


AS_HERE = Respelt()
