"""The tables that a query reads."""

import re
from collections.abc import Iterator

from sqlglot import exp

from governance.errors import LineageError, UnknownTable, UnreadConstruct
from governance.statement.text import Text

FILES = re.compile(r"read_\w+|\w+_scan|glob|sniff_csv", re.IGNORECASE)


def tables_read(text: Text, query: exp.Expr, start: int) -> tuple[str, ...]:
    """Return the tables that ``query`` reads, sorted and in lower case; names of CTEs are none.

    Raises:
        UnknownTable: a table is not named by schema and table.
        UnreadConstruct: a file is read.
    """
    return tuple(sorted({name for table in query.find_all(exp.Table) for name in _name(text, table, start)}))


def _name(text: Text, table: exp.Table, start: int) -> Iterator[str]:
    if isinstance(table.this, exp.Func):
        _refuse_files(text, table.this, start)
    elif table.db and not table.catalog and isinstance(table.this, exp.Identifier):
        yield f"{table.db}.{table.name}".lower()
    elif table.db or not _is_cte(table):
        raise _unplaced(text, table, start)


def _refuse_files(text: Text, function: exp.Func, start: int) -> None:
    name = function.name if isinstance(function, exp.Anonymous) else function.sql_name()
    if FILES.fullmatch(name):
        fix = "load the file into a table, declare that in sources.toml, and read the table"
        raise text.wrong(UnreadConstruct, start, f"{name.lower()} reads past the catalog", fix=fix, clause=name.lower())


def _unplaced(text: Text, table: exp.Table, start: int) -> LineageError:
    problem = f"{table.name or table.sql()} is no CTE, and a table is named by schema and table"
    if table.catalog or not isinstance(table.this, exp.Identifier):
        problem = f"{table.sql(comments=False)} has more parts than schema and table"
    identifier = table.find(exp.Identifier)
    place = start if identifier is None else identifier.meta.get("start", start)
    return text.wrong(UnknownTable, place, problem, fix="write schema.table; there is one catalog")


def _is_cte(table: exp.Table) -> bool:
    """Whether a WITH around the table defines its name: all of it for the body, what stands before for a member."""
    name = table.name.lower()
    inner: exp.Expr = table
    outer = table.parent
    while outer is not None:
        clause = outer if isinstance(outer, exp.With) else outer.args.get("with_")
        if clause is not None and clause is not inner and name in _visible(clause, inner):
            return True
        inner, outer = outer, outer.parent
    return False


def _visible(clause: exp.With, inner: exp.Expr) -> Iterator[str]:
    for member in clause.expressions:
        if member is inner and not clause.recursive:
            return
        yield member.alias.lower()
        if member is inner:
            return
