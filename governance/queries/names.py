"""Names in a query log brought to the catalog's: the catalog's own spelling, whatever case or prefix the log has."""

from collections.abc import Iterable


class TableNames:
    """Look-up of the catalog's tables by the names that logs have for them.

    A name is a table's where both are equal without regard to case and quotes, or where one is the end of the other
    (``PROD.CRM.LEARNERS`` for ``crm.learners``) and no second table fits; a name of no table stays in lower case.
    """

    __slots__ = ("_ends", "_full")

    def __init__(self, tables: Iterable[str]) -> None:
        self._full: dict[str, str] = {}
        self._ends: dict[str, list[str]] = {}
        for table in sorted(tables):
            self._full[table.lower()] = table
            self._ends.setdefault(table.lower().rpartition(".")[2], []).append(table)

    def find(self, name: str) -> str:
        """Return the catalog's name for ``name``, else ``name`` itself in lower case."""
        plain = name.replace('"', "").replace("`", "").lower()
        if plain in self._full:
            return self._full[plain]
        fitting = [
            table
            for table in self._ends.get(plain.rpartition(".")[2], ())
            if plain.endswith(f".{table.lower()}") or table.lower().endswith(f".{plain}")
        ]
        return fitting[0] if len(fitting) == 1 else plain
