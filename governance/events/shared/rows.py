"""The events of a shared segment by their rows, where a mirror lacks some of them."""

import io

import pyarrow as pa
import pyarrow.parquet as pq

from governance.errors import EventStoreError


def raws_of(data: bytes) -> list[bytes]:
    """Return the bytes of each event of a segment's file, in order of arrival.

    Raises:
        EventStoreError: it is damaged.
    """
    try:
        return list(pq.read_table(io.BytesIO(data), columns=["raw"])["raw"].to_pylist())
    except pa.ArrowException as error:
        raise EventStoreError(
            f"a segment of the event store is damaged ({type(error).__name__})",
            fix="restore that object: the events in it may be nowhere else",
        ) from error
