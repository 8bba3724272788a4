"""Logged queries → reads: which tables and which of their columns each one read.

The columns come from the engine that reads the pipelines, or from the list that the warehouse itself kept. Where
neither tells, the tables at least are kept; where not even those, the query is kept as unreadable and counted.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from governance.errors import LineageError, NoLineage
from governance.lineage import column_lineage
from governance.lineage.model import ColumnLineage
from governance.queries.model import Fate, LoggedQuery, QueryRead
from governance.queries.names import TableNames
from governance.statement.named import tables_named

Schema = Mapping[str, Mapping[str, str]]

NO_READ = re.compile(
    r"\s*(?:(?:--[^\n]*\n|/\*.*?\*/)\s*)*(?:begin|start|commit|end|rollback|abort|savepoint|release|set|reset|show|use"
    r"|grant|revoke|explain|describe|desc|pragma|discard|deallocate|prepare|vacuum|analyze|checkpoint|lock|listen|notify"
    r"|fetch|move|close|load|install|list|alter|drop|truncate|comment|attach|detach)\b",
    re.IGNORECASE | re.DOTALL,
)
"""Statements by whose first word it is plain that nobody gets a row of a table from them."""


CURSOR = re.compile(r"\s*declare\s+(?:\"[^\"]*\"|\w+)\s[\w\s]*?\bcursor\b[\w\s]*?\bfor\s+", re.IGNORECASE)
"""What stands before a query that a client reads through a cursor, as BI tools do on Postgres."""


@dataclass(frozen=True, slots=True)
class Reader:
    """What is needed to read logged SQL.

    schema:  the columns of every table known, by the catalog's names
    dialect: of the SQL
    default: where unqualified names live, None for nowhere; a line that names a schema of its own goes before
    """

    schema: Schema
    dialect: str
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One line and what became of it; ``read`` is None where nothing is to be kept."""

    line: int
    fate: Fate
    read: QueryRead | None = None


def read_queries(queries: Iterable[LoggedQuery | int], reader: Reader) -> Iterator[Outcome]:
    """Yield the fate of each line in order; a bare number is that of a malformed line."""
    names = TableNames(reader.schema)
    told: dict[tuple[str, str], _Told] = {}
    same: Counter[str] = Counter()
    for query in queries:
        if isinstance(query, int) or query.at is None:
            yield Outcome(query if isinstance(query, int) else query.line, Fate.MALFORMED)
        elif query.failed:
            yield Outcome(query.line, Fate.FAILED)
        else:
            key = query.sql, query.schema
            found = _of_objects(query, names) or told.get(key)
            if found is None:
                found = told[key] = _of_sql(query, reader, names)
            yield _outcome(query, found, same)


@dataclass(frozen=True, slots=True)
class _Told:
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] | None = None
    writes: tuple[str, ...] = ()
    problem: str = ""

    @property
    def fate(self) -> Fate:
        if not self.tables:
            return Fate.UNREADABLE if self.problem else Fate.NOTHING
        return Fate.TABLES if self.columns is None else Fate.COLUMNS


def _outcome(query: LoggedQuery, told: _Told, same: Counter[str]) -> Outcome:
    if told.fate is Fate.NOTHING or query.at is None:
        return Outcome(query.line, Fate.NOTHING)
    read = QueryRead(
        id=query.query_id or _identity(query, same),
        at=query.at,
        user=query.user,
        tag=query.tag,
        application=query.application,
        tables=told.tables,
        columns=told.columns,
        writes=told.writes,
        problem=told.problem,
    )
    return Outcome(query.line, told.fate, read)


def _identity(query: LoggedQuery, same: Counter[str]) -> str:
    """Return an id by content: the n-th of equal lines is the n-th in another export of the same hours too."""
    objects = repr(query.objects) if query.objects else ""
    content = "\x1f".join((str(query.at), query.user, query.tag, query.application, query.sql, objects))
    digest = hashlib.sha256(content.encode()).hexdigest()[:32]
    same[digest] += 1
    return f"{digest}-{same[digest]}"


def _of_objects(query: LoggedQuery, names: TableNames) -> _Told | None:
    if query.objects is None or (not query.objects and query.sql):
        return None
    columns: set[str] = set()
    whole = True
    for name, of_table in query.objects:
        table = names.find(name)
        whole &= of_table is not None
        columns |= {f"{table}.{column.lower()}" for column in of_table or ()}
    tables = tuple(sorted({names.find(name) for name, _ in query.objects}))
    if not whole and query.sql:
        return None
    return _Told(tables, tuple(sorted(columns)) if whole else None, problem="" if whole else "columns not logged")


def _of_sql(query: LoggedQuery, reader: Reader, names: TableNames) -> _Told:
    sql = CURSOR.sub("", query.sql)
    if not sql or NO_READ.match(sql):
        return _Told()
    default = query.schema or reader.default
    try:
        found = column_lineage(sql, reader.schema, dialect=reader.dialect, default_schema=default)
    except NoLineage:
        return _Told()
    except LineageError as error:
        return _by_name(sql, replace(reader, default=default), names, _said(error))
    tables = tuple(sorted({table for one in found for table in one.inputs}))
    columns = tuple(sorted({column for one in found for column in _columns(one)}))
    return _Told(tables, columns, tuple(sorted({names.find(one.output) for one in found if one.output})))


def _columns(lineage: ColumnLineage) -> Iterator[str]:
    for given in (*lineage.dataset, *(given for out in lineage.fields for given in out.inputs)):
        yield f"{given.dataset}.{given.field}"


def _by_name(sql: str, reader: Reader, names: TableNames, problem: str) -> _Told:
    try:
        reads, writes = tables_named(sql, reader.dialect)
    except LineageError as error:
        return _Told(problem=_said(error))

    def spelt(parts: tuple[str, ...]) -> str:
        return names.find(".".join((reader.default, *parts) if reader.default and len(parts) == 1 else parts))

    return _Told(tuple(sorted(map(spelt, reads))), None, tuple(sorted(map(spelt, writes))), problem)


def _said(error: LineageError) -> str:
    """Return the kind of error and its place; its message may cite the text, and the text may hold a person's data."""
    return f"{type(error).__name__} {error.where()}".strip()
