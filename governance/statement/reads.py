"""What a query names: the tables and files that it reads, and the functions that it calls, which may be macros."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from governance.errors import LineageError, UnknownTable
from governance.statement.files import is_path
from governance.statement.model import FileRead
from governance.statement.parts import Parts
from governance.statement.placed import is_cte
from governance.statement.text import Text


@dataclass(frozen=True, slots=True)
class Named:
    """The names in one text.

    tables: ``schema.table`` in lower case; names of CTEs are none
    files:  the datasets of files, as written
    calls:  functions that sqlglot knows by name only, in lower case
    """

    tables: frozenset[str]
    files: frozenset[str]
    calls: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        """Every name that a block may have."""
        return self.tables | self.files | self.calls


def named_in(text: Text, parts: Parts, files: tuple[FileRead, ...], start: int) -> Named:
    """Return the names in ``parts``, whose file reads are ``files``; errors without a place point at ``start``.

    Raises:
        UnknownTable: a table is not named by schema and table.
    """
    tables = {name for table in parts if isinstance(table, exp.Table) for name in _name(text, table, start)}
    calls = {call.name.lower() for call in parts if isinstance(call, exp.Anonymous)}
    return Named(frozenset(tables), frozenset(it.path for it in files), frozenset(calls))


def _name(text: Text, table: exp.Table, start: int) -> Iterator[str]:
    if isinstance(table.this, exp.Func) or is_path(text, table):
        return
    if table.db and not table.catalog and isinstance(table.this, exp.Identifier):
        yield f"{table.db}.{table.name}".lower()
    elif table.db or not is_cte(table):
        raise _unplaced(text, table, start)


def _unplaced(text: Text, table: exp.Table, start: int) -> LineageError:
    problem = f"{table.name or table.sql()} is no CTE, and a table is named by schema and table"
    if table.catalog or not isinstance(table.this, exp.Identifier):
        problem = f"{table.sql(comments=False)} has more parts than schema and table"
    identifier = table.find(exp.Identifier)
    place = start if identifier is None else identifier.meta.get("start", start)
    return text.wrong(UnknownTable, place, problem, fix="write schema.table; there is one catalog")
