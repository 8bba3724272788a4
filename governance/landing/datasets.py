"""File source → the datasets that it is, each with its fields."""

from governance.landing.model import DOCUMENT, RECORD_TYPE, FileSource, Record

Columns = tuple[tuple[str, str], ...]
"""(name, SQL type) in a dataset's own order."""


def record_name(source: FileSource, record: Record) -> str:
    """Return what the dataset of one kind of record is called: ``landing/payments.txt#detail``."""
    return f"{source.name}#{record.id}"


def document_field(section: str, value: str) -> str:
    """Return what the field of a value beside a document's rows is called: ``$doc.header.batch_date``."""
    return f"{DOCUMENT}.{section}.{value}"


def datasets(source: FileSource) -> tuple[tuple[str, Columns], ...]:
    """Return each dataset's name and fields: the file's own, then each kind of record in declared order.

    A file with several kinds of record has itself the discriminator and the column of the file's name, no other. A
    document has its rows' columns, the file's name, and a field for each value of a section.
    """
    file: Columns = () if source.filename is None else ((source.filename, "varchar"),)
    if not source.records:
        rows = tuple((it.name, it.type) for it in source.columns)
        return ((source.name, (*rows, *file, *_document(source))),)
    kinds = ((record_name(source, it), tuple((own.name, own.type) for own in it.columns)) for it in source.records)
    return ((source.name, ((RECORD_TYPE, "varchar"), *file)), *kinds)


def _document(source: FileSource) -> Columns:
    return tuple(
        (document_field(section.name, it.name), it.type) for section in source.sections for it in section.columns
    )
