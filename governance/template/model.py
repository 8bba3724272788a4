"""What a template is and what became of it, as values."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

Value = str | int | float | bool | tuple["Value", ...]
"""What a variable of ``[vars]`` may hold; a list of them is a tuple here."""


@dataclass(frozen=True, slots=True)
class MacroFile:
    """A file of Jinja macros: ``name`` as ``{% import %}`` has it, ``file`` as it may be shown, and its text."""

    name: str
    file: str
    text: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a template may name.

    tables:    what the project's pipelines build, ``schema.table``
    sources:   what ``sources.toml`` declares: tables, and datasets of files such as ``landing/orders.csv``
    variables: ``[vars]`` of ``lineage.toml``
    macros:    the files of macros
    """

    tables: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    variables: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    macros: tuple[MacroFile, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Piece:
    """A stretch of rendered text that lies in one line, up to the next piece.

    line, column: where it begins in the rendered text, 1-based
    first, last:  the template's lines that made it, 1-based: two where an expression goes over several
    """

    line: int
    column: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Template:
    """What a pipeline's SQL was rendered from.

    text:   the file's own text
    pieces: where the SQL comes from, in its order
    words:  (header word, the template's line) of what ``config()`` says in place of a header line
    """

    text: str
    pieces: tuple[Piece, ...] = ()
    words: tuple[tuple[str, int], ...] = ()

    def place(self, sql: str, line: int, column: int | None) -> tuple[int, int | None]:
        """Return the template's line and column for a place in ``sql``, which was rendered from it.

        The column is None where the rendered line does not stand in the template as it is.
        """
        made = _lines(sql)
        if not self.pieces or not 1 <= line <= len(made):
            return line, column
        lines, told = _lines(self.text), made[line - 1]
        # a line as a whole is told by its first word
        near = column or len(told) - len(told.lstrip()) + 1
        at = max(bisect_right(self.pieces, (line, near), key=lambda it: (it.line, it.column)) - 1, 0)
        found = _line_with(lines, self.pieces[at], _word_at(told, column))
        own = lines[min(found, len(lines)) - 1]
        if column is None or not own or not told.endswith(own):
            return found, None
        # what stands before the template's line is the CREATE TABLE that a bare query is given
        return found, max(column - (len(told) - len(own)), 1)


@lru_cache(maxsize=64)
def _lines(text: str) -> tuple[str, ...]:
    """Return the lines of a text of which many places may be asked."""
    return tuple(text.split("\n"))


def _word_at(line: str, column: int | None) -> str:
    """Return the word that begins at ``column`` of ``line``, empty where none does."""
    rest = line[(column or len(line) + 1) - 1 :]
    size = next((at for at, char in enumerate(rest) if not (char.isalnum() or char == "_")), len(rest))
    return rest[:size]


def _line_with(lines: tuple[str, ...], piece: Piece, word: str) -> int:
    """Return the first of the piece's lines that has ``word``, in whatever case; the first of all where none has."""
    span = range(piece.first, min(piece.last, len(lines)) + 1)
    return next((at for at in span if word and word.lower() in lines[at - 1].lower()), piece.first)


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a template became.

    sql:    the text that runs
    origin: the template's line for each line of ``sql``, 1-based
    words:  (header word, its text as a header would say it) of ``config()``
    """

    sql: str
    origin: tuple[int, ...]
    template: Template
    words: tuple[tuple[str, str], ...] = ()
