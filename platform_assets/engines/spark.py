"""Spark, by Spark Connect: Sail, Spark 4 and managed Sparks alike.

A query is bound by DuckDB, on no rows, before Spark sees it: its columns are those that DuckDB gives, so that a table
has the same ones whichever engine makes it. What Spark makes is cast to them by position, and no cast there loses
anything that DuckDB would keep.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
from pyspark.sql.connect.session import SparkSession
from pyspark.sql.dataframe import DataFrame

from governance.errors import EngineError, UnreadConstruct
from governance.statement.spark import Translated, translated
from platform_assets.engines.address import linked
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Empty, Files, Landing, Query, QueryError, Relation, Rows, Stored
from platform_assets.engines.folder import own_folder
from platform_assets.engines.interruptible import waited
from platform_assets.engines.nan import with_nan
from platform_assets.engines.spark_result import SparkResult, hold, told
from platform_assets.engines.spark_session import connected
from platform_assets.engines.spark_tables import frame, view_of
from platform_assets.engines.sql_types import sql_types
from platform_assets.engines.staged import staged
from platform_assets.engines.within import restricted

UNREACHED = "0+unreached"
"""The version of a server that did not answer; a lineage server may refuse events with what is none (PEP 440)."""


@dataclass(frozen=True, slots=True)
class Spark:
    """The engine on the server ``remote``, ``sc://host:port``; ``binder`` says what columns a query has.

    ``folder`` is where both this process and the server write: what a run makes goes to one of its own in it.
    """

    remote: str | None
    binder: DuckDb
    folder: Path

    @property
    def name(self) -> str:
        """``spark``."""
        return "spark"

    @property
    def version(self) -> str:
        """The server's version; a run that cannot reach it fails by itself, and is told of as any other."""
        try:
            with connected(self.remote) as connection:
                return str(waited(connection, lambda: connection.session.version))
        except EngineError:
            return UNREACHED

    @contextmanager
    def open(self, query: Query, tables: Mapping[str, Relation]) -> Iterator[SparkResult]:
        """Open ``query`` over ``tables``; see ``Engine.open``."""
        _require_readable(query, tables)
        types = {name: _types(relation) for name, relation in tables.items()}
        schema = self._bound(query, types)
        plain = self._bound(replace(query, into=()), types) if query.into else schema
        query = restricted(query, schema)
        text = _translated(query, types, sql_types(plain), sql_types(schema))
        empty = {name: self.schema([*columns.items()]) for name, columns in types.items()}
        with own_folder(self.folder) as folder, connected(self.remote) as connection:
            with told(query, folder):
                # the server has its own credentials or none: what it reads goes where it writes as well
                there = linked(with_nan(staged(tables, folder), text.asked, folder), folder)
                waited(connection, lambda: _register(connection.session, there, empty))
                for it in text.held:
                    hold(connection, query, folder, it)
                frame = waited(connection, lambda: _frame(connection.session, text.sql))
            yield SparkResult(connection, query, folder, frame, schema, self.schema)

    def schema(self, columns: Sequence[tuple[str, str]]) -> pa.Schema:
        """Return the Arrow schema of (name, SQL type) columns; see ``Engine.schema``."""
        return self.binder.schema(columns)

    def _bound(self, query: Query, types: Mapping[str, Mapping[str, str]]) -> pa.Schema:
        empty = {name: Empty(tuple(columns.items())) for name, columns in types.items()}
        with self.binder.open(query, empty) as bound:
            return bound.schema


def _require_readable(query: Query, tables: Mapping[str, Relation]) -> None:
    landing = next((name for name, it in tables.items() if isinstance(it, Landing)), None)
    if landing or query.setup:
        problem = f"{landing} is a landing file" if landing else "it builds on macros or views"
        fix = "read landing files, and build on macros and views, on DuckDB: -- engine: duckdb"
        raise QueryError(problem, file=query.file, fix=fix)


def _types(relation: Relation) -> dict[str, str]:
    if isinstance(relation, Files | Stored):
        return {column.name: column.type for column in relation.columns}
    if isinstance(relation, Rows):
        return sql_types(relation.data.schema)
    return dict(relation.columns) if isinstance(relation, Empty) else {}


def _translated(
    query: Query, types: Mapping[str, Mapping[str, str]], plain: Mapping[str, str], wanted: Mapping[str, str]
) -> Translated:
    """Return the query in Spark's SQL, its columns cast by position from what DuckDB gives to what is ``wanted``.

    Raises:
        QueryError: it may mean something else on Spark.
    """
    views = {name: (view_of(place), types[name]) for place, name in enumerate(sorted(types))}
    try:
        return translated(query.text, views, tuple(plain.values()), tuple(wanted.items()))
    except UnreadConstruct as error:
        raise QueryError(error.problem, file=query.file, line=error.line, fix=error.fix) from None


def _register(session: SparkSession, tables: Mapping[str, Relation], empty: Mapping[str, pa.Schema]) -> None:
    for place, name in enumerate(sorted(tables)):
        frame(session, name, tables[name], empty[name]).createOrReplaceTempView(view_of(place))


def _frame(session: SparkSession, text: str) -> DataFrame:
    made = session.sql(text)
    # looked at here, or an error in it would show in the midst of writing
    _ = made.schema
    return made
