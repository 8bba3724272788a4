"""A change of a source that has not happened yet: what it does to the columns, and to the rows, of that table.

``crm.learners.email rename contact_email`` and its like, one a line of the seed's table of changes.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from governance.errors import HeadwaterError
from governance.impact import Change
from governance.policy import Source
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

    def __str__(self) -> str:
        """Return it as it was written."""
        return f"{self.table}.{self.column} {self.what} {self.to}".rstrip()


def read_change(text: str, sources: Iterable[Source]) -> Simulated:
    """Return the change that ``text`` writes.

    Raises:
        HeadwaterError: no such form, table or column, or a word that the form does not take.
    """
    name, what, to = (*text.split(maxsplit=2), "", "", "")[:3]
    if what not in FORMS or bool(to) is (what == "drop"):
        raise HeadwaterError(f"{text!r} is no change", fix=f"write one of: {'; '.join(FORMS.values())}")
    table, _, column = name.rpartition(".")
    found = Simulated(table, column, what, to.strip())
    _check(found, {source.table: dict(source.columns) for source in sources}, text)
    return found


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
    if problem or (found.what == "rename" and found.to in columns):
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
    """Return ``source`` with the columns that it has after ``change``."""
    if change.table != source.table:
        return source
    columns = dict(source.columns)
    after = {
        "rename": lambda: {change.to if name == change.column else name: kind for name, kind in columns.items()},
        "drop": lambda: {name: kind for name, kind in columns.items() if name != change.column},
        "add": lambda: {**columns, change.column: change.to},
        "type": lambda: {**columns, change.column: change.to},
        "enum": lambda: columns,
        "unit": lambda: columns,
    }[change.what]()
    return replace(source, columns=tuple(after.items()))
