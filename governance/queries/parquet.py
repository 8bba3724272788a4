"""The lines of a Parquet export, a batch at a time; apart from the rest, since importing Arrow takes a while."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyarrow.parquet import ParquetFile

from governance.errors import HeadwaterError
from governance.queries.files import Line


def parquet_lines(path: Path) -> Iterator[Line]:
    """Yield the rows of a Parquet export, numbered from 1.

    Raises:
        HeadwaterError: the file cannot be read.
    """
    try:
        number = 0
        with ParquetFile(path) as file:
            for batch in file.iter_batches():
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except (OSError, pa.ArrowException) as error:
        raise HeadwaterError(f"{path.name} cannot be read as Parquet: {error}", fix="export it again") from error
