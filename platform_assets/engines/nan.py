"""Files whose statistics pass over NaN, given to a server without statistics of their real and double columns.

Parquet's min and max of a real or double column say nothing of NaN. A server that goes by them takes a column of NaN
and one other value for a constant (Sail 0.7), or leaves out rows whose NaN is more than the max.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

import pyarrow as pa
import pyarrow.parquet as pq

from governance.statement.spark.model import name as spelt
from platform_assets.engines.engine import Column, Files, Relation
from platform_assets.engines.interruptible import waited
from platform_assets.engines.parquet import HONEST, ROWS, field_id, has_nan, opened, stated

FLOATS = frozenset({"real", "double"})
PHYSICAL = frozenset({"FLOAT", "DOUBLE"})

WRITER = re.compile(r"DuckDB version v([2-9]|\d\d)")
"""Who writes no min and no max where there is NaN."""


def with_nan(tables: Mapping[str, Relation], sql: str, folder: Path) -> dict[str, Relation]:
    """Return ``tables``, files that hide NaN by copies in ``folder`` that do not.

    ``sql`` is all that the server is asked; a column that it does not name is not looked at.

    Raises:
        EngineError: a file cannot be read.
    """
    named = sql.casefold()
    files = {name: it for name, it in tables.items() if isinstance(it, Files)}
    wanted: dict[str, frozenset[int]] = {}
    for it in files.values():
        asked = frozenset(one.field_id for one in it.columns if _floats(one) and spelt(one.name).casefold() in named)
        for path in it.paths if asked else ():
            wanted[path] = wanted.get(path, frozenset()) | asked
    if not wanted:
        return dict(tables)
    looking = _Looking(wanted, folder)
    copies = waited(looking, looking.run)
    made = {name: replace(it, paths=tuple(copies.get(at, at) for at in it.paths)) for name, it in files.items()}
    return {**tables, **made}


def _floats(column: Column) -> bool:
    return column.type in FLOATS or any(map(_floats, column.fields))


@dataclass(frozen=True, slots=True)
class _Looking:
    wanted: Mapping[str, Collection[int]]
    folder: Path
    stopped: Event = field(default_factory=Event)

    def interrupt(self) -> None:
        self.stopped.set()

    def run(self) -> dict[str, str]:
        """Return the copies by the paths of what they are of."""
        copies: dict[str, str] = {}
        for path, ids in self.wanted.items():
            with opened(path) as given:
                if self._hides(given, ids):
                    copies[path] = str(self.folder / f"nan-{len(copies):06}.parquet")
                    self._copy(given, copies[path])
        return copies

    def _hides(self, given: pq.ParquetFile, ids: Collection[int]) -> bool:
        marks = given.metadata.metadata or {}
        if WRITER.match(given.metadata.created_by or "") or HONEST.items() <= marks.items():
            return False
        names = [it.name for it in given.schema_arrow if field_id(it) in ids]
        told = [name for name in names if any(_is_of(name, leaf) for leaf in _told(given.metadata))]
        return bool(told) and any(any(map(has_nan, it.columns)) for it in self._batches(given, told))

    def _copy(self, given: pq.ParquetFile, to: str) -> None:
        schema = given.schema_arrow
        with pq.ParquetWriter(to, schema, compression="zstd", write_statistics=stated(schema, schema.names)) as sink:
            for batch in self._batches(given):
                sink.write_batch(batch)

    def _batches(self, given: pq.ParquetFile, names: list[str] | None = None) -> Iterator[pa.RecordBatch]:
        for batch in given.iter_batches(ROWS, columns=names):
            if self.stopped.is_set():
                return
            yield batch


def _told(metadata: pq.FileMetaData) -> set[str]:
    """Return the paths of the real and double columns that have a min and a max, of a row group or of pages."""
    chunks = (
        metadata.row_group(group).column(place)
        for place in range(metadata.num_columns)
        if metadata.schema.column(place).physical_type in PHYSICAL
        for group in range(metadata.num_row_groups)
    )
    return {it.path_in_schema for it in chunks if it.has_column_index or (it.statistics and it.statistics.has_min_max)}


def _is_of(name: str, leaf: str) -> bool:
    return leaf == name or leaf.startswith(f"{name}.")
