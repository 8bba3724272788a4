"""A change of a source that has not happened yet: what it does to the columns, and to the rows, of that table.

``crm.learners.email rename contact_email``, ``landing/orders.csv.amount unit 100`` and their like.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from governance.errors import HeadwaterError
from governance.impact import Change
from governance.landing.datasets import document_field, record_name
from governance.landing.model import DOCUMENT, FileColumn, FileSource
from governance.sources import Source
from governance.sql_type import EXPECTED as TYPES
from governance.sql_type import sql_type

FORMS: Mapping[str, str] = {
    "rename": "TABLE.COLUMN rename NEW",
    "drop": "TABLE.COLUMN drop",
    "add": "TABLE.COLUMN add TYPE",
    "type": "TABLE.COLUMN type TYPE",
    "enum": "TABLE.COLUMN enum VALUE",
    "unit": "TABLE.COLUMN unit FACTOR",
}
"""How each change is written: add is of a nullable column, type widens, enum adds a value, unit multiplies."""

KINDS: Mapping[str, Change | None] = {
    "rename": Change.RENAME,
    "drop": Change.DROP,
    "add": None,
    "type": Change.TYPE,
    "enum": Change.ENUM,
    "unit": Change.UNIT,
}
"""What ``impact`` is asked for each; a column that is added has no reader yet."""

NUMBERS = ("tinyint", "smallint", "int", "bigint", "hugeint", "long", "float", "real", "double", "decimal", "numeric")
"""How the SQL types begin that a factor can multiply."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Simulated:
    """One change of one source: ``what`` is a key of ``FORMS``, ``to`` its last word, empty for drop."""

    table: str
    column: str
    what: str
    to: str = ""

    @property
    def kind(self) -> Change | None:
        """What ``impact`` is asked; None where nothing can be reached."""
        return KINDS[self.what]

    @property
    def renamed(self) -> str:
        """What a column that is renamed is called then: a document's value stays in its section."""
        section, dot, _ = self.column.rpartition(".") if self.column.startswith(f"{DOCUMENT}.") else ("", "", "")
        return f"{section}{dot}{self.to}"

    def __str__(self) -> str:
        """Return it as it was written."""
        return f"{self.table}.{self.column} {self.what} {self.to}".rstrip()


def read_change(text: str, sources: Iterable[Source]) -> Simulated:
    """Return the change that ``text`` writes.

    Raises:
        HeadwaterError: no such form, table or column, or a word that the form does not take.
    """
    by_name = {source.table: source for source in sources}
    found = _read(text, by_name)
    if found.what not in FORMS or bool(found.to) is (found.what == "drop"):
        raise HeadwaterError(f"{text!r} is no change", fix=f"write one of: {'; '.join(FORMS.values())}")
    _check(found, {name: dict(source.columns) for name, source in by_name.items()}, text)
    _require_own(found, by_name[found.table], text)
    return found


def _read(text: str, sources: Mapping[str, Source]) -> Simulated:
    """Return what ``text`` says, checked for nothing; names of files and of their columns may have dots and blanks."""
    own = max((it for it in sources if text.strip().startswith(f"{it}.")), key=len, default="")
    rest = text.strip().removeprefix(f"{own}.")
    columns = (name for name, _ in sources[own].columns) if own else ()
    column = max((it for it in columns if f"{rest} ".startswith(f"{it} ")), key=len, default="")
    if not column:
        column, _, rest = rest.partition(" ")
    else:
        rest = rest.removeprefix(column)
    what, to = (*rest.split(maxsplit=1), "", "")[:2]
    table, _, last = (own, "", column) if own else column.rpartition(".")
    return Simulated(table, last, what, to.strip())


def _require_own(found: Simulated, source: Source, text: str) -> None:
    """Check that a column of a file with several kinds of record is of one of them, and one of a document's in a part.

    Raises:
        HeadwaterError: it is of the file as a whole.
    """
    files = source.files
    if files is None:
        return
    if files.records and source.table == files.name:
        kinds = ", ".join(f"{files.name}#{it.id}" for it in files.records)
        problem = f"{text!r}: {files.name} as a whole says which kinds of record there are"
        raise HeadwaterError(problem, fix=f"change a column of one of {kinds}")
    if found.column == files.filename:
        problem = f"{text!r}: {found.column} is the file's own name, which no sender changes"
        raise HeadwaterError(problem, fix="change it in sources.toml, and compare the two revisions")
    sections = [f"{DOCUMENT}.{it.name}" for it in files.sections]
    if found.column.startswith(f"{DOCUMENT}.") and found.column.rpartition(".")[0] not in sections:
        problem = f"{text!r}: {files.name} has no such section"
        raise HeadwaterError(problem, fix=f"name a value of {', '.join(sections) or 'another document'}")


def _check(found: Simulated, tables: Mapping[str, Mapping[str, str]], text: str) -> None:
    if found.table not in tables:
        near = get_close_matches(found.table, tables, 1)
        raise HeadwaterError(
            f"{text!r}: {found.table or found.column} is no source",
            fix=f"did you mean {near[0]}?" if near else f"name one of {', '.join(sorted(tables))}",
        )
    columns = tables[found.table]
    if (found.column in columns) is (found.what == "add"):
        has = "already has" if found.what == "add" else "has no"
        raise HeadwaterError(
            f"{text!r}: {found.table} {has} column {found.column}", fix=f"its columns are {', '.join(columns)}"
        )
    problem = WORDS[found.what](found.to)
    if found.what == "unit" and not columns[found.column].lower().startswith(NUMBERS):
        raise HeadwaterError(
            f"{text!r}: {found.table}.{found.column} is {columns[found.column]}, and unit is for numbers",
            fix="name a column of numbers, or write another change",
        )
    if problem or (found.what == "rename" and found.renamed in columns):
        raise HeadwaterError(
            f"{text!r}: {problem or f'{found.table} already has column {found.to}'}",
            fix=f"write {FORMS[found.what]}",
        )


def _no_name(text: str) -> str:
    return "" if NAME.fullmatch(text) else f"{text!r} is no column name"


def _no_type(text: str) -> str:
    return "" if sql_type(text) else f"{text!r} is no type: {TYPES}"


def _no_number(text: str) -> str:
    return "" if re.fullmatch(r"-?\d+(\.\d+)?", text) else f"{text!r} is no number"


def _nothing(_text: str) -> str:
    return ""


WORDS: Mapping[str, Callable[[str], str]] = {
    "rename": _no_name,
    "drop": _nothing,
    "add": _no_type,
    "type": _no_type,
    "enum": _nothing,
    "unit": _no_number,
}
"""What is wrong with the last word of each form; empty where nothing is."""


def changed_source(source: Source, change: Simulated) -> Source:
    """Return ``source`` with the columns that it has after ``change``, of its file's kinds of record too."""
    files = source.files and changed_file(source.files, change)
    if change.table != source.table:
        return replace(source, files=files)
    columns = dict(source.columns)
    after = {
        "rename": lambda: {change.renamed if name == change.column else name: kind for name, kind in columns.items()},
        "drop": lambda: {name: kind for name, kind in columns.items() if name != change.column},
        "add": lambda: {**columns, change.column: change.to},
        "type": lambda: {**columns, change.column: change.to},
        "enum": lambda: columns,
        "unit": lambda: columns,
    }[change.what]()
    return replace(source, columns=tuple(after.items()), files=files)


def changed_file(files: FileSource, change: Simulated) -> FileSource:
    """Return the declaration as it is after ``change``, which may be of another one."""
    if change.table == files.name:
        sections = tuple(
            replace(it, columns=_columns(it.columns, change, document_field(it.name, ""))) for it in files.sections
        )
        return replace(files, columns=_columns(files.columns, change, ""), sections=sections)
    records = tuple(
        replace(it, columns=_columns(it.columns, change, "")) if change.table == record_name(files, it) else it
        for it in files.records
    )
    return replace(files, records=records)


def _columns(columns: tuple[FileColumn, ...], change: Simulated, prefix: str) -> tuple[FileColumn, ...]:
    """Return the columns of a row or, by the ``prefix`` of their fields, of a section after ``change``."""
    name = change.column.removeprefix(prefix)
    if not change.column.startswith(prefix) or name.startswith(f"{DOCUMENT}."):
        return columns
    if change.what == "add":
        return (*columns, FileColumn(name, change.to, path=name))
    if change.what == "drop":
        return tuple(it for it in columns if it.name != name)
    return tuple(_column(it, change) if it.name == name else it for it in columns)


def _column(column: FileColumn, change: Simulated) -> FileColumn:
    if change.what == "rename":
        return replace(column, name=change.to)
    return replace(column, type=change.to) if change.what == "type" else column
