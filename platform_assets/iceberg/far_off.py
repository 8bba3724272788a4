"""Times that no table takes here: pyiceberg counts a file's least and greatest ones in Python's years, 1 to 9999."""

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

LEAST, BEYOND = -719_162, 2_932_897
"""The days from 1970 on of 0001-01-01 and of the day after 9999-12-31."""

A_DAY: Mapping[str, int] = {"s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}

FIX = "write NULL in its place, or leave such rows out: where isfinite(column) and year(column) between 1 and 9999"


def require_years(rows: pa.RecordBatch | pa.Table) -> None:
    """Check that the dates and timestamps of ``rows`` have years from 1 to 9999.

    Raises:
        OverflowError: one has not, with its column.
    """
    for field, values in zip(rows.schema, rows.columns, strict=True):
        if pa.types.is_date32(field.type) or pa.types.is_timestamp(field.type):
            a_day = A_DAY[field.type.unit] if pa.types.is_timestamp(field.type) else 1
            ends = pc.min_max(values)
            if ends["min"].is_valid and not LEAST * a_day <= ends["min"].value <= ends["max"].value < BEYOND * a_day:
                raise _far_off(field.name)


def require_years_in(file: pq.FileMetaData) -> None:
    """Check, by a Parquet file's statistics, that its dates and timestamps have years from 1 to 9999; as above."""
    for group in map(file.row_group, range(file.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            found = column.statistics
            try:
                if found is not None and found.has_min_max:
                    _ = found.min, found.max
            except OverflowError:
                raise _far_off(column.path_in_schema) from None


def _far_off(column: str) -> OverflowError:
    return OverflowError(f"a time is too far off in {column}: it is infinity, or no year from 1 to 9999")
