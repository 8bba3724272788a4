"""DuckDB, in memory: tables are views, the query runs in a worker thread that an interrupt really ends."""

import queue
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass

import duckdb
import pyarrow as pa

from governance.errors import EngineError
from platform_assets.engines.engine import Column, Files, Landing, Query, QueryError, Relation, Rows
from platform_assets.engines.landing import create_landing
from platform_assets.engines.sql import literal, quoted

Connect = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]

BATCH_ROWS = 100_000
BATCHES_AHEAD = 4
POLL_SECONDS = 0.2
"""How long an interrupt may wait: Python runs signal handlers on the main thread only between two calls."""

SETTINGS = (
    "set TimeZone = 'UTC'",
    "set python_enable_replacements = false",
    "set autoinstall_known_extensions = false",
    "set autoload_known_extensions = false",
    "set enable_progress_bar = false",
)
LINE = re.compile(r"^LINE (\d+):", re.MULTILINE)
LOCK = ("set enable_external_access = false", "set lock_configuration = true")


@dataclass(frozen=True, slots=True)
class DuckDb:
    """The engine over whatever gives in-memory connections, such as dagster-duckdb's resource."""

    connect: Connect

    @property
    def name(self) -> str:
        """``duckdb``."""
        return "duckdb"

    @property
    def version(self) -> str:
        """The version of the DuckDB library."""
        return duckdb.__version__

    @contextmanager
    def run(self, query: Query, tables: Mapping[str, Relation]) -> Iterator[pa.RecordBatchReader]:
        """Run ``query`` over ``tables`` and no other file; see ``Engine.run``."""
        with self.connect() as connection, closing(connection):
            _prepare(connection, tables)
            with closing(_Stream(connection, query)) as stream:
                schema = distinct(stream.schema())
                yield pa.RecordBatchReader.from_batches(schema, (_as(schema, batch) for batch in stream.batches()))

    def schema(self, columns: Sequence[tuple[str, str]]) -> pa.Schema:
        """Return the Arrow schema of (name, SQL type) columns; see ``Engine.schema``."""
        with self.connect() as connection, closing(connection):
            for statement in (*SETTINGS, *LOCK):
                connection.execute(statement)
            return pa.schema([pa.field(name, _arrow_type(connection, name, kind)) for name, kind in columns])


def distinct(schema: pa.Schema) -> pa.Schema:
    """Return ``schema`` with DuckDB's own names for repeated columns: ``id``, ``id_1``, whatever the case."""
    taken: dict[str, int] = {}
    names = []
    for name in schema.names:
        unique = name
        while unique.lower() in taken:
            taken[name.lower()] += 1
            unique = f"{name}_{taken[name.lower()]}"
        taken[unique.lower()] = 0
        names.append(unique)
    return pa.schema([field.with_name(name) for field, name in zip(schema, names, strict=True)])


def _as(schema: pa.Schema, batch: pa.RecordBatch) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(batch.columns, schema=schema)


def _select(query: Query) -> str:
    if not query.into:
        return query.text.lstrip()
    columns = [quoted(f"c{place}") for place in range(len(query.into))]
    casts = ", ".join(
        f"cast({c} as {kind}) as {quoted(name)}" for c, (name, kind) in zip(columns, query.into, strict=True)
    )
    # on the first line and after the last, so that the query's own lines keep their numbers
    return f"select {casts} from ({query.text}\n) as inserted({', '.join(columns)})"  # noqa: S608  # names are quoted


def _arrow_type(connection: duckdb.DuckDBPyConnection, name: str, kind: str) -> pa.DataType:
    try:
        return connection.sql(f"select cast(null as {kind}) as c").to_arrow_reader(1).schema.field(0).type
    except duckdb.Error as error:
        raise EngineError(f"column {name} has type {kind!r}, which DuckDB does not know", fix=str(error)) from error


def _prepare(connection: duckdb.DuckDBPyConnection, tables: Mapping[str, Relation]) -> None:
    for statement in SETTINGS:
        connection.execute(statement)
    for name, relation in sorted(tables.items()):
        schema, _, table = name.rpartition(".")
        connection.execute(f"create schema if not exists {quoted(schema or 'main')}")
        create(connection, f"{quoted(schema or 'main')}.{quoted(table)}", relation)
    allowed = sorted({path for relation in tables.values() if isinstance(relation, Files) for path in relation.paths})
    connection.execute(f"set allowed_paths = [{', '.join(map(literal, allowed))}]")
    for statement in LOCK:
        connection.execute(statement)


def create(connection: duckdb.DuckDBPyConnection, name: str, relation: Relation) -> None:
    """Let ``name``, a quoted name with its schema, stand for ``relation``."""
    if isinstance(relation, Files) and relation.paths:
        connection.execute(f"create view {name} as {_read(relation)}")
    elif isinstance(relation, Rows):
        # a registered Arrow table answers to one plain name, so the view gives it its schema
        held = f"held_{threading.get_ident()}_{name}"
        connection.register(held, relation.data)
        connection.execute(f"create view {name} as select * from {quoted(held)}")  # noqa: S608  # names are quoted
    elif isinstance(relation, Landing):
        create_landing(connection, name, relation)
    else:
        columns = [(c.name, c.type) if isinstance(c, Column) else c for c in relation.columns]
        connection.execute(f"create table {name} ({', '.join(f'{quoted(c)} {kind}' for c, kind in columns)})")


def _read(files: Files) -> str:
    paths = ", ".join(map(literal, files.paths))
    by_id = ", ".join(
        f"{c.field_id}: {{name: {literal(c.name)}, type: {literal(c.type)}, default_value: NULL}}"
        for c in files.columns
    )
    return f"select * from read_parquet([{paths}], schema = map {{{by_id}}})"  # noqa: S608  # all is quoted


class _Stream:
    """A query that runs in a thread of its own and is polled from the caller's.

    DuckDB on the main thread holds off signals until it returns; a polled queue lets them in, and ``interrupt`` ends
    the query wherever it is.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, query: Query) -> None:
        self._connection = connection
        self._query = query
        self._items: queue.Queue[pa.Schema | pa.RecordBatch | BaseException | None] = queue.Queue(BATCHES_AHEAD)
        self._stopped = threading.Event()
        self._worker = threading.Thread(target=self._work, name="duckdb-query", daemon=True)
        self._worker.start()

    def schema(self) -> pa.Schema:
        """Wait for the query's first answer and return its columns."""
        return self._next()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield what the query makes, as it makes it."""
        while (item := self._next()) is not None:
            yield item

    def close(self) -> None:
        """End the query if it still runs; returns when its thread has gone."""
        self._stopped.set()
        while self._worker.is_alive():
            # again and again: an interrupt that comes between two of DuckDB's tasks is forgotten
            self._connection.interrupt()
            self._worker.join(POLL_SECONDS)

    def _work(self) -> None:
        try:
            reader = _open(self._connection, _select(self._query))
            self._put(reader.schema)
            for batch in reader:
                self._put(batch)
            self._put(None)
        except BaseException as error:  # noqa: BLE001  # it is raised again, on the thread that asked
            self._put(error)

    def _put(self, item: pa.Schema | pa.RecordBatch | BaseException | None) -> None:
        while not self._stopped.is_set():
            with suppress(queue.Full):
                self._items.put(item, timeout=POLL_SECONDS)
                break

    def _next(self) -> pa.Schema | pa.RecordBatch | None:
        while True:
            try:
                item = self._items.get(timeout=POLL_SECONDS)
            except queue.Empty:
                continue
            if isinstance(item, (duckdb.Error, pa.ArrowException, OSError)):
                raise _query_error(item, self._query) from item
            if isinstance(item, BaseException):
                raise item
            return item


def _open(connection: duckdb.DuckDBPyConnection, text: str) -> pa.RecordBatchReader:
    try:
        return connection.sql(text).to_arrow_reader(BATCH_ROWS)
    except (duckdb.BinderException, duckdb.CatalogException):
        # sql() streams but leaves out the line of an error in binding, which explain tells
        connection.execute(f"explain {text}")
        raise


def _query_error(error: BaseException, query: Query) -> QueryError:
    blank = _blank_lines(query)
    text = LINE.sub(lambda match: f"LINE {int(match[1]) + blank}:", str(error).strip())
    line = LINE.search(text)
    return QueryError(text, file=query.file, line=int(line[1]) if line else None)


def _blank_lines(query: Query) -> int:
    """Return how many lines DuckDB does not count: it drops what is blank before a statement."""
    if query.into:
        return 0
    return query.text[: len(query.text) - len(query.text.lstrip())].count("\n")
