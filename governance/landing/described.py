"""What is said of declared datasets of files to people."""

from governance.landing.datasets import record_name
from governance.sources import Source


def description_of(source: Source) -> str | None:
    """Return the declared description, of a kind of record what it is; None where nothing is known to say."""
    files = source.files
    record = next((it for it in files.records if record_name(files, it) == source.table), None) if files else None
    if source.description or files is None or record is None:
        return source.description
    said = f"The {record.id} records of {files.name}, which say {record.value!r}"
    return f"{said}; each belongs to one of {record.parent} by {record.join_key}." if record.parent else f"{said}."
