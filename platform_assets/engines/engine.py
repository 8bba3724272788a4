"""What an engine is: it runs one SELECT over named tables and makes Parquet files or Arrow batches of its rows.

An engine writes nothing that lasts and knows no catalog. What it may read is handed in, table by table.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from governance.errors import EngineError
from governance.landing.model import FileSource
from governance.windows import Window


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a stored table: its Iceberg field id, its name, its SQL type, its comment, its members if nested.

    A list's element is named ``_element``, a map's sides ``_key`` and ``_value``, as OpenLineage's schema facet has it.
    """

    field_id: int
    name: str
    type: str
    doc: str = ""
    fields: tuple["Column", ...] = ()


@dataclass(frozen=True, slots=True)
class Files:
    """Parquet files on this machine, read by field id, so that renamed and added columns come out right.

    unsure: the field ids of columns whose min and max in a file may pass over NaN
    """

    paths: tuple[str, ...]
    columns: tuple[Column, ...]
    unsure: frozenset[int] = frozenset()


class Opened(Protocol):
    """A file that several threads read at once."""

    def read_at(self, size: int, at: int) -> bytes:
        """Return ``size`` bytes from byte ``at`` on, fewer at the end."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """Parquet files that lie in a store, read by field id as ``Files`` are.

    files: where each lies, and its bytes
    open:  opens one by its location; it raises a HeadwaterError where the store does not give it, as reading does
    """

    files: tuple[tuple[str, int], ...]
    columns: tuple[Column, ...]
    open: Callable[[str], Opened]
    unsure: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows in memory, for a table whose files alone would not give the right answer."""

    data: pa.Table


@dataclass(frozen=True, slots=True)
class Empty:
    """A table that has its columns (name, SQL type) and no row yet."""

    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """What an XML file was made into for an engine: Parquet, and the texts of its sections, in declared order."""

    path: str
    sections: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Landing:
    """Files as they landed, read by what is declared of them; a row that does not fit is kept aside.

    source:  the declaration
    paths:   the files on this machine, in order; ``shown`` are their names as they may be shown, in the same order
    options: (name, SQL text of the value) that the query itself gives, which go before those of the declaration
    parts:   of XML, what ``engines.xml.readable`` made of ``paths``, in their order
    """

    source: FileSource
    paths: tuple[str, ...]
    shown: tuple[str, ...]
    options: tuple[tuple[str, str], ...] = ()
    parts: tuple[Part, ...] = ()


REJECTED = pa.schema(
    [
        ("file", pa.string()),
        ("line", pa.int64()),
        ("column", pa.string()),
        ("reason", pa.string()),
        ("row", pa.string()),
    ]
)
"""Of rows that do not fit: the file as it may be shown, the line from 1 (NULL where the format has none), the first
column that does not fit (NULL where the row as a whole does not), all reasons, and the row as it stands there."""


Relation = Files | Stored | Rows | Empty | Landing
"""What a table name stands for while a query runs."""


@dataclass(frozen=True, slots=True)
class Query:
    """A SELECT at its place: ``text`` is blank where the file has something else, so that line numbers hold.

    ``into`` holds the (name, SQL type) that the result is cast to by position, as INSERT does; empty: as it comes.
    ``setup`` are the CREATE MACRO and CREATE VIEW statements that the text builds on, in order. ``within`` is the span
    of time whose rows are wanted; None: all of them.
    """

    text: str
    file: str
    into: tuple[tuple[str, str], ...] = ()
    setup: tuple[str, ...] = ()
    within: Window | None = None


class QueryError(EngineError):
    """The engine refused or failed a query: file, line where the engine tells it, and the engine's own words.

    Where it failed a statement of ``Query.setup``, ``setup`` is its number there, from 0 on, and ``line`` is its own.
    """

    def __init__(
        self, problem: str, *, file: str, line: int | None = None, fix: str = "", setup: int | None = None
    ) -> None:
        self.file = file
        self.line = line
        self.setup = setup
        super().__init__(problem, fix=fix)

    def where(self) -> str:
        """Return ``file:line``."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Of one ``Landing``: how many rows of its files fit, and those that do not, each once (columns ``REJECTED``).

    It is of all rows and all declared columns of its files, whatever the query asked for. ``unfit`` are the files, as
    they may be shown, that have rows of which none fits.
    """

    rows: int
    rejects: pa.Table
    unfit: tuple[str, ...] = ()


class Result(Protocol):
    """The rows of one query. None is made before ``write`` or ``batches`` asks, and of those one may be asked, once."""

    @property
    def schema(self) -> pa.Schema:
        """The columns, named as CREATE TABLE AS names them, each once."""
        ...

    def write(self, columns: Sequence[Column]) -> tuple[Path, ...]:
        """Make the rows into Parquet files of bounded size, which go when the result is left: move them away.

        ``columns`` are what is stored, one for each of the schema's, in its order: a column bears its field id, nested
        ones too, and is cast to its SQL type. A file may have no rows.

        Raises:
            QueryError: the query failed.

        """
        ...

    def batches(self) -> AbstractContextManager[pa.RecordBatchReader]:
        """Make the rows in batches of ``schema``; leaving the context stops the query.

        Raises:
            QueryError: from the reader.

        """
        ...

    def outcomes(self) -> Mapping[str, Outcome]:
        """Return what became of the rows of each ``Landing``, by its name; right after the rows are made."""
        ...


class Engine(Protocol):
    """Runs SQL. Two engines over the same relations give the same rows."""

    @property
    def name(self) -> str:
        """The engine's name, as events and kinds say it: ``duckdb``."""
        ...

    @property
    def version(self) -> str:
        """The engine's version."""
        ...

    def open(self, query: Query, tables: Mapping[str, Relation]) -> AbstractContextManager[Result]:
        """Open ``query`` where each name of ``tables`` (``schema.table``) is a table; nothing else can be read.

        Leaving the context, by whatever exception, stops the query and removes what it wrote.

        Raises:
            QueryError: the query cannot be bound.

        """
        ...

    def schema(self, columns: Sequence[tuple[str, str]]) -> pa.Schema:
        """Return the Arrow schema of columns given as (name, SQL type).

        Raises:
            EngineError: a type that the engine does not know, with its column.

        """
        ...
