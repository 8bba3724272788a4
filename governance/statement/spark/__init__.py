"""A query of DuckDB's SQL → Spark's, where both give the same rows; what may mean something else is refused by name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import sqlglot

from governance.errors import UnreadConstruct
from governance.statement.merged import merged
from governance.statement.model import Kind as StatementKind
from governance.statement.model import Statement
from governance.statement.spark.held import Held, held
from governance.statement.spark.kinds import HUGEINT, NULL, PASSING, Kind, castable, kind_of
from governance.statement.spark.model import FIX, Value, View, name
from governance.statement.spark.query import Query, query

__all__ = ["Held", "Translated", "require_spark", "translated"]


@dataclass(frozen=True, slots=True)
class Translated:
    """A SELECT in Spark's SQL, and the queries that are computed before it, each once, in order."""

    sql: str
    held: tuple[Held, ...] = ()

    @property
    def asked(self) -> str:
        """Everything that the server is asked: each column that is read is named in it, for no ``*`` is left."""
        return "\n".join((self.sql, *(it.sql for it in self.held)))


def translated(
    text: str,
    tables: Mapping[str, tuple[str, Mapping[str, str]]],
    given: Sequence[str],
    wanted: Sequence[tuple[str, str]],
) -> Translated:
    """Return the SELECT ``text`` as Spark writes it.

    tables: by the name that it reads, the name that Spark knows the table by and its columns' SQL types
    given:  the SQL types of its columns on DuckDB, in order
    wanted: what they are called and cast to

    Raises:
        UnreadConstruct: what may mean something else on Spark, with line and column of ``text``.
    """
    made, before = _made(text, tables)
    told = [kind_of(kind) for kind in given]
    places = [f"c{place}" for place in range(len(told))]
    if len(made.columns) != len(told):
        raise UnreadConstruct("the columns of the query are not known to be the same on Spark", fix=FIX)
    picked = []
    for place, (column, kind), bound, (called, type_) in zip(places, made.columns, told, wanted, strict=True):
        to = kind_of(type_)
        if not _same(kind, bound) or not castable(HUGEINT if kind == HUGEINT else bound, to):
            problem = f"column {called} ({column}) is not known to be the same {to.said} on Spark"
            raise UnreadConstruct(problem, fix=FIX, clause=called)
        picked.append(f"{_cast(Value(name(place), kind), to)} as {name(called)}")
    sql = f"select {', '.join(picked)} from ({made.sql}) as given({', '.join(map(name, places))})"
    return Translated(sql, before)


def _made(text: str, tables: Mapping[str, tuple[str, Mapping[str, str]]]) -> tuple[Query, tuple[Held, ...]]:
    given = {
        table.lower(): View(view, {column: kind_of(kind) for column, kind in columns.items()})
        for table, (view, columns) in tables.items()
    }
    tree, views, before = held(sqlglot.parse_one(text, dialect="duckdb"), given)
    return query(tree, views), before


def _same(kind: Kind, bound: Kind) -> bool:
    """Whether a value that is translated as ``kind`` is what DuckDB binds; NULL may be anything there."""
    return kind in {bound, NULL} or (kind == HUGEINT and bound == Kind("decimal", 38))


def _cast(column: Value, kind: Kind) -> str:
    """Return the column cast, a nested one as it is: it is of that type."""
    return column.sql if column.kind.name in PASSING else f"cast({column.sql} as {kind.spark})"


def require_spark(statement: Statement, schemas: Mapping[str, Mapping[str, str]]) -> None:
    """Check that ``statement`` can run on Spark, as far as the types in ``schemas`` are known.

    Raises:
        UnreadConstruct: what it reads only DuckDB reads, or it may mean something else there; at its place.
    """
    pipeline = statement.pipeline
    for problem in _only_duckdb(statement):
        fix = "run this pipeline on DuckDB: -- engine: duckdb"
        raise UnreadConstruct(problem, fix=fix, pipeline=pipeline.file)
    if not statement.needs <= schemas.keys():
        # its run looks again, when the catalog has them
        return
    known = {table: (table, schemas.get(table, {})) for table in statement.reads}
    text, lines = _select(statement, schemas)
    try:
        _made(text, known)
    except UnreadConstruct as error:
        line, column = pipeline.place(lines[error.line - 1], error.column) if error.line else (None, None)
        raise UnreadConstruct(
            error.problem, fix=FIX, pipeline=pipeline.file, line=line, column=column, clause=error.clause
        ) from None


def _select(statement: Statement, schemas: Mapping[str, Mapping[str, str]]) -> tuple[str, Sequence[int]]:
    """Return the SELECT that the statement runs, and the line of the pipeline's SQL for each of its lines."""
    if statement.kind is StatementKind.MERGE:
        made = merged(statement, statement.query, schemas)
        return made.text, made.lines
    text = "\n" * (statement.line - 1) + " " * (statement.column - 1) + statement.query
    return text, range(1, text.count("\n") + 2)


def _only_duckdb(statement: Statement) -> Iterable[str]:
    if statement.files or statement.block_files:
        yield "it reads landing files, which only DuckDB reads"
    if statement.setup:
        yield f"it builds on {statement.setup[0].name}, and macros and views run on DuckDB only"
