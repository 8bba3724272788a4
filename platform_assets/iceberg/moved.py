"""What a snapshot added and a run did not write: rows that shared a file with those that it replaced."""

ROWS, BYTES, FILES = MOVED = (
    "headwater.moved-records",
    "headwater.moved-files-size",
    "headwater.moved-data-files",
)
"""Properties of a snapshot, beside Iceberg's own counts of all that it added."""
