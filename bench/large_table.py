"""One table of a synthetic platform, and what its edges are made of."""

from dataclasses import dataclass, field

KEYS = (("id", "bigint"), ("changed_at", "timestamp"), ("status", "varchar"))
"""The columns that every table has, first."""

DIRECT, INDIRECT = "DIRECT", "INDIRECT"
Column = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """One table: ``form`` is empty for a source, else a key of ``large_forms.FORMS``; ``columns`` have a SQL type each.

    ``place`` numbers the tables of a platform from 0 on, and each reads only tables of lower places.
    """

    place: int
    name: str
    form: str
    columns: tuple[Column, ...]
    inputs: tuple["Table", ...] = field(default=(), compare=False, repr=False)

    @property
    def owner(self) -> str:
        """The team of the table's area."""
        return f"team:{self.name.partition('.')[2].partition('_')[0]}"


def of_type(table: Table, kind: str) -> tuple[str, ...]:
    """Return the names of the columns of a SQL type, the keys left out."""
    return tuple(name for name, its in table.columns[len(KEYS) :] if its == kind)
