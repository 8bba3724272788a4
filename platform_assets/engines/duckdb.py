"""DuckDB, in memory: tables are views, and a query reads what it is handed and nothing else."""

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from governance.errors import EngineError
from platform_assets.engines.engine import (
    Column,
    Files,
    Landing,
    Query,
    QueryError,
    Relation,
    Rows,
    Stored,
)
from platform_assets.engines.folder import own_folder
from platform_assets.engines.interruptible import waited
from platform_assets.engines.landing import create_landing
from platform_assets.engines.many import require_bounded
from platform_assets.engines.result import LINE, DuckDbResult, schema_of, told
from platform_assets.engines.shape import check_shape
from platform_assets.engines.sql import literal, quoted, seen
from platform_assets.engines.stored import allow, paths_of, reading
from platform_assets.engines.within import restricted
from platform_assets.engines.xml import readable

Connect = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]

SETTINGS = (
    "set TimeZone = 'UTC'",
    "set python_enable_replacements = false",
    "set autoinstall_known_extensions = false",
    "set autoload_known_extensions = false",
    "set enable_progress_bar = false",
)
CREATED = re.compile(
    r"(\s|--[^\n]*\n|/\*.*?\*/)*create\s+(or\s+replace\s+)?(temp(orary)?\s+)?(macro|function|view)\s+(if\s+not\s+exists\s+)?"
    r"""(?P<schema>"([^"]|"")+"|\w+)\s*\.""",
    re.IGNORECASE | re.DOTALL,
)
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
    def open(self, query: Query, tables: Mapping[str, Relation]) -> Iterator[DuckDbResult]:
        """Open ``query`` over ``tables`` and no other file; see ``Engine.open``.

        What it writes and what does not fit into memory goes to a folder of its own where the connection spills.
        """
        with (
            self.connect() as connection,
            own_folder(_spill(connection)) as folder,
            closing(connection),
            reading(connection, tables.values()),
        ):
            tables = {name: _ready(connection, it, folder) for name, it in tables.items()}
            # on the main thread DuckDB would make an error of its own of what interrupts it
            waited(connection, lambda: _prepare(connection, query, tables, folder))
            with told(query, folder):
                schema = schema_of(connection, query)
            landings = {name: it for name, it in tables.items() if isinstance(it, Landing)}
            yield DuckDbResult(connection, restricted(query, schema), folder, landings, schema)

    def schema(self, columns: Sequence[tuple[str, str]]) -> pa.Schema:
        """Return the Arrow schema of (name, SQL type) columns; see ``Engine.schema``."""
        unknown = [(name, kind) for name, kind in columns if kind not in _ARROW_TYPES]
        if unknown:
            with self.connect() as connection, closing(connection):
                _ARROW_TYPES.update(waited(connection, lambda: _arrow_types(connection, unknown)))
        return pa.schema([pa.field(name, _ARROW_TYPES[kind]) for name, kind in columns])


_ARROW_TYPES: dict[str, pa.DataType] = {}
"""SQL type → Arrow type, which DuckDB's version alone decides: a connection costs many times the question."""


def _arrow_types(connection: duckdb.DuckDBPyConnection, columns: Sequence[tuple[str, str]]) -> dict[str, pa.DataType]:
    for statement in (*SETTINGS, *LOCK):
        connection.execute(statement)
    return {kind: _arrow_type(connection, name, kind) for name, kind in columns}


def _arrow_type(connection: duckdb.DuckDBPyConnection, name: str, kind: str) -> pa.DataType:
    try:
        return connection.sql(f"select cast(null as {kind}) as c").to_arrow_reader(1).schema.field(0).type
    except duckdb.Error as error:
        raise EngineError(f"column {name} has type {kind!r}, which DuckDB does not know", fix=str(error)) from error


def _spill(connection: duckdb.DuckDBPyConnection) -> Path:
    setting = "select current_setting('temp_directory')"
    ((folder,),) = waited(connection, lambda: connection.execute(setting).fetchall())
    return Path(folder)


def _ready(connection: duckdb.DuckDBPyConnection, relation: Relation, folder: Path) -> Relation:
    """Return the relation as DuckDB reads it: of files as they landed after a look whether they are as declared."""
    if not isinstance(relation, Landing):
        return relation
    waited(connection, lambda: check_shape(connection, relation))
    waited(connection, lambda: require_bounded(connection, relation))
    return readable(relation, folder)


def _prepare(connection: duckdb.DuckDBPyConnection, query: Query, tables: Mapping[str, Relation], folder: Path) -> None:
    for statement in SETTINGS:
        connection.execute(statement)
    for name, relation in sorted(tables.items()):
        # a file's name has dots that part nothing
        schema, _, table = ("main", "", name) if isinstance(relation, Landing) else name.rpartition(".")
        connection.execute(f"create schema if not exists {quoted(schema or 'main')}")
        create(connection, f"{quoted(schema or 'main')}.{quoted(table)}", relation)
    allow(connection, tables.values())
    connection.execute(f"set allowed_directories = [{literal(str(folder))}]")
    # two processes that spill to one folder would take each other's files
    connection.execute(f"set temp_directory = {literal(str(folder / 'spill'))}")
    for statement in LOCK:
        connection.execute(statement)
    for number in range(len(query.setup)):
        _create(connection, query, number)


def _create(connection: duckdb.DuckDBPyConnection, query: Query, number: int) -> None:
    """Create a macro or a view of ``query.setup``; behind the lock, so that a view reads no file of its own choice."""
    statement = query.setup[number]
    try:
        if named := CREATED.match(statement):
            connection.execute(f"create schema if not exists {named['schema']}")
        connection.execute(statement)
    except duckdb.Error as error:
        line = LINE.search(str(error))
        at = int(line[1]) if line else None
        raise QueryError(str(error), file=query.file, line=at, setup=number) from None


def create(connection: duckdb.DuckDBPyConnection, name: str, relation: Relation) -> None:
    """Let ``name``, a quoted name with its schema, stand for ``relation``."""
    if isinstance(relation, Files | Stored) and (paths := paths_of(relation)):
        connection.execute(f"create view {name} as {_read(paths, relation)}")
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


def _read(files: Sequence[str], relation: Files | Stored) -> str:
    paths = ", ".join(map(literal, files))
    by_id = ", ".join(
        f"{c.field_id}: {{name: {literal(c.name)}, type: {literal(c.type)}, default_value: NULL}}"
        for c in relation.columns
    )
    hidden = ", ".join(f"{seen(c.name)} as {quoted(c.name)}" for c in relation.columns if c.field_id in relation.unsure)
    picked = f"* replace ({hidden})" if hidden else "*"
    return f"select {picked} from read_parquet([{paths}], schema = map {{{by_id}}})"  # noqa: S608  # all is quoted
