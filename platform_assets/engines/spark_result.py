"""A query on Spark: its columns are those that DuckDB gives it, and its rows are made where somebody wants them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.dataframe import DataFrame

from governance.statement.spark import Held
from platform_assets.engines.address import address
from platform_assets.engines.engine import Column, Outcome, Query, QueryError
from platform_assets.engines.interruptible import waited
from platform_assets.engines.parquet import ROWS, fitted, rewritten, with_ids
from platform_assets.engines.spark_session import FAILURES, Connection, words

Typed = Callable[[Sequence[tuple[str, str]]], pa.Schema]

WRITING = {"statistics_enabled": "none"}
"""Sail's: what it reads again it may not read by statistics, which pass over NaN; other servers have no such option."""

UNSEEN = "run it where the server sees the project's state folder under the same path"


@dataclass(frozen=True, slots=True)
class SparkResult:
    """A ``Result`` over a frame whose columns have names and types of ``schema``, by position.

    typed: gives the Arrow schema of columns as they are stored
    """

    connection: Connection
    query: Query
    folder: Path
    frame: DataFrame
    schema: pa.Schema
    typed: Typed

    def write(self, columns: Sequence[Column]) -> tuple[Path, ...]:
        """Let the server write Parquet files, and give them the table's field ids; see ``Result.write``."""
        made = self._made()
        stored = with_ids(self.typed([(it.name, it.type) for it in columns]), columns)
        (own := self.folder / "rows").mkdir()
        with self._told():
            return tuple(self._own(file, stored, own / f"{place:05}.parquet") for place, file in enumerate(made))

    @contextmanager
    def batches(self) -> Iterator[pa.RecordBatchReader]:
        """Make the rows in batches, out of files that the server wrote whole; see ``Result.batches``."""
        made = self._made()
        yield pa.RecordBatchReader.from_batches(self.schema, self._each(made))

    def outcomes(self) -> Mapping[str, Outcome]:
        """Return nothing: files as they landed are read on DuckDB."""
        return MappingProxyType({})

    def _made(self) -> Sequence[Path]:
        with self._told():
            return _written(self.connection, self.query, self.frame, self.folder / "made")

    def _own(self, file: Path, stored: pa.Schema, to: Path) -> Path:
        rewritten(file, stored, to)
        file.unlink()
        return to

    def _each(self, files: Sequence[Path]) -> Iterator[pa.RecordBatch]:
        with self._told():
            for file in files:
                with pq.ParquetFile(file) as given:
                    for batch in given.iter_batches(ROWS):
                        yield fitted(batch, self.schema)

    @contextmanager
    def _told(self) -> Iterator[None]:
        with told(self.query, self.folder):
            yield


def hold(connection: Connection, query: Query, folder: Path, held: Held) -> None:
    """Let the server compute a query of ``query`` once, and keep its rows in ``folder`` under the name that it has."""
    session = connection.session
    frame = waited(connection, lambda: session.sql(held.sql))
    files = _written(connection, query, frame, folder / held.name)

    def register() -> None:
        paths = [address(file) for file in files]
        kept = session.read.schema(frame.schema).parquet(*paths) if paths else session.createDataFrame([], frame.schema)
        kept.createOrReplaceTempView(held.name)

    waited(connection, register)


def _written(connection: Connection, query: Query, frame: DataFrame, to: Path) -> Sequence[Path]:
    """Let the server write Parquet files, and return them; of no row some servers write none at all."""
    waited(connection, lambda: frame.write.mode("error").options(**WRITING).parquet(address(to)))
    files = sorted(to.glob("*.parquet")) if to.is_dir() else []
    if not files and not waited(connection, frame.isEmpty):
        raise QueryError("the Spark server wrote nothing that is seen here", file=query.file, fix=UNSEEN)
    return files


@contextmanager
def told(query: Query, folder: Path) -> Iterator[None]:
    """Raise what Spark and Arrow raise as the query's error, without the paths of this machine."""
    try:
        yield
    except (*FAILURES, pa.ArrowException, OSError) as error:
        said = words(error).replace(address(folder), "…").replace(str(folder), "…")
        raise QueryError(said, file=query.file, fix="look at the Spark server's log") from None
