"""A query on DuckDB: its columns are known at once, its rows are made where somebody wants them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from platform_assets.engines.engine import Column, Landing, Outcome, Query, QueryError
from platform_assets.engines.interruptible import Stream, waited
from platform_assets.engines.landing import outcomes
from platform_assets.engines.landing.name import without_paths
from platform_assets.engines.sql import literal, quoted

BATCH_ROWS = 100_000

FILE_SIZE = "512MB"
"""Of a Parquet file; a result that has more is several."""

BROKEN = "state machine reached an invalid state"
"""What DuckDB says of a delimited file that it cannot go on with, followed by all of its options."""

OF_FILE = re.compile(r"^ *file = (.*)$", re.MULTILINE)

LINE = re.compile(r"^LINE (\d+):", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DuckDbResult:
    """A ``Result`` over a connection that has everything it reads; ``folder`` is an empty one that it may write."""

    connection: duckdb.DuckDBPyConnection
    query: Query
    folder: Path
    landings: Mapping[str, Landing]
    schema: pa.Schema

    def write(self, columns: Sequence[Column]) -> tuple[Path, ...]:
        """Make the rows into Parquet files; see ``Result.write``."""
        files = self.folder / "rows"
        options = f"format parquet, compression zstd, file_size_bytes '{FILE_SIZE}', field_ids {_field_ids(columns)}"
        select = _cast(_text(self.query), self.schema.names, [(c.name, c.type) for c in columns])
        copy = f"copy ({select}) to {literal(str(files))} ({options})"
        with self._told():
            waited(self.connection, lambda: self.connection.execute(copy))
        return tuple(sorted(files.iterdir()))

    @contextmanager
    def batches(self) -> Iterator[pa.RecordBatchReader]:
        """Make the rows in batches; see ``Result.batches``."""
        with closing(Stream(self.connection, self._batches())) as stream:
            yield pa.RecordBatchReader.from_batches(self.schema, self._each(stream))

    def outcomes(self) -> Mapping[str, Outcome]:
        """Return what was read of files as they landed; see ``Result.outcomes``."""
        with self._told():
            return waited(self.connection, lambda: outcomes(self.connection, self.landings))

    def _batches(self) -> Iterator[pa.RecordBatch]:
        # not execute(), which computes all of it first
        yield from self.connection.sql(_plain(self.query)).to_arrow_reader(BATCH_ROWS)

    def _each(self, stream: Stream[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with self._told():
            yield from stream

    @contextmanager
    def _told(self) -> Iterator[None]:
        with told(self.query, self.folder, self.landings.values()):
            yield


def schema_of(connection: duckdb.DuckDBPyConnection, query: Query) -> pa.Schema:
    """Return the columns of the query, named as CREATE TABLE AS names them, without computing a row.

    Raises:
        QueryError: the query cannot be bound.
    """

    def bind() -> pa.Schema:
        text = _plain(query)
        try:
            return connection.sql(text).limit(0).to_arrow_table().schema
        except duckdb.Error:
            # sql() leaves out the line of an error in binding, which explain tells
            connection.execute(f"explain {text}")
            raise

    return waited(connection, bind)


@contextmanager
def told(query: Query, folder: Path, landings: Iterable[Landing] = ()) -> Iterator[None]:
    """Raise what DuckDB and Arrow raise as the query's error, at its line, and call files as they may be shown."""
    try:
        yield
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        raise _query_error(without_paths(str(error), landings).replace(str(folder), "…"), query) from None


def _query_error(text: str, query: Query) -> QueryError:
    text = text.strip()
    if BROKEN in text:
        file = OF_FILE.search(text)
        problem = (
            f"{file[1] if file else 'a file'} cannot be read: its line ends are mixed, or a quote in it is not closed"
        )
        return QueryError(
            problem, file=query.file, fix="write the file with one kind of line end, and close its quotes"
        )
    found = LINE.search(text)
    # the query begins on the second line of what DuckDB is given; what comes after its last is not the user's
    line = int(found[1]) - 1 if found else None
    if found and line not in range(1, query.text.count("\n") + 2):
        return QueryError(text[: found.start()].strip(), file=query.file)
    return QueryError(LINE.sub(lambda match: f"LINE {int(match[1]) - 1}:", text), file=query.file, line=line)


def _plain(query: Query) -> str:
    return f"from ({_text(query)})"


def _text(query: Query) -> str:
    # on lines of its own, so that an error quotes nothing but the query
    text = f"\n{query.text}\n"
    return _cast(text, [name for name, _ in query.into], query.into) if query.into else text


def _cast(text: str, names: Sequence[str], columns: Sequence[tuple[str, str]]) -> str:
    """Return ``text`` with its columns cast by position to (name, SQL type); what it adds stands behind it.

    ``names`` are what an error calls the columns by, which is all that it tells of a cast that fails.
    """
    given = [quoted(name) for name in names]
    casts = ", ".join(f"cast({c} as {kind}) as {quoted(name)}" for c, (name, kind) in zip(given, columns, strict=True))
    return f"from ({text}) as given({', '.join(given)}) select {casts}"


def _field_ids(columns: Sequence[Column]) -> str:
    return f"{{{', '.join(_field_id(column, column.name) for column in columns)}}}"


def _field_id(column: Column, name: str) -> str:
    if not column.fields:
        return f"{literal(name)}: {column.field_id}"
    names = _members(column)
    members = (_field_id(field, name) for field, name in zip(column.fields, names, strict=True))
    return f"{literal(name)}: {{__duckdb_field_id: {column.field_id}, {', '.join(members)}}}"


def _members(column: Column) -> Sequence[str]:
    """Return the members' names as Parquet has them."""
    if column.type.endswith("[]"):
        return ("element",)
    if column.type.startswith("map("):
        return ("key", "value")
    return [field.name for field in column.fields]
