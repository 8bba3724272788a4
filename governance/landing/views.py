"""Datasets of files that SQL calls by one name → the views that say what they are made of.

Lineage reads these views before a pipeline's own statement, so that an edge ends at the physical dataset: at one kind
of record, at a value beside a document's rows. The engine makes relations of the same names and columns of the
declaration itself, and never runs them.
"""

from collections.abc import Iterable, Iterator

from governance.block import Block, BlockKind
from governance.landing.datasets import document_field, record_name
from governance.landing.model import DOCUMENT, RECORD_TYPE, FileSource, Record
from governance.sources import Source

FILE = "sources.toml"


def file_blocks(sources: Iterable[Source]) -> tuple[Block, ...]:
    """Return a view for each name of SQL that is not one physical dataset, in the order of ``sources``.

    ``landing/payments.txt`` is every record of the file: ``record_type``, the file's name if declared, and the columns
    of all kinds of record, each once. ``landing/payments.txt#detail`` are the rows of one kind, with its own columns
    and the file's name. A document is its rows, the file's name, and ``$doc``, a struct of its sections.

    Each reads the physical datasets alone, so that any of them, in any order, may stand before a statement.
    """
    return tuple(
        Block(name, BlockKind.FILE, FILE, 1, f"create view {_quoted(name)} as {select}")
        for files in (it.files for it in sources if it.files is not None and it.table == it.files.name)
        for name, select in _selects(files)
    )


def _selects(files: FileSource) -> Iterator[tuple[str, str]]:
    if files.records:
        yield files.name, _every_record(files)
        for record in files.records:
            yield record_name(files, record), _one_kind(files, record)
    elif files.sections:
        yield files.name, _document(files)


def _every_record(files: FileSource) -> str:
    own = [RECORD_TYPE, *([] if files.filename is None else [files.filename])]
    selects = [_select(own, files.name)]
    selects += [_select([it.name for it in record.columns], record_name(files, record)) for record in files.records]
    return " union all by name ".join(selects)


def _one_kind(files: FileSource, record: Record) -> str:
    columns = [f"d.{_quoted(it.name)}" for it in record.columns]
    columns += [] if files.filename is None else [f"b.{_quoted(files.filename)}"]
    tables = f"{_physical(files.name)} b, {_physical(record_name(files, record))} d"
    return f"select {', '.join(columns)} from {tables} where b.{RECORD_TYPE} = {_literal(record.value)}"  # noqa: S608


def _document(files: FileSource) -> str:
    columns = [_quoted(it.name) for it in files.columns]
    columns += [] if files.filename is None else [_quoted(files.filename)]
    sections = [
        f"{_quoted(section.name)} := "
        + _struct(f"{_quoted(it.name)} := {_quoted(document_field(section.name, it.name))}" for it in section.columns)
        for section in files.sections
    ]
    return f"select {', '.join(columns)}, {_struct(sections)} as {_quoted(DOCUMENT)} from {_physical(files.name)}"  # noqa: S608


def _struct(members: Iterable[str]) -> str:
    return f"struct_pack({', '.join(members)})"


def _select(columns: Iterable[str], dataset: str) -> str:
    return f"select {', '.join(map(_quoted, columns))} from {_physical(dataset)}"  # noqa: S608  # all is quoted


def _physical(dataset: str) -> str:
    """Return the dataset itself: to lineage a name alone may be another of these views, a reading function's is not."""
    return f"read_csv({_literal(dataset)})"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
