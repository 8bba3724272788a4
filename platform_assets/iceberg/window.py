"""One span of time of a table: which of its files have rows of it, and what of those files stays."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import cast

import pyarrow as pa
from pyiceberg.expressions import (
    AlwaysTrue,
    And,
    BooleanExpression,
    GreaterThanOrEqual,
    IsNull,
    LessThan,
    Or,
)
from pyiceberg.expressions.visitors import _StrictMetricsEvaluator
from pyiceberg.io import FileIO
from pyiceberg.io.pyarrow import ArrowScan, schema_to_pyarrow
from pyiceberg.manifest import DataFile
from pyiceberg.schema import Schema
from pyiceberg.table import FileScanTask, Table
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.types import DateType, TimestamptzType

from governance.windows import Window

# mypy sees pydantic's constructors in place of pyiceberg's own
FROM, BEFORE = (cast("Callable[[str, str], BooleanExpression]", it) for it in (GreaterThanOrEqual, LessThan))
MISSING = cast("Callable[[str], BooleanExpression]", IsNull)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Replaced:
    """What of a table is there of a window: files that are its alone, and files that have other rows too."""

    whole: tuple[FileScanTask, ...]
    partly: tuple[FileScanTask, ...]

    @property
    def files(self) -> Iterator[DataFile]:
        """Every file that has rows of the window."""
        return (it.file for it in (*self.whole, *self.partly))


def replaced(table: Table | None, window: Window) -> Replaced:
    """Return the files of ``table`` that may have rows of ``window``; none where there is no table."""
    if table is None:
        return Replaced((), ())
    inside = _inside(table.schema(), window)
    sure = _StrictMetricsEvaluator(table.schema(), inside)
    whole: list[FileScanTask] = []
    partly: list[FileScanTask] = []
    for task in table.scan(row_filter=inside).plan_files():
        # the partition alone may tell it, else the least and the greatest value in the file
        alone = task.residual == AlwaysTrue() or sure.eval(task.file)
        (whole if alone else partly).append(task)
    return Replaced(tuple(whole), tuple(partly))


def outside(metadata: TableMetadata, io: FileIO, files: Iterable[FileScanTask], window: Window) -> pa.RecordBatchReader:
    """Return the rows of ``files`` that are not of ``window``, file by file, with the columns of ``metadata``."""
    scan = ArrowScan(metadata, io, metadata.schema(), _outside(metadata.schema(), window))
    batches = (batch for task in files for batch in scan.to_record_batches([task]))
    return pa.RecordBatchReader.from_batches(schema_to_pyarrow(metadata.schema()), batches)


def begins(metadata: TableMetadata, files: Iterable[DataFile]) -> tuple[tuple[datetime, int], ...]:
    """Return how many rows ``files`` have by the begin of the time that their partitions' first field tells, in order.

    Files of no time are left out.
    """
    first = metadata.spec().fields[0]
    unit = "day" if str(first.transform) == "identity" else str(first.transform)
    counted: dict[datetime, int] = {}
    for file in files:
        if isinstance(number := file.partition[0], int):
            at = _instant(unit, number)
            counted[at] = counted.get(at, 0) + file.record_count
    return tuple(sorted(counted.items()))


def _instant(unit: str, number: int) -> datetime:
    if unit in {"day", "hour"}:
        return EPOCH + timedelta(**{f"{unit}s": number})
    years, months = divmod(number, 12) if unit == "month" else (number, 0)
    return EPOCH.replace(year=EPOCH.year + years, month=1 + months)


def _inside(schema: Schema, window: Window) -> BooleanExpression:
    start, end = (_literal(schema, window, at) for at in (window.start, window.end))
    return And(FROM(window.column, start), BEFORE(window.column, end))


def _outside(schema: Schema, window: Window) -> BooleanExpression:
    start, end = (_literal(schema, window, at) for at in (window.start, window.end))
    return Or(MISSING(window.column), BEFORE(window.column, start), FROM(window.column, end))


def _literal(schema: Schema, window: Window, at: datetime) -> str:
    kind = schema.find_field(window.column).field_type
    if isinstance(kind, DateType):
        return date.isoformat(at)[:10]
    return at.isoformat() if isinstance(kind, TimestamptzType) else at.replace(tzinfo=None).isoformat()
